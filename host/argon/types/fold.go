package types

import (
	"math/big"

	"github.com/ox-mcp/ox-mcp/abi"
)

// folded is the value of an expression that was evaluated at compile time.
type folded struct {
	abi.Value
	ok bool // it has one
}

func (f folded) holds() bool { return f.ok && f.Kind == abi.KindBool && f.Int != 0 }

// foldable reports whether fold knows every operator of x.
func foldable(x *abi.Expr) bool {
	switch x.Op {
	case abi.ExprConst, abi.ExprNeg, abi.ExprNot, abi.ExprAnd, abi.ExprOr, abi.ExprIn, abi.ExprList, abi.ExprSet,
		abi.ExprEq, abi.ExprNe, abi.ExprLt, abi.ExprLe, abi.ExprGt, abi.ExprGe, abi.ExprAdd, abi.ExprSub, abi.ExprMul, abi.ExprDiv:
	case abi.ExprSlot:
		return x.Index == 0
	default:
		return false
	}
	for i := range x.Args {
		if !foldable(&x.Args[i]) {
			return false
		}
	}
	return true
}

// fold evaluates a foldable expression in which slot 0 is hole.
func (e *Env) fold(x *abi.Expr, hole abi.Value) folded {
	none := folded{}
	arg := func(i int) folded { return e.fold(&x.Args[i], hole) }
	truth := func(b bool) folded { return folded{abi.BoolValue(b), true} }
	switch x.Op {
	case abi.ExprSlot:
		return folded{hole, true}
	case abi.ExprConst:
		v, ok := e.constant(x)
		return folded{v, ok}
	case abi.ExprNeg:
		if v := arg(0); v.ok && (v.Kind == abi.KindNum || v.Kind == abi.KindMoney) {
			return folded{negate(v.Value), true}
		}
		return none
	case abi.ExprNot:
		if v := arg(0); v.ok {
			return truth(!v.holds())
		}
		return none
	case abi.ExprAnd:
		return truth(arg(0).holds() && arg(1).holds())
	case abi.ExprOr:
		return truth(arg(0).holds() || arg(1).holds())
	case abi.ExprList, abi.ExprSet:
		list := abi.Value{Kind: abi.KindList}
		for i := range x.Args {
			v := arg(i)
			if !v.ok {
				return none
			}
			list.Items = append(list.Items, v.Value)
		}
		return folded{list, true}
	}
	a, b := arg(0), arg(1)
	if !a.ok || !b.ok {
		return none
	}
	c := abi.Compare(a.Value, b.Value)
	switch x.Op {
	case abi.ExprIn:
		for _, item := range b.Items {
			if abi.Equal(a.Value, item) {
				return truth(true)
			}
		}
		return truth(false)
	case abi.ExprEq:
		return truth(c == 0)
	case abi.ExprNe:
		return truth(c != 0)
	case abi.ExprLt:
		return truth(c < 0)
	case abi.ExprLe:
		return truth(c <= 0)
	case abi.ExprGt:
		return truth(c > 0)
	case abi.ExprGe:
		return truth(c >= 0)
	}
	if a.Kind != abi.KindNum || b.Kind != abi.KindNum {
		return none
	}
	return calculate(x.Op, a.Number(), b.Number())
}

// calculate gives a op b; nothing where it divides by zero.
func calculate(op abi.ExprOp, a, b *big.Rat) folded {
	r := new(big.Rat)
	switch op {
	case abi.ExprAdd:
		r.Add(a, b)
	case abi.ExprSub:
		r.Sub(a, b)
	case abi.ExprMul:
		r.Mul(a, b)
	case abi.ExprDiv:
		if b.Sign() == 0 {
			return folded{}
		}
		r.Quo(a, b)
	default:
		return folded{}
	}
	return folded{abi.RatValue(r), true}
}
