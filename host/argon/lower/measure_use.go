package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// use lowers an atom of the body that is neither a fold nor a scan of something
// measured.
func (m *measuring) use(a *abi.Atom) (abi.Atom, bool) {
	var held []int
	for s := range open(func(w slotWalk) { w.atom(a) }) {
		if _, ok := m.held[s]; ok {
			held = append(held, s)
		}
	}
	if len(held) == 0 {
		if len(a.Body) > 0 {
			return m.inner(a)
		}
		return *a, true
	}
	if len(held) == 1 {
		switch a.Op {
		case abi.AtomIs:
			return *a, true // of the value that is shown
		case abi.AtomCmp:
			for i, x := range a.Args {
				if x == slotArg(held[0]) {
					c := *a
					if i == 1 {
						c.Cmp = turned(a.Cmp)
					}
					return m.compare(&c, held[0], a.Args[1-i]), true
				}
			}
		case abi.AtomFilter:
			if out, ok := m.filter(a, held[0]); ok {
				return out, true
			}
		}
	}
	name := "a value"
	if s := (*m.slots)[held[0]]; s.Name != "" {
		name = s.Name
	}
	m.refuse(a.Span, name+" may be an interval, of which more is made here than a comparison with something certain", "compare it as it is, in the rule that folds or in one that reads it")
	return abi.Atom{}, false
}

// inner looks at a nested body: what is measured in it is refused.
func (m *measuring) inner(a *abi.Atom) (abi.Atom, bool) {
	var bad *abi.Atom
	var walk func(body []abi.Atom)
	walk = func(body []abi.Atom) {
		for i := range body {
			x := &body[i]
			if m.column(x) >= 0 || x.Op == abi.AtomFold && !asksWhether(x) && m.doubtful(x.Body, false) {
				bad = x
			}
			walk(x.Body)
		}
	}
	walk(a.Body)
	if bad != nil {
		m.refuse(bad.Span, "a value in a nested condition that may be an interval", "compare it in a derive of its own, and read that here")
		return abi.Atom{}, false
	}
	return *a, true
}

// filter lowers a condition that compares the value with an expression.
func (m *measuring) filter(a *abi.Atom, held int) (abi.Atom, bool) {
	cmp, ok := comparisons[a.Expr.Op]
	if !ok {
		return abi.Atom{}, false
	}
	at := slices.IndexFunc(a.Expr.Args, func(x abi.Expr) bool { return x.Op == abi.ExprSlot && x.Index == held })
	if at < 0 || openExpr(&a.Expr.Args[1-at])[held] {
		return abi.Atom{}, false
	}
	if at == 1 {
		cmp = turned(cmp)
	}
	return m.comparison(cmp, held, a.Expr.Args[1-at], a.Span), true
}

// compare lowers a comparison of the value, which stands first, with other.
func (m *measuring) compare(a *abi.Atom, held int, other abi.Arg) abi.Atom {
	return m.comparison(a.Cmp, held, argExpr(other), a.Span)
}

// turned is the comparison with its sides exchanged.
func turned(c abi.CmpOp) abi.CmpOp {
	switch c {
	case abi.CmpLt:
		return abi.CmpGt
	case abi.CmpLe:
		return abi.CmpGe
	case abi.CmpGt:
		return abi.CmpLt
	case abi.CmpGe:
		return abi.CmpLe
	}
	return c
}

// comparison is the condition that a value that may be an interval compares so
// with something certain.
func (m *measuring) comparison(cmp abi.CmpOp, held int, other abi.Expr, span abi.Span) abi.Atom {
	w := m.held[held]
	// at is the comparison of one end. An end that is not bounded passes where
	// it may and fails where it has to.
	at := func(op abi.ExprOp, end int, unbounded bool) abi.Atom {
		some := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinIsSome, Args: []abi.Expr{slotOf(end, span)}, Span: span}
		x := abi.Expr{Op: op, Args: []abi.Expr{slotOf(end, span), copyExpr(other)}, Span: span}
		if unbounded {
			x = abi.Expr{Op: abi.ExprOr, Args: []abi.Expr{{Op: abi.ExprNot, Args: []abi.Expr{some}, Span: span}, x}, Span: span}
		} else {
			x = abi.Expr{Op: abi.ExprAnd, Args: []abi.Expr{some, x}, Span: span}
		}
		return abi.Atom{Op: abi.AtomFilter, Expr: &x, Span: span}
	}
	atoms := func(a ...abi.Atom) []abi.Atom { return a }
	switch cmp {
	case abi.CmpGe:
		return m.holds(atoms(at(abi.ExprGe, w.least, false)), atoms(at(abi.ExprGe, w.most, true)), span)
	case abi.CmpGt:
		return m.holds(atoms(at(abi.ExprGt, w.least, false)), atoms(at(abi.ExprGt, w.most, true)), span)
	case abi.CmpLe:
		return m.holds(atoms(at(abi.ExprLe, w.most, false)), atoms(at(abi.ExprLe, w.least, true)), span)
	case abi.CmpLt:
		return m.holds(atoms(at(abi.ExprLt, w.most, false)), atoms(at(abi.ExprLt, w.least, true)), span)
	}
	equal := m.holds(atoms(at(abi.ExprGe, w.least, false), at(abi.ExprLe, w.most, false)),
		atoms(at(abi.ExprGe, w.most, true), at(abi.ExprLe, w.least, true)), span)
	if cmp == abi.CmpEq {
		return equal
	}
	return abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{equal}, Span: span}
}
