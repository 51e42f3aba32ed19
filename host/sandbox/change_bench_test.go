package sandbox_test

import (
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// BenchmarkReasonerChange is w6: one edge in or out of a closure of a million
// tuples in the sandbox, each a mutation that reports the exact change of the
// closure. It reports medians of the time and the fuel of a call, the longest
// time, and the mean number of paths that come or go.
func BenchmarkReasonerChange(b *testing.B) {
	module := reasonerModule(b)
	w, _ := workload.Named("w1s")
	program, relations := w.Program()
	insert, remove := workload.Change(&program, relations["edge"])
	for _, c := range []struct {
		name  string
		first int
	}{{"remove", remove}, {"insert", insert}} {
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
				if c.first == remove {
					s.change(insert, row)
				}
			}
			most := time.Duration(0)
			for _, t := range took {
				most = max(most, t)
			}
			b.ReportMetric(float64(medianTime(took).Nanoseconds())/1000, "µs")
			b.ReportMetric(float64(most.Microseconds()), "µs/most")
			b.ReportMetric(float64(medianTime(fuel)), "fuel")
			b.ReportMetric(float64(tuples)/float64(b.N), "tuples")
		})
	}
}

// change runs a mutation of workload.Change.
func (s *session) change(mutation int, row []abi.Value) *abi.MutateResponse {
	var out abi.MutateResponse
	s.ask(abi.ExportMutate, &abi.MutateRequest{Call: s.call, Mutation: mutation, Args: row, Delta: true}, &out)
	return &out
}
