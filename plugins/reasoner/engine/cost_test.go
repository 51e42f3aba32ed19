package engine

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// costed adds a component that goes round through min, or max.
func (b *builder) costed(most bool, rels []int, columns []int, rules ...int) {
	b.component(true, rels, rules...)
	c := &b.p.Components[len(b.p.Components)-1]
	for i, r := range rels {
		if columns[i] >= 0 {
			c.Costs = append(c.Costs, abi.Cost{Relation: r, Column: columns[i], Most: most})
		}
	}
}

// best is slot := min (max) of x over body.
func best(most bool, slot int, x abi.Expr, over []int, body ...abi.Atom) abi.Atom {
	fold := abi.FoldMin
	if most {
		fold = abi.FoldMax
	}
	return abi.Atom{Op: abi.AtomFold, Slot: slot, Fold: fold, Expr: &x, Over: over, Body: body}
}

func sum(a, b int) abi.Expr {
	return abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotExpr(a), slotExpr(b)}}
}

func let(slot int, x abi.Expr) abi.Atom { return abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: &x} }

// wayProgram is the shortest ways: way(a,b,n) :- leg(a,b,n). way(a,c,n) :-
// near(a,b,m), leg(b,c,k), n = m + k. near(a,b,n) :- way(a,b,_), n = min way(a,b).
func wayProgram() (p abi.Program, leg, near int) {
	b := newBuilder()
	leg = b.base("leg", 3)
	way := b.derived("way", 3)
	near = b.derived("near", 3)
	b.costed(false, []int{way, near}, []int{2, 2},
		b.rule(way, slots(0, 1, 2), 3, scan(leg, 0, 1, 2)),
		b.rule(way, slots(0, 2, 5), 6, scan(near, 0, 1, 3), scan(leg, 1, 2, 4), let(5, sum(3, 4))),
		b.rule(near, slots(0, 1, 2), 4, scan(way, 0, 1, -1), best(false, 2, slotExpr(3), []int{3}, scan(way, 0, 1, 3))))
	return b.p, leg, near
}

func TestShortestWays(t *testing.T) {
	p, leg, near := wayProgram()
	e := load(t, p)
	assertInts(t, e, leg, []int64{1, 2, 4}, []int64{2, 3, 3}, []int64{3, 1, 1}, []int64{1, 3, 9}, []int64{3, 4, 2})
	is, _ := model(t, e, near)
	want := "[[1 1 8] [1 2 4] [1 3 7] [1 4 9] [2 1 4] [2 2 8] [2 3 3] [2 4 5] [3 1 1] [3 2 5] [3 3 8] [3 4 2]]"
	if got := fmt.Sprint(is); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	x, f := e.Explain(&abi.ExplainRequest{Relation: near, Tuple: valuesOf([]int64{1, 4, 9}), MaxDepth: 30})
	if f != nil || !x.Derived {
		t.Fatalf("explain: %v", f)
	}
	kinds := map[abi.ProofKind]int{}
	for _, n := range x.Nodes {
		kinds[n.Kind]++
	}
	if kinds[abi.ProofAggregate] < 3 {
		t.Errorf("the proof goes through %d folds", kinds[abi.ProofAggregate])
	}
	// A way less, and the next best counts.
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: leg, Remove: true, Frame: intFrame([]int64{2, 3, 3})}}}); f != nil {
		t.Fatal(f)
	}
	is, _ = model(t, e, near)
	if got := fmt.Sprint(is); got != "[[1 1 10] [1 2 4] [1 3 9] [1 4 11] [3 1 1] [3 2 5] [3 3 10] [3 4 2]]" {
		t.Errorf("without a leg: %s", got)
	}
}

// What gets better each time round is stopped by a limit, and named.
func TestACircleThatGetsBetterForEverIsStopped(t *testing.T) {
	p, leg, near := wayProgram()
	e := load(t, p)
	assertInts(t, e, leg, []int64{1, 2, 4}, []int64{2, 1, -5})
	for _, c := range []struct {
		limits abi.Limits
		limit  string
	}{{abi.Limits{Rounds: 500}, abi.LimitRounds}, {abi.Limits{Derived: 500}, abi.LimitDerived}} {
		_, f := e.Derive(&abi.DeriveRequest{Call: abi.Call{Limits: c.limits}, Relation: near})
		if f == nil || f.Limit == nil || f.Limit.Limit != c.limit || f.Rule < 0 {
			t.Errorf("with %+v: %v", c.limits, f)
		}
	}
	if _, f := e.Derive(&abi.DeriveRequest{Relation: leg}); f != nil {
		t.Errorf("another relation: %v", f)
	}
}

func TestValuesThatCannotBeComparedAreAnError(t *testing.T) {
	p, leg, near := wayProgram()
	e := load(t, p)
	f := abi.Frame{}
	w := e.terms.NewFrameWriter(3)
	for _, v := range []abi.Value{abi.MoneyValue(big.NewRat(1, 1), "EUR"), abi.MoneyValue(big.NewRat(1, 1), "SEK")} {
		w.Row([]abi.Term{e.terms.Intern(abi.IntValue(1)), e.terms.Intern(abi.IntValue(2)), e.terms.Intern(v)})
	}
	f = w.Frame()
	if _, fail := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: leg, Frame: f}}}); fail != nil {
		t.Fatal(fail)
	}
	if _, fail := e.Derive(&abi.DeriveRequest{Relation: near}); fail == nil || fail.Code != abi.FailureEval || !strings.Contains(fail.Message, "compared") {
		t.Errorf("two currencies: %v", fail)
	}
}

// generateCosts makes a program with one circle through min or max: candidates
// w and v, folded relations f and g.
func generateCosts(t *rapid.T) *generated { return costsIn(t, false) }

// generateOpenCosts makes such programs in an open world: of some nodes it is not
// known whether a way may go by them.
func generateOpenCosts(t *rapid.T) *generated { return costsIn(t, true) }

func costsIn(t *rapid.T, openWorld bool) *generated {
	g := &generator{t: t, b: newBuilder()}
	for i := range g.n {
		g.n[i] = g.b.constant(abi.IntValue(int64(i)))
	}
	b := g.b
	most := rapid.Bool().Draw(t, "most")
	out := &generated{facts: map[int][][]int64{}}
	node, edge := b.base("node", 1), b.base("edge", 3)
	out.bases = []int{node, edge}
	for i := range int64(domain) {
		if g.chance("node", 85) {
			out.facts[node] = append(out.facts[node], []int64{i})
		}
	}
	for range g.int("edges", 0, 10) {
		out.facts[edge] = append(out.facts[edge], g.edge(most))
	}
	var blocked, cleared, open int
	if openWorld {
		blocked, cleared, open = b.base("blocked", 1), b.base("cleared", 1), b.derived("open", 0)
		b.founded([]int{open}, b.rule(open, nil, 0, not(scan(open))))
		out.bases = append(out.bases, blocked, cleared)
		for i := range int64(domain) {
			rel := []int{blocked, cleared, cleared}[g.int("known", 0, 2)]
			out.facts[rel] = append(out.facts[rel], []int64{i})
		}
	}
	var rels, columns, rules []int
	ws, fs := []int{b.derived("w", 3)}, []int{b.derived("f", 3)}
	if g.chance("second w", 40) {
		ws = append(ws, b.derived("v", 3))
	}
	if g.chance("second f", 40) {
		fs = append(fs, b.derived("g", 3))
	}
	for _, x := range slices.Concat(ws, fs) {
		rels, columns = append(rels, x), append(columns, 2)
	}
	add := func(head int, args []abi.Arg, slots int, body ...abi.Atom) {
		rules = append(rules, b.rule(head, args, slots, rapid.Permutation(body).Draw(t, "order")...))
		out.bodies = append(out.bodies, body)
	}
	from := func(rels []int) int { return rapid.SampledFrom(rels).Draw(t, "relation") }
	guard := func(body []abi.Atom, slot int) []abi.Atom {
		if openWorld && g.chance("open", 50) {
			return append(body, not(scan(blocked, slot)),
				abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{not(scan(cleared, slot)), not(scan(open))}})
		}
		switch g.int("guard", 0, 5) {
		case 0:
			return append(body, scan(node, slot))
		case 1:
			return append(body, not(scan(edge, slot, -1, -1)))
		}
		return body
	}
	for _, w := range ws {
		for range g.int("rules", 1, 3) {
			switch g.int("rule", 0, 2) {
			case 0:
				add(w, slots(0, 1, 2), 3, guard([]abi.Atom{scan(edge, 0, 1, 2)}, 0)...)
			case 1:
				body := []abi.Atom{scan(from(fs), 0, 1, 3), scan(edge, 1, 2, 4)}
				if g.chance("bound", 30) {
					k := b.constant(abi.IntValue(int64(map[bool]int{false: 6, true: -6}[most])))
					cmp := map[bool]abi.CmpOp{false: abi.CmpLe, true: abi.CmpGt}[most]
					body = append(body, abi.Atom{Op: abi.AtomCmp, Cmp: cmp, Args: []abi.Arg{slots(3)[0], {Op: abi.ArgConst, Index: k}}})
				}
				add(w, slots(0, 2, 5), 6, guard(append(body, let(5, sum(3, 4))), 1)...)
			case 2:
				add(w, slots(0, 2, 5), 6, scan(from(fs), 0, 1, 3), scan(from(fs), 1, 2, 4), let(5, sum(3, 4)))
			}
		}
	}
	for _, f := range fs {
		for range g.int("rules", 1, 2) {
			w := from(ws)
			switch g.int("rule", 0, 5) {
			case 0:
				add(f, slots(0, 1, 2), 4, scan(w, 0, 1, -1), best(most, 2, slotExpr(3), []int{3}, scan(w, 0, 1, 3)))
			case 1:
				add(f, slots(0, 1, 2), 4, scan(node, 0), scan(node, 1), best(most, 2, slotExpr(3), []int{3}, scan(w, 0, 1, 3)))
			case 2: // the groups are by a slot that is not in the head, too
				add(f, slots(0, 1, 2), 5, scan(edge, 0, 1, 4), best(most, 2, slotExpr(3), []int{3}, scan(w, 0, 1, 3), scan(node, 4)))
			case 3:
				add(f, slots(0, 1, 2), 6, scan(node, 0), scan(node, 1),
					best(most, 2, sum(3, 4), []int{3, 4, 5}, scan(from(fs), 0, 5, 3), scan(edge, 5, 1, 4)))
			case 4:
				add(f, slots(0, 1, 2), 3, scan(edge, 0, 1, 2))
			case 5: // the least of a body with an exists of the circle's
				add(f, slots(0, 1, 2), 6, scan(node, 0), scan(node, 1), best(most, 2, slotExpr(3), []int{3, 5},
					scan(w, 5, 1, 3), abi.Atom{Op: abi.AtomExists, Body: []abi.Atom{scan(edge, 0, 5, -1)}}))
			}
		}
	}
	b.costed(most, rels, columns, rules...)
	after := b.derived("after", 2)
	out.bodies = append(out.bodies, []abi.Atom{scan(node, 0), {Op: abi.AtomFold, Slot: 1, Fold: abi.FoldSum, Expr: ptr(slotExpr(3)), Over: []int{2, 3}, Body: []abi.Atom{scan(fs[0], 0, 2, 3)}}})
	b.component(false, []int{after}, b.rule(after, slots(0, 1), 4, out.bodies[len(out.bodies)-1]...))
	out.p = b.p
	return out
}

func ptr[T any](x T) *T { return &x }

// edge makes an edge whose length makes a way worse, or no better.
func (g *generator) edge(most bool) []int64 {
	n := int64(g.int("length", 0, 3))
	if most {
		n = -n
	}
	return []int64{int64(g.int("value", 0, domain-1)), int64(g.int("value", 0, domain-1)), n}
}

// iterate computes a circle through folds as it is meant: all rules are applied
// to what they gave the time before, until they give the same again.
func (o *oracle) iterate(c abi.Component, bodies [][]abi.Atom) {
	for {
		next := map[int]map[string][]int64{}
		for _, r := range c.Relations {
			next[r] = map[string][]int64{}
		}
		for _, i := range c.Rules {
			r := &o.p.Rules[i]
			o.solve(bodies[i], env{}, func(e env) {
				x := o.args(r.Args, e)
				next[r.Head][fmt.Sprint(x)] = x
			})
		}
		same := true
		for _, r := range c.Relations {
			same = same && fmt.Sprint(sortedExtent(next[r])) == fmt.Sprint(sortedExtent(o.extents[r]))
			o.extents[r] = next[r]
		}
		if same {
			return
		}
	}
}

func TestRandomCirclesThroughMinAndMaxAgreeWithTheNaiveEvaluator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generateCosts(t)
		e, o := g.start(t)
		g.compare(t, e, o)
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			tuple := (&generator{t: t}).edge(g.p.Components[0].Costs[0].Most)
			remove := len(g.facts[1]) > 0 && rapid.Bool().Draw(t, "remove")
			if remove {
				tuple = rapid.SampledFrom(g.facts[1]).Draw(t, "edge")
			}
			if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: 1, Remove: remove, Frame: intFrame(tuple)}}}); f != nil {
				t.Fatalf("assert: %v", f)
			}
			if remove {
				delete(o.extents[1], fmt.Sprint(tuple))
			} else {
				o.add(1, tuple)
			}
			o.evaluate(g.bodies)
			g.compare(t, e, o)
		}
	})
}

func TestProofsThroughMinAndMaxAreFounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generateCosts(t)
		e, o := g.start(t)
		rel, tuple, ok := g.fact(t, o)
		if !ok {
			return
		}
		request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 100, MaxNodes: 5000}
		x, f := e.Explain(&request)
		if f != nil || !x.Derived {
			t.Fatalf("explain: %v\n%s", f, g.print())
		}
		newProofChecker(t, g, o, x.Nodes).check(true)
		for n := range min(x.Nodes[0].Alternatives, 3) {
			request.Alternative = n + 1
			other, f := e.Explain(&request)
			if f != nil {
				t.Fatalf("alternative %d: %v", n+1, f)
			}
			newProofChecker(t, g, o, other.Nodes).check(false)
		}
	})
}
