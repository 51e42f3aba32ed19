package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// comparesNone recognises e == None and e != None, and returns e.
func (s *scope) comparesNone(x syntax.Expr) (e syntax.Expr, negative bool) {
	b, ok := x.(*syntax.Binary)
	if !ok || b.Op != "==" && b.Op != "!=" {
		return nil, false
	}
	for _, side := range [][2]syntax.Expr{{b.X, b.Y}, {b.Y, b.X}} {
		if n, ok := side[1].(*syntax.Name); ok && n.Path.String() == "None" {
			return side[0], b.Op == "!="
		}
	}
	return nil, false
}

// absence is the atom "x has no value" (absent), or that it has one.
func (s *scope) absence(x syntax.Expr, n syntax.Node, absent bool) []abi.Atom {
	v, t := s.value(x, Top)
	s.holdOptional(x, t)
	if v.Op == abi.ExprRead && v.Name == OptionalRead {
		var out []abi.Atom
		scan := abi.Atom{Op: abi.AtomScan, Rel: v.Index, Neg: absent, Span: s.span(n)}
		for _, key := range v.Args {
			arg, before := s.argOf(key, Top, x)
			out = append(out, before...)
			scan.Args = append(scan.Args, arg)
		}
		scan.Args = append(scan.Args, abi.Arg{})
		return append(out, scan)
	}
	some := s.isNone(v, n, absent)
	return []abi.Atom{{Op: abi.AtomFilter, Expr: &some, Span: s.span(n)}}
}

// absent is the expression "x has no value" (absent), or that it has one.
func (s *scope) absent(x syntax.Expr, n syntax.Node, absent bool) abi.Expr {
	v, t := s.value(x, Top)
	s.holdOptional(x, t)
	return s.isNone(v, n, absent)
}

func (s *scope) holdOptional(x syntax.Expr, t abi.Type) {
	if t.Op != abi.TypeOption && !unknown(t) {
		s.report("OE0257", x, "", "a value of type %s is never None", Print(t))
	}
}

func (s *scope) isNone(v abi.Expr, n syntax.Node, none bool) abi.Expr {
	out := abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinIsSome, Args: []abi.Expr{v}, Span: s.span(n)}
	if none {
		out = abi.Expr{Op: abi.ExprNot, Name: NoneTest, Args: []abi.Expr{out}, Span: s.span(n)}
	}
	return out
}
