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

// TestEveryExplanationInAnEditScriptIsThatOfAFreshInstance explains facts between
// changes, which are followed and not evaluated from scratch: what an explanation
// brings to its canonical form, and what it leaves, is no different for it.
func TestEveryExplanationInAnEditScriptIsThatOfAFreshInstance(t *testing.T) {
	for _, c := range []struct {
		name     string
		programs func(*rapid.T) *generated
	}{
		{"joins along chains", generateChains},
		{"anything", generate},
		{"the well-founded model", generateFounded},
		{"open worlds, intervals, undefined inputs", generateEveryKind},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := newScript(t, c.programs(t))
				for range rapid.IntRange(1, 8).Draw(t, "steps") {
					s.assert(s.draw())
					s.explain()
					if rapid.Bool().Draw(t, "compare") {
						s.compare()
					}
				}
			})
		})
	}
}

// explain explains a tuple, which mostly holds, and compares the explanation with
// that of an instance without history.
func (s *script) explain() {
	rel := rapid.IntRange(0, len(s.g.p.Relations)-1).Draw(s.t, "explained")
	tuple := (&generator{t: s.t}).tuple(len(s.g.p.Relations[rel].Columns))
	fresh := s.fresh()
	if is, _ := model(s.t, fresh, rel); len(is) > 0 && rapid.IntRange(0, 3).Draw(s.t, "holds") > 0 {
		tuple = rapid.SampledFrom(is).Draw(s.t, "fact")
	}
	request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 8, MaxNodes: 100}
	want, f := fresh.Explain(&request)
	if f != nil {
		s.t.Fatalf("explain: %v", f)
	}
	got, f := s.e.Explain(&request)
	if f != nil {
		s.t.Fatalf("explain: %v", f)
	}
	want.Work, got.Work = abi.Work{}, abi.Work{}
	if !reflect.DeepEqual(got, want) {
		s.t.Fatalf("after changes the explanation is\n%+v\nwant\n%+v\n%s", *got, *want, s.g.print())
	}
}
