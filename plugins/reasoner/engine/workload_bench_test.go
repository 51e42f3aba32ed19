package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// BenchmarkSameGeneration is three atoms and a binary tree: joins that are not
// fused.
func BenchmarkSameGeneration(b *testing.B) {
	w := newBuilder()
	parent, same := w.base("parent", 2), w.derived("same", 2)
	differ := abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpNe, Args: slots(0, 1)}
	r0 := w.rule(same, slots(0, 1), 3, scan(parent, 0, 2), scan(parent, 1, 2), differ)
	r1 := w.rule(same, slots(0, 1), 4, scan(parent, 0, 2), scan(same, 2, 3), scan(parent, 1, 3))
	w.component(true, []int{same}, r0, r1)
	var rows [][]int64
	for i := int64(1); i < 2047; i++ {
		rows = append(rows, []int64{i, (i - 1) / 2})
	}
	benchmarkProgram(b, w.p, parent, intFrame(rows...), same)
}

// BenchmarkFolds counts and sums over groups, after a join of three columns.
func BenchmarkFolds(b *testing.B) {
	w := newBuilder()
	order, total := w.base("order", 3), w.derived("total", 3)
	amount := slotExpr(3)
	w.component(false, []int{total}, w.rule(total, slots(0, 4, 5), 6,
		scan(order, 0, -1, -1),
		abi.Atom{Op: abi.AtomFold, Slot: 4, Fold: abi.FoldCount, Over: []int{2}, Body: []abi.Atom{scan(order, 0, 2, -1)}},
		abi.Atom{Op: abi.AtomFold, Slot: 5, Fold: abi.FoldSum, Expr: &amount, Over: []int{2}, Body: []abi.Atom{scan(order, 0, 2, 3)}}))
	var rows [][]int64
	for i := range int64(20000) {
		rows = append(rows, []int64{i % 2000, i, i * 7 % 100})
	}
	benchmarkProgram(b, w.p, order, intFrame(rows...), total)
}

// BenchmarkCounter is a round a tuple: what a round costs.
func BenchmarkCounter(b *testing.B) {
	w := newBuilder()
	one, end := w.constant(abi.IntValue(1)), w.constant(abi.IntValue(100000))
	seed, counter := w.base("seed", 1), w.derived("counter", 1)
	next := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotExpr(0), constant(one)}}
	r0 := w.rule(counter, slots(0), 1, scan(seed, 0))
	r1 := w.rule(counter, slots(1), 2, scan(counter, 0), abi.Atom{Op: abi.AtomLet, Slot: 1, Expr: &next},
		abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpLt, Args: []abi.Arg{{Op: abi.ArgSlot, Index: 1}, {Op: abi.ArgConst, Index: end}}})
	w.component(true, []int{counter}, r0, r1)
	benchmarkProgram(b, w.p, seed, intFrame([]int64{0}), counter)
}
