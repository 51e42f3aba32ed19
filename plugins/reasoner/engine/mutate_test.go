package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// mutation draws statements that assert and retract constants, and applies
// them to the oracle.
func (g *generated) mutation(t *rapid.T, o *oracle) abi.Mutation {
	m := abi.Mutation{Name: "m"}
	for range rapid.IntRange(1, 5).Draw(t, "statements") {
		rel := rapid.SampledFrom(g.bases).Draw(t, "relation")
		tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
		s := abi.Stmt{Op: abi.StmtAssert, Rel: rel, Slot: -1}
		retract := rapid.Bool().Draw(t, "retract")
		if retract {
			s.Op = abi.StmtRetract
		}
		wild := make([]bool, len(tuple))
		for i, n := range tuple {
			s.Exprs = append(s.Exprs, abi.Expr{Op: abi.ExprConst, Index: int(n)})
			wild[i] = retract && rapid.Bool().Draw(t, "wild")
		}
		if retract {
			s.Wild = wild
			for key, row := range o.extents[rel] {
				fits := true
				for i := range row {
					fits = fits && (wild[i] || row[i] == tuple[i])
				}
				if fits {
					delete(o.extents[rel], key)
				}
			}
		} else {
			o.add(rel, tuple)
		}
		m.Body = append(m.Body, s)
	}
	return m
}

// ruleOf returns a rule of the relation.
func (g *generated) ruleOf(rel int) int {
	return slices.IndexFunc(g.p.Rules, func(r abi.Rule) bool { return r.Head == rel })
}

// difference returns the tuples of a that are not in b.
func difference(a, b map[string][]int64) [][]int64 {
	out := map[string][]int64{}
	for k, v := range a {
		if _, ok := b[k]; !ok {
			out[k] = v
		}
	}
	return sortedExtent(out)
}

func TestAMutationReportsExactlyWhatItChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		check := rapid.SampledFrom(g.p.Components[0].Relations).Draw(t, "check")
		g.p.Checks = []abi.Check{{Name: "check", Relation: check, Rule: g.ruleOf(check)}}
		e, o := g.start(t)
		before := append([]map[string][]int64(nil), o.extents...)
		for i := range before {
			before[i] = map[string][]int64{}
			for k, v := range o.extents[i] {
				before[i][k] = v
			}
		}
		m := g.mutation(t, o)
		o.evaluate(g.bodies)
		out, f := e.Mutate(&abi.MutateRequest{Mutation: 0, Delta: true, Extension: &abi.Extension{Mutations: []abi.Mutation{m}}})
		if f != nil {
			t.Fatalf("mutate: %v", f)
		}
		changed := map[int]abi.Change{}
		for _, c := range out.Changes {
			changed[c.Relation] = c
		}
		for rel, r := range g.p.Relations {
			if r.Role != abi.Derived {
				continue
			}
			c := changed[rel]
			if got, want := frameInts(&c.Added), difference(o.extents[rel], before[rel]); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%v were added to %s, want %v", got, r.Name, want)
			}
			if got, want := frameInts(&c.Removed), difference(before[rel], o.extents[rel]); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%v were removed from %s, want %v", got, r.Name, want)
			}
		}
		var violations [][]int64
		for _, v := range out.Violations {
			violations = frameInts(&v.Frame)
		}
		if want := difference(o.extents[check], before[check]); fmt.Sprint(violations) != fmt.Sprint(want) {
			t.Fatalf("new violations %v, want %v", violations, want)
		}
		g.compare(t, e, o)
		replay(t, g, out.Writes, o)
	})
}

// replay applies the reported writes to a fresh engine, which must come to the
// same state.
func replay(t *rapid.T, g *generated, writes []abi.Write, o *oracle) {
	e, _ := g.start(t)
	for _, w := range writes {
		b := abi.FrameBuilder{Arity: len(w.Tuple)}
		b.Add(w.Tuple)
		if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: w.Relation, Remove: w.Remove, Frame: b.Frame()}}}); f != nil {
			t.Fatalf("replay: %v", f)
		}
	}
	g.compare(t, e, o)
}

func constant(i int) abi.Expr { return abi.Expr{Op: abi.ExprConst, Index: i} }

func TestAMutationReadsItsOwnWrites(t *testing.T) {
	b := newBuilder()
	for i := range 4 {
		b.constant(abi.IntValue(int64(i)))
	}
	thing, value, big := b.base("thing", 1), b.base("thing.value", 2, 0), b.derived("big", 1)
	b.component(false, []int{big}, b.rule(big, slots(0), 2, scan(value, 0, 1),
		abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpGe, Args: []abi.Arg{{Op: abi.ArgSlot, Index: 1}, {Op: abi.ArgConst, Index: 2}}}))
	count := abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubCount, Body: []abi.Atom{scan(big, 1)}, Over: []int{1}}}
	read := abi.Expr{Op: abi.ExprRead, Index: value, Args: []abi.Expr{constant(0)}}
	b.p.Mutations = []abi.Mutation{{Name: "m", Slots: make([]abi.Slot, 2), Body: []abi.Stmt{
		{Op: abi.StmtAssert, Rel: thing, Exprs: []abi.Expr{constant(0)}},
		{Op: abi.StmtSet, Rel: value, Exprs: []abi.Expr{constant(0), constant(1)}},
		{Op: abi.StmtLet, Slot: 0, Exprs: []abi.Expr{count}},
		{Op: abi.StmtSet, Rel: value, Assign: abi.AssignAdd, Exprs: []abi.Expr{constant(0), constant(2)}},
		{Op: abi.StmtReturn, Exprs: []abi.Expr{{Op: abi.ExprList, Args: []abi.Expr{slotExpr(0), count, read}}}},
	}}}
	e := load(t, b.p)
	out, f := e.Mutate(&abi.MutateRequest{})
	if f != nil {
		t.Fatal(f)
	}
	if out.Result == nil || len(out.Result.Items) != 3 || out.Result.Items[0].Int != 0 || out.Result.Items[1].Int != 1 || out.Result.Items[2].Int != 3 {
		t.Fatalf("result %+v, want the counts 0 and 1 and the value 3", out.Result)
	}
	if len(out.Writes) != 3 {
		t.Fatalf("%d writes, want 3: %+v", len(out.Writes), out.Writes)
	}
	rows, f := e.Derive(&abi.DeriveRequest{Relation: value})
	if f != nil || fmt.Sprint(frameInts(&rows.Frame)) != "[[0 3]]" {
		t.Fatalf("the keyed field holds %v, %v: a set replaces", frameInts(&rows.Frame), f)
	}
}

func TestAWriteFromALaterMomentOnChangesNothingYet(t *testing.T) {
	b := newBuilder()
	b.constant(abi.IntValue(1))
	later := b.constant(abi.DayValue(20))
	sooner := b.constant(abi.DayValue(5))
	a := b.base("a", 1)
	at := func(c int) *abi.Expr { x := constant(c); return &x }
	b.p.Mutations = []abi.Mutation{
		{Name: "later", Body: []abi.Stmt{{Op: abi.StmtAssert, Rel: a, Exprs: []abi.Expr{constant(0)}, At: at(later)}}},
		{Name: "sooner", Body: []abi.Stmt{{Op: abi.StmtAssert, Rel: a, Exprs: []abi.Expr{constant(0)}, At: at(sooner)}}},
	}
	now := abi.Value{Kind: abi.KindInstant, Int: 10 * abi.SecondsPerDay}
	for i, want := range []uint64{0, 1} {
		e := load(t, b.p)
		out, f := e.Mutate(&abi.MutateRequest{Call: abi.Call{Now: now}, Mutation: i})
		if f != nil {
			t.Fatal(f)
		}
		if len(out.Writes) != 1 || out.Writes[0].ValidFrom == nil || out.Writes[0].ValidFrom.Kind != abi.KindInstant {
			t.Fatalf("writes %+v, want one from a moment on", out.Writes)
		}
		rows, f := e.Derive(&abi.DeriveRequest{Call: abi.Call{Now: now}, Relation: a})
		if f != nil || rows.Total != want {
			t.Errorf("%s: %d tuples now, want %d (%v)", b.p.Mutations[i].Name, rows.Total, want, f)
		}
	}
}

// What a mutation or a test asks of one fact is not paid for with an evaluation
// of all of them, and answered as from all of them.
func TestAMutationAsksOnlyWhatItNeeds(t *testing.T) {
	p, edge, path := closureProgram()
	p.Constants = append(p.Constants, abi.IntValue(1900), abi.IntValue(1999), abi.IntValue(5000))
	at := len(p.Constants) - 3
	holds := func(from, to int) abi.Expr {
		return abi.Expr{Op: abi.ExprHolds, Index: path, Args: []abi.Expr{constant(at + from), constant(at + to)}}
	}
	reached := abi.Expr{Op: abi.ExprReadAll, Index: path, Args: []abi.Expr{constant(at)}}
	from := abi.Atom{Op: abi.AtomScan, Rel: path, Args: []abi.Arg{{Op: abi.ArgConst, Index: at}, {Op: abi.ArgSlot, Index: 1}}}
	count := abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubCount, Body: []abi.Atom{from}, Over: []int{1}}}
	p.Mutations = []abi.Mutation{{Name: "m", Slots: make([]abi.Slot, 2), Body: []abi.Stmt{
		{Op: abi.StmtLet, Slot: 0, Exprs: []abi.Expr{holds(0, 2)}},
		{Op: abi.StmtAssert, Rel: edge, Slot: -1, Exprs: []abi.Expr{constant(at + 1), constant(at + 2)}},
		{Op: abi.StmtReturn, Exprs: []abi.Expr{{Op: abi.ExprList, Args: []abi.Expr{slotExpr(0), holds(0, 1), holds(1, 0), holds(0, 2), count, reached}}}},
	}}}
	e := load(t, p)
	assertInts(t, e, edge, chainRows(2000)...)
	out, f := e.Mutate(&abi.MutateRequest{})
	if f != nil {
		t.Fatal(f)
	}
	is := func(i int) bool { return out.Result.Items[i].Int == 1 }
	if is(0) || !is(1) || is(2) || !is(3) {
		t.Errorf("what holds: %+v", out.Result.Items[:4])
	}
	if n, list := out.Result.Items[4].Int, len(out.Result.Items[5].Items); n != 100 || list != 100 {
		t.Errorf("1900 reaches %d and %d, want 100", n, list)
	}
	if n := e.rels[path].data.Rows(); n > 0 || out.Work.Derived > 100_000 {
		t.Errorf("%d paths are there, %d tuples were derived", n, out.Work.Derived)
	}
}
