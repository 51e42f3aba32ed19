package engine

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// cold is an engine with the facts of the program, and nothing evaluated.
func (g *generated) cold(t *rapid.T) *Engine {
	e := New()
	if _, f := e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
		t.Fatalf("load: %v", f)
	}
	for _, rel := range g.bases {
		assertInts(t, e, rel, g.facts[rel]...)
	}
	return e
}

// told counts what why-nots were told by.
type told struct{ all, asked, left int }

// compareWhyNots asks why facts do not hold, of an engine that has evaluated
// nothing and of one that has all.
func (g *generated) compareWhyNots(t *rapid.T, n *told) {
	whole := g.evaluated(t)
	e := g.cold(t)
	var rels []int
	for rel := range g.p.Relations {
		if g.p.Relations[rel].Role == abi.Derived {
			rels = append(rels, rel)
		}
	}
	for range rapid.IntRange(1, 6).Draw(t, "questions") {
		rel := rapid.SampledFrom(rels).Draw(t, "relation")
		tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
		request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple)}
		if rapid.Bool().Draw(t, "again") {
			e = g.cold(t)
		}
		want, f := whole.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v", f)
		}
		got, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain by demand: %v\n%s", f, g.print())
		}
		if got.Derived != want.Derived {
			t.Fatalf("%s%v holds: %v by demand, want %v", g.p.Relations[rel].Name, tuple, got.Derived, want.Derived)
		}
		if stats := e.Stats(); len(stats.Relations) != len(g.p.Relations) || len(e.comps) != len(g.p.Components) {
			t.Fatalf("%d relations and %d components after an explanation, the program has %d and %d", len(stats.Relations), len(e.comps), len(g.p.Relations), len(g.p.Components))
		}
		if want.Derived {
			continue
		}
		n.all++
		if got.Work.ByDemand > 0 {
			n.asked++
		}
		if leaves(got.WhyNot) || leaves(want.WhyNot) {
			n.left++
			continue
		}
		if !reflect.DeepEqual(got.WhyNot, want.WhyNot) {
			t.Fatalf("why not %s%v, by demand:\n%s\nfrom the whole:\n%s\nfacts %v\n%s", g.p.Relations[rel].Name, tuple, sketchWhyNot(g, got.WhyNot), sketchWhyNot(g, want.WhyNot), g.facts, g.print())
		}
	}
}

func leaves(nodes []abi.WhyNotNode) bool {
	for _, n := range nodes {
		for _, a := range n.Attempts {
			if a.LeftOut != 0 {
				return true
			}
		}
	}
	return false
}

func TestAWhyNotByDemandIsThatOfTheWhole(t *testing.T) {
	for _, kind := range []struct {
		name     string
		generate func(*rapid.T) *generated
		asked    int // percent at least
	}{
		{"strata", generate, 20},
		{"well-founded", generateFounded, 0},
		{"every kind", generateEveryKind, 5},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var n told
			rapid.Check(t, func(t *rapid.T) { kind.generate(t).compareWhyNots(t, &n) })
			t.Logf("%d why-nots, %d by demand, %d left something out", n.all, n.asked, n.left)
			if n.asked*100 < n.all*kind.asked {
				t.Errorf("only %d of %d were told by demand", n.asked, n.all)
			}
			if n.left*10 > n.all {
				t.Errorf("%d of %d left something out", n.left, n.all)
			}
		})
	}
}

func sketchWhyNot(g *generated, nodes []abi.WhyNotNode) string {
	var out strings.Builder
	text := func(vs []*abi.Value) (s []string) {
		for _, v := range vs {
			if v == nil {
				s = append(s, "_")
				continue
			}
			s = append(s, fmt.Sprint(v.Int))
		}
		return s
	}
	for i, n := range nodes {
		fmt.Fprintf(&out, "%d %s%v\n", i, g.p.Relations[n.Relation].Name, text(n.Tuple))
		for _, a := range n.Attempts {
			var near []string
			for _, v := range a.NearMiss {
				near = append(near, fmt.Sprint(v.Int))
			}
			fmt.Fprintf(&out, "  rule %d: %d of %d, atom %d, reason %d, bindings %v, near %v, child %d, states %v\n", a.Rule, a.Reached, a.Atoms, a.Failed, a.Reason, text(a.Bindings), near, a.Child, a.States)
		}
	}
	return out.String()
}
