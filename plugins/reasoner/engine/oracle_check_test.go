package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// start loads the generated program and its facts into an engine and an
// oracle.
func (g *generated) start(t *rapid.T) (*Engine, *oracle) {
	e := drawnEngine(t, 1, 2, 3, defaultBatch)
	o := newOracle(&g.p)
	if _, f := e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
		t.Fatalf("load: %v", f)
	}
	for rel, rows := range g.facts {
		if len(rows) == 0 {
			continue
		}
		if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Frame: intFrame(rows...)}}}); f != nil {
			t.Fatalf("assert: %v", f)
		}
		for _, r := range rows {
			o.add(rel, r)
		}
	}
	o.evaluate(g.bodies)
	return e, o
}

func frameInts(f *abi.Frame) [][]int64 {
	var out [][]int64
	for i := range f.Rows {
		var row []int64
		for _, v := range f.Row(nil, i) {
			row = append(row, v.Int)
		}
		out = append(out, row)
	}
	return out
}

func sortedExtent(m map[string][]int64) [][]int64 {
	var out [][]int64
	for _, t := range m {
		out = append(out, t)
	}
	slices.SortFunc(out, slices.Compare[[]int64])
	return out
}

func (g *generated) compare(t *rapid.T, e *Engine, o *oracle) {
	for rel := range g.p.Relations {
		rows, f := e.Derive(&abi.DeriveRequest{Relation: rel})
		if f != nil {
			t.Fatalf("derive %s: %v", g.p.Relations[rel].Name, f)
		}
		got, want := frameInts(&rows.Frame), sortedExtent(o.extents[rel])
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("extent of %s is\n%v, want\n%v\nrules: %s", g.p.Relations[rel].Name, got, want, g.print())
		}
	}
}

func (g *generated) print() string {
	s := ""
	for i, r := range g.p.Rules {
		s += fmt.Sprintf("\n%d: %s%v :-", i, r.Name, r.Args)
		for _, a := range r.Body {
			s += fmt.Sprintf("\n    %+v", a)
		}
	}
	return s
}

func TestRandomProgramsAgreeWithTheNaiveEvaluator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		g.compare(t, e, o)
	})
}

func TestChangesOfFactsAreSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		g.compare(t, e, o)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			rel := rapid.SampledFrom(g.bases).Draw(t, "base")
			arity := len(g.p.Relations[rel].Columns)
			gen := &generator{t: t}
			tuple := gen.tuple(arity)
			remove := rapid.Bool().Draw(t, "remove")
			if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Remove: remove, Frame: intFrame(tuple)}}}); f != nil {
				t.Fatalf("assert: %v", f)
			}
			if remove {
				delete(o.extents[rel], fmt.Sprint(tuple))
			} else {
				o.add(rel, tuple)
			}
			o.evaluate(g.bodies)
			g.compare(t, e, o)
		}
	})
}
