package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// What is denied may count: lone(x) :- node(x), not (edge(x, y), n = count edge(x, _), n >= 2).
func TestRepairsOfWhatIsDeniedWithAFold(t *testing.T) {
	b := newBuilder()
	two := b.constant(abi.IntValue(2))
	node, edge, lone := b.base("node", 1), b.base("edge", 2), b.derived("lone", 1)
	many := []abi.Atom{
		scan(edge, 0, 1),
		{Op: abi.AtomFold, Fold: abi.FoldCount, Slot: 2, Over: []int{3}, Body: []abi.Atom{scan(edge, 0, 3)}},
		{Op: abi.AtomCmp, Cmp: abi.CmpGe, Args: []abi.Arg{slots(2)[0], {Op: abi.ArgConst, Index: two}}},
	}
	b.component(false, []int{lone}, b.rule(lone, slots(0), 4, scan(node, 0), abi.Atom{Op: abi.AtomExists, Neg: true, Body: many}))
	e := load(t, b.p)
	assertInts(t, e, node, []int64{1}, []int64{2}, []int64{3})
	assertInts(t, e, edge, []int64{1, 2}, []int64{1, 3})
	got := repairsOf(t, e, lone, []int64{1}, 2, roomyRepairs())
	if texts := fmt.Sprint(repairTexts(&b.p, got.Repairs)); texts != "[-edge(1, 2) -edge(1, 3)]" || !got.Complete || got.MaxSize != 1 {
		t.Errorf("%s, %+v", texts, *got)
	}
}
