package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// cool(x) :- unit(x), not hot(x), and none(x) :- unit(x), 1 > count hot: what is a
// unit besides is taken out of hot; what is only hot stays what it is.
func TestAnIndividualLeavesAConceptWhereItIsOfAnother(t *testing.T) {
	b := newBuilder()
	one := b.constant(abi.IntValue(1))
	unit, hot, cool, none := b.base("unit", 1), b.base("hot", 1), b.derived("cool", 1), b.derived("none", 1)
	for _, rel := range []int{unit, hot} {
		r := &b.p.Relations[rel]
		r.Origin, r.Columns[0].Type = abi.OriginConcept, abi.Type{Op: abi.TypeConcept, Name: r.Name}
		b.p.Types = append(b.p.Types, abi.TypeDef{Name: r.Name, Op: abi.TypeConcept, Extent: rel})
	}
	deny := scan(hot, 0)
	deny.Neg = true
	b.component(false, []int{cool}, b.rule(cool, slots(0), 1, scan(unit, 0), deny))
	b.component(false, []int{none}, b.rule(none, slots(0), 3, scan(unit, 0),
		abi.Atom{Op: abi.AtomFold, Fold: abi.FoldCount, Slot: 1, Over: []int{2}, Body: []abi.Atom{scan(hot, 2)}},
		abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpGt, Args: []abi.Arg{{Op: abi.ArgConst, Index: one}, slots(1)[0]}}))
	e := load(t, b.p)
	assertInts(t, e, unit, []int64{1})
	assertInts(t, e, hot, []int64{1})
	expect := func(head int, of int64, want string) {
		t.Helper()
		got := repairsOf(t, e, head, []int64{of}, 2, roomyRepairs())
		if texts := fmt.Sprint(repairTexts(&b.p, got.Repairs)); texts != want || !got.Complete || !got.Removals {
			t.Errorf("%s, not %s; %+v", texts, want, *got)
		}
	}
	expect(cool, 1, "[-hot(1)]")
	expect(none, 1, "[-hot(1)]")
	assertInts(t, e, hot, []int64{2})
	expect(cool, 2, "[]")
	expect(none, 1, "[]")
}
