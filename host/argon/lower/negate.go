package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// Negation in a body is negation as failure: not x holds where x, standing
// alone as an atom, has no solution. So a field without a value, or a division
// by zero, makes x fail and not x hold. x || y holds where one side does, and
// a side that fails is one that does not.

// filterNot makes the atoms that hold where x, standing alone, does not.
func (h *hoist) filterNot(x abi.Expr, span abi.Span, out *[]abi.Atom) {
	switch {
	case x.Op == abi.ExprNot && !isAbsence(&x):
		h.filter(x.Args[0], span, out)
	case x.Op == abi.ExprOr && !plain(&x):
		h.filterNot(x.Args[0], x.Args[0].Span, out)
		h.filterNot(x.Args[1], x.Args[1].Span, out)
	case plain(&x):
		v := abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{x}, Span: span}
		*out = append(*out, abi.Atom{Op: abi.AtomFilter, Expr: &v, Span: span})
	default:
		var body []abi.Atom
		h.filter(x, x.Span, &body)
		*out = append(*out, absent(body, surface(&x), span))
	}
}

// either makes the atom that holds where a side of the disjunction x does:
// not all of them fail.
func (h *hoist) either(x abi.Expr, span abi.Span, out *[]abi.Atom) {
	var body []abi.Atom
	h.filterNot(x.Args[0], x.Args[0].Span, &body)
	h.filterNot(x.Args[1], x.Args[1].Span, &body)
	a := abi.Atom{Op: abi.AtomExists, Neg: true, Body: body, Over: surface(&x), Span: span}
	if h.b.unknown() >= 0 {
		a.Rel = disjunction
	}
	*out = append(*out, a)
}

// disjunction is the Rel of the atom that either makes, until the open world is
// written into it: its sides are asked for as they stand in the source, and are
// no negations, for all that the atom is made of them.
const disjunction = -1 << 30

func isDisjunction(a *abi.Atom) bool { return a.Op == abi.AtomExists && a.Rel == disjunction }

// plainAgain takes the marks of disjunctions away.
func plainAgain(body []abi.Atom) {
	for i := range body {
		if isDisjunction(&body[i]) {
			body[i].Rel = 0
		}
		plainAgain(body[i].Body)
	}
}

// absent is the absence of a solution of body, which has to find the slots
// in outer bound: safe holds it to them.
func absent(body []abi.Atom, outer []int, span abi.Span) abi.Atom {
	if len(body) == 1 && (body[0].Op == abi.AtomScan || body[0].Op == abi.AtomExists && body[0].Over == nil) {
		a := body[0]
		a.Neg, a.Span = !a.Neg, span
		return a
	}
	return abi.Atom{Op: abi.AtomExists, Neg: true, Body: body, Over: outer, Span: span}
}

// isAbsence reports whether x is the comparison of a field with None.
func isAbsence(x *abi.Expr) bool {
	return x.Op == abi.ExprNot && x.Name == types.NoneTest && x.Args[0].Args[0].Op == abi.ExprRead
}

// plain reports whether x has a value whatever its slots hold, none included:
// then it may stay one expression.
func plain(x *abi.Expr) bool {
	switch x.Op {
	case abi.ExprAnd, abi.ExprOr, abi.ExprNot:
		for i := range x.Args {
			if !plain(&x.Args[i]) {
				return false
			}
		}
		return true
	case abi.ExprEq, abi.ExprNe, abi.ExprIsType:
		for i := range x.Args {
			if op := x.Args[i].Op; op != abi.ExprSlot && op != abi.ExprConst {
				return false
			}
		}
		return true
	}
	return false
}

// surface returns the slots that x reads outside its subqueries, which have
// variables of their own.
func surface(x *abi.Expr) []int {
	used := map[int]bool{}
	var walk func(*abi.Expr)
	walk = func(x *abi.Expr) {
		if x.Op == abi.ExprSlot {
			used[x.Index] = true
		}
		for i := range x.Args {
			walk(&x.Args[i])
		}
		for i := range x.Arms {
			if x.Arms[i].Guard != nil {
				walk(x.Arms[i].Guard)
			}
			walk(&x.Arms[i].Body)
		}
	}
	walk(x)
	slotWalk{use: func(*int) {}, inner: func(i *int) { delete(used, *i) }}.expr(x)
	return sorted(used)
}
