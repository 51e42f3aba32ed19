package runtime_test

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// The second page of an answer has all rows put in order; a later one costs its own
// rows. What a page costs that finds no order there is the same each time.
func TestALaterPageCostsItsOwnRows(t *testing.T) {
	p := chart(t, 150, "pub query all() -> way;\n")
	pages := func(from string) (fuel []uint64, text, next []string) {
		c := runtime.Page{Limit: 20, Cursor: from}
		for range 5 {
			res, err := p.Query(t.Context(), runtime.QueryRequest{Name: "all", Common: runtime.Common{Page: &c}})
			if err != nil || res.Refused() {
				t.Fatal(res, err)
			}
			same(t, "rows", res.Total, 150*150)
			fuel, next = append(fuel, res.Usage.Fuel), append(next, res.NextCursor)
			text = append(text, fmt.Sprint(texts(res)))
			c.Cursor = res.NextCursor
		}
		return fuel, text, next
	}
	fuel, text, next := pages("")
	t.Log(fuel)
	for _, f := range fuel[2:] {
		if 20*f > fuel[1] {
			t.Errorf("pages cost %d: a later one more than a twentieth of the one that puts all in order", fuel)
		}
	}
	again, same1, _ := pages("")
	if fmt.Sprint(same1) != fmt.Sprint(text) || again[1] > fuel[2]*2 {
		t.Errorf("read again, the pages are others, or cost %d", again)
	}
	// After a write the cursor is for the state before it, which is made anew.
	p.accepted("link", args("a", "s1", "b", "s1"))
	if _, later, _ := pages(next[0]); later[0] != text[1] {
		t.Errorf("after a write the second page is\n%s\nwant\n%s", later[0], text[1])
	}
}

// What the first page does not have is turned away by the first column, also where
// the rows of one of its values come together.
func TestAFirstPageComparesFewRows(t *testing.T) {
	p := chart(t, 150, "pub derive pairs(a: Stop, b: Stop) :- a: Stop, b: Stop;\n")
	var fuel uint64
	for range 2 {
		res, err := p.Derive(t.Context(), runtime.DeriveRequest{Name: "pairs", Common: runtime.Common{Page: &runtime.Page{Limit: 2}}})
		if err != nil || res.Refused() {
			t.Fatal(res, err)
		}
		same(t, "rows", res.Total, 150*150)
		fuel = res.Usage.Fuel
	}
	if fuel > 6_000_000 {
		t.Errorf("two of 22,500 rows cost %d units of fuel", fuel)
	}
}
