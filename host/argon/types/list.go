package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func (s *scope) index(x *syntax.Index) (abi.Expr, abi.Type) {
	list, t := s.value(x.X, Top)
	if t.Op == abi.TypeMap {
		key, _ := s.expr(x.I, t.Args[0])
		return abi.Expr{Op: abi.ExprIndex, Args: []abi.Expr{list, key}, Span: s.span(x)}, t.Args[1]
	}
	at, _ := s.expr(x.I, Int)
	elem := Top
	if t.Op == abi.TypeList {
		elem = t.Args[0]
	} else if !unknown(t) {
		s.report("OE0257", x.X, "", "only a list has items by number, and this is of type %s", Print(t))
	}
	return abi.Expr{Op: abi.ExprIndex, Args: []abi.Expr{list, at}, Span: s.span(x)}, elem
}

func (s *scope) slice(x *syntax.Slice) (abi.Expr, abi.Type) {
	list, t := s.value(x.X, Top)
	if t.Op != abi.TypeList && t.Op != abi.TypeString && !unknown(t) {
		s.report("OE0257", x.X, "", "only a list has a slice, and this is of type %s", Print(t))
	}
	out := abi.Expr{Op: abi.ExprSlice, Args: []abi.Expr{list}, Span: s.span(x)}
	for _, bound := range []syntax.Expr{x.From, x.To} {
		if bound == nil {
			out.Args = append(out.Args, s.constant(abi.NoneValue(), x))
			continue
		}
		b, _ := s.expr(bound, Int)
		out.Args = append(out.Args, b)
	}
	return out, t
}

func (s *scope) list(x *syntax.List, want abi.Type) (abi.Expr, abi.Type) {
	elem := abi.Type{Op: abi.TypeBot}
	hint := Top
	op := abi.ExprList
	if collection(want) {
		hint = want.Args[0]
		if want.Op == abi.TypeSet {
			op = abi.ExprSet
		}
	}
	out := abi.Expr{Op: op, Span: s.span(x)}
	for _, item := range x.Items {
		v, t := s.value(item, hint)
		joined, ok := s.e.Join(elem, t)
		if !ok {
			s.report("OE0257", item, "", "the items before are of type %s, and this is of type %s", Print(elem), Print(t))
		}
		elem = joined
		out.Args = append(out.Args, v)
	}
	if op == abi.ExprSet {
		return out, Set(elem)
	}
	return out, List(elem)
}
