package sandbox_test

import (
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// BenchmarkReasonerExplain explains facts over a closure of a million tuples in
// the sandbox: the first proof of an instance, a proof after it, a why-not, and
// one with its repairs, and the proof and the why-not after one edge more or less.
// Each figure is a median, in microseconds.
func BenchmarkReasonerExplain(b *testing.B) {
	module := reasonerModule(b)
	w, _ := workload.Named("w1s")
	program, relations := w.Program()
	path := relations[w.Ask]
	start := func() *session {
		s := open(b, module, program)
		s.ask(abi.ExportAssert, &abi.AssertRequest{Call: s.call, Deltas: w.Frames(relations)}, &abi.AssertResponse{})
		return s
	}
	tuples := func(s *session) (holds, not []abi.Value) {
		var page abi.Rows
		s.ask(abi.ExportDerive, &abi.DeriveRequest{Call: s.call, Relation: path, Page: abi.Page{Limit: 2000}}, &page)
		holds = page.Frame.Row(nil, 1999)
		return holds, []abi.Value{holds[0], abi.IntValue(5000)}
	}
	explain := func(s *session, tuple []abi.Value, repairs uint32) (*abi.Explanation, time.Duration) {
		var e abi.Explanation
		begin := time.Now()
		s.ask(abi.ExportExplain, &abi.ExplainRequest{Call: s.call, Relation: path, Tuple: tuple, MaxDepth: 100, MaxNodes: 1000, Repairs: repairs}, &e)
		return &e, time.Since(begin)
	}
	b.Run("first proof", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			s := start()
			holds, _ := tuples(s)
			e, t := explain(s, holds, 0)
			took = append(took, t)
			b.ReportMetric(float64(len(e.Nodes)), "nodes")
			s.close()
		}
		b.ReportMetric(float64(medianTime(took).Microseconds()), "µs")
	})
	for _, c := range []struct {
		name    string
		holds   bool
		repairs uint32
	}{{"proof", true, 0}, {"why not", false, 0}, {"repairs", false, abi.MaxRepair}} {
		b.Run(c.name, func(b *testing.B) {
			s := start()
			defer s.close()
			tuple, not := tuples(s)
			if !c.holds {
				tuple = not
			}
			var took []time.Duration
			for b.Loop() {
				e, t := explain(s, tuple, c.repairs)
				if e.Derived != c.holds {
					b.Fatal("the explanation is of another truth")
				}
				took = append(took, t)
			}
			b.ReportMetric(float64(medianTime(took).Microseconds()), "µs")
		})
	}
	insert, remove := workload.Change(&program, relations["edge"])
	for _, c := range []struct {
		name  string
		holds bool
	}{{"proof after a change", true}, {"why not after a change", false}} {
		b.Run(c.name, func(b *testing.B) {
			s := start()
			defer s.close()
			tuple, not := tuples(s)
			if !c.holds {
				tuple = not
			}
			var took, fuel []time.Duration
			for i := 0; b.Loop(); i++ {
				for _, mutation := range []int{remove, insert} {
					s.change(mutation, w.Edge(i, false))
					_, t := explain(s, tuple, 0)
					took, fuel = append(took, t), append(fuel, time.Duration(s.use.Fuel))
				}
			}
			b.ReportMetric(float64(medianTime(took).Microseconds()), "µs")
			b.ReportMetric(float64(medianTime(fuel)), "fuel")
		})
	}
}
