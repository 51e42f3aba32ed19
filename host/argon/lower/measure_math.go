package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// What is computed of values that may be intervals is one again. Each operation
// goes by the ends of its operands alone, so that a value that occurs twice
// counts as two: the ends are never too near, and may be further than they need.

// side is one side of a comparison: a value that may be an interval, or one that
// is certain, which is both of its ends.
type side struct {
	least, most abi.Expr
	held        bool // the ends are of a held slot, and may be absent
}

// side makes the side that an expression is. What it computes is added to out.
func (m *measuring) side(x *abi.Expr, span abi.Span, out *[]abi.Atom) (side, bool) {
	w, held, ok := m.spread(x, span, out)
	if !ok || !held {
		return side{least: *x, most: *x}, ok
	}
	return sideOf(w), true
}

func sideOf(w ends) side {
	return side{least: slotOf(w.least, w.span), most: slotOf(w.most, w.span), held: true}
}

// uncertain reports whether an expression reads a value that may be an interval.
func (m *measuring) uncertain(x *abi.Expr) bool {
	for s := range openExpr(x) {
		if _, held := m.held[s]; held {
			return true
		}
	}
	return false
}

// spread returns the ends of what an expression gives, found in atoms with the
// place span; held is false where it is certain. ok is false where the ends of
// its operands do not tell them.
func (m *measuring) spread(x *abi.Expr, span abi.Span, out *[]abi.Atom) (w ends, held, ok bool) {
	if !m.uncertain(x) {
		return w, false, true
	}
	if x.Op == abi.ExprSlot {
		return m.held[x.Index], true, true
	}
	c := &computing{m: m, out: out, span: span}
	switch x.Op {
	case abi.ExprNeg:
		a, _, ok := m.spread(&x.Args[0], span, out)
		if !ok || !m.ordered(&x.Args[0]) {
			return w, true, false
		}
		negated := func(end int) abi.Expr {
			return c.known(abi.Expr{Op: abi.ExprNeg, Args: []abi.Expr{c.slot(end)}, Span: span}, end)
		}
		return c.ends(negated(a.most), negated(a.least), a.left), true, true
	case abi.ExprAdd, abi.ExprSub, abi.ExprMul, abi.ExprDiv:
	default:
		return w, true, false
	}
	a, heldA, okA := m.spread(&x.Args[0], span, out)
	b, heldB, okB := m.spread(&x.Args[1], span, out)
	if !okA || !okB || !m.ordered(&x.Args[0]) || !m.ordered(&x.Args[1]) || x.Op == abi.ExprDiv && heldB && m.sign(&x.Args[1]) != positiveSign {
		return w, true, false
	}
	c.op = x.Op
	switch {
	case heldA && heldB:
		return c.both(a, b), true, true
	case heldA:
		y := c.certain(&x.Args[1])
		return c.one(a, y, func(end abi.Expr) abi.Expr { return c.binary(end, y) }, false), true, true
	}
	y := c.certain(&x.Args[0])
	return c.one(b, y, func(end abi.Expr) abi.Expr { return c.binary(y, end) }, x.Op == abi.ExprSub || x.Op == abi.ExprDiv), true, true
}

// ordered reports whether an expression is over values of which a sum is the
// greater the greater its parts are.
func (m *measuring) ordered(x *abi.Expr) bool {
	for s := range openExpr(x) {
		if _, held := m.held[s]; held && !m.amounts[s] && !amountType((*m.slots)[s].Type) {
			return false
		}
	}
	return true
}

// foldsAmounts reports whether the value of a fold is a number, an amount of
// money, a duration or an instant; its slot may have no type.
func (m *measuring) foldsAmounts(a *abi.Atom) bool {
	if a.Fold != abi.FoldMin && a.Fold != abi.FoldMax {
		return true
	}
	for s := range openExpr(a.Expr) {
		if !amountType((*m.slots)[s].Type) {
			return false
		}
	}
	return len(openExpr(a.Expr)) > 0
}

func amountType(t abi.Type) bool {
	if t.Op == abi.TypeOption {
		t = t.Args[0]
	}
	return numberType(t) || t.Op == abi.TypeMoney || t.Op == abi.TypeDuration || t.Op == abi.TypeDate || t.Op == abi.TypeDateTime
}

// computing makes the ends of one operation.
type computing struct {
	m    *measuring
	out  *[]abi.Atom
	op   abi.ExprOp
	span abi.Span
}

func (c *computing) slot(i int) abi.Expr { return slotOf(i, c.span) }

func (c *computing) binary(x, y abi.Expr) abi.Expr {
	return abi.Expr{Op: c.op, Args: []abi.Expr{copyExpr(x), copyExpr(y)}, Span: c.span}
}

func (c *computing) choose(test, yes, no abi.Expr) abi.Expr {
	return abi.Expr{Op: abi.ExprIf, Args: []abi.Expr{test, copyExpr(yes), copyExpr(no)}, Span: c.span}
}

// let gives a slot of its own a value, which is none where there is no bound.
func (c *computing) let(x abi.Expr) int {
	s := c.m.slot(types.Option(types.Top))
	*c.out = append(*c.out, abi.Atom{Op: abi.AtomLet, Slot: s, Expr: &x, Span: c.span})
	return s
}

func (c *computing) ends(least, most abi.Expr, left int) ends {
	return ends{least: c.let(least), most: c.let(most), left: left, span: c.span}
}

// known is x where each of the ends that it is made of is a bound, and else none.
func (c *computing) known(x abi.Expr, ends ...int) abi.Expr {
	none := c.m.b.constant(abi.NoneValue(), c.span)
	for _, s := range slices.Backward(ends) {
		x = c.choose(abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinIsSome, Args: []abi.Expr{c.slot(s)}, Span: c.span}, x, none)
	}
	return x
}

// certain is an operand that is no interval.
func (c *computing) certain(x *abi.Expr) abi.Expr {
	if x.Op == abi.ExprConst || x.Op == abi.ExprSlot {
		return *x
	}
	return c.slot(c.let(copyExpr(*x)))
}

// one makes the ends where the other operand is certain. of computes with an
// end; turns tells that the greater the end, the smaller what comes of it.
func (c *computing) one(w ends, certain abi.Expr, of func(abi.Expr) abi.Expr, turns bool) ends {
	least, most := c.known(of(c.slot(w.least)), w.least), c.known(of(c.slot(w.most)), w.most)
	switch {
	case c.op == abi.ExprMul || c.op == abi.ExprDiv:
		nothing := abi.Expr{Op: abi.ExprSub, Args: []abi.Expr{copyExpr(certain), copyExpr(certain)}, Span: c.span}
		negative := abi.Expr{Op: abi.ExprLt, Args: []abi.Expr{copyExpr(certain), nothing}, Span: c.span}
		if turns {
			least, most = most, least
		}
		return c.ends(c.choose(negative, most, least), c.choose(negative, least, most), w.left)
	case turns:
		return c.ends(most, least, w.left)
	}
	return c.ends(least, most, w.left)
}

// both makes the ends of an operation on two intervals.
func (c *computing) both(a, b ends) ends {
	left := a.left
	if a.left != b.left {
		sum := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{c.slot(a.left), c.slot(b.left)}, Span: c.span}
		left = c.let(c.known(sum, a.left, b.left))
	}
	of := func(x, y int) abi.Expr { return c.known(c.binary(c.slot(x), c.slot(y)), x, y) }
	switch c.op {
	case abi.ExprAdd:
		return c.ends(of(a.least, b.least), of(a.most, b.most), left)
	case abi.ExprSub:
		return c.ends(of(a.least, b.most), of(a.most, b.least), left)
	}
	var corners []int // what is divided by is positive, so that the ends are among them
	for _, x := range []int{a.least, a.most} {
		for _, y := range []int{b.least, b.most} {
			all := c.known(c.binary(c.slot(x), c.slot(y)), a.least, a.most, b.least, b.most)
			corners = append(corners, c.let(all))
		}
	}
	furthest := func(op abi.ExprOp) abi.Expr {
		best := corners[0]
		for _, p := range corners[1:] {
			further := abi.Expr{Op: op, Args: []abi.Expr{c.slot(p), c.slot(best)}, Span: c.span}
			best = c.let(c.known(c.choose(further, c.slot(p), c.slot(best)), p))
		}
		return c.slot(best)
	}
	return c.ends(furthest(abi.ExprLt), furthest(abi.ExprGt), left)
}
