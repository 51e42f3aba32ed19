package engine

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// TestAnExplanationDoesNotDependOnHistory explains the same fact in two
// instances that came to the same facts by different ways.
func TestAnExplanationDoesNotDependOnHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		rel := rapid.SampledFrom(g.p.Components[len(g.p.Components)-1].Relations).Draw(t, "relation")
		tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
		if fact, row, ok := g.fact(t, o); ok && rapid.Bool().Draw(t, "derived") {
			rel, tuple = fact, row
		}
		other := New()
		if _, f := other.Load(&abi.LoadRequest{Program: g.p}); f != nil {
			t.Fatalf("load: %v", f)
		}
		change := func(rel int, remove bool, row []int64) {
			d := []abi.Delta{{Relation: rel, Remove: remove, Frame: intFrame(row)}}
			if _, f := other.Assert(&abi.AssertRequest{Deltas: d}); f != nil {
				t.Fatalf("assert: %v", f)
			}
		}
		for _, base := range g.bases {
			extra := (&generator{t: t}).tuple(len(g.p.Relations[base].Columns))
			change(base, false, extra)
			for _, row := range rapid.Permutation(g.facts[base]).Draw(t, "order") {
				change(base, false, row)
			}
			if _, f := other.Derive(&abi.DeriveRequest{Relation: rel}); f != nil {
				t.Fatalf("derive: %v", f)
			}
			if !o.has(base, extra) {
				change(base, true, extra)
			}
		}
		request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 8, MaxNodes: 100}
		want, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v", f)
		}
		got, f := other.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v", f)
		}
		want.Work, got.Work = abi.Work{}, abi.Work{}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("two histories give\n%+v\nand\n%+v\n%s", *want, *got, g.print())
		}
	})
}
