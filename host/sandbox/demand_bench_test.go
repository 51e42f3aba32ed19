package sandbox_test

import (
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// BenchmarkReasonerDemand asks, over the graph whose closure has five million
// tuples, in the sandbox and without deriving the closure: what one node
// reaches, whether it reaches another, and why. Each figure is the median of the
// first answers of fresh instances, in microseconds, with the derived tuples.
func BenchmarkReasonerDemand(b *testing.B) {
	module := reasonerModule(b)
	w, _ := workload.Named("w1l")
	program, relations := w.Program()
	facts := w.Frames(relations)
	path := relations[w.Ask]
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	both := []abi.Arg{slot(0), slot(1)}
	column := program.Relations[path].Columns[0]
	ask := abi.Query{
		Name: "reach", Body: []abi.Atom{{Op: abi.AtomScan, Rel: path, Args: both}}, Out: both, Truth: -1,
		Params: []abi.Param{{Name: "a", Type: column.Type}, {Name: "b", Type: column.Type}},
		Slots:  []abi.Slot{{Name: "a", Type: column.Type}, {Name: "b", Type: column.Type}}, Columns: []abi.Column{column, column},
	}
	from, to := abi.IntValue(7), abi.IntValue(11)
	for _, c := range []struct {
		name string
		args []*abi.Value
	}{{"what one node reaches", []*abi.Value{&from, nil}}, {"what reaches one node", []*abi.Value{nil, &to}}, {"one fact", []*abi.Value{&from, &to}}} {
		b.Run(c.name, func(b *testing.B) {
			firstAnswers(b, module, program, facts, func(s *session) (told func()) {
				var rows abi.Rows
				s.ask(abi.ExportQuery, &abi.QueryRequest{Call: s.call, Query: 0, Args: c.args, Extension: &abi.Extension{Queries: []abi.Query{ask}}}, &rows)
				return func() {
					if rows.Total == 0 {
						b.Fatal("no answer")
					}
					b.ReportMetric(float64(rows.Total), "rows")
					b.ReportMetric(float64(rows.Work.Derived), "derived")
				}
			})
		})
	}
	b.Run("a proof", func(b *testing.B) {
		firstAnswers(b, module, program, facts, func(s *session) (told func()) {
			var e abi.Explanation
			s.ask(abi.ExportExplain, &abi.ExplainRequest{Call: s.call, Relation: path, Tuple: []abi.Value{from, to}, MaxDepth: 100, MaxNodes: 1000}, &e)
			return func() {
				if !e.Derived {
					b.Fatal("no proof of a fact that holds")
				}
				b.ReportMetric(float64(len(e.Nodes)), "nodes")
			}
		})
	})
}

// firstAnswers reports the median time of the first answers of fresh instances, in
// microseconds. What ask returns, told, is called when the time has been taken.
func firstAnswers(b *testing.B, module *sandbox.Module, program abi.Program, facts []abi.Delta, ask func(*session) (told func())) {
	var took []time.Duration
	for b.Loop() {
		s := open(b, module, program)
		s.ask(abi.ExportAssert, &abi.AssertRequest{Call: s.call, Deltas: facts}, &abi.AssertResponse{})
		start := time.Now()
		told := ask(s)
		took = append(took, time.Since(start))
		told()
		s.close()
	}
	b.ReportMetric(float64(medianTime(took).Microseconds()), "µs")
}

// BenchmarkReasonerWhyNot asks an instance that has evaluated nothing why facts
// do not hold, over the closure of w1s.
func BenchmarkReasonerWhyNot(b *testing.B) {
	module := reasonerModule(b)
	w, _ := workload.Named("w1s")
	program, relations := w.Program()
	facts := w.Frames(relations)
	path := relations[w.Ask]
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	column := program.Relations[path].Columns[0]
	edges := program.Rules[program.Components[0].Rules[0]].Body[0].Rel
	// apart(a, b) :- edge(a, _), edge(_, b), not path(a, b).
	apart := len(program.Relations)
	program.Relations = append(program.Relations, abi.Relation{Name: "apart", Role: abi.Derived, Columns: []abi.Column{column, column}, Asserted: -1, Refuted: -1})
	program.Components = append(program.Components, abi.Component{Relations: []int{apart}, Rules: []int{len(program.Rules)}})
	wild := abi.Arg{Op: abi.ArgWild}
	program.Rules = append(program.Rules, abi.Rule{Name: "apart", Head: apart, Args: []abi.Arg{slot(0), slot(1)}, Slots: make([]abi.Slot, 2), Body: []abi.Atom{
		{Op: abi.AtomScan, Rel: edges, Args: []abi.Arg{slot(0), wild}},
		{Op: abi.AtomScan, Rel: edges, Args: []abi.Arg{wild, slot(1)}},
		{Op: abi.AtomScan, Rel: path, Neg: true, Args: []abi.Arg{slot(0), slot(1)}},
	}})
	for _, c := range []struct {
		name     string
		relation int
		from, to int64
	}{{"no way to a node without edges", path, 7, -1}, {"a way that must not be", apart, 7, 11}} {
		b.Run(c.name, func(b *testing.B) {
			firstAnswers(b, module, program, facts, func(s *session) (told func()) {
				var e abi.Explanation
				s.ask(abi.ExportExplain, &abi.ExplainRequest{Call: s.call, Relation: c.relation, Tuple: []abi.Value{abi.IntValue(c.from), abi.IntValue(c.to)}}, &e)
				return func() {
					if e.Derived || e.Work.ByDemand == 0 {
						b.Fatalf("derived %v, by demand %d", e.Derived, e.Work.ByDemand)
					}
					b.ReportMetric(float64(e.Work.Derived), "derived")
				}
			})
		})
	}
}
