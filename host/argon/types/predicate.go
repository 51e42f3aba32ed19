package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// The built-in predicates of a refinement, each with its arguments. They say
// nothing that other atoms could not, but they are all that a condition of the
// first layer may hold beside Booleans: each is decided in time that grows with
// a power of the number of individuals that is fixed by how deep they nest.
//
//	metaEq(x, m)      a metatype m introduces a concept that x is in
//	isDet(e)          e has a value
//	hasAnc(x, C)      C is above a concept that x is in, or is one
//	hasDesc(x, C)     C is below a concept that x is in, or is one
//	countGeq(r, n)    the role r has at least n fillers
//	forallC(r, C)     every filler of r is in C
//	existsC(r, C)     a filler of r is in C
//
// A role is R(x, _), with one _ at the place of the fillers, or a field x.f.
var refinementPredicates = map[string]string{
	"metaEq": "metaEq(x, metatype)", "isDet": "isDet(x.field)", "hasAnc": "hasAnc(x, Concept)", "hasDesc": "hasDesc(x, Concept)",
	"countGeq": "countGeq(R(x, _), n)", "forallC": "forallC(R(x, _), Concept)", "existsC": "existsC(R(x, _), Concept)",
}

// refinementPredicate types the call of a predicate that only refinements have;
// ok is false if path names none.
func (s *scope) refinementPredicate(path syntax.Path, args []syntax.Expr, n syntax.Node) (atoms []abi.Atom, ok bool) {
	if s.word != "refinement" || len(path.Parts) != 1 {
		return nil, false
	}
	name := path.Parts[0].Name
	form, ok := refinementPredicates[name]
	if !ok {
		return nil, false
	}
	want := 2
	if name == "isDet" {
		want = 1
	}
	if len(args) != want {
		s.report("OE0258", n, form, "%s takes %s, and %d are given", name, plural(want, "argument"), len(args))
		return nil, true
	}
	at := syntax.Span(n.Range())
	switch name {
	case "isDet":
		return s.exists(at, false, &syntax.BindAtom{Span: at, Name: filler(at), Value: args[0]}), true
	case "countGeq":
		if len(s.role(args[0], at)) == 0 {
			return nil, true
		}
		count := &syntax.Subquery{Span: at, Func: "count", Body: s.role(args[0], at)}
		return s.condition(&syntax.Binary{Span: at, Op: ">=", X: count, Y: args[1]}), true
	case "metaEq":
		return s.inSome(args[0], s.introducedBy(args[1]), at), true
	}
	c := s.namedConcept(args[1], form)
	if c == nil {
		return nil, true
	}
	member := func(x syntax.Expr) syntax.Atom {
		return &syntax.TypeAtom{Span: at, Expr: x, Type: &syntax.NamedType{Span: args[1].Range(), Path: args[1].(*syntax.Name).Path}}
	}
	switch name {
	case "hasAnc":
		return s.atom(member(args[0]), nil), true
	case "hasDesc":
		return s.inSome(args[0], slices.DeleteFunc(slices.Clone(c.ancestors()), (*Concept).Defined), at), true
	}
	role := s.role(args[0], at)
	if len(role) == 0 {
		return nil, true
	}
	y := filler(at)
	in := member(&syntax.Name{Span: at, Path: syntax.Path{Span: at, Parts: []syntax.Ident{y}}})
	if name == "existsC" {
		return s.exists(at, false, append(role, in)...), true
	}
	return s.exists(at, true, append(role, &syntax.NotAtom{Span: at, Atom: in})...), true
}

// filler is the variable for what stands at the open end of a role: no name of
// a source reads like it.
func filler(at syntax.Span) syntax.Ident { return syntax.Ident{Span: at, Name: "role filler"} }

// exists types the atoms in a body of their own.
func (s *scope) exists(at syntax.Span, neg bool, atoms ...syntax.Atom) []abi.Atom {
	return []abi.Atom{{Op: abi.AtomExists, Neg: neg, Body: s.variables().body(atoms), Span: s.e.Span(s.m, at)}}
}

// role returns the atoms that let filler range over what x leads to, or none
// after a report.
func (s *scope) role(x syntax.Expr, at syntax.Span) []syntax.Atom {
	y := &syntax.Name{Span: at, Path: syntax.Path{Span: at, Parts: []syntax.Ident{filler(at)}}}
	switch x := x.(type) {
	case *syntax.Call:
		args, open := slices.Clone(x.Args), 0
		for i := range args {
			if _, wild := args[i].(*syntax.Wild); wild {
				args[i] = y
				open++
			}
		}
		if open == 1 {
			return []syntax.Atom{&syntax.CallAtom{Span: x.Span, Path: x.Path, Args: args}}
		}
	case *syntax.Method:
		if recv, t := s.inner().value(x.X, Top); !x.Parens {
			f := s.conceptField(recv, t, x.Name.Name)
			if f != nil && !f.Each {
				return []syntax.Atom{&syntax.BindAtom{Span: x.Span, Name: filler(at), Value: x}}
			}
			return []syntax.Atom{&syntax.CompareAtom{Span: x.Span, Expr: &syntax.Binary{Span: x.Span, Op: "in", X: y, Y: x}}}
		}
	}
	s.report("OE0257", x, "write R(self, _), with one _ for what it leads to, or self.field", "here stands a role")
	return nil
}

func (s *scope) namedConcept(x syntax.Expr, form string) *Concept {
	if n, ok := x.(*syntax.Name); ok {
		return s.e.named(s.m, n.Path)
	}
	s.report("OE0257", x, form, "here stands the name of a concept")
	return nil
}

// introducedBy returns the concepts that the metatype x introduces and whose
// members are given, or nil after a report.
func (s *scope) introducedBy(x syntax.Expr) []*Concept {
	n, ok := x.(*syntax.Name)
	if !ok {
		s.report("OE0257", x, "metaEq(self, metatype)", "here stands the name of a metatype")
		return nil
	}
	sym := s.e.World.Resolve(s.m, n.Path, resolve.Kinds(resolve.MetatypeKind))
	if sym == nil {
		return nil
	}
	list := []*Concept{}
	for _, c := range s.e.ConceptList {
		if c.Meta != nil && c.Meta.Symbol == sym && !c.Defined() {
			list = append(list, c)
		}
	}
	return list
}

// inSome is the membership of x in at least one of list: not in none of them.
func (s *scope) inSome(x syntax.Expr, list []*Concept, at syntax.Span) []abi.Atom {
	if list == nil {
		return nil
	}
	span := s.e.Span(s.m, at)
	arg, out := s.arg(x, Top)
	none := abi.Atom{Op: abi.AtomExists, Neg: true, Span: span}
	for _, c := range list {
		none.Body = append(none.Body, abi.Atom{Op: abi.AtomScan, Rel: c.Rel, Neg: true, Args: []abi.Arg{arg}, Span: span})
	}
	if len(list) == 0 {
		no := s.constant(abi.BoolValue(false), at)
		return append(out, abi.Atom{Op: abi.AtomFilter, Expr: &no, Span: span})
	}
	return append(out, none)
}
