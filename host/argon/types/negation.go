package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func (s *scope) notAtom(a *syntax.NotAtom) []abi.Atom {
	span := s.span(a)
	switch inner := a.Atom.(type) {
	case *syntax.CallAtom, *syntax.TypeAtom:
		atoms := s.atom(inner, nil)
		if len(atoms) == 0 {
			return nil
		}
		last := &atoms[len(atoms)-1]
		if last.Op == abi.AtomScan && s.total(atoms[:len(atoms)-1]) {
			last.Neg, last.Span = true, span
			return atoms
		}
		if len(atoms) == 1 && last.Op == abi.AtomFilter {
			not := abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{*last.Expr}, Span: span}
			last.Expr, last.Span = &not, span
			return atoms
		}
		// What the arguments read is a part of what is negated.
		return []abi.Atom{{Op: abi.AtomExists, Neg: true, Body: atoms, Over: s.named(last.Args), Span: span}}
	case *syntax.StepAtom:
		return s.notStep(inner, a)
	case *syntax.CompareAtom:
		if call := s.lonePredicate(inner.Expr); call != nil {
			return s.notAtom(&syntax.NotAtom{Span: a.Span, Atom: call})
		}
		if step := s.plainStep(inner.Expr); step != nil {
			return s.notStep(step, a)
		}
		if containsAggregate(inner.Expr) {
			s.report("OE1313", a, "turn the comparison round: count { … } < n instead of not count { … } >= n", "not over an aggregate cannot be evaluated")
			return nil
		}
		v, _ := s.expr(inner.Expr, Bool)
		not := abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{v}, Span: span}
		return []abi.Atom{{Op: abi.AtomFilter, Expr: &not, Span: span}}
	case *syntax.ExistsAtom:
		in := s.variables()
		return []abi.Atom{{Op: abi.AtomExists, Neg: true, Body: in.body(inner.Body), Span: span}}
	case *syntax.IsAtom:
		in := s.variables()
		return []abi.Atom{{Op: abi.AtomExists, Neg: true, Body: in.body([]syntax.Atom{inner}), Span: span}}
	case *syntax.NotAtom:
		in := s.variables()
		return []abi.Atom{{Op: abi.AtomExists, Body: in.body([]syntax.Atom{inner.Atom}), Span: span}}
	case *syntax.BindAtom:
		s.report("OE0269", a, "write x != e", "not cannot stand before a binding")
	case *syntax.ModalAtom:
		return s.notModal(inner, a)
	case *syntax.MetricAtom:
		return s.notMetric(inner)
	case *syntax.UnsupportedAtom:
		s.unsupportedAtom(inner)
	}
	return nil
}

// total reports whether lets bind their slots whatever the values are.
func (s *scope) total(lets []abi.Atom) bool {
	var sure func(*abi.Expr) bool
	sure = func(x *abi.Expr) bool {
		switch x.Op {
		case abi.ExprSlot:
			return s.frame.slots[x.Index].Type.Op != abi.TypeOption
		case abi.ExprConst, abi.ExprNeg, abi.ExprAdd, abi.ExprSub, abi.ExprMul, abi.ExprVariant, abi.ExprStruct:
		default:
			return false
		}
		for i := range x.Args {
			if !sure(&x.Args[i]) {
				return false
			}
		}
		return true
	}
	for i := range lets {
		if lets[i].Op != abi.AtomLet || !sure(lets[i].Expr) {
			return false
		}
	}
	return true
}

// named returns the slots of args that are variables of the source: a negation
// has to find them bound.
func (s *scope) named(args []abi.Arg) []int {
	var out []int
	for _, a := range args {
		if a.Op == abi.ArgSlot && s.frame.slots[a.Index].Name != "" {
			out = append(out, a.Index)
		}
	}
	return out
}

// containsAggregate reports whether x folds over rows.
func containsAggregate(x syntax.Expr) bool {
	w := nameWalk{visit: func(syntax.Ident) {}}
	w.expr(x)
	return w.nested
}
