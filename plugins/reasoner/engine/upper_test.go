package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// openWorld is a program in an open world: a unit may run if it is not known to be
// blocked, is fed by what runs, and counts by yard, as far as it is known.
type openWorld struct {
	p                                       abi.Program
	feeds, unit, blocked, cleared           int
	open, runs, reached, idle, known, often int
}

func newOpenWorld() openWorld {
	b := newBuilder()
	var w openWorld
	w.feeds, w.unit, w.blocked, w.cleared = b.base("feeds", 2), b.base("unit", 2), b.base("blocked", 1), b.base("cleared", 1)
	w.open, w.runs, w.reached, w.idle = b.derived("open", 0), b.derived("runs", 1), b.derived("reached", 2), b.derived("idle", 1)
	w.known, w.often = b.derived("known", 3), b.derived("often", 1)
	b.founded([]int{w.open}, b.rule(w.open, nil, 0, not(scan(w.open))))
	unknown := abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{not(scan(w.cleared, 0)), not(scan(w.open))}}
	b.component(false, []int{w.runs}, b.rule(w.runs, slots(0), 2, scan(w.unit, 0, 1), not(scan(w.blocked, 0)), unknown))
	b.component(true, []int{w.reached},
		b.rule(w.reached, slots(0, 1), 2, scan(w.feeds, 0, 1), scan(w.runs, 0), scan(w.runs, 1)),
		b.rule(w.reached, slots(0, 2), 3, scan(w.reached, 0, 1), scan(w.feeds, 1, 2), scan(w.runs, 2)))
	b.component(false, []int{w.idle}, b.rule(w.idle, slots(0), 2, scan(w.unit, 0, 1), not(scan(w.runs, 0))))
	least := abi.Atom{Op: abi.AtomFold, Slot: 2, Fold: abi.FoldCount, Over: []int{1}, Body: []abi.Atom{scan(w.unit, 1, 0), scan(w.runs, 1)}}
	most := least
	most.Slot, most.Possible = 3, true
	b.component(false, []int{w.known}, b.rule(w.known, slots(0, 2, 3), 4, scan(w.unit, -1, 0), least, most))
	two := abi.Arg{Op: abi.ArgConst, Index: b.constant(abi.IntValue(2))}
	over := func(slot int) abi.Atom {
		return abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpGe, Args: []abi.Arg{slots(slot)[0], two}}
	}
	none := func(body ...abi.Atom) abi.Atom { return abi.Atom{Op: abi.AtomExists, Neg: true, Body: body} }
	b.component(false, []int{w.often}, b.rule(w.often, slots(0), 3, scan(w.known, 0, 1, 2), none(none(over(1)), none(over(2), scan(w.open)))))
	w.p = b.p
	return w
}

// facts are n units in yards of ten, each feeding the next, of which every fifth is
// known to be free, and every seventh to be blocked.
func (w *openWorld) facts(n int64) map[int][][]int64 {
	out := map[int][][]int64{}
	for i := range n {
		out[w.unit] = append(out[w.unit], []int64{i, 1000 + i/10})
		if i%10 < 9 {
			out[w.feeds] = append(out[w.feeds], []int64{i, i + 1})
		}
		if i%5 == 0 {
			out[w.cleared] = append(out[w.cleared], []int64{i})
		} else if i%7 == 0 {
			out[w.blocked] = append(out[w.blocked], []int64{i})
		}
	}
	return out
}

// A fact about one unit of an open world costs what it concerns: the extents of
// what holds and of what may be stay, and lose and gain rows.
func TestAChangeInAnOpenWorldKeepsWhatIsAndWhatMayBe(t *testing.T) {
	w := newOpenWorld()
	e := load(t, w.p)
	facts := w.facts(200)
	for rel, rows := range facts {
		assertInts(t, e, rel, rows...)
	}
	derived := []int{w.runs, w.reached, w.idle, w.known, w.often}
	extents := func() (out []held) {
		for _, rel := range derived {
			read(t, e, rel)
			out = append(out, held{e.rels[rel].data, e.rels[rel].maybe})
		}
		return out
	}
	before := extents()
	if slices.ContainsFunc(before[:3], func(h held) bool { return h.maybe == nil }) {
		t.Fatal("a relation has no undefined tuples: the test is about nothing")
	}
	for _, x := range []edit{
		{rel: w.cleared, row: []int64{11}}, {rel: w.cleared, row: []int64{12}}, {rel: w.blocked, row: []int64{11}},
		{rel: w.blocked, row: []int64{14}, remove: true}, {rel: w.cleared, row: []int64{12}, remove: true},
		{rel: w.unit, row: []int64{12, 1001}, remove: true}, {rel: w.feeds, row: []int64{9, 10}},
	} {
		edited := "the arrival"
		if x.remove {
			edited = "the removal"
		}
		assertEdit(t, e, x)
		work := e.work
		for i, now := range extents() {
			if now != before[i] {
				t.Errorf("%s of %v made a new extent of %s", edited, x.row, w.p.Relations[derived[i]].Name)
			}
		}
		if e.work.Derived > work.Derived+100 {
			t.Errorf("%s of %v derives %d tuples", edited, x.row, e.work.Derived-work.Derived)
		}
	}
}

func assertEdit(t fataler, e *Engine, x edit) {
	t.Helper()
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: x.rel, Remove: x.remove, Frame: intFrame(x.row)}}}); f != nil {
		t.Fatalf("assert: %v", f)
	}
}

// What was undefined and is true now has come, and what was true and is undefined
// now has gone: a change tells of what holds.
func TestAMutationInAnOpenWorldTellsWhatHoldsNow(t *testing.T) {
	w := newOpenWorld()
	p := w.p
	mutation := func(name string, op abi.StmtOp) {
		p.Mutations = append(p.Mutations, abi.Mutation{Name: name, Slots: make([]abi.Slot, 1), Params: []abi.Param{{Name: "x"}},
			Body: []abi.Stmt{{Op: op, Rel: w.cleared, Slot: -1, Exprs: []abi.Expr{slotExpr(0)}, Wild: map[bool][]bool{true: {false}}[op == abi.StmtRetract]}}})
	}
	mutation("clear", abi.StmtAssert)
	mutation("forget", abi.StmtRetract)
	e := load(t, p)
	for rel, rows := range map[int][][]int64{w.unit: {{1, 50}, {2, 50}, {3, 50}}, w.feeds: {{1, 2}, {2, 3}}, w.cleared: {{1}, {3}}} {
		assertInts(t, e, rel, rows...)
	}
	// Of the yard's count the lower bound is what holds of two rows: it is one row that goes
	// and one that comes, and nothing of idle, which was undefined and is false.
	want := map[string]string{"runs": "[[2]]", "reached": "[[1 2] [1 3] [2 3]]", "known": "[[50 3 3]]"}
	was := map[string]string{"known": "[[50 2 3]]"}
	for i, sides := range [][2]map[string]string{{want, was}, {was, want}} {
		out, f := e.Mutate(&abi.MutateRequest{Mutation: i, Args: []abi.Value{abi.IntValue(2)}, Delta: true})
		if f != nil {
			t.Fatal(f)
		}
		added, removed := map[string]string{}, map[string]string{}
		for _, c := range out.Changes {
			name := p.Relations[c.Relation].Name
			if c.Added.Rows > 0 {
				added[name] = fmt.Sprint(frameInts(&c.Added))
			}
			if c.Removed.Rows > 0 {
				removed[name] = fmt.Sprint(frameInts(&c.Removed))
			}
		}
		if fmt.Sprint(added, removed) != fmt.Sprint(sides[0], sides[1]) {
			t.Errorf("mutation %d adds %v and removes %v, want %v and %v", i, added, removed, sides[0], sides[1])
		}
	}
}

// Many changes of an open world: each step equals an evaluation from scratch, and
// most of them are no evaluation from scratch.
func TestManyChangesOfAnOpenWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newOpenWorld()
		const units = 24
		g := &generated{p: w.p, bases: []int{w.feeds, w.unit, w.blocked, w.cleared}, facts: w.facts(units)}
		s := newScript(t, g)
		kept, steps := 0, rapid.IntRange(1, 15).Draw(t, "steps")
		for range steps {
			x := edit{rel: rapid.SampledFrom(g.bases).Draw(t, "base")}
			if have := sortedExtent(s.facts[x.rel]); len(have) > 0 && rapid.Bool().Draw(t, "remove") {
				x.remove, x.row = true, rapid.SampledFrom(have).Draw(t, "fact")
				delete(s.facts[x.rel], fmt.Sprint(x.row))
			} else {
				x.row = []int64{rapid.Int64Range(0, units-1).Draw(t, "unit")}
				switch x.rel {
				case w.feeds:
					x.row = append(x.row, rapid.Int64Range(0, units-1).Draw(t, "fed"))
				case w.unit:
					x.row = append(x.row, 1000+rapid.Int64Range(0, 2).Draw(t, "yard"))
				}
				s.facts[x.rel][fmt.Sprint(x.row)] = x.row
			}
			before := s.e.rels[w.reached].data
			s.assert([]edit{x})
			s.compare()
			if s.e.rels[w.reached].data == before {
				kept++
			}
		}
		if s.e.least == leastBudget && s.e.few == fewHoles && kept < steps-1 {
			t.Fatalf("%d of %d changes were followed", kept, steps)
		}
	})
}

// Games in an open world, where of some positions it is not known whether they can be
// moved to, and ways there, which are only those that are known.
func TestManyChangesOfCirclesInAnOpenWorld(t *testing.T) {
	for _, c := range []struct {
		name    string
		program func() (p abi.Program, base, blocked, cleared int)
		kept    func(e *Engine) any
	}{
		{"a game", openGame, func(e *Engine) any { return e.comps[1].ground }},
		{"ways", openWays, func(e *Engine) any { return e.comps[1].offers }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p, base, blocked, cleared := c.program()
				g := &generated{p: p, bases: []int{base, blocked, cleared}, facts: map[int][][]int64{}}
				const nodes = 20
				node := rapid.Int64Range(0, nodes-1)
				row := func(rel int) (row []int64) {
					for range p.Relations[rel].Columns {
						row = append(row, node.Draw(t, "node"))
					}
					return row
				}
				for range rapid.IntRange(0, 2*nodes).Draw(t, "edges") {
					g.facts[base] = append(g.facts[base], row(base))
				}
				for i := range int64(nodes) {
					if i%3 > 0 {
						g.facts[cleared] = append(g.facts[cleared], []int64{i})
					}
				}
				s := newScript(t, g)
				kept, steps := 0, 12
				for range steps {
					rel := rapid.SampledFrom(g.bases).Draw(t, "base")
					x := edit{rel: rel, row: row(rel)}
					if have := sortedExtent(s.facts[rel]); len(have) > 0 && rapid.Bool().Draw(t, "remove") {
						x.remove, x.row = true, rapid.SampledFrom(have).Draw(t, "fact")
						delete(s.facts[rel], fmt.Sprint(x.row))
					} else {
						s.facts[rel][fmt.Sprint(x.row)] = x.row
					}
					before := c.kept(s.e)
					s.assert([]edit{x})
					s.compare()
					if c.kept(s.e) == before {
						kept++
					}
				}
				if s.e.least == leastBudget && s.e.few == fewHoles && kept < steps/2 {
					t.Fatalf("%d of %d changes were followed", kept, steps)
				}
			})
		})
	}
}

// clearOf are the atoms that say of an open relation's tuple that it is not there.
func clearOf(blocked, cleared, open, slot int) []abi.Atom {
	return []abi.Atom{not(scan(blocked, slot)),
		{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{not(scan(cleared, slot)), not(scan(open))}}}
}

func openGame() (p abi.Program, move, blocked, cleared int) {
	b := newBuilder()
	move, blocked, cleared = b.base("move", 2), b.base("blocked", 1), b.base("cleared", 1)
	open, win, lost := b.derived("open", 0), b.derived("win", 1), b.derived("lost", 1)
	b.founded([]int{open}, b.rule(open, nil, 0, not(scan(open))))
	b.founded([]int{win}, b.rule(win, slots(0), 2, append(clearOf(blocked, cleared, open, 1), scan(move, 0, 1), not(scan(win, 1)))...))
	b.component(false, []int{lost}, b.rule(lost, slots(1), 2, scan(move, 0, 1), not(scan(win, 1))))
	return b.p, move, blocked, cleared
}

func openWays() (p abi.Program, leg, blocked, cleared int) {
	b := newBuilder()
	leg, blocked, cleared = b.base("leg", 3), b.base("blocked", 1), b.base("cleared", 1)
	open, way, near, far := b.derived("open", 0), b.derived("way", 3), b.derived("near", 3), b.derived("far", 2)
	b.founded([]int{open}, b.rule(open, nil, 0, not(scan(open))))
	b.costed(false, []int{way, near}, []int{2, 2},
		b.rule(way, slots(0, 1, 2), 3, append(clearOf(blocked, cleared, open, 1), scan(leg, 0, 1, 2))...),
		b.rule(way, slots(0, 2, 5), 6, append(clearOf(blocked, cleared, open, 2), scan(near, 0, 1, 3), scan(leg, 1, 2, 4), let(5, sum(3, 4)))...),
		b.rule(near, slots(0, 1, 2), 4, scan(way, 0, 1, -1), best(false, 2, slotExpr(3), []int{3}, scan(way, 0, 1, 3))))
	b.component(false, []int{far}, b.rule(far, slots(0, 1), 3, scan(leg, 0, -1, 2), scan(leg, -1, 1, -1), not(scan(near, 0, 1, -1))))
	return b.p, leg, blocked, cleared
}
