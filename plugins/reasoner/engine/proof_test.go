package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

func valuesOf(tuple []int64) []abi.Value {
	out := make([]abi.Value, len(tuple))
	for i, n := range tuple {
		out[i] = abi.IntValue(n)
	}
	return out
}

// proofChecker holds a proof against the oracle.
type proofChecker struct {
	t     *rapid.T
	g     *generated
	o     *oracle
	comp  map[int]int
	nodes []abi.ProofNode
}

func newProofChecker(t *rapid.T, g *generated, o *oracle, nodes []abi.ProofNode) *proofChecker {
	c := &proofChecker{t: t, g: g, o: o, comp: map[int]int{}, nodes: nodes}
	for i, k := range g.p.Components {
		for _, r := range k.Relations {
			c.comp[r] = i + 1
		}
	}
	return c
}

func (c *proofChecker) env(bindings []*abi.Value) env {
	out := env{}
	for i, v := range bindings {
		if v != nil {
			out[i] = v.Int
		}
	}
	return out
}

func (c *proofChecker) tuple(n *abi.ProofNode) []int64 {
	out := make([]int64, len(n.Tuple))
	for i, v := range n.Tuple {
		if v == nil {
			c.t.Fatalf("a fact has no value in column %d: %+v", i, *n)
		}
		out[i] = v.Int
	}
	return out
}

// fact checks that the node's tuple is in its relation.
func (c *proofChecker) fact(n *abi.ProofNode) {
	if !c.o.has(n.Relation, c.tuple(n)) {
		c.t.Fatalf("%v is not in %s", c.tuple(n), c.g.p.Relations[n.Relation].Name)
	}
}

// check walks the proof. founded says whether rounds must fall on the way
// down: in a canonical proof they do.
func (c *proofChecker) check(founded bool) {
	for at := range c.nodes {
		n := &c.nodes[at]
		for _, child := range n.Children {
			if child <= at {
				c.t.Fatalf("node %d has child %d: not in preorder", at, child)
			}
		}
		switch n.Kind {
		case abi.ProofAsserted:
			c.fact(n)
			if c.comp[n.Relation] != 0 {
				c.t.Fatalf("derived fact %+v is shown as asserted", *n)
			}
		case abi.ProofRule:
			c.fact(n)
			c.rule(n, founded || at > 0)
		}
	}
}

func (c *proofChecker) rule(n *abi.ProofNode, founded bool) {
	r := &c.g.p.Rules[n.Rule]
	if r.Head != n.Relation || len(n.Children) != len(r.Body) {
		c.t.Fatalf("rule %d does not fit node %+v", n.Rule, *n)
	}
	e := c.env(n.Bindings)
	head := c.o.args(r.Args, e)
	for i, v := range c.tuple(n) {
		if head[i] != v {
			c.t.Fatalf("the head of rule %d is %v under the bindings, not %v", n.Rule, head, c.tuple(n))
		}
	}
	for i := range r.Body {
		a, child := &r.Body[i], &c.nodes[n.Children[i]]
		holds := false
		c.o.solve([]abi.Atom{*a}, e, func(env) { holds = true })
		if !holds {
			c.t.Fatalf("atom %d of rule %d does not hold under %v", i, n.Rule, e)
		}
		if a.Op != abi.AtomScan || a.Neg {
			continue
		}
		if child.Relation != a.Rel {
			c.t.Fatalf("child %d is a fact of relation %d, the atom reads %d", i, child.Relation, a.Rel)
		}
		tuple := c.tuple(child)
		for j, x := range a.Args {
			if v, ok := c.o.arg(x, e); ok && v != tuple[j] {
				c.t.Fatalf("child %d is %v, which does not fit atom %+v under %v", i, tuple, *a, e)
			}
		}
		if founded && c.comp[child.Relation] == c.comp[n.Relation] && child.Round >= n.Round {
			c.t.Fatalf("a fact of round %d rests on one of round %d", n.Round, child.Round)
		}
	}
}

// fact draws a derived fact that holds.
func (g *generated) fact(t *rapid.T, o *oracle) (rel int, tuple []int64, ok bool) {
	var all [][]int64
	var rels []int
	for i, r := range g.p.Relations {
		if r.Role != abi.Derived {
			continue
		}
		for _, row := range sortedExtent(o.extents[i]) {
			all, rels = append(all, row), append(rels, i)
		}
	}
	if len(all) == 0 {
		return 0, nil, false
	}
	i := rapid.IntRange(0, len(all)-1).Draw(t, "fact")
	return rels[i], all[i], true
}

func TestProofsAreValidAndFounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		rel, tuple, ok := g.fact(t, o)
		if !ok {
			return
		}
		request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 100, MaxNodes: 5000}
		x, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v\n%s", f, g.print())
		}
		if !x.Derived || x.Nodes[0].Kind != abi.ProofRule {
			t.Fatalf("a derived fact is not explained: %+v", *x)
		}
		newProofChecker(t, g, o, x.Nodes).check(true)
		for n := range min(x.Nodes[0].Alternatives, 3) {
			request.Alternative = n + 1
			other, f := e.Explain(&request)
			if f != nil {
				t.Fatalf("alternative %d of %d: %v", n+1, x.Nodes[0].Alternatives, f)
			}
			newProofChecker(t, g, o, other.Nodes).check(false)
			for _, node := range other.Nodes[1:] {
				if node.Kind == abi.ProofRule && node.Relation == rel && sameTuple(node.Tuple, tuple) {
					t.Fatalf("alternative %d of %v rests on itself", n+1, tuple)
				}
			}
		}
	})
}

func sameTuple(values []*abi.Value, tuple []int64) bool {
	for i, v := range values {
		if v == nil || v.Int != tuple[i] {
			return false
		}
	}
	return true
}

func TestAProofFromAPathIsThatPartOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		rel, tuple, ok := g.fact(t, o)
		if !ok {
			return
		}
		request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 6, MaxNodes: 200}
		x, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v", f)
		}
		want := rapid.SampledFrom(x.Nodes).Draw(t, "node")
		request.Path = want.Path
		part, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain from %v: %v", want.Path, f)
		}
		got := part.Nodes[0]
		if got.Relation != want.Relation || len(got.Tuple) != len(want.Tuple) {
			t.Fatalf("the node at %v is %+v, want %+v", want.Path, got, want)
		}
		for i := range got.Tuple {
			if (got.Tuple[i] == nil) != (want.Tuple[i] == nil) || got.Tuple[i] != nil && !abi.Equal(*got.Tuple[i], *want.Tuple[i]) {
				t.Fatalf("the node at %v is %+v, want %+v", want.Path, got, want)
			}
		}
	})
}

func TestProofsAreFoldedWithinTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		rel, tuple, ok := g.fact(t, o)
		if !ok {
			return
		}
		depth, nodes := rapid.Uint32Range(1, 4).Draw(t, "depth"), rapid.Uint32Range(1, 12).Draw(t, "nodes")
		x, f := e.Explain(&abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: depth, MaxNodes: nodes})
		if f != nil {
			t.Fatalf("explain: %v", f)
		}
		if len(x.Nodes) > int(nodes) {
			t.Fatalf("%d nodes, at most %d were asked for", len(x.Nodes), nodes)
		}
		for _, n := range x.Nodes {
			if n.Kind == abi.ProofFolded && n.Size == 0 {
				t.Fatalf("a folded node says that nothing is in it: %+v", n)
			}
			if n.Kind == abi.ProofRule && len(n.Path) >= int(depth) {
				t.Fatalf("a rule is shown at depth %d, at most %d was asked for", len(n.Path), depth)
			}
		}
	})
}

func TestWhyNotNamesAnAtomThatFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		rel := rapid.SampledFrom(g.p.Components[len(g.p.Components)-1].Relations).Draw(t, "relation")
		tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
		if o.has(rel, tuple) {
			return
		}
		x, f := e.Explain(&abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 4, MaxNodes: 40})
		if f != nil {
			t.Fatalf("explain: %v\n%s", f, g.print())
		}
		if x.Derived || len(x.WhyNot) == 0 {
			t.Fatalf("a fact that does not hold is not explained: %+v", *x)
		}
		for _, n := range x.WhyNot {
			for _, a := range n.Attempts {
				g.checkAttempt(t, o, len(x.WhyNot), &a)
				if a.Failed >= 0 && a.Reached < a.Atoms-1 {
					g.checkBest(t, o, &a)
				}
			}
		}
	})
}

func (g *generated) checkAttempt(t *rapid.T, o *oracle, nodes int, a *abi.Attempt) {
	if a.Child >= nodes {
		t.Fatalf("attempt %+v refers to a node that is not there", *a)
	}
	if a.Failed < 0 {
		if a.Reason != abi.ReasonHead {
			t.Fatalf("attempt %+v failed at its head for another reason", *a)
		}
		return
	}
	e := env{}
	for i, v := range a.Bindings {
		if v != nil {
			e[i] = v.Int
		}
	}
	body := g.p.Rules[a.Rule].Body
	holds := func(i int) bool {
		any := false
		o.solve([]abi.Atom{body[i]}, e, func(env) { any = true })
		return any
	}
	if holds(a.Failed) {
		t.Fatalf("atom %d of rule %d holds under %v, yet it is said to fail\n%s", a.Failed, a.Rule, e, g.print())
	}
	var held []int
	for i, state := range a.States {
		switch state {
		case abi.AtomHolds, abi.AtomUndefined:
			held = append(held, i)
		case abi.AtomFails:
			if g.ready(body, i, e) && g.bound(&body[i], e) && holds(i) {
				t.Fatalf("atom %d of rule %d is said to fail under %v\n%s", i, a.Rule, e, g.print())
			}
		}
	}
	if len(held) != a.Reached {
		t.Fatalf("attempt %+v says that %d atoms hold, and names others", *a, a.Reached)
	}
	g.checkTogether(t, o, a, held, e)
	if len(a.NearMiss) > 0 {
		row := make([]int64, len(a.NearMiss))
		for i, v := range a.NearMiss {
			row[i] = v.Int
		}
		if !o.has(body[a.Failed].Rel, row) {
			t.Fatalf("near miss %v is not in the relation of atom %d", row, a.Failed)
		}
	}
}

// checkTogether sees to it that some values for what the bindings leave open
// satisfy all atoms that are said to hold.
func (g *generated) checkTogether(t *rapid.T, o *oracle, a *abi.Attempt, held []int, given env) {
	body := g.p.Rules[a.Rule].Body
	bound, order := env{}, []abi.Atom{}
	for s := range given {
		bound[s] = 0
	}
	for len(held) > 0 {
		at := slices.IndexFunc(held, func(i int) bool { return g.ready(body, i, bound) })
		if at < 0 {
			t.Fatalf("atoms %v of rule %d are said to hold, and cannot run under %v\n%s", held, a.Rule, given, g.print())
		}
		order = append(order, body[held[at]])
		for _, s := range atomBinds(&body[held[at]], 64).list() {
			bound[s] = 0
		}
		held = slices.Delete(held, at, at+1)
	}
	any := false
	o.solve(order, given, func(env) { any = true })
	if !any {
		t.Fatalf("attempt %+v: the atoms that are said to hold do not together\n%s", *a, g.print())
	}
}

// ready reports whether the slots that atom i of a body goes by have values.
func (g *generated) ready(body []abi.Atom, i int, e env) bool {
	others := newSlotSet(64)
	for j := range body {
		if j != i {
			others.addAll(atomBinds(&body[j], 64))
		}
	}
	for s := range e {
		others.add(s)
	}
	needs := atomNeeds(&body[i], 64, others)
	sides := body[i].Args
	if body[i].Op == abi.AtomCmp && body[i].Cmp == abi.CmpEq && !slices.ContainsFunc(sides, func(x abi.Arg) bool {
		_, has := e[x.Index]
		return x.Op == abi.ArgConst || has
	}) {
		return false
	}
	return !slices.ContainsFunc(needs.list(), func(s int) bool { _, ok := e[s]; return !ok })
}

// checkBest sees to it that no binding satisfies all atoms but one where fewer
// are said to be the most.
func (g *generated) checkBest(t *rapid.T, o *oracle, a *abi.Attempt) {
	rule := &g.p.Rules[a.Rule]
	preset := env{}
	for _, x := range rule.Args { // the head is given
		if x.Op == abi.ArgSlot && a.Bindings[x.Index] != nil {
			preset[x.Index] = a.Bindings[x.Index].Int
		}
	}
	for i := range rule.Body {
		rest := slices.Delete(slices.Clone(rule.Body), i, i+1)
		bound := newSlotSet(64)
		for s := range preset {
			bound.add(s)
		}
		if slices.ContainsFunc(rest, func(b abi.Atom) bool { // the oracle goes by the order
			needs := atomNeeds(&b, 64, allSlots())
			if b.Op == abi.AtomCmp {
				addArgs(needs, b.Args)
			}
			ready := needs.within(bound)
			bound.addAll(atomBinds(&b, 64))
			return !ready
		}) {
			continue
		}
		o.solve(rest, preset, func(found env) {
			t.Fatalf("%d atoms of rule %d hold, without atom %d all of %v do under %v\n%s", a.Reached, a.Rule, i, rest, found, g.print())
		})
	}
}

func allSlots() slotSet {
	all := newSlotSet(64)
	for i := range 64 {
		all.add(i)
	}
	return all
}

// bound reports whether the atom's own slots have values.
func (g *generated) bound(a *abi.Atom, e env) bool {
	for _, s := range atomBinds(a, 64).list() {
		if _, ok := e[s]; !ok {
			return false
		}
	}
	for _, s := range atomNeeds(a, 64, newSlotSet(64)).list() {
		if _, ok := e[s]; !ok {
			return false
		}
	}
	return true
}
