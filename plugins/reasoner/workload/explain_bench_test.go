package workload_test

import (
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// BenchmarkExplain explains facts of a closure of a million tuples outside the
// sandbox: one that holds, and one that does not, without and with repairs.
func BenchmarkExplain(b *testing.B) {
	w, _ := workload.Named("w1s")
	program, relations := w.Program()
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits()}
	e := engine.New()
	if _, f := e.Load(&abi.LoadRequest{Call: call, Program: program}); f != nil {
		b.Fatal(f)
	}
	if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: w.Frames(relations)}); f != nil {
		b.Fatal(f)
	}
	path := relations[w.Ask]
	rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: path, Page: abi.Page{Limit: 2000}})
	if f != nil {
		b.Fatal(f)
	}
	holds := rows.Frame.Row(nil, 1999)
	for _, c := range []struct {
		name    string
		tuple   []abi.Value
		derived bool
		repairs uint32
	}{
		{"proof", holds, true, 0},
		{"why not", []abi.Value{holds[0], abi.IntValue(5000)}, false, 0},
		{"repairs", []abi.Value{holds[0], abi.IntValue(5000)}, false, 3},
	} {
		b.Run(c.name, func(b *testing.B) {
			start := time.Now()
			first := time.Duration(0)
			for b.Loop() {
				x, f := e.Explain(&abi.ExplainRequest{Call: call, Relation: path, Tuple: c.tuple, MaxDepth: 100, MaxNodes: 1000, Repairs: c.repairs})
				if f != nil || x.Derived != c.derived {
					b.Fatal(f, x)
				}
				if first == 0 {
					first = time.Since(start)
				}
				b.ReportMetric(float64(len(x.Nodes)), "nodes")
			}
			b.ReportMetric(float64(first.Microseconds()), "first-µs")
		})
	}
}
