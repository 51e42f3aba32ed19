package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// rulesByHand is how many rules bodiesByHand gives.
const rulesByHand = 6

// bodiesByHand are rules for head over the pairs and the terms of one.
func bodiesByHand(b *builder, head, pairs, one int) []int {
	two := b.constant(abi.IntValue(2))
	cmp := func(op abi.CmpOp, x, y abi.Arg) abi.Atom {
		return abi.Atom{Op: abi.AtomCmp, Cmp: op, Args: []abi.Arg{x, y}}
	}
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	constant := abi.Arg{Op: abi.ArgConst, Index: two}
	return []int{
		b.rule(head, slots(0, 1), 2, scan(pairs, 0, 1), cmp(abi.CmpLt, slot(0), slot(1))),
		b.rule(head, slots(0, 0), 1, scan(pairs, 0, 0)),
		b.rule(head, slots(0, 1), 2, not(scan(one, 1)), scan(pairs, 0, 1)),
		b.rule(head, slots(0, 2), 3, cmp(abi.CmpEq, slot(2), constant), scan(pairs, 0, 1), scan(one, 0)),
		b.rule(head, slots(0, 1), 3, scan(pairs, 0, 2), scan(pairs, 2, 1), cmp(abi.CmpNe, slot(0), slot(1))),
		b.rule(head, slots(0, 0), 1, scan(one, 0), cmp(abi.CmpGe, slot(0), constant)),
	}
}

// A rule over a handful of rows has no plan, derives what it does with one, and
// its tuples say which rule and round they are of.
func TestARuleOverAHandfulOfRowsHasNoPlan(t *testing.T) {
	for rule := range rulesByHand {
		var found [2]string
		for i, handful := range []int{0, handfulRows} {
			b := newBuilder()
			pairs, one, head := b.base("pairs", 2), b.base("one", 1), b.derived("head", 2)
			b.component(false, []int{head}, bodiesByHand(b, head, pairs, one)...)
			rules := b.p.Rules[rule : rule+1]
			b.p.Rules, b.p.Components[0].Rules = rules, []int{0}
			e := newEngine(defaultBatch)
			e.handful = handful
			if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
				t.Fatal(f)
			}
			assertInts(t, e, pairs, []int64{1, 2}, []int64{2, 1}, []int64{2, 2}, []int64{2, 3})
			assertInts(t, e, one, []int64{1}, []int64{3})
			rows, f := e.Derive(&abi.DeriveRequest{Relation: head})
			if f != nil {
				t.Fatal(f)
			}
			if rows.Frame.Rows == 0 {
				t.Fatalf("rule %d derives nothing", rule)
			}
			found[i] = fmt.Sprint(frameInts(&rows.Frame))
			if planned := e.rules[0].plans != nil; planned != (handful == 0) {
				t.Errorf("rule %d with %d rows by hand: planned %v", rule, handful, planned)
			}
			if of, round := e.rels[head].data.Tag(0); of != 0 || round != 1 {
				t.Errorf("rule %d: a tuple is of rule %d, round %d", rule, of, round)
			}
		}
		if found[0] != found[1] {
			t.Errorf("rule %d derives %s with a plan, and %s by hand", rule, found[0], found[1])
		}
	}
}

// What is more than a handful of work is planned, however few the rows of each
// relation are.
func TestARuleOverManyCombinationsIsPlanned(t *testing.T) {
	b := newBuilder()
	one, head := b.base("one", 1), b.derived("head", 2)
	b.component(false, []int{head}, b.rule(head, slots(0, 1), 2, scan(one, 0), scan(one, 1)))
	e := newEngine(defaultBatch)
	if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
		t.Fatal(f)
	}
	for i := range int64(7) {
		assertInts(t, e, one, []int64{i})
	}
	rows, f := e.Derive(&abi.DeriveRequest{Relation: head})
	if f != nil || rows.Frame.Rows != 49 {
		t.Fatal(rows, f)
	}
	if e.rules[0].plans == nil {
		t.Error("49 combinations were gone through one by one")
	}
}

// A limit on derived tuples stops a rule that is run by hand, and names it.
func TestALimitStopsARuleThatIsRunByHand(t *testing.T) {
	b := newBuilder()
	one, head := b.base("one", 1), b.derived("head", 1)
	b.component(false, []int{head}, b.rule(head, slots(0), 1, scan(one, 0)))
	e := newEngine(defaultBatch)
	if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
		t.Fatal(f)
	}
	assertInts(t, e, one, []int64{1}, []int64{2}, []int64{3})
	_, f := e.Derive(&abi.DeriveRequest{Call: abi.Call{Limits: abi.Limits{Derived: 2}}, Relation: head})
	if f == nil || f.Limit == nil || f.Limit.Limit != abi.LimitDerived || f.Limit.Used != 3 || f.Rule != 0 {
		t.Fatalf("%+v", f)
	}
}
