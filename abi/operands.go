package abi

import "math"

// operandCount bounds a number of operands, both ends included.
type operandCount struct{ low, high int }

// operands has the number of operands of each operator.
var operands = [exprOpCount]operandCount{
	ExprNeg: {1, 1}, ExprNot: {1, 1},
	ExprAdd: {2, 2}, ExprSub: {2, 2}, ExprMul: {2, 2}, ExprDiv: {2, 2}, ExprMod: {2, 2},
	ExprEq: {2, 2}, ExprNe: {2, 2}, ExprLt: {2, 2}, ExprLe: {2, 2}, ExprGt: {2, 2}, ExprGe: {2, 2},
	ExprAnd: {2, 2}, ExprOr: {2, 2}, ExprIn: {2, 2},
	ExprCall: {0, math.MaxInt}, ExprBuiltin: {0, math.MaxInt},
	ExprIf: {3, 3}, ExprMatch: {1, 1}, ExprLet: {2, 2},
	ExprVariant: {0, math.MaxInt}, ExprStruct: {0, math.MaxInt},
	ExprField: {1, 1}, ExprWith: {2, 2},
	ExprList: {0, math.MaxInt}, ExprSet: {0, math.MaxInt},
	ExprIndex: {2, 2}, ExprSlice: {3, 3}, ExprFor: {2, 3}, ExprFold: {1, 3},
	ExprText: {0, math.MaxInt}, ExprIsType: {1, 1},
	ExprRead: {0, math.MaxInt}, ExprReadAll: {0, math.MaxInt}, ExprHolds: {0, math.MaxInt},
}

// BuiltinOperands returns the least and the greatest number of operands of the
// builtin function; ok is false where there is no such builtin.
func BuiltinOperands(name string) (low, high int, ok bool) {
	switch name {
	case BuiltinToday, BuiltinNow:
		return 0, 0, true
	case BuiltinRound, BuiltinRoundHalfEven, BuiltinTrunc:
		return 1, 2, true
	case BuiltinAbs, BuiltinLen, BuiltinSome, BuiltinIsSome, BuiltinText, BuiltinLower, BuiltinUpper,
		BuiltinYear, BuiltinMonth, BuiltinDay, BuiltinDays:
		return 1, 1, true
	case BuiltinUnwrapOr, BuiltinStartsWith, BuiltinEndsWith, BuiltinContains:
		return 2, 2, true
	}
	return intervalOperands(name)
}

func (c *checker) builtin(x *Expr) {
	low, high, ok := BuiltinOperands(x.Name)
	if !ok {
		c.fail("unknown builtin %q", x.Name)
	} else if n := len(x.Args); n < low || n > high {
		c.fail("builtin %q of %d operands", x.Name, n)
	} else if x.Name == BuiltinMap && n%2 != 0 {
		c.fail("builtin %q with a key that has no value", x.Name)
	}
}

// Slots returns the number of slots that an evaluation of x needs when the
// first preset ones are given: those that x binds itself come after, as in
// payloads, whose slots have no list.
func (x *Expr) Slots(preset int) int {
	n := preset
	bind := func(slot int) {
		if slot >= n && slot < maxSlots {
			n = slot + 1
		}
	}
	visit(x, 0, func(x *Expr) {
		switch x.Op {
		case ExprLet, ExprFor, ExprFold:
			bind(x.Index)
		case ExprMatch:
			for i := range x.Arms {
				visitPattern(&x.Arms[i].Pattern, 0, bind)
			}
		}
		if x.Sub != nil {
			visitBody(x.Sub.Body, 0, bind)
		}
	})
	return n
}

// visit calls f for x and all expressions below it, as deep as Validate looks.
func visit(x *Expr, depth int, f func(*Expr)) {
	if x == nil || depth >= MaxDepth {
		return
	}
	f(x)
	for i := range x.Args {
		visit(&x.Args[i], depth+1, f)
	}
	for i := range x.Arms {
		visit(x.Arms[i].Guard, depth+1, f)
		visit(&x.Arms[i].Body, depth+1, f)
	}
	if x.Sub != nil {
		visit(x.Sub.Out, depth+1, f)
		visitAtoms(x.Sub.Body, depth+1, f)
	}
}

func visitAtoms(body []Atom, depth int, f func(*Expr)) {
	if depth >= MaxDepth {
		return
	}
	for i := range body {
		visit(body[i].Expr, depth+1, f)
		visitAtoms(body[i].Body, depth+1, f)
	}
}

func visitPattern(p *Pattern, depth int, bind func(slot int)) {
	if p == nil || depth >= MaxDepth {
		return
	}
	if p.Op == PatBind {
		bind(p.Slot)
	}
	for i := range p.Items {
		visitPattern(&p.Items[i], depth+1, bind)
	}
}

// visitBody calls bind for the slots that a body may bind.
func visitBody(body []Atom, depth int, bind func(slot int)) {
	if depth >= MaxDepth {
		return
	}
	for i := range body {
		a := &body[i]
		for _, arg := range a.Args {
			if arg.Op == ArgSlot {
				bind(arg.Index)
			}
		}
		switch a.Op {
		case AtomLet, AtomIn, AtomFold:
			bind(a.Slot)
		}
		visitPattern(a.Pattern, depth+1, bind)
		visitBody(a.Body, depth+1, bind)
	}
}
