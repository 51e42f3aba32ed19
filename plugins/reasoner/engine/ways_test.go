package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Each rule of wide asks it with one column less, but for the first, so that it is
// asked in as many ways as there are sets of the others.
func TestWhatIsAskedInVeryManyWaysIsEvaluatedWhole(t *testing.T) {
	for _, c := range []struct {
		columns int
		asked   bool
	}{{5, true}, {6, false}, {14, false}} {
		b := newBuilder()
		row, mark, wide := b.base("row", c.columns), b.base("mark", 1), b.derived("wide", c.columns)
		all := make([]int, c.columns)
		for i := range all {
			all[i] = i
		}
		rules := []int{b.rule(wide, slots(all...), c.columns, scan(row, all...))}
		for i := 1; i < c.columns; i++ {
			with := append([]int{}, all...)
			with[i] = c.columns
			rules = append(rules, b.rule(wide, slots(all...), c.columns+1, scan(wide, with...), scan(mark, i)))
		}
		b.component(true, []int{wide}, rules...)
		b.p.Queries = []abi.Query{{
			Name: "ask", Body: []abi.Atom{scan(wide, all...)}, Out: slots(all...), Truth: -1,
			Params: make([]abi.Param, c.columns), Slots: make([]abi.Slot, c.columns), Columns: make([]abi.Column, c.columns),
		}}
		e := load(t, b.p)
		ones, args := make([]int64, c.columns), make([]*abi.Value, c.columns)
		for i := range ones {
			ones[i], args[i] = 1, valueOf(1)
		}
		assertInts(t, e, row, ones)
		assertInts(t, e, mark, []int64{1}, []int64{2})
		d, f := e.ask(b.p.Queries[0].Body, e.internOptional(args), (*component).current)
		if f != nil || (d != nil) != c.asked {
			t.Errorf("%d columns: asked %v, %v, want %v", c.columns, d != nil, f, c.asked)
		}
		if d != nil {
			d.close()
		}
		rows, f := e.Query(&abi.QueryRequest{Args: args})
		if f != nil || rows.Total != 1 {
			t.Errorf("%d columns: %+v, %v, want one row", c.columns, rows, f)
		}
	}
}

// Each relation of a chain denies the one before. A short chain is asked by key; a
// long one is evaluated whole, as its levels would cost their square.
func TestALongChainOfDenialsIsEvaluatedWhole(t *testing.T) {
	for _, c := range []struct {
		links int
		asked bool
	}{{10, true}, {300, false}} {
		b := newBuilder()
		item := b.base("item", 1)
		last := item
		for range c.links {
			next := b.derived("link", 1)
			b.component(false, []int{next}, b.rule(next, slots(0), 1, scan(item, 0), not(scan(last, 0))))
			last = next
		}
		b.p.Queries = []abi.Query{{
			Name: "ask", Body: []abi.Atom{scan(last, 0)}, Out: slots(0), Truth: -1,
			Params: make([]abi.Param, 1), Slots: make([]abi.Slot, 1), Columns: make([]abi.Column, 1),
		}}
		e := load(t, b.p)
		assertInts(t, e, item, []int64{1}, []int64{2})
		args := []*abi.Value{valueOf(1)}
		d, f := e.ask(b.p.Queries[0].Body, e.internOptional(args), (*component).current)
		if f != nil || (d != nil) != c.asked {
			t.Errorf("%d links: asked %v, %v, want %v", c.links, d != nil, f, c.asked)
		}
		if d != nil {
			d.close()
		}
		// The first link has nothing, and so every other one.
		rows, f := e.Query(&abi.QueryRequest{Args: args})
		if f != nil || rows.Total != uint64(1-c.links%2) {
			t.Errorf("%d links: %+v, %v", c.links, rows, f)
		}
	}
}
