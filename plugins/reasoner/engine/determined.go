package engine

import (
	"math/big"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// determined returns the slots with those that the body's conditions leave one
// value for, given the others; ok is false where a condition fails on what is
// given, so that no facts make the body hold.
func (w *candidateWalk) determined(atoms []abi.Atom, slots []abi.Term) (out []abi.Term, ok bool) {
	out = slots
	owned := false
	give := func(slot int, x abi.Term) {
		if !owned {
			out, owned = slices.Clone(slots), true
		}
		out[slot] = x
	}
	for again := true; again; {
		again = false
		for i := range atoms {
			a := &atoms[i]
			if a.Op != abi.AtomLet && a.Op != abi.AtomCmp && a.Op != abi.AtomFilter {
				continue
			}
			left, right, cmp := sidesOf(a)
			open, n := -1, 0
			for _, s := range atomSlots(a, len(out)).list() {
				if out[s] == unbound {
					open, n = s, n+1
				}
			}
			switch {
			case n == 0:
				if !w.mayPass(a, left, right, cmp, out) {
					return out, false
				}
			case n == 1 && cmp == abi.CmpEq && left != nil:
				if x, known := w.e.solveFor(open, left, right, out); known {
					give(open, x)
					again = true
				}
			}
		}
	}
	return out, true
}

// sidesOf returns the sides of an atom that compares, else left is nil.
func sidesOf(a *abi.Atom) (left, right *abi.Expr, cmp abi.CmpOp) {
	switch a.Op {
	case abi.AtomLet:
		return &abi.Expr{Op: abi.ExprSlot, Index: a.Slot}, a.Expr, abi.CmpEq
	case abi.AtomCmp:
		x, y := a.Args[0].Expr(), a.Args[1].Expr()
		return &x, &y, a.Cmp
	}
	if x := a.Expr; x.Op == abi.ExprEq && len(x.Args) == 2 {
		return &x.Args[0], &x.Args[1], abi.CmpEq
	}
	return nil, nil, 0
}

// mayPass reports whether a condition, all of whose slots are bound, holds; where
// that cannot be told, it may.
func (w *candidateWalk) mayPass(a *abi.Atom, left, right *abi.Expr, cmp abi.CmpOp, slots []abi.Term) bool {
	e := w.e
	if left == nil {
		x, ok, f := e.valueOf(a.Expr, slots)
		v := e.terms.Value(x)
		return f != nil || !ok || v.Kind != abi.KindBool || v.Int != 0
	}
	x, ok, f := e.valueOf(left, slots)
	if f != nil || !ok {
		return true
	}
	y, ok, f := e.valueOf(right, slots)
	return f != nil || !ok || e.holds(cmp, x, y)
}

// solveFor returns the value of an unbound slot with which two expressions over
// it are equal, where it stands once in one of them and sums lead to it.
func (e *Engine) solveFor(slot int, left, right *abi.Expr, slots []abi.Term) (x abi.Term, ok bool) {
	width := len(slots)
	if exprSlots(right, width).has(slot) {
		left, right = right, left
	}
	if exprSlots(right, width).has(slot) {
		return 0, false
	}
	x, ok, f := e.valueOf(right, slots)
	if f != nil || !ok {
		return 0, false
	}
	for left.Op != abi.ExprSlot {
		if left.Op != abi.ExprAdd && left.Op != abi.ExprSub {
			return 0, false
		}
		in := 0
		if exprSlots(&left.Args[1], width).has(slot) {
			in = 1
		}
		if exprSlots(&left.Args[1-in], width).has(slot) {
			return 0, false
		}
		y, ok, f := e.valueOf(&left.Args[1-in], slots)
		if f != nil || !ok {
			return 0, false
		}
		v, o := e.terms.Value(x), e.terms.Value(y)
		if v.Kind != abi.KindNum || o.Kind != abi.KindNum {
			return 0, false
		}
		d := new(big.Rat)
		switch {
		case left.Op == abi.ExprAdd:
			d.Sub(v.Number(), o.Number())
		case in == 0: // slot - y = x
			d.Add(v.Number(), o.Number())
		default: // y - slot = x
			d.Sub(o.Number(), v.Number())
		}
		x, left = e.terms.Intern(abi.RatValue(d)), &left.Args[in]
	}
	return x, true
}
