package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// made returns the types of a rule's slots that follow from what they are made
// of, whatever the rule tests: of a value that is of its type for that reason, a
// test is no condition.
func (m *monotone) made(r *abi.Rule) map[int]abi.Type {
	made := map[int]abi.Type{}
	for before := -1; before < len(made); {
		before = len(made)
		m.make(r.Body, made)
	}
	return made
}

func (m *monotone) make(body []abi.Atom, made map[int]abi.Type) {
	let := func(slot int, x *abi.Expr) {
		if t, ok := m.madeOf(x, made); ok {
			made[slot] = t
		}
	}
	for i := range body {
		a := &body[i]
		switch a.Op {
		case abi.AtomScan:
			for c, x := range a.Args {
				if _, known := made[x.Index]; x.Op == abi.ArgSlot && !a.Neg && !known {
					made[x.Index] = m.b.env.Relations[a.Rel].Columns[c].Type
				}
			}
		case abi.AtomLet:
			let(a.Slot, a.Expr)
		case abi.AtomFold:
			m.make(a.Body, made)
			if a.Fold == abi.FoldMin || a.Fold == abi.FoldMax {
				let(a.Slot, a.Expr)
			}
		case abi.AtomExists:
			if !a.Neg {
				m.make(a.Body, made)
			}
		}
	}
}

// madeOf returns the type of what an expression over such slots gives.
func (m *monotone) madeOf(x *abi.Expr, made map[int]abi.Type) (abi.Type, bool) {
	none := abi.Type{}
	switch x.Op {
	case abi.ExprSlot:
		t, ok := made[x.Index]
		return t, ok
	case abi.ExprConst:
		v := m.b.env.Constants.Values[x.Index]
		switch {
		case v.Kind == abi.KindMoney:
			return types.Money, true
		case v.Kind != abi.KindNum || !v.Number().IsInt():
			return types.Real, v.Kind == abi.KindNum
		case v.Number().Sign() < 0:
			return types.Int, true
		}
		return types.Nat, true
	case abi.ExprAdd, abi.ExprSub, abi.ExprMul:
		a, okA := m.madeOf(&x.Args[0], made)
		b, okB := m.madeOf(&x.Args[1], made)
		if !okA || !okB {
			return none, false
		}
		whole := func(t abi.Type) bool { return (t.Op == abi.TypeNat || t.Op == abi.TypeInt) && t.Name == "" }
		switch {
		case whole(a) && whole(b) && (a.Op == abi.TypeInt || b.Op == abi.TypeInt || x.Op == abi.ExprSub):
			return types.Int, true
		case a.Op == b.Op && a.Name == "" && b.Name == "" && (x.Op == abi.ExprAdd || whole(a)):
			return a, true
		case (a.Op == abi.TypeDate || a.Op == abi.TypeDateTime) && b.Op == abi.TypeDuration:
			return a, true
		}
	}
	return none, false
}
