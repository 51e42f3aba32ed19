package engine

import (
	"fmt"
	"reflect"
	"slices"
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

// tally counts what why-nots were told by.
type tally struct{ all, asked, left int }

// compareWhyNots asks why facts do not hold, of an engine that has evaluated
// nothing and of one that has all.
func (g *generated) compareWhyNots(t *rapid.T, n *tally) {
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
			if a.NearCut || a.BindingsCut {
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
		{"strata", generate, 10},
		{"well-founded", generateFounded, 0},
		{"every kind", generateEveryKind, 0},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var n tally
			rapid.Check(t, func(t *rapid.T) { kind.generate(t).compareWhyNots(t, &n) })
			t.Logf("%d why-nots, %d by demand, %d left something out", n.all, n.asked, n.left)
			if testing.Short() {
				return // too few are drawn for shares of them
			}
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

// apart is a program of what is not connected, and of whom nothing is.
func apartProgram() (b *builder, node, edge, path, apart, lonely int) {
	b = newBuilder()
	node, edge = b.base("node", 1), b.base("edge", 2)
	path, apart, lonely = b.derived("path", 2), b.derived("apart", 2), b.derived("lonely", 1)
	b.component(true, []int{path},
		b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.component(false, []int{apart}, b.rule(apart, slots(0, 1), 2, scan(node, 0), scan(node, 1), not(scan(path, 0, 1))))
	b.component(false, []int{lonely}, b.rule(lonely, slots(0), 2, scan(node, 0), abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{scan(path, 0, 1)}}))
	return b, node, edge, path, apart, lonely
}

func TestARepairOfWhatIsDeniedNeedsNoWholeRelation(t *testing.T) {
	b, node, edge, path, apart, lonely := apartProgram()
	asked := 0
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 6
		var edges [][]int64
		for range rapid.IntRange(1, 10).Draw(t, "edges") {
			edges = append(edges, []int64{rapid.Int64Range(0, nodes-1).Draw(t, "from"), rapid.Int64Range(0, nodes-1).Draw(t, "to")})
		}
		start := func() *Engine {
			e := New()
			if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
				t.Fatalf("load: %v", f)
			}
			for n := range int64(nodes) {
				assertInts(t, e, node, []int64{n})
			}
			assertInts(t, e, edge, edges...)
			return e
		}
		request := abi.ExplainRequest{Relation: lonely, Tuple: valuesOf(edges[0][:1]), Repairs: 2}
		if rapid.Bool().Draw(t, "apart") {
			request.Relation, request.Tuple = apart, valuesOf(edges[0])
		}
		e, whole := start(), start()
		if _, f := whole.Derive(&abi.DeriveRequest{Relation: request.Relation}); f != nil {
			t.Fatalf("derive: %v", f)
		}
		got, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v", f)
		}
		want, f := whole.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v", f)
		}
		if !reflect.DeepEqual(got.WhyNot, want.WhyNot) || !reflect.DeepEqual(got.Repairs, want.Repairs) {
			t.Fatalf("by demand %+v %+v, from the whole %+v %+v", got.WhyNot, got.Repairs, want.WhyNot, want.Repairs)
		}
		if got.Work.ByDemand > 0 && !e.Stats().Relations[path].Current {
			asked++
		}
	})
	if asked == 0 {
		t.Error("each search evaluated all paths")
	}
}

// A relation of more tuples than may be derived is explained all the same, and of
// what would make a fact of it hold it is said that the search could not begin.
func TestAWhyNotOfARelationThatPassesALimit(t *testing.T) {
	b := newBuilder()
	item, tag := b.base("item", 1), b.base("tag", 1)
	many, deep, no := b.derived("many", 3), b.derived("deep", 3), b.derived("no", 1)
	b.component(false, []int{many}, b.rule(many, slots(0, 1, 2), 3, scan(item, 0), scan(item, 1), scan(item, 2)))
	b.component(false, []int{deep}, b.rule(deep, slots(0, 1, 2), 3, scan(many, 0, 1, 2), scan(tag, 0)))
	b.component(false, []int{no}, b.rule(no, slots(0), 1, scan(item, 0), not(scan(many, 0, 0, 0))))
	e := load(t, b.p)
	for n := range int64(50) {
		assertInts(t, e, item, []int64{n})
	}
	assertInts(t, e, tag, []int64{99})
	call := abi.Call{Limits: abi.Limits{Derived: 20_000}}
	for _, c := range []struct {
		rel    int
		tuple  []int64
		failed int
		near   []int64
		search string
	}{
		{no, []int64{7}, 1, []int64{7, 7, 7}, ""},
		{deep, []int64{1, 2, 3}, 1, nil, abi.LimitDerived},
		{many, []int64{1, 2, 77}, 2, nil, abi.LimitDerived},
		{deep, []int64{99, 1, 2}, 0, []int64{0, 1, 2}, abi.LimitDerived},
	} {
		x, f := e.Explain(&abi.ExplainRequest{Call: call, Relation: c.rel, Tuple: valuesOf(c.tuple), Repairs: 1})
		if f != nil {
			t.Errorf("why not %s%v: %v", b.p.Relations[c.rel].Name, c.tuple, f)
			continue
		}
		a := x.WhyNot[0].Attempts[0]
		var near []int64
		for _, v := range a.NearMiss {
			near = append(near, v.Int)
		}
		if x.Derived || a.Failed != c.failed || !slices.Equal(near, c.near) || (a.NearCut || a.BindingsCut) {
			t.Errorf("why not %s%v: %+v, near %v; want atom %d to fail, near %v", b.p.Relations[c.rel].Name, c.tuple, a, near, c.failed, c.near)
		}
		limit := ""
		if x.Repairs.Limit != nil {
			limit = x.Repairs.Limit.Limit
		}
		if limit != c.search || limit != "" && (x.Repairs.MaxSize != 0 || x.Repairs.Complete) {
			t.Errorf("the search for what makes %s%v hold: %+v, want the limit %q", b.p.Relations[c.rel].Name, c.tuple, *x.Repairs, c.search)
		}
	}
}

// What reaches a node of a graph that is one circle is all of it, and each node
// before it asks the same: to find the nearest path costs more than the answer.
func TestANearMissThatCostsMuchIsLeftOutAndSaid(t *testing.T) {
	b, _, edge, path, _, _ := apartProgram()
	e := load(t, b.p)
	const nodes = 1000
	var rows [][]int64
	for i := range int64(nodes) {
		rows = append(rows, []int64{i, (i*7 + 1) % nodes}, []int64{i, (i + 1) % nodes})
	}
	assertInts(t, e, edge, rows...)
	x, f := e.Explain(&abi.ExplainRequest{Relation: path, Tuple: valuesOf([]int64{nodes, 5})})
	if f != nil {
		t.Fatal(f)
	}
	a := x.WhyNot[0].Attempts[1]
	if a.Failed != 0 || a.NearMiss != nil || !a.NearCut || x.Work.ByDemand != 1 || x.Work.Derived > nodes*nodes/4 {
		t.Errorf("%+v with %+v of work: want no way from a node without edges, by demand, and no near miss looked for", a, x.Work)
	}
}
