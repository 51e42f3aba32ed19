package sandbox_test

import (
	"fmt"
	"slices"
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

// BenchmarkReasonerRepairsUnderNot looks for what would part two nodes of that
// closure, which several ways join, in a rule that asks for no path between them.
func BenchmarkReasonerRepairsUnderNot(b *testing.B) {
	module := reasonerModule(b)
	w, _ := workload.Named("w1s")
	w.Rules += "\napart(X, Y) :- node(X), node(Y), not path(X, Y).\n"
	w.Facts = append(slices.Clone(w.Facts), nodesOf(w.Facts[0]))
	program, relations := w.Program()
	s := open(b, module, program)
	defer s.close()
	s.ask(abi.ExportAssert, &abi.AssertRequest{Call: s.call, Deltas: w.Frames(relations)}, &abi.AssertResponse{})
	var page abi.Rows
	s.ask(abi.ExportDerive, &abi.DeriveRequest{Call: s.call, Relation: relations[w.Ask], Page: abi.Page{Limit: 2000}}, &page)
	explain := func(tuple []abi.Value, repairs uint32) *abi.Explanation {
		var e abi.Explanation
		s.ask(abi.ExportExplain, &abi.ExplainRequest{Call: s.call, Relation: relations["apart"], Tuple: tuple, MaxDepth: 1, MaxNodes: 1, Repairs: repairs}, &e)
		return &e
	}
	for _, row := range []int{100, 700, 1999} {
		tuple := page.Frame.Row(nil, row)
		b.Run(fmt.Sprint(row), func(b *testing.B) {
			explain(tuple, 0)
			without := s.use.Fuel
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				e := explain(tuple, abi.MaxRepair)
				took = append(took, time.Since(begin))
				if e.Repairs == nil || !e.Repairs.Complete {
					b.Fatal("the search is not complete")
				}
				b.ReportMetric(float64(len(e.Repairs.Repairs)), "repairs")
			}
			b.ReportMetric(float64(medianTime(took).Microseconds()), "µs")
			b.ReportMetric(float64(s.use.Fuel), "fuel")
			b.ReportMetric(float64(without), "fuel-first")
		})
	}
}

// nodesOf returns the ends of the edges.
func nodesOf(edges workload.Facts) workload.Facts {
	ends := slices.Clone(edges.Rows)
	slices.Sort(ends)
	return workload.Facts{Relation: "node", Arity: 1, Rows: slices.Compact(ends)}
}
