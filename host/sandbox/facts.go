package sandbox

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

const (
	scanName                   = "scan"
	scanType rewrite.Signature = "iii>"
)

// Scan answers one request of ox:plugin/facts: the CBOR of a ScanResponse, or
// with failed that of a Failure. It runs inside the guest's call and must not
// call that instance.
type Scan func(ctx context.Context, request []byte) (answer []byte, failed bool)

type scanKey struct{}

// WithFacts gives the calls under the returned context their facts. Without
// it, or with nil, ox:plugin/facts answers every request with a Failure.
func WithFacts(ctx context.Context, scan Scan) context.Context {
	return context.WithValue(ctx, scanKey{}, scan)
}

func (h *Host) offerFacts(ctx context.Context) error {
	params, _ := valueTypes(scanType)
	_, err := h.runtime.NewHostModuleBuilder(abi.ImportFacts).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(scanFacts), params, nil).Export(scanName).Instantiate(ctx)
	return err
}

// scanFacts is ox:plugin/facts#scan(request: list<u8>) -> result<list<u8>,
// list<u8>>: the address and length of the request, and the address of a
// return area of three words.
func scanFacts(ctx context.Context, _ api.Module, stack []uint64) {
	in := running(ctx)
	ptr, size, area := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	in.meter.charge(stubCost + byteCost(uint64(size)))
	in.meter.hostCall(uint64(size))
	if in.module.rewritten.Exports[exportRealloc] != typeRealloc || !in.module.rewritten.HasMemory {
		panic(badOutput("", "the module asks for facts and has no cabi_realloc to receive them"))
	}
	view, ok := in.wasm.Memory().Read(ptr, size)
	if !ok {
		panic(badOutput("", "a request for facts at %d, length %d, is outside the memory", ptr, size))
	}
	request := append([]byte{}, view...)
	scan, _ := ctx.Value(scanKey{}).(Scan)
	if ctx.Value(nestedKey{}) != nil {
		panic(badOutput("", "facts are asked for while an answer is being placed"))
	}
	answer, failed := noFacts(), true
	if scan != nil {
		answer, failed = scan(ctx, request)
	}
	in.meter.moved(uint64(len(answer)))
	in.place(ctx, area, answer, failed)
}

func noFacts() []byte {
	f := abi.Failure{Code: abi.FailureState, Message: "there are no facts here: they are there only while a check is evaluated", Rule: -1}
	return f.AppendCBOR(nil)
}

// moved counts and charges bytes that go back to the guest.
func (m *meter) moved(n uint64) {
	m.charge(byteCost(n))
	if m.bytes += n; m.bytes > m.limits.HostBytes {
		panic(breach(HostCalls, abi.LimitHostBytes, m.limits.HostBytes, m.bytes))
	}
	if t := m.stopped(); t != nil {
		panic(t)
	}
}

// nestedKey marks the context of code that runs inside an import.
type nestedKey struct{}

// place writes an answer into memory that the guest gives while its call is
// still on.
func (in *Instance) place(ctx context.Context, area uint32, answer []byte, failed bool) {
	// The engine keeps one stack a function object: a nested call needs its own.
	realloc := in.wasm.ExportedFunction(exportRealloc)
	results, err := realloc.Call(context.WithValue(ctx, nestedKey{}, true), 0, 0, 1, uint64(len(answer)))
	if err != nil {
		panic(in.trapOf(exportRealloc, err))
	}
	memory := in.wasm.Memory()
	ptr := uint32(results[0])
	if len(answer) > 0 && !memory.Write(ptr, answer) {
		panic(badOutput("", "cabi_realloc gave address %d for %d bytes, the memory has %d", ptr, len(answer), in.memory.size))
	}
	var words [12]byte
	if failed {
		words[0] = 1
	}
	binary.LittleEndian.PutUint32(words[4:], ptr)
	binary.LittleEndian.PutUint32(words[8:], uint32(len(answer)))
	if !memory.Write(area, words[:]) {
		panic(badOutput("", "the return area at %d is outside the memory", area))
	}
}
