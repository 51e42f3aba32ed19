package lower

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// expr returns x with its reads hoisted to out. maybe says that x is evaluated
// only under a condition; inner are the slots that expressions around x bind,
// of which no atom outside can know.
func (h *hoist) expr(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom) abi.Expr {
	switch x.Op {
	case abi.ExprConst, abi.ExprSlot:
		return x
	case abi.ExprRead:
		return h.exprRead(x, maybe, inner, out)
	case abi.ExprReadAll, abi.ExprHolds:
		return h.stay(x, "a collection that a field holds, as a value", "range over it: y in x.field, or sum(… for y in x.field)")
	case abi.ExprSub_:
		return h.exprSub(x, maybe, inner, out)
	case abi.ExprCall:
		if h.inlined(x) {
			if at, ok := h.b.copyFor(x.Index); ok {
				x.Index = at
				break
			}
			if maybe || len(inner) > 0 {
				return h.inlineInside(x, maybe, inner, out)
			}
			return h.expr(h.inline(x, out), maybe, inner, out)
		}
	case abi.ExprVariant:
		if h.b.readingValue(&x) {
			return h.stay(x, "a function that reads, as a value in a rule", "bind what it reads first: y = x.field")
		}
	case abi.ExprLet:
		if !maybe && len(inner) == 0 {
			h.let(x.Index, x.Args[0], x.Args[0].Span, out)
			return h.expr(x.Args[1], maybe, inner, out)
		}
		v := h.expr(x.Args[0], maybe, inner, out)
		x.Args = []abi.Expr{v, h.expr(x.Args[1], maybe, with(inner, x.Index), out)}
		return x
	case abi.ExprBuiltin:
		if isLen(x) && !maybe && len(inner) == 0 {
			slot := h.slot(types.Nat)
			h.count(slot, x, x.Span, out)
			return slotOf(slot, x.Span)
		}
		if x.Name == abi.BuiltinIsSome || x.Name == abi.BuiltinUnwrapOr {
			return h.operands(x, maybe, inner, out, h.total)
		}
	case abi.ExprAnd, abi.ExprOr:
		x.Args = append([]abi.Expr(nil), x.Args...)
		x.Args[0] = h.expr(x.Args[0], maybe, inner, out)
		x.Args[1] = h.expr(x.Args[1], true, inner, out)
		return x
	case abi.ExprIf:
		x.Args = append([]abi.Expr(nil), x.Args...)
		x.Args[0] = h.expr(x.Args[0], maybe, inner, out)
		for i := 1; i < len(x.Args); i++ {
			x.Args[i] = h.expr(x.Args[i], true, inner, out)
		}
		return x
	case abi.ExprMatch:
		return h.match(x, maybe, inner, out)
	case abi.ExprFor, abi.ExprFold:
		if len(x.Args) > 1 {
			x.Args = append([]abi.Expr(nil), x.Args...)
			x.Args[0] = h.expr(x.Args[0], maybe, inner, out)
			in := with(inner, x.Index)
			for i := 1; i < len(x.Args); i++ {
				x.Args[i] = h.expr(x.Args[i], true, in, out)
			}
			return x
		}
	}
	return h.operands(x, maybe, inner, out, h.expr)
}

type exprFunc func(abi.Expr, bool, map[int]bool, *[]abi.Atom) abi.Expr

// operands hoists the operands of x: the first one by first.
func (h *hoist) operands(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom, first exprFunc) abi.Expr {
	if x.Op == abi.ExprNot {
		x.Name = "" // see types.NoneTest
	}
	x.Args = append([]abi.Expr(nil), x.Args...)
	for i := range x.Args {
		f := h.expr
		if i == 0 {
			f = first
		}
		x.Args[i] = f(x.Args[i], maybe || i > 0 && x.Name == abi.BuiltinUnwrapOr, inner, out)
	}
	return x
}

func (h *hoist) match(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom) abi.Expr {
	x.Args = []abi.Expr{h.total(x.Args[0], maybe, inner, out)}
	of, known := held(x.Args[0])
	x.Arms = append([]abi.Arm(nil), x.Arms...)
	for i := range x.Arms {
		arm := &x.Arms[i]
		in := inner
		slotWalk{}.pattern(&arm.Pattern, func(slot *int) { in = with(in, *slot) })
		if own, ok := whole(arm.Pattern); ok && known && (h.b.reads(&arm.Body) || arm.Guard != nil && h.b.reads(arm.Guard)) {
			*arm = renamed(*arm, own, of)
		}
		if arm.Guard != nil {
			g := h.expr(*arm.Guard, true, in, out)
			arm.Guard = &g
		}
		arm.Body = h.expr(arm.Body, true, in, out)
	}
	return x
}

func with(inner map[int]bool, slot int) map[int]bool {
	out := map[int]bool{slot: true}
	for i := range inner {
		out[i] = true
	}
	return out
}

// total hoists x where the absence of a field is a value, none.
func (h *hoist) total(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom) abi.Expr {
	if x.Op != abi.ExprRead {
		return h.expr(x, maybe, inner, out)
	}
	v, keys := h.view(x, maybe, inner, out)
	v = needing(keys, v) // what it is a field of has to be there
	return v
}

// exprRead hoists a read: by a scan of the field where the read is certain;
// where it is not, by one of the field's total view, with a failure at the
// place of the read if there is no value.
func (h *hoist) exprRead(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom) abi.Expr {
	if maybe {
		v, _ := h.view(x, true, inner, out)
		if v.Op != abi.ExprSlot {
			return v
		}
		some := h.slot((*h.slots)[v.Index].Type)
		return abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{v}, Span: x.Span, Arms: []abi.Arm{{
			Pattern: abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{{Op: abi.PatBind, Slot: some}}},
			Body:    slotOf(some, x.Span),
		}}}
	}
	if h.foreign(x, inner) {
		return h.hidden(x)
	}
	slot := h.slot(h.b.env.Relations[x.Index].Columns[len(x.Args)].Type)
	h.read(x, slotArg(slot), x.Span, inner, out)
	return slotOf(slot, x.Span)
}

// foreign reports whether x is about something that only the expressions
// around it know.
func (h *hoist) foreign(x abi.Expr, inner map[int]bool) bool {
	for i := range x.Args {
		for slot := range openExpr(&x.Args[i]) {
			if inner[slot] {
				return true
			}
		}
	}
	return false
}

func (h *hoist) hidden(x abi.Expr) abi.Expr {
	return h.stay(x, "a field of something that only this expression knows", "name it in an atom: y = x.field")
}

// view hoists the read x by a scan of the field's total view: the slot that it
// returns holds the value, or none. If x itself is not certain to be evaluated
// (maybe), the keys must not fail either: those that are reads are views too, and
// keys are the values of those, or none.
func (h *hoist) view(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom) (v abi.Expr, keys []abi.Expr) {
	if h.foreign(x, inner) {
		return h.hidden(x), nil
	}
	field := h.b.env.Relations[x.Index]
	rel, ok := h.b.totalView(x.Index, h.receiver(x))
	if !ok && strings.HasPrefix(field.Name, "$") {
		return h.stay(x, "reflection where it is not certain to be asked", "ask it first: m = meta(t), in a function let m = meta(t);"), nil
	}
	if !ok {
		return h.stay(x, "a field of a relation where it is not certain to be read", "name it in an atom: y = R(a, b).field"), nil
	}
	scan := abi.Atom{Op: abi.AtomScan, Rel: rel, Span: x.Span}
	for _, key := range x.Args {
		switch {
		case !maybe || key.Op == abi.ExprSlot || key.Op == abi.ExprConst:
			scan.Args = append(scan.Args, h.arg(key, inner, out))
		case key.Op == abi.ExprRead:
			k, before := h.view(key, true, inner, out)
			scan.Args = append(scan.Args, argOf(k))
			keys = append(append(keys, before...), k)
		default:
			return h.stay(x, "a field of a computed value where it is not certain to be read", "name the value in an atom"), nil
		}
	}
	slot := h.slot(types.Option(field.Columns[len(x.Args)].Type))
	scan.Args = append(scan.Args, slotArg(slot))
	*out = append(*out, scan)
	return slotOf(slot, x.Span), keys
}

func (h *hoist) exprSub(x abi.Expr, maybe bool, inner map[int]bool, out *[]abi.Atom) abi.Expr {
	s := x.Sub
	for slot := range openExpr(&x) {
		if inner[slot] {
			return h.stay(x, "a subquery about something that only this expression knows", "name it in an atom")
		}
	}
	partial := s.Op == abi.SubOne || s.Op == abi.SubFold && s.Fold != abi.FoldSum && s.Fold != abi.FoldCount
	if maybe && partial {
		return h.stay(x, "a subquery that may have no value, where it is not certain to be asked", "name its value in an atom: y = …")
	}
	t := types.Top
	if s.Op == abi.SubCount || s.Op == abi.SubFold && s.Fold == abi.FoldCount {
		t = types.Nat
	} else if s.Op == abi.SubExists {
		t = types.Bool
	}
	slot := h.slot(t)
	if h.sub(slot, x, x.Span, out) {
		return slotOf(slot, x.Span)
	}
	if h.rule {
		h.b.report("OE1312", x.Span, "read the predicate in an atom of its own: each of its tuples is a solution", "a rule folds with count, sum, min, max and avg; set, one and collect are for functions")
		return h.b.constant(abi.NoneValue(), x.Span)
	}
	return h.stay(x, "a set, one or collect subquery in a body", "read the predicate in an atom of its own")
}

// stay reports that x cannot be hoisted.
func (h *hoist) stay(x abi.Expr, what, help string) abi.Expr {
	h.b.unsupported(x.Span, what, help)
	return h.b.constant(abi.NoneValue(), x.Span)
}

// inlined reports whether x calls a function whose text has to be written into
// the rule, because it reads.
func (h *hoist) inlined(x abi.Expr) bool {
	return x.Index < len(h.b.readers) && h.b.readers[x.Index]
}
