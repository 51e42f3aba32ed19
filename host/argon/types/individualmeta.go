package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// An individual has the metatypes of all concepts that it is in, so that what
// meta(x) is of it is no value; meta(x) == m asks whether m is one of them.

// individualMeta types meta(x) == m and meta(x) != m where x is an individual;
// ok is false for anything else.
func (s *scope) individualMeta(x *syntax.Binary) (v abi.Expr, ok bool) {
	if x.Op != "==" && x.Op != "!=" {
		return abi.Expr{}, false
	}
	call, other := s.metaOfIndividual(x.X), x.Y
	if call == nil {
		call, other = s.metaOfIndividual(x.Y), x.X
	}
	if call == nil {
		return abi.Expr{}, false
	}
	if s.metaOfIndividual(other) != nil {
		s.unsupported(x, "a comparison of what two individuals are introduced by", "compare each with a metatype")
		return abi.Expr{}, true
	}
	span := s.span(x)
	who, _ := s.value(call.Args[0], Top)
	m, _ := s.expr(other, Metatype)
	in := s.variables()
	t := abi.Arg{Op: abi.ArgSlot, Index: in.slot("", TypeRef)}
	member, body := in.argOf(who, Top, call)
	meta, before := in.argOf(m, Metatype, other)
	body = append(append(body, before...), in.refTest(t, TypeRef, call, true)...)
	body = append(body,
		abi.Atom{Op: abi.AtomScan, Rel: s.e.catalog(CatalogMeta), Args: []abi.Arg{t, meta}, Span: span},
		abi.Atom{Op: abi.AtomScan, Rel: s.e.catalog(CatalogIof), Args: []abi.Arg{member, t}, Span: span})
	v = abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: span}
	if x.Op == "!=" {
		v = abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{v}, Span: span}
	}
	return v, true
}

// metaOfIndividual returns x if it is meta(y) of an individual y, else nil.
func (s *scope) metaOfIndividual(x syntax.Expr) *syntax.Call {
	call, ok := s.isReflection(x, "meta")
	if !ok || len(call.Args) != 1 {
		return nil
	}
	switch y := call.Args[0].(type) {
	case *syntax.Name:
		if s.isVariable(y) || s.e.World.Lookup(s.m, y.Path, typeNames) == nil && !s.rule {
			break
		}
		if s.e.World.Lookup(s.m, y.Path, valueKinds) == nil {
			return nil
		}
	case *syntax.Method:
		if !plainAccess(y) {
			return nil
		}
	default:
		return nil
	}
	_, t := s.inner().value(call.Args[0], TypeRef)
	if t = strip(t); IsIndividual(t) && !s.e.Fits(t, TypeRef) { // a member that may be a type is one that meta knows
		return call
	}
	return nil
}

// plainAccess reports whether x is a name, or what fields and methods without
// arguments give of one. It is typed twice, to know whether it is an individual:
// with more inside, that would double with each comparison in another.
func plainAccess(x syntax.Expr) bool {
	for {
		switch y := x.(type) {
		case *syntax.Name:
			return true
		case *syntax.Method:
			if len(y.Args) > 0 {
				return false
			}
			x = y.X
		default:
			return false
		}
	}
}
