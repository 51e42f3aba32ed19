package sandbox_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// BenchmarkReasonerChange is w6, one edge in or out of a closure of a million
// tuples in the sandbox, and the same for a move of games under the well-founded
// semantics, for a leg of the shortest ways in a graph of 100,000, and for what
// becomes known of a unit of an open world of 100,000 facts: each a mutation that
// reports the exact change of the answer. It reports medians of the time and the
// fuel of a call, the longest time and the most fuel, and the mean number of tuples
// that come or go.
func BenchmarkReasonerChange(b *testing.B) {
	for _, name := range []string{"w1s", "w4a", "w4b", "w4c"} {
		w, _ := workload.Named(name)
		program, relations := w.Program()
		b.Run(name, func(b *testing.B) { benchmarkChange(b, &w, program, relations) })
	}
	w, program, relations := workload.Ways(25_000, 100_000)
	b.Run("ways", func(b *testing.B) { benchmarkChange(b, &w, program, relations) })
	w, program, relations = workload.Open(40_000)
	b.Run("open", func(b *testing.B) { benchmarkChange(b, &w, program, relations) })
}

func benchmarkChange(b *testing.B, w *workload.Workload, program abi.Program, relations map[string]int) {
	module := reasonerModule(b)
	insert, remove := workload.Change(&program, relations[w.Facts[0].Relation])
	for _, c := range []struct {
		name        string
		first, undo int
	}{{"remove", remove, insert}, {"insert", insert, remove}} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, module, program)
			defer s.close()
			s.ask(abi.ExportAssert, &abi.AssertRequest{Call: s.call, Deltas: w.Frames(relations)}, &abi.AssertResponse{})
			var rows abi.Rows
			s.ask(abi.ExportDerive, &abi.DeriveRequest{Call: s.call, Relation: relations[w.Ask], Page: abi.Page{Limit: 1}}, &rows)
			var took, fuel []time.Duration
			tuples := 0
			for i := 0; b.Loop(); i++ {
				row := w.Edge(i, c.first == insert)
				start := time.Now()
				out := s.change(c.first, row)
				took = append(took, time.Since(start))
				fuel = append(fuel, time.Duration(s.use.Fuel))
				for _, x := range out.Changes {
					tuples += x.Added.Rows + x.Removed.Rows
				}
				if c.first == remove || w.Name != "w1s" {
					s.change(c.undo, row)
				}
			}
			b.ReportMetric(float64(medianTime(took).Nanoseconds())/1000, "µs")
			b.ReportMetric(float64(slices.Max(took).Microseconds()), "µs/most")
			b.ReportMetric(float64(medianTime(fuel)), "fuel")
			b.ReportMetric(float64(slices.Max(fuel)), "fuel/most")
			b.ReportMetric(float64(tuples)/float64(b.N), "tuples")
			if w.Name == "w1s" {
				aim := map[string]float64{"insert": 50, "remove": 50_000}[c.name]
				b.ReportMetric(aim, "µs-aim")
				if c.name == "insert" {
					b.ReportMetric(1000, "µs-must")
				}
			}
		})
	}
}

// change runs a mutation of workload.Change.
func (s *session) change(mutation int, row []abi.Value) *abi.MutateResponse {
	var out abi.MutateResponse
	s.ask(abi.ExportMutate, &abi.MutateRequest{Call: s.call, Mutation: mutation, Args: row, Delta: true}, &out)
	return &out
}
