package sandbox

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// kernelLike is a small kernel with something more.
func kernelLike(more func(*Builder)) []byte {
	var m Builder
	importOwner(&m)
	more(&m)
	m.Export("f", KindFunc, m.Func(m.Type(nil, nil), nil, Op(Nop)))
	return m.Bytes()
}

// blocks is a function's code with n blocks, one behind the other.
func blocks(n int) []byte {
	return bytes.Repeat(concat(Block(Empty), Op(End)), n)
}

func TestKernelsThatMayNotBeAreAnsweredWithAStatus(t *testing.T) {
	none := []byte(nil)
	f := func(m *Builder, params, results []byte, code ...[]byte) uint32 {
		return m.Func(m.Type(params, results), nil, code...)
	}
	cases := []struct {
		what string
		wasm []byte
		want abi.KernelStatus
	}{
		{"nothing", nil, abi.KernelInvalid},
		{"no module", []byte("kernel, kernel"), abi.KernelInvalid},
		{"half a module", sampleKernel()[:100], abi.KernelInvalid},
		{"types that do not fit", kernelLike(func(m *Builder) { f(m, none, []byte{I32}, Op(Nop)) }), abi.KernelInvalid},
		{"a call of nothing", kernelLike(func(m *Builder) { f(m, none, none, Call(99)) }), abi.KernelInvalid},
		{"a global of nothing", kernelLike(func(m *Builder) { f(m, none, none, I64Const(1<<50), GlobalSet(0)) }), abi.KernelInvalid},
		{"a memory of its own", func() []byte {
			var m Builder
			m.Memory(1)
			m.Export("f", KindFunc, f(&m, none, none, Op(Nop)))
			return m.Bytes()
		}(), abi.KernelForbidden},
		{"a second memory", kernelLike(importOwner), abi.KernelForbidden},
		{"a table", kernelLike(func(m *Builder) { m.Table(0, 1) }), abi.KernelForbidden},
		{"a global", kernelLike(func(m *Builder) { m.Global(I32, false, I32Const(1)) }), abi.KernelForbidden},
		{"a mutable global", kernelLike(func(m *Builder) { m.Global(I64, true, I64Const(1)) }), abi.KernelForbidden},
		{"data", kernelLike(func(m *Builder) { m.Data(0, []byte("x")) }), abi.KernelForbidden},
		{"passive data", kernelLike(func(m *Builder) { m.PassiveData([]byte("x")) }), abi.KernelForbidden},
		{"elements", kernelLike(func(m *Builder) { m.Element(0, 0) }), abi.KernelForbidden},
		{"a start function", kernelLike(func(m *Builder) { m.Start(0) }), abi.KernelForbidden},
		{"an import of a function", kernelLike(func(m *Builder) { m.Import(abi.ImportKernel, callKernelName, m.Type(none, none)) }), abi.KernelForbidden},
		{"an import of WASI", kernelLike(func(m *Builder) { m.Import(wasiModule, exitName, m.Type([]byte{I32}, none)) }), abi.KernelForbidden},
		{"an import of the hook", kernelLike(func(m *Builder) { m.Import("ox:sandbox/meter", "hook", m.Type([]byte{I32, I32}, none)) }), abi.KernelForbidden},
		{"an import of the counter", kernelLike(func(m *Builder) { m.RawImport("ox:sandbox/owner", "__ox_fuel", KindGlobal, I64, 1) }), abi.KernelForbidden},
		{"an import of a table", kernelLike(func(m *Builder) { m.RawImport(abi.ImportKernel, "table", KindTable, Funcref, 0, 1) }), abi.KernelForbidden},
		{"another memory", kernelLike(func(m *Builder) { m.RawImport("env", "memory", KindMemory, 0, 0) }), abi.KernelForbidden},
		{"the memory by its metered name", func() []byte {
			var m Builder
			m.RawImport("ox:sandbox/owner", "memory", KindMemory, 0, 0)
			m.Export("f", KindFunc, f(&m, none, none, Op(Nop)))
			return m.Bytes()
		}(), abi.KernelForbidden},
		{"the memory handed on", kernelLike(func(m *Builder) { m.Export("memory", KindMemory, 0) }), abi.KernelForbidden},
		{"a reserved name", kernelLike(func(m *Builder) { m.Export("__ox_fuel", KindFunc, f(m, none, none, Op(Nop))) }), abi.KernelForbidden},
		{"an f32", kernelLike(func(m *Builder) { m.Export("g", KindFunc, f(m, []byte{F32}, none, Op(Nop))) }), abi.KernelForbidden},
		{"a reference", kernelLike(func(m *Builder) { m.Export("g", KindFunc, f(m, []byte{Externref}, none, Op(Nop))) }), abi.KernelForbidden},
		{"a vector", kernelLike(func(m *Builder) { f(m, []byte{V128}, none, Op(Nop)) }), abi.KernelForbidden},
		{"a tail call", kernelLike(func(m *Builder) { f(m, none, none, []byte{0x12, 0}) }), abi.KernelForbidden},
		{"too many blocks", kernelLike(func(m *Builder) { f(m, none, none, blocks(5000)) }), abi.KernelTooLarge},
		{"too many bytes", concat(kernelLike(func(*Builder) {}), Section(nil, 0, make([]byte, abi.MaxKernelBytes))), abi.KernelTooLarge},
		{"nothing to call", (&Builder{}).Bytes(), 0},
		{"no memory", func() []byte {
			var m Builder
			m.Export("f", KindFunc, f(&m, none, none, Op(Nop)))
			return m.Bytes()
		}(), 0},
	}
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		m := admit(t, h, kernelOwner(20), "")
		limits := roomy()
		limits.HostBytes = 1 << 30
		in := instantiate(t, m)
		for _, c := range cases {
			before := h.Memory()
			answer, _, err := in.Call(t.Context(), "load", c.wasm, limits)
			must(t, err)
			got := statusOf(answer)
			if c.want >= 0 && got < 0 || c.want < 0 && got != c.want {
				t.Errorf("%s: %d, want %d", c.what, got, c.want)
			}
			if got < 0 && h.Memory() != before {
				t.Errorf("%s: %d bytes are held, before %d", c.what, h.Memory(), before)
			}
		}
		if n := len(in.kernels.list); n != 2 {
			t.Errorf("%d kernels", n)
		}
		// The owner is none the worse for all that.
		answer, _, err := in.Call(t.Context(), "grow", nil, roomy())
		must(t, err)
		if statusOf(answer) != 20 || in.memory.size != 21*65536 {
			t.Errorf("the owner grew from %d pages to %d bytes", statusOf(answer), in.memory.size)
		}
	})
}

func TestKernelsOfAnInstanceAreBounded(t *testing.T) {
	in := instantiate(t, admit(t, newHost(t, nil), kernelOwner(2), ""))
	for i := range abi.MaxKernels {
		if got := loadInto(t, in, numbered(i)); got != abi.KernelStatus(i) {
			t.Fatalf("kernel %d: %d", i, got)
		}
	}
	if got := loadInto(t, in, numbered(abi.MaxKernels)); got != abi.KernelTooMany {
		t.Errorf("one more: %d", got)
	}
	if got := loadInto(t, in, numbered(7)); got != 7 {
		t.Errorf("the same again: %d", got)
	}
	for _, i := range []int{63, 0, 7, 7} {
		answer, _, err := in.Call(t.Context(), "call", kernelRequest(i, 0, 0), roomy())
		must(t, err)
		if got := in.memory.bytes()[RequestAt+16]; statusOf(answer) != abi.KernelOK || got != byte(i) {
			t.Errorf("kernel %d: status %d, value %d", i, statusOf(answer), got)
		}
	}
}

// TestKernelsTogetherAskNoMoreThanAModule: the work of compiling adds up.
func TestKernelsTogetherAskNoMoreThanAModule(t *testing.T) {
	in := instantiate(t, admit(t, newHost(t, func(c *Config) { c.Interpreter = true }), kernelOwner(20), ""))
	costly := func(n int32) []byte {
		return kernelLike(func(m *Builder) { m.Func(m.Type(nil, nil), nil, I32Const(n), Op(Drop), blocks(4000)) })
	}
	var got []abi.KernelStatus
	for i := range 3 {
		got = append(got, loadInto(t, in, costly(int32(i))))
	}
	if !slices.Equal(got, []abi.KernelStatus{0, abi.KernelTooLarge, abi.KernelTooLarge}) {
		t.Errorf("%v", got)
	}
	if s := loadInto(t, in, numbered(1)); s != 1 {
		t.Errorf("a small one after that: %d", s)
	}
}
