//go:build wasip1

package main

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/guest"
)

// state is what the instance has loaded: exports have no receiver.
var state joiner

//go:wasmexport ox:plugin/reasoner@0.1.0#describe
func describe() uint32 { return guest.Give(description().AppendCBOR(nil)) }

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#describe
func postDescribe(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#load
func load(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.LoadRequest, abi.LoadResponse](state.load))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#load
func postLoad(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#assert
func assert(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.AssertRequest, abi.AssertResponse](state.assert))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#assert
func postAssert(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#derive
func derive(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.DeriveRequest, abi.Rows](state.derive))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#derive
func postDerive(area uint32) { guest.Post(area) }
