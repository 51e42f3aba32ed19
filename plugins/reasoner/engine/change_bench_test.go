package engine

import (
	"strconv"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// BenchmarkChangeThroughManyRules is one fact in and out of a program of 200
// predicates, each with an exception, that all depend on it: what a rule costs
// that has little to do.
func BenchmarkChangeThroughManyRules(b *testing.B) {
	w := newBuilder()
	fact, exception := w.base("fact", 2), w.base("exception", 2)
	last := fact
	for i := range 200 {
		next := w.derived("p"+strconv.Itoa(i), 2)
		w.component(false, []int{next}, w.rule(next, slots(0, 1), 2, scan(last, 0, 1), not(scan(exception, 0, 1))))
		last = next
	}
	e := load(b, w.p)
	var rows [][]int64
	for i := range int64(1000) {
		rows = append(rows, []int64{i, i + 1})
	}
	assertInts(b, e, fact, rows...)
	read := func(want uint64) {
		rows, f := e.Derive(&abi.DeriveRequest{Relation: last, Page: abi.Page{Limit: 1}})
		if f != nil || rows.Total != want {
			b.Fatalf("%d tuples, want %d: %v", rows.Total, want, f)
		}
	}
	read(1000)
	one := []abi.Delta{{Relation: fact, Frame: intFrame([]int64{5000, 1})}}
	for b.Loop() {
		for _, remove := range []bool{false, true} {
			one[0].Remove = remove
			if _, f := e.Assert(&abi.AssertRequest{Deltas: one}); f != nil {
				b.Fatal(f)
			}
			read(map[bool]uint64{false: 1001, true: 1000}[remove])
		}
	}
}
