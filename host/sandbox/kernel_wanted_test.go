package sandbox

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// A build that can do without kernels is admitted with and without the grant, and
// a check evaluator never has it. Without, each load is refused, whatever its
// bytes, and nothing is checked or compiled. With it the module is the one that
// needs them, and its bill that one's.
func TestABuildThatCanDoWithoutKernels(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		admitted := func(wasm []byte, grants ...string) *Module {
			t.Helper()
			m, err := h.Admit(t.Context(), "guest", wasm, AdmitOptions{Grants: grants, Limits: roomy()})
			must(t, err)
			t.Cleanup(func() { must(t, m.Close(context.Background())) })
			return m
		}
		wants := kernelOwnerOf(abi.ImportKernelIfGranted, 2)
		needing, without := admitted(kernelOwner(2), abi.GrantKernel), admitted(wants)
		with := admitted(wants, abi.GrantLog, abi.GrantKernel)
		if without.MeteredHash() == needing.MeteredHash() || with.MeteredHash() != needing.MeteredHash() {
			t.Error("equal hashes are not equal bills")
		}

		in := instantiate(t, without)
		for _, wasm := range [][]byte{sampleKernel(), nil, {1, 2, 3}} {
			answer, u, err := in.Call(t.Context(), "load", wasm, roomy())
			must(t, err)
			if s := statusOf(answer); s != abi.KernelNotGranted || u.Calls != 1 || u.Fuel >= compileCost(0) {
				t.Errorf("status %d for %+v", s, u)
			}
		}
		answer, _, err := in.Call(t.Context(), "call", kernelRequest(0, kernelPeek, 0x8000), roomy())
		must(t, err)
		if s := statusOf(answer); s != abi.KernelUnknown || len(in.kernels.list) > 0 {
			t.Errorf("a call answers %d", s)
		}

		var fuel [2]uint64
		for i, m := range []*Module{needing, with} {
			in := instantiate(t, m)
			_, loaded, err := in.Call(t.Context(), "load", sampleKernel(), roomy())
			must(t, err)
			binary.LittleEndian.PutUint64(in.memory.bytes()[0x8000:], 77)
			if got := result(t, in, kernelPeek, 0x8000); got != 77 {
				t.Errorf("read %d", got)
			}
			fuel[i] = loaded.Fuel
		}
		if fuel[0] != fuel[1] {
			t.Errorf("%d and %d units of fuel", fuel[0], fuel[1])
		}
	})
}

// A grant that a build can do without is not said to be needed; the hashes are
// those of the build without it and with it.
func TestInspectDoesNotAskForWhatABuildCanDoWithout(t *testing.T) {
	h := newHost(t, nil)
	i, err := h.Inspect(t.Context(), "owner", kernelOwnerOf(abi.ImportKernelIfGranted, 2), roomy())
	must(t, err)
	if len(i.Imports) > 0 || len(i.Wants) != 1 || i.Wants[0] != abi.GrantKernel {
		t.Errorf("it needs %v and wants %v", i.Imports, i.Wants)
	}
	for want, grants := range map[string][]string{i.MeteredHash: nil, i.GrantedHash: {abi.GrantKernel}} {
		m, err := h.Admit(t.Context(), "owner", kernelOwnerOf(abi.ImportKernelIfGranted, 2), AdmitOptions{Grants: grants, Limits: roomy()})
		must(t, err)
		if m.MeteredHash() != want {
			t.Errorf("with %v it is metered as %s, inspect says %s", grants, m.MeteredHash(), want)
		}
		must(t, m.Close(t.Context()))
	}
}

// An evaluator that names kernels that it can do without is one that has none, and
// inspect promises it none.
func TestACheckEvaluatorHasNoKernels(t *testing.T) {
	g := NewGuest(2, func(m *Builder) { importKernelsOf(abi.ImportKernelIfGranted, m) })
	g.Exchange(abi.ExportEvaluate, nil, I32Const(AnswerAt), LocalGet(0), LocalGet(1), Call(0), I32Store(0))
	d := abi.Description{ABI: abi.Version, World: abi.WorldEvaluator, Name: "evaluator", Version: "1"}
	text := d.AppendCBOR(nil)
	g.Data(1024, []byte{0, 8, 0, 0, byte(len(text)), 0, 0, 0})
	g.Data(2048, text)
	g.Export(abi.ExportEvaluatorDescribe, KindFunc, g.Func(g.Type(nil, []byte{I32}), nil, I32Const(1024)))
	h := newHost(t, nil)
	m, err := h.Admit(t.Context(), "evaluator", g.Bytes(), AdmitOptions{World: abi.WorldEvaluator, Grants: []string{abi.GrantKernel}, Limits: roomy()})
	must(t, err)
	t.Cleanup(func() { must(t, m.Close(context.Background())) })
	i, err := h.Inspect(t.Context(), "evaluator", g.Bytes(), roomy())
	must(t, err)
	if i.World != abi.WorldEvaluator || len(i.Wants) > 0 || i.GrantedHash != "" || i.MeteredHash != m.MeteredHash() {
		t.Errorf("inspect says %+v", i)
	}
	answer, _, err := instantiate(t, m).Call(t.Context(), abi.ExportEvaluate, sampleKernel(), roomy())
	must(t, err)
	if s := statusOf(answer); s != abi.KernelNotGranted {
		t.Errorf("status %d", s)
	}
}
