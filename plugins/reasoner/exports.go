//go:build wasip1

package main

import (
	"unsafe"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/guest"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
)

// reasoner is what the instance has loaded: exports have no receiver.
var reasoner = engine.New()

// paced runs f with the collector held back as far as the call's memory limit
// allows.
func paced[Request, Response any](call func(*Request) *abi.Call, f func(*Request) (*Response, *abi.Failure)) func(*Request) (*Response, *abi.Failure) {
	return func(r *Request) (*Response, *abi.Failure) {
		defer guest.PaceGC(call(r).Limits.Memory)()
		return f(r)
	}
}

// filling is paced for a call that fills the instance.
func filling[Request, Response any](call func(*Request) *abi.Call, f func(*Request) (*Response, *abi.Failure)) func(*Request) (*Response, *abi.Failure) {
	return func(r *Request) (*Response, *abi.Failure) {
		defer guest.PaceFilling(call(r).Limits.Memory)()
		return f(r)
	}
}

// running is where the host sees which rule a limit stopped.
//
//go:wasmexport ox_running
func running() uint32 { return uint32(uintptr(unsafe.Pointer(reasoner.Running()))) }

//go:wasmexport ox:plugin/reasoner@0.1.0#describe
func describe() uint32 {
	d := engine.Describe()
	return guest.Give(d.AppendCBOR(nil))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#describe
func postDescribe(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#stats
func stats() uint32 { return guest.Give(reasoner.Stats().AppendCBOR(nil)) }

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#stats
func postStats(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#load
func load(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.LoadRequest, abi.LoadResponse](filling(func(r *abi.LoadRequest) *abi.Call { return &r.Call }, reasoner.Load)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#load
func postLoad(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#assert
func assert(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.AssertRequest, abi.AssertResponse](filling(func(r *abi.AssertRequest) *abi.Call { return &r.Call }, reasoner.Assert)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#assert
func postAssert(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#query
func query(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.QueryRequest, abi.Rows](paced(func(r *abi.QueryRequest) *abi.Call { return &r.Call }, reasoner.Query)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#query
func postQuery(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#derive
func derive(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.DeriveRequest, abi.Rows](paced(func(r *abi.DeriveRequest) *abi.Call { return &r.Call }, reasoner.Derive)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#derive
func postDerive(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#explain
func explain(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.ExplainRequest, abi.Explanation](paced(func(r *abi.ExplainRequest) *abi.Call { return &r.Call }, reasoner.Explain)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#explain
func postExplain(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#compute
func compute(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.ComputeRequest, abi.ComputeResponse](paced(func(r *abi.ComputeRequest) *abi.Call { return &r.Call }, reasoner.Compute)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#compute
func postCompute(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#mutate
func mutate(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.MutateRequest, abi.MutateResponse](paced(func(r *abi.MutateRequest) *abi.Call { return &r.Call }, reasoner.Mutate)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#mutate
func postMutate(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/reasoner@0.1.0#checks
func checks(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.ChecksRequest, abi.ChecksResponse](paced(func(r *abi.ChecksRequest) *abi.Call { return &r.Call }, reasoner.Checks)))
}

//go:wasmexport cabi_post_ox:plugin/reasoner@0.1.0#checks
func postChecks(area uint32) { guest.Post(area) }
