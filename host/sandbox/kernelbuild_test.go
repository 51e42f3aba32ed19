package sandbox_test

import (
	"context"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// The reasoner has kernels for the rules that carry the load, which take a good
// part less fuel then; none where they are not granted, nor where the call's
// limit on host calls leaves no room; and gives the same answers. Where they
// would not pay it makes none.
func TestTheReasonerMakesKernelsWhereTheyPay(t *testing.T) {
	if sandbox.RaceDetector || testing.Short() {
		t.Skip("compiles the reasoner")
	}
	c := reasonerModules(t)
	without, err := c.host.Admit(t.Context(), "reasoner", c.wasm, sandbox.AdmitOptions{World: abi.WorldReasoner, MemoryCap: 1 << 30, Limits: benchLimits()})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close(context.Background())
	modules := [2]*sandbox.Module{without, c.withKernels}
	for _, c := range []struct {
		name string
		pays bool
	}{{"w2", true}, {"w3s", false}} {
		w, _ := workload.Named(c.name)
		program, relations := w.Program()
		run := func(m *sandbox.Module, hostCalls uint64) (fuel, calls uint64) {
			limits := benchLimits()
			limits.HostCalls = hostCalls
			call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits}
			in, err := m.Instantiate(t.Context(), limits)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close(context.Background())
			var rows abi.Rows
			exchange{abi.ExportLoad, &abi.LoadRequest{Call: call, Program: program}, &abi.LoadResponse{}}.fuel(t, in)
			exchange{abi.ExportAssert, &abi.AssertRequest{Call: call, Deltas: w.Frames(relations)}, &abi.AssertResponse{}}.fuel(t, in)
			ask := abi.DeriveRequest{Call: call, Relation: relations[w.Ask], Page: abi.Page{Limit: 1}}
			out, u, err := in.Call(t.Context(), abi.ExportDerive, ask.AppendCBOR(nil), limits)
			if err != nil {
				t.Fatal(err)
			}
			if err := rows.DecodeCBOR(out); err != nil {
				t.Fatal(err)
			}
			if rows.Total != w.Tuples {
				t.Errorf("%s with %d host calls: %d tuples, want %d", c.name, hostCalls, rows.Total, w.Tuples)
			}
			return u.Fuel, u.Calls
		}
		without, asked := run(modules[0], 10_000)
		var none, few, used uint64
		if c.pays {
			none, _ = run(modules[1], 0)
			few, used = run(modules[1], 8)
		}
		all, made := run(modules[1], 10_000)
		t.Logf("%s: %d units of fuel without the grant, %d without host calls, %d with four of them, %d with all", c.name, without, none, few, all)
		if asked > 1 || used > 4 {
			t.Errorf("%s: %d host calls without the grant, %d of 8", c.name, asked, used)
		}
		if c.pays && all > without/10*9 || c.pays != (made > 0) || !c.pays && all != without {
			t.Errorf("%s: kernels take %d units of fuel of %d, and %d host calls", c.name, all, without, made)
		}
	}
}
