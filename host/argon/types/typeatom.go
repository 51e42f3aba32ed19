package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// typeAtom types x: T. Membership of a concept is a scan; a value type is
// tested only where the static type leaves it open.
func (s *scope) typeAtom(a *syntax.TypeAtom) []abi.Atom {
	t := s.e.resolveType(s.m, a.Type)
	got, before := s.arg(a.Expr, t)
	if got.Op == abi.ArgWild {
		s.report("OE0269", a.Expr, "name the value", "a type test needs a value")
		return nil
	}
	if IsRef(t) && t.Name != TraitRef.Name {
		return append(before, s.refTest(got, t, a, true)...)
	}
	return append(before, s.typeTest(got, t, a)...)
}

func (s *scope) typeTest(got abi.Arg, t abi.Type, n syntax.Node) []abi.Atom {
	if t.Op == abi.TypeConcept {
		if c := s.e.Concepts[t.Name]; c != nil {
			return []abi.Atom{{Op: abi.AtomScan, Rel: c.Rel, Args: []abi.Arg{got}, Span: s.span(n)}}
		}
		return nil
	}
	if unknown(t) {
		return nil
	}
	if IsRef(t) {
		if atoms := s.refTest(got, t, n, false); atoms != nil {
			return atoms
		}
	}
	if got.Op == abi.ArgConst {
		slot := s.slot("", t)
		v := abi.Expr{Op: abi.ExprConst, Index: got.Index, Span: s.span(n)}
		return []abi.Atom{
			{Op: abi.AtomLet, Slot: slot, Expr: &v, Span: s.span(n)},
			{Op: abi.AtomIs, Slot: slot, Type: &t, Span: s.span(n)},
		}
	}
	return []abi.Atom{{Op: abi.AtomIs, Slot: got.Index, Type: &t, Span: s.span(n)}}
}
