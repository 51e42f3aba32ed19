package lower

import "github.com/ox-mcp/ox-mcp/abi"

// A test of the type of a value that may be an interval is one of the value that
// is shown. It says the same of all that the value may be only where each of
// these is of the type: a count is a Nat, a sum of Ints that is 3 as far as it is
// known may come to be -1. Other tests are refused.

// typed reports whether all that a slot may be is of type t.
func (m *measuring) typed(slot int, t abi.Type) bool {
	if t.Op != abi.TypeNat && t.Op != abi.TypeInt {
		return true // of what there is one kind, as dates, or which any number is of
	}
	of, ok := m.of[slot]
	return ok && (of.Op == t.Op && (t.Name == "" || of.Name == t.Name) || of.Op == abi.TypeNat && t.Op == abi.TypeInt && t.Name == "")
}

// foldType is the type of all that a fold may be, as far as its parts tell.
func (m *measuring) foldType(a *abi.Atom) abi.Type {
	switch a.Fold {
	case abi.FoldCount:
		return abi.Type{Op: abi.TypeNat}
	case abi.FoldMin, abi.FoldMax:
		return m.exprType(a.Expr)
	case abi.FoldSum:
		t := m.exprType(a.Expr)
		t.Name = "" // a sum of bounded integers need not be in the bounds
		return t
	}
	return abi.Type{Op: abi.TypeReal}
}

// exprType is Nat, Int or, where it may be another number or is not known, Real.
func (m *measuring) exprType(x *abi.Expr) abi.Type {
	t := abi.Type{Op: abi.TypeReal}
	switch x.Op {
	case abi.ExprSlot:
		t = (*m.slots)[x.Index].Type
		if t.Op == abi.TypeOption {
			t = t.Args[0]
		}
	case abi.ExprConst:
		if v := &m.b.env.Constants.Values[x.Index]; v.Kind == abi.KindNum && (v.Rat == nil || v.Rat.IsInt()) {
			t.Op = abi.TypeInt
			if abi.Compare(*v, abi.IntValue(0)) >= 0 {
				t.Op = abi.TypeNat
			}
		}
	case abi.ExprAdd, abi.ExprMul, abi.ExprSub, abi.ExprNeg:
		t.Op = abi.TypeNat
		for i := range x.Args {
			switch of := m.exprType(&x.Args[i]).Op; {
			case of == abi.TypeReal || of != abi.TypeNat && of != abi.TypeInt:
				return abi.Type{Op: abi.TypeReal}
			case of == abi.TypeInt || x.Op == abi.ExprSub || x.Op == abi.ExprNeg:
				t.Op = abi.TypeInt
			}
		}
	case abi.ExprCall:
		if x.Index < len(m.b.env.FnList) {
			t = m.b.env.FnList[x.Index].Result
		}
	}
	return t
}
