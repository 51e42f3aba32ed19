package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// What depends on the instant must follow it, on an instance that answered for
// another instant before; also through a function, a day that only passes by
// the hour, and a reader that negates it.
func TestWhatDependsOnTheInstantFollowsIt(t *testing.T) {
	b := newBuilder()
	due, overdue, open := b.base("due", 1), b.derived("overdue", 1), b.derived("open", 1)
	minute := b.derived("minute", 1)
	b.p.Functions = []abi.Function{{Name: "day", Result: abi.Type{Op: abi.TypeDate}, Body: abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinToday}}}
	past := abi.Expr{Op: abi.ExprLt, Args: []abi.Expr{slotExpr(0), {Op: abi.ExprCall}}}
	r0 := b.rule(overdue, slots(0), 1, scan(due, 0), abi.Atom{Op: abi.AtomFilter, Expr: &past})
	r1 := b.rule(open, slots(0), 1, scan(due, 0), not(scan(overdue, 0)))
	now := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinNow}
	r2 := b.rule(minute, slots(0), 1, abi.Atom{Op: abi.AtomLet, Slot: 0, Expr: &now})
	b.component(false, []int{overdue}, r0)
	b.component(false, []int{open}, r1)
	b.component(false, []int{minute}, r2)
	e := load(t, b.p)
	days := abi.FrameBuilder{Arity: 1}
	for _, d := range []int64{1, 2, 3} {
		days.Add([]abi.Value{abi.DayValue(d)})
	}
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: due, Frame: days.Frame()}}}); f != nil {
		t.Fatal(f)
	}
	at := func(seconds int64) string {
		call := abi.Call{Now: abi.Value{Kind: abi.KindInstant, Int: seconds}}
		var n [3]uint64
		var row abi.Value
		for i, rel := range []int{overdue, open, minute} {
			rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: rel})
			if f != nil {
				t.Fatal(f)
			}
			n[i] = rows.Total
			if rel == minute {
				row = rows.Frame.Value(rows.Frame.Columns[0][0])
			}
		}
		return fmt.Sprint(n[0], " overdue, ", n[1], " open, it is ", row.Int)
	}
	for _, c := range []struct {
		seconds int64
		want    string
	}{
		{0, "0 overdue, 3 open, it is 0"},
		{2 * abi.SecondsPerDay, "1 overdue, 2 open, it is 172800"},
		{2*abi.SecondsPerDay + 60, "1 overdue, 2 open, it is 172860"},
		{9 * abi.SecondsPerDay, "3 overdue, 0 open, it is 777600"},
		{-1, "0 overdue, 3 open, it is -1"},
	} {
		if got := at(c.seconds); got != c.want {
			t.Errorf("at %d: %s, want %s", c.seconds, got, c.want)
		}
	}
}
