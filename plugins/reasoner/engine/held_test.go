package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A search for repairs leaves what it assumed nothing about as it was: a component
// that has yet to see a fact go still sees it go afterwards.
func TestASearchForRepairsLeavesWhatAnotherReaderHasYetToSee(t *testing.T) {
	b := newBuilder()
	a, c := b.base("a", 1), b.base("c", 1)
	v, u := b.derived("v", 1), b.derived("u", 2)
	b.component(false, []int{v}, b.rule(v, slots(0), 1, scan(a, 0), not(scan(c, 0))))
	b.component(false, []int{u}, b.rule(u, slots(0, 1), 2, scan(a, 0), scan(c, 1)))
	e := load(t, b.p)
	assertInts(t, e, a, []int64{0}, []int64{1})
	if got := read(t, e, v).Live(); got != 2 {
		t.Fatalf("%d tuples of v, want 2", got)
	}
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: a, Remove: true, Frame: intFrame([]int64{0})}}}); f != nil {
		t.Fatal(f)
	}
	x, f := e.Explain(&abi.ExplainRequest{Relation: u, Tuple: valuesOf([]int64{1, 1}), Repairs: 1})
	if f != nil {
		t.Fatal(f)
	}
	if x.Repairs == nil || len(x.Repairs.Repairs) != 1 {
		t.Fatalf("repairs %+v, want one: c(1)", x.Repairs)
	}
	is, _ := model(t, e, v)
	if len(is) != 1 || is[0][0] != 1 {
		t.Errorf("v has %v after a(0) went, want [[1]]", is)
	}
}
