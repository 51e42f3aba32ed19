package workload_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// BenchmarkChange is w6 outside the sandbox: one edge in or out after w1s, with
// the exact change of the closure. It is the median of the calls, in
// microseconds, and the mean number of paths that come or go.
func BenchmarkChange(b *testing.B) {
	w, _ := workload.Named("w1s")
	program, relations := w.Program()
	insert, remove := workload.Change(&program, relations["edge"])
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits()}
	for _, c := range []struct {
		name  string
		first int
	}{{"remove", remove}, {"insert", insert}} {
		b.Run(c.name, func(b *testing.B) {
			e := engine.New()
			if _, f := e.Load(&abi.LoadRequest{Call: call, Program: program}); f != nil {
				b.Fatal(f)
			}
			if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: w.Frames(relations)}); f != nil {
				b.Fatal(f)
			}
			if _, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: relations["path"], Page: abi.Page{Limit: 1}}); f != nil {
				b.Fatal(f)
			}
			mutate := func(m int, row []abi.Value) (time.Duration, int) {
				start := time.Now()
				out, f := e.Mutate(&abi.MutateRequest{Call: call, Mutation: m, Args: row, Delta: true})
				if f != nil {
					b.Fatal(f)
				}
				n := 0
				for _, x := range out.Changes {
					n += x.Added.Rows + x.Removed.Rows
				}
				return time.Since(start), n
			}
			var took []time.Duration
			tuples := 0
			for i := 0; b.Loop(); i++ {
				row := w.Edge(i, c.first == insert)
				t, n := mutate(c.first, row)
				took, tuples = append(took, t), tuples+n
				if c.first == remove {
					mutate(insert, row)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "µs/median")
			b.ReportMetric(float64(took[len(took)-1].Microseconds()), "µs/most")
			b.ReportMetric(float64(tuples)/float64(b.N), "tuples")
		})
	}
}
