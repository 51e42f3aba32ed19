package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A body that asks one relation by a key and denies another, which is undefined
// there, has a row that is undefined.
func TestWhatIsAskedBesideSomethingUndefinedIsUndefined(t *testing.T) {
	b := newBuilder()
	edge, path, odd := b.base("edge", 2), b.derived("path", 2), b.derived("odd", 1)
	b.component(true, []int{path},
		b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.founded([]int{odd}, b.rule(odd, slots(0), 2, scan(edge, 0, 1), not(scan(odd, 0))))
	b.p.Queries = []abi.Query{{Name: "q", Params: []abi.Param{{Name: "x"}}, Slots: make([]abi.Slot, 2),
		Body: []abi.Atom{scan(path, 0, 1), not(scan(odd, 1))}, Out: slots(1), Columns: make([]abi.Column, 1), Truth: -1}}
	e := load(t, b.p)
	assertInts(t, e, edge, []int64{1, 2}, []int64{2, 3})
	rows, f := e.Query(&abi.QueryRequest{Args: []*abi.Value{valueOf(1)}})
	if f != nil {
		t.Fatal(f)
	}
	if rows.Total != 2 || rows.Hidden.Can != 1 {
		t.Errorf("%d rows, of which %d undefined; want 2, of which 1", rows.Total, rows.Hidden.Can)
	}
}
