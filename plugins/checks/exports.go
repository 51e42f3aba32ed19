//go:build wasip1

package main

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/checks/evaluator"
	"github.com/ox-mcp/ox-mcp/plugins/internal/guest"
)

//go:wasmexport ox:plugin/check-evaluator@0.1.0#describe
func describe() uint32 { return guest.Give(evaluator.Describe().AppendCBOR(nil)) }

//go:wasmexport cabi_post_ox:plugin/check-evaluator@0.1.0#describe
func postDescribe(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/check-evaluator@0.1.0#evaluate
func evaluate(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.EvaluateRequest, abi.EvaluateResponse](evaluator.Evaluate))
}

//go:wasmexport cabi_post_ox:plugin/check-evaluator@0.1.0#evaluate
func postEvaluate(area uint32) { guest.Post(area) }
