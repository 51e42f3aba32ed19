package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// computed takes the slots that are given what is computed of values that may
// be intervals for such values, and the atoms that do so, of those of the body at
// the places of rest, to out. It returns the places that are left.
func (m *measuring) computed(body []abi.Atom, rest []int, out *[]abi.Atom) ([]int, bool) {
	for changed := true; changed; {
		changed = false
		for k := 0; k < len(rest); k++ {
			i := rest[k]
			a := &body[i]
			switch {
			case a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq && m.alias(body, i):
				*out = append(*out, *a)
			case a.Op == abi.AtomLet && m.defines(body, i):
				w, _, ok := m.spread(a.Expr, a.Span, out)
				if !ok {
					return nil, m.refuseUse(a)
				}
				m.held[a.Slot] = w
				if a.Expr.Op != abi.ExprSlot {
					m.made[a.Slot], m.amounts[a.Slot], m.signs[a.Slot] = true, true, m.sign(a.Expr)
				}
				*out = append(*out, *a)
			default:
				continue
			}
			rest, changed = slices.Delete(rest, k, k+1), true
			k--
		}
	}
	return rest, true
}

// defines reports whether a binding of what is computed of values that may be
// intervals, all of which are known by now, is what gives its slot a value.
func (m *measuring) defines(body []abi.Atom, at int) bool {
	a := &body[at]
	if _, already := m.held[a.Slot]; already || !m.uncertain(a.Expr) {
		return false
	}
	for i := range body {
		if x := &body[i]; i != at && x.Op == abi.AtomLet && x.Slot != a.Slot && openExpr(a.Expr)[x.Slot] && m.goesBy(body, x.Expr, map[int]bool{}) {
			if _, held := m.held[x.Slot]; !held {
				return false // its turn comes
			}
		}
	}
	return !m.given(body, at) && !gives(m.folded(body), -1, a.Slot)
}

// given reports whether something certain gives the slot of a binding its value,
// too.
func (m *measuring) given(body []abi.Atom, at int) bool {
	others := slices.Clone(body)
	for i := range others {
		if x := &others[i]; i == at || m.folds(x) || x.Op == abi.AtomLet && m.goesBy(body, x.Expr, map[int]bool{}) {
			*x = abi.Atom{Op: abi.AtomFilter}
		}
	}
	return gives(others, -1, body[at].Slot)
}

// folded are the folds of the body whose values may be intervals.
func (m *measuring) folded(body []abi.Atom) (out []abi.Atom) {
	for i := range body {
		if m.folds(&body[i]) {
			out = append(out, body[i])
		}
	}
	return out
}

// goesBy reports whether what is held decides about an expression, or will.
func (m *measuring) goesBy(body []abi.Atom, x *abi.Expr, seen map[int]bool) bool {
	if m.uncertain(x) {
		return true
	}
	for s := range openExpr(x) {
		if seen[s] {
			continue
		}
		seen[s] = true
		for i := range body {
			if a := &body[i]; a.Op == abi.AtomLet && a.Slot == s && m.goesBy(body, a.Expr, seen) {
				return true
			}
		}
	}
	return false
}

// use lowers an atom of the body that is neither a fold nor a scan of something
// measured, and gives no slot a value that may be an interval. What it computes
// is added to out.
func (m *measuring) use(body []abi.Atom, at int, out *[]abi.Atom) (abi.Atom, bool) {
	a := &body[at]
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
	cmp, x, y, ok := comparisonOf(a)
	if _, already := m.held[a.Slot]; a.Op == abi.AtomLet && !already && !m.given(body, at) {
		ok = false // of two values that have to be the same none is certain
	}
	switch {
	case a.Op == abi.AtomIs && !m.made[a.Slot] && m.typed(a.Slot, *a.Type):
		return *a, true // of the value that is shown
	case a.Op == abi.AtomIs && !m.made[a.Slot]:
		m.refuse(a.Span, "a value that may be an interval and of another type", "leave the type out, and compare the value: n >= 0, say")
		return abi.Atom{}, false
	case ok:
		left, okLeft := m.side(x, a.Span, out)
		right, okRight := m.side(y, a.Span, out)
		if okLeft && okRight {
			return m.comparison(cmp, left, right, a.Span), true
		}
	}
	return abi.Atom{}, m.refuseUse(a)
}

// comparisonOf returns the sides of an atom that compares.
func comparisonOf(a *abi.Atom) (cmp abi.CmpOp, x, y *abi.Expr, ok bool) {
	switch a.Op {
	case abi.AtomCmp:
		x, y := a.Args[0].Expr(), a.Args[1].Expr()
		return a.Cmp, &x, &y, true
	case abi.AtomLet:
		x := slotOf(a.Slot, a.Span)
		return abi.CmpEq, &x, a.Expr, true
	case abi.AtomFilter:
		if cmp, ok := comparisons[a.Expr.Op]; ok {
			return cmp, &a.Expr.Args[0], &a.Expr.Args[1], true
		}
	}
	return 0, nil, nil, false
}

// refuseUse refuses an atom that makes more of a value than can be told of an
// interval.
func (m *measuring) refuseUse(a *abi.Atom) bool {
	name := "a value"
	for _, s := range sorted(open(func(w slotWalk) { w.atom(a) })) {
		if _, held := m.held[s]; held {
			if n := (*m.slots)[s].Name; n != "" {
				name = n
			}
			break
		}
	}
	m.refuse(a.Span, name+" may be an interval, of which more is made here than a comparison or a sum, difference or product, or by which is divided though it may be 0",
		"compare it as it is, or compute with + - * and divide by something certain or positive: n + 1, say")
	return false
}

// inner looks at a nested body: what is measured in it is refused.
func (m *measuring) inner(a *abi.Atom) (abi.Atom, bool) {
	var bad *abi.Atom
	var walk func(body []abi.Atom)
	walk = func(body []abi.Atom) {
		for i := range body {
			x := &body[i]
			if m.column(x) >= 0 || m.foldsDoubtful(x) {
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

// comparison is the condition that two sides compare so, of which one at least
// may be an interval.
func (m *measuring) comparison(cmp abi.CmpOp, x, y side, span abi.Span) abi.Atom {
	// at compares two ends. An end that is not bounded passes where it may and
	// fails where it has to.
	at := func(op abi.ExprOp, a, b abi.Expr, unbounded bool) abi.Atom {
		test := abi.Expr{Op: op, Args: []abi.Expr{copyExpr(a), copyExpr(b)}, Span: span}
		for _, s := range []struct {
			end  abi.Expr
			held bool
		}{{b, y.held}, {a, x.held}} {
			if !s.held {
				continue
			}
			some := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinIsSome, Args: []abi.Expr{s.end}, Span: span}
			if unbounded {
				test = abi.Expr{Op: abi.ExprOr, Args: []abi.Expr{{Op: abi.ExprNot, Args: []abi.Expr{some}, Span: span}, test}, Span: span}
			} else {
				test = abi.Expr{Op: abi.ExprAnd, Args: []abi.Expr{some, test}, Span: span}
			}
		}
		return abi.Atom{Op: abi.AtomFilter, Expr: &test, Span: span}
	}
	atoms := func(a ...abi.Atom) []abi.Atom { return a }
	switch cmp {
	case abi.CmpGe:
		return m.holds(atoms(at(abi.ExprGe, x.least, y.most, false)), atoms(at(abi.ExprGe, x.most, y.least, true)), span)
	case abi.CmpGt:
		return m.holds(atoms(at(abi.ExprGt, x.least, y.most, false)), atoms(at(abi.ExprGt, x.most, y.least, true)), span)
	case abi.CmpLe:
		return m.holds(atoms(at(abi.ExprLe, x.most, y.least, false)), atoms(at(abi.ExprLe, x.least, y.most, true)), span)
	case abi.CmpLt:
		return m.holds(atoms(at(abi.ExprLt, x.most, y.least, false)), atoms(at(abi.ExprLt, x.least, y.most, true)), span)
	}
	equal := m.holds(atoms(at(abi.ExprGe, x.least, y.most, false), at(abi.ExprLe, x.most, y.least, false)),
		atoms(at(abi.ExprGe, x.most, y.least, true), at(abi.ExprLe, x.least, y.most, true)), span)
	if cmp == abi.CmpEq {
		return equal
	}
	return abi.Atom{Op: abi.AtomExists, Neg: true, Body: []abi.Atom{equal}, Span: span}
}
