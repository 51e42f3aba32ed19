package sandbox

import (
	"testing"

	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// sumKernel sums the words at an address: (address, count) to i64.
func sumKernel() []byte {
	var m Builder
	importOwner(&m)
	const extendU = 0xAD
	m.Export("sum", KindFunc, m.Func(m.Type([]byte{I32, I32}, []byte{I64}), []byte{I64},
		Block(Empty), Loop(Empty), LocalGet(1), Op(I32Eqz), BrIf(1),
		LocalGet(2), LocalGet(0), I32Load(0), Op(extendU), Op(I64Add), LocalSet(2),
		LocalGet(0), I32Const(4), Op(I32Add), LocalSet(0),
		LocalGet(1), I32Const(1), Op(I32Sub), LocalSet(1), Br(0), Op(End), Op(End), LocalGet(2)))
	return m.Bytes()
}

// TestAGoGuestHasKernelsReadItsHeap: the memory of a Go guest grows and is
// collected between the calls, and a clone has a heap of its own.
func TestAGoGuestHasKernelsReadItsHeap(t *testing.T) {
	wasm := goGuest(t, "./testdata/kernelowner")
	in := instantiate(t, admit(t, newHost(t, kept), wasm, ""))
	do := func(in *Instance, export string, args ...uint64) uint64 {
		t.Helper()
		limits := roomy()
		results, _, err := in.raw(t.Context(), limits, export, args...)
		must(t, err)
		if len(results) == 0 {
			return 0
		}
		return results[0]
	}
	kernel := sumKernel()
	if !in.wasm.Memory().Write(uint32(do(in, "room", uint64(len(kernel)))), kernel) {
		t.Fatal("no room")
	}
	if handle := int32(do(in, "load")); handle != 0 {
		t.Fatalf("status %d", handle)
	}
	want := func(in *Instance, n uint64) {
		t.Helper()
		if got := do(in, "sum"); got != n*(n-1)/2 {
			t.Errorf("the sum below %d is %d", n, int64(got))
		}
	}
	for _, n := range []uint64{10, 1_000_000, 10_000_000, 3} {
		do(in, "fill", n)
		want(in, n)
	}
	clone, err := in.Clone(t.Context())
	must(t, err)
	closeLater(t, clone)
	do(clone, "fill", 2_000_000)
	want(clone, 2_000_000)
	want(in, 3)
}
