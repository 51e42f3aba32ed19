package eval

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"pgregory.net/rapid"
)

// anyExpr draws expressions that are mostly well formed and hardly ever well
// typed.
func anyExpr(depth int) *rapid.Generator[abi.Expr] {
	return rapid.Custom(func(t *rapid.T) abi.Expr {
		e := abi.Expr{Span: abi.Span{Start: 1, End: 2}}
		if depth == 0 || depth < 4 && rapid.IntRange(0, 1).Draw(t, "leaf here") == 0 {
			e.Op = rapid.SampledFrom([]abi.ExprOp{abi.ExprConst, abi.ExprSlot}).Draw(t, "leaf")
			e.Index = rapid.IntRange(0, 7).Draw(t, "index")
			return e
		}
		e.Op = abi.ExprOp(rapid.IntRange(0, int(abi.ExprSub_)+1).Draw(t, "op"))
		e.Index = rapid.IntRange(0, 1).Draw(t, "index")
		if rapid.IntRange(0, 50).Draw(t, "out of range") == 0 {
			e.Index = 9
		}
		e.Name = rapid.SampledFrom([]string{"m::E::A", "m::P", abi.BuiltinUnwrapOr, abi.BuiltinRound, abi.BuiltinLen, abi.BuiltinDays, abi.BuiltinText, abi.BuiltinLower}).Draw(t, "name")
		low, high := arity(e)
		if rapid.IntRange(0, 50).Draw(t, "wrong") == 0 {
			high++
		}
		e.Args = rapid.SliceOfN(anyExpr(depth-1), low, high).Draw(t, "args")
		e.Fold = abi.FoldOp(rapid.IntRange(0, 4).Draw(t, "fold"))
		switch e.Op {
		case abi.ExprMatch:
			for range rapid.IntRange(0, 2).Draw(t, "arms") {
				arm := abi.Arm{Pattern: anyPattern(2).Draw(t, "pattern"), Body: anyExpr(depth-1).Draw(t, "body")}
				if rapid.Bool().Draw(t, "guarded") {
					g := anyExpr(depth-1).Draw(t, "guard")
					arm.Guard = &g
				}
				e.Arms = append(e.Arms, arm)
			}
		case abi.ExprIsType:
			e.Type = &abi.Type{Op: abi.TypeOp(rapid.IntRange(0, int(abi.TypeFn)).Draw(t, "type")), Name: "m::E", Args: []abi.Type{{Op: abi.TypeInt}}}
		case abi.ExprSub_:
			e.Sub = &abi.Sub{Op: abi.SubOp(rapid.IntRange(0, int(abi.SubFold)).Draw(t, "sub"))}
			if rapid.Bool().Draw(t, "out") {
				out := anyExpr(depth-1).Draw(t, "result")
				e.Sub.Out = &out
			}
		}
		return e
	})
}

// arity is how many operands e takes.
func arity(e abi.Expr) (low, high int) {
	switch e.Op {
	case abi.ExprConst, abi.ExprSlot, abi.ExprSub_:
		return 0, 0
	case abi.ExprNeg, abi.ExprNot, abi.ExprMatch, abi.ExprField, abi.ExprIsType:
		return 1, 1
	case abi.ExprIf, abi.ExprSlice:
		return 3, 3
	case abi.ExprFor:
		return 2, 3
	case abi.ExprCall:
		return e.Index + 1, e.Index + 1
	case abi.ExprBuiltin:
		if low, high, ok := abi.BuiltinOperands(e.Name); ok {
			return low, high
		}
		return 0, 0
	case abi.ExprFold, abi.ExprVariant, abi.ExprStruct, abi.ExprList, abi.ExprSet, abi.ExprText, abi.ExprRead, abi.ExprReadAll, abi.ExprHolds:
		return 1, 3
	}
	return 2, 2
}

func anyPattern(depth int) *rapid.Generator[abi.Pattern] {
	return rapid.Custom(func(t *rapid.T) abi.Pattern {
		p := abi.Pattern{Op: abi.PatternOp(rapid.IntRange(0, int(abi.PatSome)).Draw(t, "op")), Name: "m::E::A"}
		p.Slot, p.Const = rapid.IntRange(0, 3).Draw(t, "slot"), rapid.IntRange(0, 7).Draw(t, "const")
		if depth > 0 {
			p.Items = rapid.SliceOfN(anyPattern(depth-1), 0, 2).Draw(t, "items")
		}
		return p
	})
}

// solver has no relations; each body has the solutions 1, 1/2 and "s" of slot 3.
type solver struct{ t *term.Table }

func (r solver) Read(rel int, key []abi.Term) (abi.Term, bool, *abi.Failure) {
	return r.t.Int(int64(rel)), rel%2 == 0, nil
}

func (r solver) ReadAll(rel int, key []abi.Term) ([]abi.Term, *abi.Failure) {
	return append([]abi.Term{r.t.Int(int64(rel))}, key...), nil
}

func (r solver) Holds(rel int, tuple []abi.Term) (bool, *abi.Failure) { return rel%2 == 0, nil }

func (r solver) Solve(sub *abi.Sub, slots []abi.Term, each func([]abi.Term) bool) *abi.Failure {
	before := slots[3]
	defer func() { slots[3] = before }()
	for _, x := range []abi.Term{r.t.Int(1), r.t.String("s"), r.t.Int(2)} {
		slots[3] = x
		if !each(slots) {
			break
		}
	}
	return nil
}

func TestNoExpressionPanics(t *testing.T) {
	constants := []abi.Value{
		abi.IntValue(0), abi.IntValue(2), abi.StringValue("s"), abi.NoneValue(), abi.BoolValue(true), abi.DayValue(9),
		{Kind: abi.KindList, Items: []abi.Value{abi.IntValue(1), abi.IntValue(0)}},
		{Kind: abi.KindVariant, Str: "m::E::A", Items: []abi.Value{abi.IntValue(1)}},
	}
	values := 0
	rapid.Check(t, func(t *rapid.T) {
		table := term.New()
		m := New(table)
		m.Reader = solver{table}
		m.Begin(&abi.Call{Limits: abi.Limits{Calls: 50}})
		functions := []abi.Function{
			{Name: "f", Params: make([]abi.Param, 1), Slots: make([]abi.Slot, 8), Body: anyExpr(2).Draw(t, "f")},
			{Name: "g", Params: make([]abi.Param, 2), Slots: make([]abi.Slot, 8), Body: anyExpr(2).Draw(t, "g")},
		}
		if m.Load(constants, functions, nil) != nil {
			// A function that is refused ends a load; the next functions are
			// drawn anew.
			m = New(table)
			m.Reader = solver{table}
			m.Begin(&abi.Call{})
			if f := m.Load(constants, nil, nil); f != nil {
				t.Fatal(f)
			}
		}
		e := anyExpr(4).Draw(t, "e")
		c, f := m.Compile(&e, 8)
		if f != nil {
			return
		}
		slots := newSlots(8)
		slots[7] = table.Int(1)
		x, ok, f := m.Eval(c, slots)
		switch {
		case f != nil && ok, f == nil && !ok && m.fault == term.OK:
			t.Fatalf("ok %v, fault %v, failure %v", ok, m.fault, f)
		case f == nil && ok:
			table.Value(x)
			values++
		}
		if m.sp != 0 || len(m.regs) != 0 || len(m.iters) != 0 || len(m.items) != 0 || len(m.frames) != 0 || m.nest != 0 {
			t.Fatalf("stacks are not as before")
		}
	})
	if values == 0 {
		t.Error("no expression has a value: the generator tests nothing")
	}
}
