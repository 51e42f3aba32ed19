package engine

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

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

// foldedGoals is a program whose goals count, or take the best of, what a closure
// says of a random graph.
func foldedGoals(t *rapid.T) *generated {
	const nodes = 3
	b, g := newBuilder(), &generated{facts: map[int][][]int64{}}
	node, edge := b.base("node", 1), b.base("edge", 2)
	g.bases = []int{node, edge}
	for i := range int64(nodes) {
		if rapid.IntRange(0, 9).Draw(t, "node") > 0 {
			g.facts[node] = append(g.facts[node], []int64{i})
		}
		for j := range int64(nodes) {
			if rapid.Bool().Draw(t, "edge") {
				g.facts[edge] = append(g.facts[edge], []int64{i, j})
			}
		}
	}
	rule := func(head int, args []abi.Arg, width int, body ...abi.Atom) int {
		g.bodies = append(g.bodies, body)
		return b.rule(head, args, width, body...)
	}
	path := b.derived("path", 2)
	b.component(true, []int{path},
		rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	fold := func(slot int, of abi.FoldOp, over int, body ...abi.Atom) abi.Atom {
		a := abi.Atom{Op: abi.AtomFold, Fold: of, Slot: slot, Over: []int{over}, Body: body}
		if of != abi.FoldCount {
			a.Expr = ptr(slotExpr(over))
		}
		return a
	}
	compared := func(slot int) abi.Atom {
		k := b.constant(abi.IntValue(rapid.Int64Range(0, nodes).Draw(t, "constant")))
		cmp := rapid.SampledFrom([]abi.CmpOp{abi.CmpLt, abi.CmpLe, abi.CmpEq, abi.CmpGe, abi.CmpGt}).Draw(t, "comparison")
		args := []abi.Arg{slots(slot)[0], {Op: abi.ArgConst, Index: k}}
		if rapid.Bool().Draw(t, "mirrored") {
			args[0], args[1] = args[1], args[0]
		}
		return abi.Atom{Op: abi.AtomCmp, Cmp: cmp, Args: args}
	}
	of := rapid.SampledFrom([]abi.FoldOp{abi.FoldCount, abi.FoldCount, abi.FoldCount, abi.FoldMin, abi.FoldMax, abi.FoldSum}).Draw(t, "fold")
	body := []abi.Atom{scan(path, 0, 2)}
	switch rapid.IntRange(0, 4).Draw(t, "body") {
	case 0:
		body = append(body, scan(edge, 2, -1))
	case 1:
		body = append(body, scan(path, 2, 3))
	case 2:
		body = []abi.Atom{scan(edge, 0, 2), {Op: abi.AtomExists, Body: []abi.Atom{scan(path, 2, 0)}}}
	}
	value, last := b.derived("value", 2), b.derived("last", 2)
	b.component(false, []int{value}, rule(value, slots(0, 1), 4, scan(node, 0), fold(1, of, 2, body...)))
	var rules []int
	switch rapid.IntRange(0, 4).Draw(t, "shape") {
	case 0:
		rules = append(rules, rule(last, slots(0, 1), 2, scan(value, 0, 1)))
	case 1:
		rules = append(rules, rule(last, slots(0, 0), 2, scan(value, 0, 1), compared(1)))
	case 2:
		rules = append(rules, rule(last, slots(0, 0), 4, scan(node, 0), fold(1, of, 2, body...), compared(1)))
	case 3: // of the group by another one
		rules = append(rules, rule(last, slots(0, 1), 5, scan(edge, 0, 4), fold(1, of, 2, scan(path, 4, 2))))
	case 4:
		rules = append(rules, rule(last, slots(0, 0), 4, scan(node, 0),
			abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{scan(path, 0, 2), scan(path, 2, 0)}}, fold(1, of, 3, scan(path, 0, 3)), compared(1)))
	}
	b.component(false, []int{last}, rules...)
	g.p = b.p
	return g
}

func TestRepairsUnderFoldsAreThoseOfTryingAllSets(t *testing.T) {
	compared, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := foldedGoals(t)
		e, _ := g.start(t)
		n, m := checkRepairs(t, g, e, g.stratified, 3, 2, 2, 24)
		compared, found = compared+n, found+m
	})
	comparedEnough(t, compared, found)
}

// TestASearchUnderACountIsOver looks for what leaves a node two of the hundred nodes
// that four ways lead it to, by a count and by what compares one.
func TestASearchUnderACountIsOver(t *testing.T) {
	b := newBuilder()
	two := b.constant(abi.IntValue(2))
	node, edge, path, count, few := b.base("node", 1), b.base("edge", 2), b.derived("path", 2), b.derived("count", 2), b.derived("few", 1)
	b.component(true, []int{path},
		b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.component(false, []int{count}, b.rule(count, slots(0, 1), 3, scan(node, 0),
		abi.Atom{Op: abi.AtomFold, Fold: abi.FoldCount, Slot: 1, Over: []int{2}, Body: []abi.Atom{scan(path, 0, 2)}}))
	b.component(false, []int{few}, b.rule(few, slots(0), 2, scan(count, 0, 1),
		abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpLe, Args: []abi.Arg{slots(1)[0], {Op: abi.ArgConst, Index: two}}}))
	e := load(t, b.p)
	assertInts(t, e, node, []int64{0})
	var rows [][]int64
	for way := range int64(4) {
		at := int64(0)
		for i := range int64(25) {
			next := 1 + 25*way + i
			rows = append(rows, []int64{at, next})
			at = next
		}
	}
	assertInts(t, e, edge, rows...)
	for rel, tuple := range map[int][]int64{count: {0, 2}, few: {0}} {
		got := repairsOf(t, e, rel, tuple, abi.MaxRepair, defaultRepairBounds)
		if len(got.Repairs) != 0 || got.MaxSize != 3 || got.Tried != 0 || !got.Complete {
			t.Errorf("%s%v: %+v", b.p.Relations[rel].Name, tuple, *got)
		}
	}
}
