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

// BenchmarkCompletion is the completion of an EL ontology: seven rules, most of
// them with two recursive atoms, over ternary relations.
func BenchmarkCompletion(b *testing.B) {
	const concepts = 20000
	w := newBuilder()
	// One base relation of four columns holds the axioms; the rules' own
	// relations are cut from it by kind.
	axiom := w.base("axiom", 4)
	kinds := make([]int, 4)
	for i := range kinds {
		kinds[i] = w.constant(abi.IntValue(int64(i)))
	}
	cut := func(name string, kind int, columns ...int) int {
		rel := w.derived(name, len(columns))
		a := scan(axiom, -1, 0, 1, 2)
		a.Args[0] = abi.Arg{Op: abi.ArgConst, Index: kinds[kind]}
		w.component(false, []int{rel}, w.rule(rel, slots(columns...), 3, a))
		return rel
	}
	told, both, some, sum := cut("told", 0, 0, 1), cut("both", 1, 0, 1, 2), cut("some", 2, 0, 1, 2), cut("sum", 3, 0, 1, 2)
	sub, link := w.derived("sub", 2), w.derived("link", 3)
	w.component(true, []int{sub, link},
		w.rule(sub, slots(0, 0), 2, scan(told, 0, 1)),
		w.rule(sub, slots(0, 0), 2, scan(told, 1, 0)),
		w.rule(sub, slots(0, 2), 3, scan(sub, 0, 1), scan(told, 1, 2)),
		w.rule(sub, slots(0, 3), 4, scan(sub, 0, 1), scan(sub, 0, 2), scan(both, 1, 2, 3)),
		w.rule(link, slots(0, 2, 3), 4, scan(sub, 0, 1), scan(some, 1, 2, 3)),
		w.rule(sub, slots(0, 4), 5, scan(link, 0, 1, 2), scan(sub, 2, 3), scan(sum, 1, 3, 4)))
	state := uint64(7)
	draw := func(n int64) int64 {
		state = state*6364136223846793005 + 1442695040888963407
		return int64(state>>33) % n
	}
	var rows [][]int64
	for i := int64(1); i < concepts; i++ {
		rows = append(rows, []int64{0, i, draw(i), 0}) // a tree, so that chains stay short
		switch i % 8 {
		case 0:
			rows = append(rows, []int64{1, draw(concepts), draw(concepts), i})
		case 1:
			rows = append(rows, []int64{2, i, draw(200), draw(concepts)})
		case 2, 3:
			rows = append(rows, []int64{3, draw(200), draw(concepts), i})
		}
	}
	benchmarkProgram(b, w.p, axiom, intFrame(rows...), sub)
}
