package engine

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// anyValue draws values of all orders of kinds, from few enough that rows share
// them.
func anyValue(t *rapid.T) abi.Value {
	n := rapid.IntRange(-3, 6).Draw(t, "n")
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return abi.StringValue(string(rune('m' + n)))
	case 1:
		return abi.NamedValue("root::" + string(rune('m'+n)))
	case 2:
		return abi.DayValue(int64(n))
	case 3:
		return abi.RatValue(big.NewRat(int64(n), 3))
	case 4:
		return abi.IntValue(int64(n) << 40)
	case 5:
		return abi.BoolValue(n > 0)
	}
	return abi.IntValue(int64(n))
}

func compareRows(a, b []abi.Value) int {
	return slices.CompareFunc(a, b, abi.Compare)
}

func TestPagesFollowTheOrderOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arity := rapid.IntRange(1, 3).Draw(t, "arity")
		b := newBuilder()
		rel := b.base("r", arity)
		e := drawnEngine(t, 1, 4, defaultBatch)
		if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
			t.Fatalf("load: %v", f)
		}
		frame := abi.FrameBuilder{Arity: arity}
		var want [][]abi.Value
		for range rapid.IntRange(0, 60).Draw(t, "rows") {
			row := make([]abi.Value, arity)
			for i := range row {
				row[i] = anyValue(t)
			}
			frame.Add(row)
			want = append(want, row)
		}
		slices.SortFunc(want, compareRows)
		want = slices.CompactFunc(want, func(a, b []abi.Value) bool { return compareRows(a, b) == 0 })
		if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Frame: frame.Frame()}}}); f != nil {
			t.Fatalf("assert: %v", f)
		}
		if len(want) > 0 && rapid.Bool().Draw(t, "remove") {
			i := rapid.IntRange(0, len(want)-1).Draw(t, "removed")
			gone := abi.FrameBuilder{Arity: arity}
			gone.Add(want[i])
			if r, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Remove: true, Frame: gone.Frame()}}}); f != nil || r.Removed != 1 {
				t.Fatalf("remove: %+v, %v", r, f)
			}
			want = slices.Delete(want, i, i+1)
		}
		request := abi.DeriveRequest{Relation: rel, Page: abi.Page{Limit: rapid.Uint64Range(0, 9).Draw(t, "limit")}}
		var got [][]abi.Value
		for more := true; more; {
			rows, f := e.Derive(&request)
			if f != nil {
				t.Fatalf("derive: %v", f)
			}
			for i := range rows.Frame.Rows {
				got = append(got, rows.Frame.Row(nil, i))
			}
			if more = rows.More; more != (len(got) < len(want)) || rows.Total != uint64(len(want)) {
				t.Fatalf("after %d of %d rows, More is %v and Total %d", len(got), len(want), more, rows.Total)
			}
			if more {
				request.Page.After = got[len(got)-1]
			}
		}
		if !slices.EqualFunc(got, want, func(a, b []abi.Value) bool { return compareRows(a, b) == 0 }) {
			t.Fatalf("pages give\n%v\nwant\n%v", got, want)
		}
		request.Page = abi.Page{After: []abi.Value{}}
		for range arity {
			request.Page.After = append(request.Page.After, anyValue(t))
		}
		rows, f := e.Derive(&request)
		if f != nil {
			t.Fatalf("derive: %v", f)
		}
		after := slices.DeleteFunc(slices.Clone(want), func(r []abi.Value) bool { return compareRows(r, request.Page.After) <= 0 })
		if rows.Frame.Rows != len(after) || rows.More {
			t.Fatalf("%d rows after %v, want %d", rows.Frame.Rows, request.Page.After, len(after))
		}
	})
}
