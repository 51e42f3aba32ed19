package engine

import (
	"strconv"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// manyRelations is how many relations the components of these benchmarks have.
const manyRelations = 2000

// BenchmarkChangeOfAGameOfManyRelations is one move in and out of a game whose
// positions are won in one of 2,000 relations, each of which negates the next: a
// circle of them, in which each move concerns each.
func BenchmarkChangeOfAGameOfManyRelations(b *testing.B) {
	w := newBuilder()
	move := w.base("move", 3)
	var rels, rules []int
	for i := range manyRelations {
		rels = append(rels, w.derived("w"+strconv.Itoa(i), 1))
	}
	var rows [][]int64
	for i := range manyRelations {
		number := abi.Arg{Op: abi.ArgConst, Index: w.constant(abi.IntValue(int64(i)))}
		at := scan(move, 0, 1, 2)
		at.Args[0] = number
		rules = append(rules, w.rule(rels[i], slots(1), 3, at, not(scan(rels[(i+1)%manyRelations], 2))))
		for x := range int64(5) {
			rows = append(rows, []int64{int64(i), x, x + 1})
		}
	}
	w.founded(rels, rules...)
	benchmarkOneFact(b, w.p, move, rows, []int64{7, 5, 6}, rels[7])
}

// BenchmarkChangeOfACircleOfManyRelations is one fact in and out of the first of
// 2,000 relations that each give the next what they have.
func BenchmarkChangeOfACircleOfManyRelations(b *testing.B) {
	w := newBuilder()
	seed := w.base("seed", 1)
	var rels, rules []int
	for i := range manyRelations {
		rels = append(rels, w.derived("p"+strconv.Itoa(i), 1))
	}
	rules = append(rules, w.rule(rels[0], slots(0), 1, scan(seed, 0)))
	for i := range manyRelations {
		rules = append(rules, w.rule(rels[(i+1)%manyRelations], slots(0), 1, scan(rels[i], 0)))
	}
	w.component(true, rels, rules...)
	benchmarkOneFact(b, w.p, seed, [][]int64{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}, []int64{100}, rels[7])
}

func benchmarkOneFact(b *testing.B, p abi.Program, base int, rows [][]int64, one []int64, ask int) {
	e := load(b, p)
	assertInts(b, e, base, rows...)
	read := func() {
		if _, f := e.Derive(&abi.DeriveRequest{Relation: ask, Page: abi.Page{Limit: 1}}); f != nil {
			b.Fatal(f)
		}
	}
	read()
	for b.Loop() {
		for _, remove := range []bool{false, true} {
			assertEdit(b, e, edit{rel: base, row: one, remove: remove})
			read()
		}
	}
}
