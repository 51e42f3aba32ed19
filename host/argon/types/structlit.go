package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// structLit types Path { f: e, … } of a struct or of an enum constant whose
// payload has names.
func (s *scope) structLit(x *syntax.StructLit, want abi.Type) (abi.Expr, abi.Type) {
	if out, t, ok := s.rangeLit(x, want); ok {
		return out, t
	}
	sym := s.e.World.Resolve(s.m, x.Path, resolve.Kinds(resolve.StructKind, resolve.VariantKind))
	if sym == nil {
		return abi.Expr{}, Top
	}
	if sym.Kind == resolve.VariantKind {
		n := s.e.Enums[sym.Enum.Qualified]
		if n == nil {
			return abi.Expr{}, Top
		}
		v := n.Variant(sym.Name)
		if v == nil {
			return abi.Expr{}, Top
		}
		if !v.Named || x.Base != nil {
			s.report("OE0258", x, "", "%s has no payload with names", v.Name)
			return abi.Expr{}, Top
		}
		args, t := s.genericInits(x, v.Name, v.Fields, n.Params, n.of(n.Params), want)
		return abi.Expr{Op: abi.ExprVariant, Name: v.Name, Args: args, Span: s.span(x)}, t
	}
	st := s.e.Structs[sym.Qualified]
	if st == nil {
		return abi.Expr{}, Top
	}
	if x.Base == nil {
		args, t := s.genericInits(x, st.Name, st.Fields, st.Params, st.of(st.Params), want)
		return abi.Expr{Op: abi.ExprStruct, Name: st.Name, Args: args, Span: s.span(x)}, t
	}
	out, t := s.value(x.Base, want)
	if !unknown(t) && (t.Op != abi.TypeStruct || t.Name != st.Name) {
		s.mismatch(x.Base, t, st.of(nil))
		t = Top
	}
	for _, init := range x.Fields {
		for i, f := range st.Fields {
			if f.Name == init.Name.Name {
				v, _ := s.initValue(init, payload(f.Type, st.Params, t))
				out = abi.Expr{Op: abi.ExprWith, Index: i, Args: []abi.Expr{out, v}, Span: s.span(init)}
			}
		}
	}
	s.inits(x, st.Name, st.Fields, x.Fields, &out)
	return out, t
}

// initValue types the value of f: e, or of the shorthand f.
func (s *scope) initValue(init *syntax.FieldInit, want abi.Type) (abi.Expr, abi.Type) {
	value := init.Value
	if value == nil {
		value = &syntax.Name{Span: init.Name.Span, Path: syntax.Path{Span: init.Name.Span, Parts: []syntax.Ident{init.Name}}}
	}
	return s.expr(value, want)
}

// inits orders the values of a literal as the fields are declared. With a base
// it only looks for fields that are unknown or given twice. Those at done are
// seen to elsewhere.
func (s *scope) inits(x syntax.Node, owner string, fields []*Field, inits []*syntax.FieldInit, base *abi.Expr, done ...int) []abi.Expr {
	args := make([]abi.Expr, len(fields))
	given := make([]bool, len(fields))
	for _, i := range done {
		given[i] = true
	}
	misspelt := s.e.partial(owner)
	for _, init := range inits {
		at := -1
		for i, f := range fields {
			if f.Name == init.Name.Name && f.Name != "" {
				at = i
			}
		}
		switch {
		case at < 0 && misspelt:
			continue
		case at < 0:
			misspelt = true
			s.report("OE0259", init.Name, s.e.nearest(init.Name.Name, fieldNames(fields)), "%s has no field %s", owner, init.Name.Name)
			continue
		case given[at]:
			s.report("OE0265", init.Name, "", "the field %s is given twice", init.Name.Name)
			continue
		}
		given[at] = true
		if base == nil {
			args[at], _ = s.initValue(init, fields[at].Type)
		}
	}
	if base != nil {
		return nil
	}
	for i, f := range fields {
		if given[i] {
			continue
		}
		switch {
		case f.Default != nil:
			args[i] = *f.Default
		case f.Type.Op == abi.TypeOption:
			args[i] = s.constant(abi.NoneValue(), x)
		case misspelt: // it may be this one
		default:
			s.report("OE0264", x, "add "+f.Name+": …", "%s needs the field %s", owner, f.Name)
		}
	}
	return args
}
