package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// hoist rewrites a body so that what expressions read becomes atoms: a field a
// scan, an aggregate a fold, a function that reads its text.
type hoist struct {
	b      *builder
	slots  *[]abi.Slot
	rule   bool         // of a rule, not of a query or subquery: for messages
	depth  int          // of functions and queries being written in
	told   bool         // that there are too many
	given  int          // the first slots, which a call sets
	preset map[int]bool // those that the code around a subquery sets
	top    *[]abi.Atom  // where the atoms of the outermost body go
	claims []claim      // what calls in it say of variables
	stuck  bool         // an operator over time was refused: what it binds is not known
}

// maxInline bounds how deep functions that read are written into one rule.
const maxInline = 32

func (h *hoist) slot(t abi.Type) int {
	*h.slots = append(*h.slots, abi.Slot{Type: t})
	return len(*h.slots) - 1
}

func slotArg(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }

func slotOf(i int, span abi.Span) abi.Expr {
	return abi.Expr{Op: abi.ExprSlot, Index: i, Span: span}
}

func (h *hoist) body(atoms []abi.Atom) []abi.Atom {
	out := make([]abi.Atom, 0, len(atoms)+len(atoms)/2)
	around := h.top
	if around == nil {
		h.top = &out
	}
	for _, a := range atoms {
		h.atom(a, &out)
	}
	if h.top = around; around == nil {
		out = h.claimed(out)
	}
	return out
}

func (h *hoist) atom(a abi.Atom, out *[]abi.Atom) {
	switch a.Op {
	case abi.AtomLet:
		h.let(a.Slot, *a.Expr, a.Span, out)
	case abi.AtomFilter:
		h.filter(*a.Expr, a.Span, out)
	case abi.AtomIn:
		h.in(a.Slot, *a.Expr, a.Span, out)
	case abi.AtomExists:
		if m, ok := h.b.env.MetricOf(&a); ok {
			h.metric(a, m, out)
			return
		}
		a.Body = h.body(a.Body)
		*out = append(*out, a)
	case abi.AtomFold:
		a.Body = h.body(a.Body)
		if a.Expr != nil {
			x := h.expr(*a.Expr, false, nil, &a.Body)
			a.Expr = &x
		}
		*out = append(*out, a)
	case abi.AtomIs:
		if !h.b.fits(*a.Type, *out, a.Slot) {
			if inexact(*a.Type) {
				h.b.unsupported(a.Span, "a test of a type with arguments or bounds", "match on the value, or compare it with the bounds")
			}
			*out = append(*out, a)
		}
	default:
		*out = append(*out, a)
	}
}

// let binds slot to x.
func (h *hoist) let(slot int, x abi.Expr, span abi.Span, out *[]abi.Atom) {
	switch {
	case x.Op == abi.ExprRead:
		h.read(x, slotArg(slot), span, nil, out)
	case x.Op == abi.ExprLet:
		h.let(x.Index, x.Args[0], x.Args[0].Span, out)
		h.let(slot, x.Args[1], span, out)
	case x.Op == abi.ExprSub_ && h.sub(slot, x, span, out):
	case x.Op == abi.ExprCall && h.inlined(x):
		h.let(slot, h.inline(x, out), span, out)
	case isLen(x):
		h.count(slot, x, span, out)
	default:
		v := h.expr(x, false, nil, out)
		if v.Op == abi.ExprSlot || v.Op == abi.ExprConst {
			*out = append(*out, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{slotArg(slot), argOf(v)}, Span: span})
			return
		}
		*out = append(*out, abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: &v, Span: span})
	}
}

// read makes a scan of the read x; value is where the read value goes.
func (h *hoist) read(x abi.Expr, value abi.Arg, span abi.Span, inner map[int]bool, out *[]abi.Atom) {
	scan := abi.Atom{Op: abi.AtomScan, Rel: x.Index, Span: span}
	for i := range x.Args {
		scan.Args = append(scan.Args, h.arg(x.Args[i], inner, out))
	}
	scan.Args = append(scan.Args, value)
	*out = append(*out, scan)
}

// arg makes an argument of an atom of x.
func (h *hoist) arg(x abi.Expr, inner map[int]bool, out *[]abi.Atom) abi.Arg {
	v := h.expr(x, false, inner, out)
	if v.Op == abi.ExprSlot || v.Op == abi.ExprConst {
		return argOf(v)
	}
	slot := h.slot(types.Top)
	*out = append(*out, abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: &v, Span: x.Span})
	return slotArg(slot)
}

// argOf makes an argument of a slot or constant.
func argOf(v abi.Expr) abi.Arg {
	if v.Op == abi.ExprConst {
		return abi.Arg{Op: abi.ArgConst, Index: v.Index}
	}
	return slotArg(v.Index)
}

// in lets slot range over the items of x.
func (h *hoist) in(slot int, x abi.Expr, span abi.Span, out *[]abi.Atom) {
	switch {
	case x.Op == abi.ExprReadAll:
		h.read(x, slotArg(slot), span, nil, out)
	case x.Op == abi.ExprSub_ && (x.Sub.Op == abi.SubSet || x.Sub.Op == abi.SubList):
		x, done := h.expanded(x)
		defer done()
		*out = append(*out, h.body(x.Sub.Body)...)
		h.let(slot, *x.Sub.Out, span, out)
	default:
		v := h.expr(x, false, nil, out)
		*out = append(*out, abi.Atom{Op: abi.AtomIn, Slot: slot, Expr: &v, Span: span})
	}
}

var comparisons = map[abi.ExprOp]abi.CmpOp{
	abi.ExprEq: abi.CmpEq, abi.ExprNe: abi.CmpNe, abi.ExprLt: abi.CmpLt, abi.ExprLe: abi.CmpLe, abi.ExprGt: abi.CmpGt, abi.ExprGe: abi.CmpGe,
}

// filter makes x, which has to be true, into atoms.
func (h *hoist) filter(x abi.Expr, span abi.Span, out *[]abi.Atom) {
	switch x.Op {
	case abi.ExprAnd:
		h.filter(x.Args[0], x.Args[0].Span, out)
		h.filter(x.Args[1], x.Args[1].Span, out)
		return
	case abi.ExprNot:
		if isAbsence(&x) {
			// x.f == None is an atom about x: what x is has to be there.
			h.read(x.Args[0].Args[0], abi.Arg{}, span, nil, out)
			(*out)[len(*out)-1].Neg = true
			return
		}
		h.filterNot(x.Args[0], span, out)
		return
	case abi.ExprOr:
		if !plain(&x) {
			h.either(x, span, out)
			return
		}
	case abi.ExprBuiltin:
		if x.Name == abi.BuiltinIsSome && x.Args[0].Op == abi.ExprRead {
			h.read(x.Args[0], abi.Arg{}, span, nil, out)
			return
		}
	case abi.ExprSub_:
		if x.Sub.Op == abi.SubExists {
			*out = append(*out, abi.Atom{Op: abi.AtomExists, Body: h.body(x.Sub.Body), Span: span})
			return
		}
	case abi.ExprIn:
		if x.Args[0].Op == abi.ExprConst && x.Args[1].Op == abi.ExprReadAll {
			h.read(x.Args[1], argOf(x.Args[0]), span, nil, out)
			return
		}
		slot := h.member(x.Args[0], out)
		h.in(slot, x.Args[1], span, out)
		return
	}
	if cmp, ok := comparisons[x.Op]; ok {
		h.compare(cmp, x, span, out)
		return
	}
	v := h.expr(x, false, nil, out)
	*out = append(*out, abi.Atom{Op: abi.AtomFilter, Expr: &v, Span: span})
}

// member returns a slot that holds x.
func (h *hoist) member(x abi.Expr, out *[]abi.Atom) int {
	if x.Op == abi.ExprSlot {
		return x.Index
	}
	slot := h.slot(types.Top)
	h.let(slot, x, x.Span, out)
	return slot
}

// compare makes a comparison of x's sides. == may bind a slot that nothing
// else binds.
func (h *hoist) compare(cmp abi.CmpOp, x abi.Expr, span abi.Span, out *[]abi.Atom) {
	a, b := x.Args[0], x.Args[1]
	if cmp == abi.CmpEq {
		if a.Op != abi.ExprSlot && b.Op == abi.ExprSlot {
			a, b = b, a
		}
		if a.Op == abi.ExprSlot && !openExpr(&b)[a.Index] {
			h.let(a.Index, b, span, out)
			return
		}
	}
	a = h.expr(x.Args[0], false, nil, out)
	b = h.expr(x.Args[1], false, nil, out)
	simple := func(v abi.Expr) bool { return v.Op == abi.ExprSlot || v.Op == abi.ExprConst }
	if simple(a) && simple(b) {
		*out = append(*out, abi.Atom{Op: abi.AtomCmp, Cmp: cmp, Args: []abi.Arg{argOf(a), argOf(b)}, Span: span})
		return
	}
	v := abi.Expr{Op: x.Op, Args: []abi.Expr{a, b}, Span: x.Span}
	*out = append(*out, abi.Atom{Op: abi.AtomFilter, Expr: &v, Span: span})
}

// sub binds slot to a subquery's value; ok is false if x has to stay an
// expression.
func (h *hoist) sub(slot int, x abi.Expr, span abi.Span, out *[]abi.Atom) bool {
	x, done := h.expanded(x)
	defer done()
	s := x.Sub
	fold := abi.Atom{Op: abi.AtomFold, Slot: slot, Over: s.Over, Span: span}
	switch s.Op {
	case abi.SubCount:
		fold.Fold = abi.FoldCount
	case abi.SubFold:
		fold.Fold = s.Fold
	case abi.SubExists:
		n := h.slot(types.Nat)
		fold.Slot, fold.Over = n, nil
		fold.Body = h.body(s.Body)
		some := abi.Expr{Op: abi.ExprGt, Args: []abi.Expr{slotOf(n, span), h.b.constant(abi.IntValue(0), span)}, Span: span}
		*out = append(*out, fold, abi.Atom{Op: abi.AtomLet, Slot: slot, Expr: &some, Span: span})
		return true
	case abi.SubOne:
		if x.Name != types.KeyedCall {
			return false
		}
		*out = append(*out, h.body(s.Body)...)
		h.let(slot, *s.Out, span, out)
		return true
	default:
		return false
	}
	fold.Body = h.body(s.Body)
	if s.Out != nil && fold.Fold != abi.FoldCount {
		v := h.expr(*s.Out, false, nil, &fold.Body)
		fold.Expr = &v
	}
	*out = append(*out, fold)
	return true
}

func isLen(x abi.Expr) bool {
	return x.Op == abi.ExprBuiltin && x.Name == abi.BuiltinLen && x.Args[0].Op == abi.ExprReadAll
}

// count binds slot to the number of values of a field that holds a collection.
func (h *hoist) count(slot int, x abi.Expr, span abi.Span, out *[]abi.Atom) {
	item := h.slot(types.Top)
	fold := abi.Atom{Op: abi.AtomFold, Slot: slot, Fold: abi.FoldCount, Over: []int{item}, Span: span}
	var before []abi.Atom
	h.read(x.Args[0], slotArg(item), span, nil, &before)
	fold.Body = before[len(before)-1:]
	*out = append(append(*out, before[:len(before)-1]...), fold)
}
