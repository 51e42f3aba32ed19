package workload_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// The answers have the sizes on which the compared engines agree. The long
// workloads are left to the comparison itself.
func TestAnswersHaveTheirSizes(t *testing.T) {
	for _, name := range workload.Names() {
		if name == "w1l" || name == "w3l" {
			continue
		}
		w, ok := workload.Named(name)
		if !ok {
			t.Fatalf("%s is listed and not there", name)
		}
		program, relations := w.Program()
		call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits()}
		e := engine.New()
		if _, f := e.Load(&abi.LoadRequest{Call: call, Program: program}); f != nil {
			t.Fatalf("%s: %v", name, f)
		}
		if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: w.Frames(relations)}); f != nil {
			t.Fatalf("%s: %v", name, f)
		}
		rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: relations[w.Ask], Page: abi.Page{Limit: 1}})
		if f != nil {
			t.Fatalf("%s: %v", name, f)
		}
		if rows.Total != w.Tuples || w.Tuples == 0 {
			t.Errorf("%s, %s: %d tuples, want %d", name, w.About, rows.Total, w.Tuples)
		}
	}
}

func limits() abi.Limits {
	return abi.Limits{
		Fuel: 200e9, Memory: 1 << 30, Deadline: 120_000, Depth: 1900, Calls: 10_000, Rounds: 1e6, Derived: 1e8, Rows: 200,
		ResultBytes: 1 << 20, HostCalls: 10_000, HostBytes: 1 << 24, OutputBytes: 1 << 24, SourceBytes: 1 << 23, BodyBytes: 1 << 16,
	}
}
