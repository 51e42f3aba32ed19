package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// OptionalRead marks, as the Name of an ExprRead, a read whose absence is the
// value none. Package lower spells it out.
const OptionalRead = "optional"

// NoneTest marks, as the Name of an ExprNot, the comparison e == None, which in
// a rule is an atom about e and no negation. Package lower takes it out.
const NoneTest = "none"

// method types x.name and x.name(args): a field, or a built-in function of x.
func (s *scope) method(x *syntax.Method, want abi.Type) (abi.Expr, abi.Type) {
	if call, ok := x.X.(*syntax.Call); ok && !x.Parens {
		if sym := s.e.World.Lookup(s.m, call.Path, resolve.Kinds(resolve.RelationKind)); sym != nil {
			if r := s.e.Rels[sym.Qualified]; r != nil && len(call.Args) == len(r.Columns) {
				return s.relationField(x, call, r)
			}
		}
	}
	if call, ok := s.isReflection(x.X, "meta"); ok && !x.Parens {
		of, ok := s.reflected(call)
		if !ok || x.Name.Name == "" {
			return abi.Expr{}, Top
		}
		return s.axisRead(of, x.Name, x)
	}
	recv, t := s.value(x.X, Top)
	if x.Name.Name == "" {
		return abi.Expr{}, Top
	}
	defer s.receiver(x.X, recv, t)()
	if Same(strip(t), Metatype) && !x.Parens {
		return s.axisRead(recv, x.Name, x)
	}
	if !x.Parens {
		if f := s.conceptField(recv, t, x.Name.Name); f != nil {
			return s.readField(f, []abi.Expr{recv}, x)
		}
		if strip(t).Op == abi.TypeStruct && t.Op != abi.TypeOption {
			if st := s.e.Structs[t.Name]; st != nil {
				for i, f := range st.Fields {
					if f.Name == x.Name.Name {
						return abi.Expr{Op: abi.ExprField, Index: i, Args: []abi.Expr{recv}, Span: s.span(x)}, payload(f.Type, st.Params, t)
					}
				}
			}
		}
	}
	if out, rt, ok := s.memberCall(x); ok {
		return out, rt
	}
	if out, rt, ok := s.mutateValue(x); ok {
		return out, rt
	}
	if out, rt, ok := s.dataMethod(x, recv, t, want); ok {
		return out, rt
	}
	if out, rt, ok := s.builtin(x.Name.Name, append([]syntax.Expr{x.X}, x.Args...), x, true); ok {
		return out, rt
	}
	s.unknownField(x, recv, t)
	return abi.Expr{}, Top
}

func (s *scope) conceptField(recv abi.Expr, t abi.Type, name string) *Field {
	for _, c := range s.concepts(recv, t) {
		if f := c.Field(name); f != nil {
			return f
		}
	}
	return nil
}

func (s *scope) readField(f *Field, key []abi.Expr, n syntax.Node) (abi.Expr, abi.Type) {
	out := abi.Expr{Op: abi.ExprRead, Index: f.Relation, Args: key, Span: s.span(n)}
	switch {
	case f.Each:
		out.Op = abi.ExprReadAll
		return out, Set(f.Stored())
	case f.Optional:
		out.Name = OptionalRead
	}
	return out, f.Type
}

func (s *scope) relationField(x *syntax.Method, call *syntax.Call, r *Relation) (abi.Expr, abi.Type) {
	var key []abi.Expr
	for i, arg := range call.Args {
		k, _ := s.expr(arg, r.Columns[i].Type)
		key = append(key, k)
	}
	if f := r.Field(x.Name.Name); f != nil {
		return s.readField(f, key, x)
	}
	s.report("OE0259", x.Name, s.e.nearest(x.Name.Name, fieldNames(r.AllFields())), "the relation %s has no field %s", r.Name, x.Name.Name)
	return abi.Expr{}, Top
}

func (s *scope) unknownField(x *syntax.Method, recv abi.Expr, t abi.Type) {
	name := x.Name.Name
	if x.Parens {
		if !unknown(t) || !s.lostSlot(recv) {
			s.unknownMethod(x, t)
		}
		return
	}
	concepts := s.concepts(recv, t)
	if unknown(t) && len(concepts) == 0 {
		if x.X != nil {
			if _, ok := x.X.(*syntax.Name); ok && recv.Op == abi.ExprSlot && !s.lostSlot(recv) {
				s.report("OE0259", x, "say what it is: add the atom "+s.text(x.X)+": SomeConcept", "nothing says of which type %s is, so .%s cannot be read", s.text(x.X), name)
			}
		}
		return // a report stands already
	}
	if slices.ContainsFunc(concepts, superless) {
		return // a report stands already
	}
	help := ""
	var names []string
	for _, c := range concepts {
		if s.e.partial(c.Name) {
			return
		}
		for _, f := range c.AllFields() {
			names = append(names, f.Name)
		}
	}
	if st := s.e.Structs[t.Name]; st != nil && t.Op == abi.TypeStruct {
		if s.e.partial(st.Name) {
			return
		}
		for _, f := range st.Fields {
			names = append(names, f.Name)
		}
	}
	help = s.e.nearest(name, names)
	if help == "" && s.e.hints < maxHints {
		for _, c := range s.e.ConceptList {
			for _, up := range concepts {
				if c.Is(up) && c != up && c.Field(name) != nil && help == "" {
					help = c.Name + " has such a field: test the membership first with " + s.text(x.X) + ": " + c.Symbol.Name
				}
			}
		}
	}
	s.report("OE0259", x.Name, help, "%s has no field %s", Print(t), name)
}
