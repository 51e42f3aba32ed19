package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
)

// text returns the text of the function that x calls over fresh slots, the
// first of which is base; ok is false, after a report, where too much is
// written into the body.
func (h *hoist) text(x abi.Expr) (body abi.Expr, base int, ok bool) {
	f := h.b.env.FnList[x.Index]
	h.b.written[x.Index] = true
	if h.full(x.Span) {
		return h.b.constant(abi.NoneValue(), x.Span), 0, false
	}
	base = len(*h.slots)
	for _, s := range f.Slots {
		s.Name = ""
		*h.slots = append(*h.slots, s)
	}
	body = copyExpr(f.Body)
	shift := func(i *int) { *i += base }
	slotWalk{use: shift, inner: shift}.expr(&body)
	return body, base, true
}

// inline returns the text of the function that x calls over fresh slots, the
// parameters bound to the arguments.
func (h *hoist) inline(x abi.Expr, out *[]abi.Atom) abi.Expr {
	body, base, ok := h.text(x)
	if !ok {
		return body
	}
	h.depth++
	for i, arg := range x.Args {
		if arg.Op == abi.ExprSlot {
			h.claim(arg, h.b.env.FnList[x.Index].Params[i].Type, out)
			h.known(base+i, arg.Index)
		}
		h.let(base+i, arg, arg.Span, out)
	}
	// The text is hoisted here, so that the depth counts what it calls.
	done := h.expr(body, false, nil, out)
	h.depth--
	return done
}

// inlineInside is inline of a call inside an expression: where it is not
// certain to be made, or where an argument is known only there. An argument
// that is a variable stands for the parameter, so that what the text reads of
// it can be read outside; any other is bound in the expression. An argument
// without a value fails the call, used or not.
func (h *hoist) inlineInside(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom) abi.Expr {
	body, base, ok := h.text(x)
	if !ok {
		return body
	}
	h.depth++
	defer func() { h.depth-- }()
	around := func(e abi.Expr) abi.Expr { return e }
	for i, arg := range x.Args {
		v, present := arg, true
		switch {
		case arg.Op == abi.ExprRead && maybe:
			var keys []abi.Expr
			v, keys = h.view(arg, true, inner, out)
			if v.Op == abi.ExprSlot {
				before, value := around, v
				around = func(e abi.Expr) abi.Expr { return before(needing(append(keys, value), e)) }
			}
		default:
			v = h.expr(arg, maybe, inner, out)
			present = v.Op == abi.ExprSlot || v.Op == abi.ExprConst
		}
		switch {
		case v.Op == abi.ExprSlot:
			slotWalk{use: replace(base+i, v.Index), inner: func(*int) {}}.expr(&body)
		case present && v.Op == abi.ExprConst:
			h.let(base+i, v, v.Span, out)
		default:
			slot, value, before := base+i, v, around
			inner = with(inner, slot)
			around = func(e abi.Expr) abi.Expr {
				return before(abi.Expr{Op: abi.ExprLet, Index: slot, Args: []abi.Expr{value, e}, Span: x.Span})
			}
		}
	}
	return around(h.expr(body, maybe, inner, out))
}

// needing is e where all keys have a value, and fails elsewhere.
func needing(keys []abi.Expr, e abi.Expr) abi.Expr {
	for _, key := range keys {
		e = abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{key}, Span: e.Span, Arms: []abi.Arm{{
			Pattern: abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{{Op: abi.PatWild}}}, Body: e,
		}}}
	}
	return e
}

// held returns the slot that holds the value of v, if v has one.
func held(v abi.Expr) (int, bool) {
	for v.Op == abi.ExprMatch && len(v.Arms) == 1 && v.Arms[0].Pattern.Op == abi.PatSome && v.Arms[0].Pattern.Items[0].Op == abi.PatWild && v.Arms[0].Guard == nil {
		v = v.Arms[0].Body
	}
	return v.Index, v.Op == abi.ExprSlot
}

// whole returns the slot that a pattern binds to all of what it matches: that
// a value is there makes it no other value.
func whole(p abi.Pattern) (int, bool) {
	if p.Op == abi.PatSome {
		p = p.Items[0]
	}
	return p.Slot, p.Op == abi.PatBind
}

// renamed is the arm with another slot read in the place of one that its
// pattern binds: fields of it can then be read outside of the match.
func renamed(arm abi.Arm, from, to int) abi.Arm {
	w := slotWalk{use: replace(from, to), inner: func(*int) {}}
	if arm.Guard != nil {
		g := copyExpr(*arm.Guard)
		w.expr(&g)
		arm.Guard = &g
	}
	arm.Body = copyExpr(arm.Body)
	w.expr(&arm.Body)
	return arm
}

func replace(from, to int) func(*int) {
	return func(i *int) {
		if *i == from {
			*i = to
		}
	}
}
