package sandbox_test

import (
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
)

// sameGeneration is same(x, y) :- parent(x, p), parent(y, p), x != y;
// same(x, y) :- parent(x, p), same(p, q), parent(y, q).
func sameGeneration() abi.Program {
	p := closure()
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	scan := func(rel, a, b int) abi.Atom {
		return abi.Atom{Op: abi.AtomScan, Rel: rel, Args: []abi.Arg{slot(a), slot(b)}}
	}
	s := p.Rules[0].Slots[0]
	head := []abi.Arg{slot(0), slot(1)}
	p.Rules = []abi.Rule{
		{Name: "same", Head: 1, Args: head, Slots: []abi.Slot{s, s, s}, Body: []abi.Atom{
			scan(0, 0, 2), scan(0, 1, 2), {Op: abi.AtomCmp, Cmp: abi.CmpNe, Args: head}}},
		{Name: "same", Head: 1, Args: head, Slots: []abi.Slot{s, s, s, s}, Body: []abi.Atom{
			scan(0, 0, 2), scan(1, 2, 3), scan(0, 1, 3)}},
	}
	return p
}

// tree has an edge from each node but the root to its parent, two children a
// node.
func tree(n int64) (out [][2]int64) {
	for i := int64(1); i < n; i++ {
		out = append(out, [2]int64{i, (i - 1) / 2})
	}
	return out
}

// BenchmarkReasonerWork reports, of the reasoner in the sandbox and each as a
// median: derived tuples a second of a join that is not one loop; the memory
// of a closure of five million tuples; the time of one proof, and of one fact
// and what follows from it, where 1.46 M tuples are derived.
func BenchmarkReasonerWork(b *testing.B) {
	module := reasonerModule(b)
	b.Run("same generation", func(b *testing.B) {
		facts := edges(tree(2047))
		var took []time.Duration
		var tuples uint64
		for b.Loop() {
			s := open(b, module, sameGeneration())
			start := time.Now()
			tuples = s.add(facts, 1)
			took = append(took, time.Since(start))
			s.close()
		}
		b.ReportMetric(float64(tuples)/medianTime(took).Seconds(), "tuples/s")
		b.ReportMetric(float64(tuples), "tuples")
	})
	b.Run("closure of 5 M", func(b *testing.B) {
		facts := edges(chain(3163))
		for b.Loop() {
			s := open(b, module, closure())
			b.ReportMetric(float64(s.add(facts, 1)), "tuples")
			b.ReportMetric(float64(s.use.MemoryBytes)/(1<<20), "MiB")
			s.close()
		}
	})
	b.Run("one proof", func(b *testing.B) {
		s := open(b, module, closure())
		defer s.close()
		s.add(edges(randomGraph(1500, 3000)), 1)
		var page abi.Rows
		s.ask(abi.ExportDerive, &abi.DeriveRequest{Call: s.call, Relation: 1, Page: abi.Page{Limit: 1000}}, &page)
		proof := abi.ExplainRequest{Call: s.call, Relation: 1, Tuple: page.Frame.Row(nil, 999), MaxDepth: 100, MaxNodes: 1000}
		var took []time.Duration
		nodes := 0
		for b.Loop() {
			var e abi.Explanation
			start := time.Now()
			s.ask(abi.ExportExplain, &proof, &e)
			took = append(took, time.Since(start))
			if !e.Derived {
				b.Fatal("no proof of a derived tuple")
			}
			nodes = len(e.Nodes)
		}
		b.ReportMetric(float64(nodes), "nodes")
		b.ReportMetric(float64(medianTime(took).Microseconds()), "µs")
	})
	b.Run("one insert", func(b *testing.B) {
		s := open(b, module, closure())
		defer s.close()
		before := s.add(edges(randomGraph(1500, 3000)), 1)
		var took []time.Duration
		for i := int64(0); b.Loop(); i++ {
			fact := edges([][2]int64{{i % 1500, 1500 + i}})
			start := time.Now()
			after := s.add(fact, 1)
			took = append(took, time.Since(start))
			if after <= before {
				b.Fatal("nothing follows from an edge to a new node")
			}
			before = after
		}
		b.ReportMetric(float64(medianTime(took).Microseconds()), "µs")
	})
}
