package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// founded adds a component with the well-founded model.
func (b *builder) founded(rels []int, rules ...int) {
	b.component(true, rels, rules...)
	b.p.Components[len(b.p.Components)-1].WellFounded = true
}

// winMoveProgram is win(x) :- move(x,y), not win(y), and what reads it: the
// positions that are lost, those that lose to nobody who wins, and a copy.
func winMoveProgram() (p abi.Program, move, win int) {
	b := newBuilder()
	move, win = b.base("move", 2), b.derived("win", 1)
	lost, safe := b.derived("lost", 1), b.derived("safe", 2)
	b.founded([]int{win}, b.rule(win, slots(0), 2, scan(move, 0, 1), not(scan(win, 1))))
	b.component(false, []int{lost}, b.rule(lost, slots(1), 2, scan(move, 0, 1), not(scan(win, 1))))
	b.component(false, []int{safe}, b.rule(safe, slots(0, 1), 2, scan(win, 0), scan(move, 0, 1),
		abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{scan(lost, 0)}}))
	return b.p, move, win
}

// model returns the true and the undefined tuples of a relation.
func model(t fataler, e *Engine, rel int) (is, can [][]int64) {
	t.Helper()
	rows, f := e.Derive(&abi.DeriveRequest{Relation: rel})
	if f != nil {
		t.Fatalf("derive: %v", f)
	}
	is, can = split(rows)
	if rows.Hidden.Can != uint64(len(can)) || rows.Total != uint64(len(is)+len(can)) {
		t.Fatalf("%d rows of which %d are hidden, want %d and %d", rows.Total, rows.Hidden.Can, len(is)+len(can), len(can))
	}
	return is, can
}

func split(rows *abi.Rows) (is, can [][]int64) {
	for i, row := range frameInts(&rows.Frame) {
		if rows.Frame.Truth[i] == abi.Can {
			can = append(can, row)
		} else {
			is = append(is, row)
		}
	}
	return is, can
}

func TestTheWinMoveGame(t *testing.T) {
	for _, c := range []struct {
		name          string
		moves         [][]int64
		won, drawn    string
		lost, unclear string
	}{
		{"no moves", nil, "[]", "[]", "[]", "[]"},
		{"a path", [][]int64{{1, 2}, {2, 3}, {3, 4}}, "[[1] [3]]", "[]", "[[2] [4]]", "[]"},
		{"a loop", [][]int64{{1, 1}}, "[]", "[[1]]", "[]", "[[1]]"},
		{"a circle of two", [][]int64{{1, 2}, {2, 1}}, "[]", "[[1] [2]]", "[]", "[[1] [2]]"},
		{"a circle with a way out", [][]int64{{1, 2}, {2, 1}, {2, 3}}, "[[2]]", "[]", "[[1] [3]]", "[]"},
		{"a circle with a bad way out", [][]int64{{1, 2}, {2, 1}, {1, 3}, {3, 4}}, "[[3]]", "[[1] [2]]", "[[4]]", "[[1] [2]]"},
		{"a way into a circle", [][]int64{{0, 1}, {1, 2}, {2, 3}, {3, 1}}, "[]", "[[0] [1] [2] [3]]", "[]", "[[1] [2] [3]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, move, win := winMoveProgram()
			e := load(t, p)
			assertInts(t, e, move, c.moves...)
			is, can := model(t, e, win)
			lost, unclear := model(t, e, win+1)
			got := fmt.Sprint(is, can, lost, unclear)
			if want := fmt.Sprint(c.won, " ", c.drawn, " ", c.lost, " ", c.unclear); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// foundedOracle computes the alternating fixpoint as it is defined: what
// follows if the negated atoms are decided by the other bound, turn about.
type foundedOracle struct {
	low, high *oracle
}

func (g *generated) alternate(facts map[int][][]int64) *foundedOracle {
	o := &foundedOracle{low: newOracle(&g.p), high: newOracle(&g.p)}
	o.low.low, o.low.high, o.high.low, o.high.high = o.low, o.high, o.low, o.high
	for rel, rows := range facts {
		for _, r := range rows {
			o.low.add(rel, r)
			o.high.add(rel, r)
		}
	}
	for _, c := range g.p.Components {
		for {
			before := fmt.Sprint(o.low.size(c.Relations), o.high.size(c.Relations))
			o.high.gamma(c, g.bodies, o.low)
			o.low.gamma(c, g.bodies, o.high)
			if fmt.Sprint(o.low.size(c.Relations), o.high.size(c.Relations)) == before {
				break
			}
		}
	}
	return o
}

func (o *oracle) size(rels []int) (n int) {
	for _, r := range rels {
		n += len(o.extents[r])
	}
	return n
}

// gamma makes the component's extents the least that its rules give if negation
// looks at other.
func (o *oracle) gamma(c abi.Component, bodies [][]abi.Atom, other *oracle) {
	for _, r := range c.Relations {
		o.extents[r] = map[string][]int64{}
	}
	o.other = other
	for changed := true; changed; {
		changed = false
		for _, i := range c.Rules {
			r := &o.p.Rules[i]
			var found [][]int64
			o.solve(bodies[i], env{}, func(e env) { found = append(found, o.args(r.Args, e)) })
			for _, t := range found {
				changed = o.add(r.Head, t) || changed
			}
		}
	}
}

// generateFounded makes a program whose components negate themselves, and later
// ones that read them.
func generateFounded(t *rapid.T) *generated {
	g := &generator{t: t, b: newBuilder()}
	for i := range g.n {
		g.n[i] = g.b.constant(abi.IntValue(int64(i)))
	}
	out := &generated{facts: map[int][][]int64{}}
	var readable []int
	for i := range g.int("bases", 1, 2) {
		rel := g.b.base(string(rune('a'+i)), g.int("arity", 1, 2))
		for range g.int("facts", 0, 10) {
			out.facts[rel] = append(out.facts[rel], g.tuple(len(g.b.p.Relations[rel].Columns)))
		}
		readable, out.bases = append(readable, rel), append(out.bases, rel)
	}
	for i := range g.int("components", 1, 4) {
		var own []int
		for j := range g.int("relations", 1, 3) {
			own = append(own, g.b.derived(string(rune('p'+3*i+j)), g.int("arity", 0, 2)))
		}
		founded := i == 0 || g.chance("founded", 40)
		var rules []int
		for _, head := range own {
			for range g.int("rules", 1, 3) {
				args, slots, body := g.foundedClause(head, readable, own, founded)
				rules = append(rules, g.b.rule(head, args, slots, rapid.Permutation(body).Draw(t, "order")...))
				out.bodies = append(out.bodies, body)
			}
		}
		if founded {
			g.b.founded(own, rules...)
		} else {
			g.b.component(true, own, rules...)
		}
		readable = append(readable, own...)
	}
	out.p = g.b.p
	return out
}

func (g *generator) foundedClause(head int, earlier, own []int, founded bool) (args []abi.Arg, slots int, body []abi.Atom) {
	c := &clause{g: g}
	body = append(body, c.scan(earlier, 30))
	for range g.int("scans", 0, 2) {
		from := earlier
		if g.chance("recursive", 50) {
			from = own
		}
		body = append(body, c.scan(from, 60))
	}
	for range g.int("negations", 0, 2) {
		from := earlier
		if founded && g.chance("recursive", 75) {
			from = own
		}
		a := c.inner().scan(from, 100)
		a.Neg = true
		if from[0] == own[0] && g.chance("nested", 15) {
			a = abi.Atom{Op: abi.AtomExists, Body: []abi.Atom{a}}
		}
		body = append(body, a)
	}
	if g.chance("nested", 25) {
		in := c.inner()
		a := abi.Atom{Op: abi.AtomExists, Neg: g.chance("negated", 60), Body: []abi.Atom{in.scan(earlier, 50)}}
		if g.chance("second", 50) {
			second := in.scan(earlier, 100)
			second.Neg = g.chance("negated", 50)
			a.Body = append(a.Body, second)
		}
		body = append(body, a)
	}
	for range g.b.p.Relations[head].Columns {
		args = append(args, c.bound(10))
	}
	return args, c.width, body
}

func (g *generated) compareFounded(t *rapid.T, e *Engine, facts map[int][][]int64) {
	o := g.alternate(facts)
	for rel := range g.p.Relations {
		is, can := model(t, e, rel)
		var open [][]int64
		for _, x := range sortedExtent(o.high.extents[rel]) {
			if !o.low.has(rel, x) {
				open = append(open, x)
			}
		}
		if got, want := fmt.Sprint(is, can), fmt.Sprint(sortedExtent(o.low.extents[rel]), open); got != want {
			t.Fatalf("model of %s is\n%v, want\n%v\nfacts %v\nrules: %s", g.p.Relations[rel].Name, got, want, facts, g.print())
		}
	}
}

func TestRandomProgramsHaveTheWellFoundedModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generateFounded(t)
		e := drawnEngine(t, 1, 2, 3, defaultBatch)
		if _, f := e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
			t.Fatalf("load: %v", f)
		}
		facts := map[int][][]int64{}
		for _, rel := range g.bases {
			assertInts(t, e, rel, g.facts[rel]...)
			facts[rel] = slices.Clone(g.facts[rel])
		}
		g.compareFounded(t, e, facts)
		for range g.p.Components {
			rel := rapid.SampledFrom(g.bases).Draw(t, "base")
			tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
			remove := rapid.Bool().Draw(t, "remove")
			if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Remove: remove, Frame: intFrame(tuple)}}}); f != nil {
				t.Fatalf("assert: %v", f)
			}
			facts[rel] = slices.DeleteFunc(facts[rel], func(x []int64) bool { return slices.Equal(x, tuple) })
			if !remove {
				facts[rel] = append(facts[rel], tuple)
			}
			g.compareFounded(t, e, facts)
		}
	})
}

func TestAWellFoundedComponentKeepsToTheLimits(t *testing.T) {
	p, move, win := winMoveProgram()
	e := load(t, p)
	var path [][]int64
	for i := range int64(100) {
		path = append(path, []int64{i, i + 1})
	}
	assertInts(t, e, move, path...)
	derive := func(limits abi.Limits) (*abi.Rows, *abi.Failure) {
		return e.Derive(&abi.DeriveRequest{Call: abi.Call{Limits: limits}, Relation: win})
	}
	for _, c := range []struct {
		limits abi.Limits
		limit  string
	}{{abi.Limits{Derived: 99}, abi.LimitDerived}, {abi.Limits{Rounds: 1}, abi.LimitRounds}} {
		if _, f := derive(c.limits); f == nil || f.Limit == nil || f.Limit.Limit != c.limit {
			t.Errorf("with %+v: %v", c.limits, f)
		}
	}
	rows, f := derive(abi.Limits{Derived: 200, Rounds: 10})
	if f != nil || rows.Total != 50 || rows.Work.Derived != 50 {
		t.Fatalf("with enough: %+v, %v", rows, f)
	}
}

func TestNegationOfItselfHasToBeDeclared(t *testing.T) {
	p, _, _ := winMoveProgram()
	p.Components[0].WellFounded = false
	if _, f := New().Load(&abi.LoadRequest{Program: p}); f == nil || f.Code != abi.FailureRequest {
		t.Errorf("a component that negates itself unmarked: %v", f)
	}
	b := newBuilder()
	move, win, n := b.base("move", 2), b.derived("win", 1), b.derived("n", 1)
	b.founded([]int{win, n},
		b.rule(win, slots(0), 2, scan(move, 0, 1), not(scan(n, 1))),
		b.rule(n, slots(1), 2, abi.Atom{Op: abi.AtomFold, Slot: 1, Fold: abi.FoldCount, Over: []int{0}, Body: []abi.Atom{scan(win, 0)}}))
	if _, f := New().Load(&abi.LoadRequest{Program: b.p}); f == nil || f.Code != abi.FailureRequest {
		t.Errorf("a component that counts itself: %v", f)
	}
}
