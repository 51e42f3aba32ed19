package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

var variantKind = resolve.Kinds(resolve.VariantKind, resolve.AxisValueKind)

// pattern types p against a value of type t. bind is called for each name that
// the pattern binds and gives its slot; nil means that nothing may be bound.
func (s *scope) pattern(p syntax.Pattern, t abi.Type, bind func(name string, t abi.Type) int) abi.Pattern {
	switch p := p.(type) {
	case *syntax.LitPattern:
		v, lt := s.literal(p.Lit)
		if !s.e.Comparable(lt, t) {
			s.mismatch(p, lt, t)
		}
		return abi.Pattern{Op: abi.PatConst, Const: v.Index}
	case *syntax.NamePattern:
		return s.namePattern(p, t, bind)
	case *syntax.TuplePattern:
		return s.tuplePattern(p, t, bind)
	case *syntax.StructPattern:
		return s.structPattern(p, t, bind)
	case *syntax.OrPattern:
		out := abi.Pattern{Op: abi.PatOr}
		for _, item := range p.Items {
			out.Items = append(out.Items, s.pattern(item, t, nil))
		}
		return out
	}
	return abi.Pattern{Op: abi.PatWild}
}

func (s *scope) variantFor(path syntax.Path, t abi.Type) (*Enum, *Variant) {
	if sym := s.e.World.Lookup(s.m, path, variantKind); sym != nil {
		if n := s.e.Enums[sym.Enum.Qualified]; n != nil {
			return n, n.Variant(sym.Name)
		}
	}
	// A constant of the very enum that is matched needs no qualifier.
	if n := s.e.Enums[strip(t).Name]; n != nil && len(path.Parts) == 1 && strip(t).Op == abi.TypeEnum {
		if v := n.Variant(path.Parts[0].Name); v != nil {
			return n, v
		}
	}
	if v := s.e.resultTag(path); v != nil {
		return s.e.Enums[resultEnum], v
	}
	return nil, nil
}

func (s *scope) namePattern(p *syntax.NamePattern, t abi.Type, bind func(string, abi.Type) int) abi.Pattern {
	if n, v := s.variantFor(p.Path, t); v != nil {
		s.holdPattern(p, n.of(nil), t)
		if len(v.Fields) > 0 {
			return abi.Pattern{Op: abi.PatVariant, Name: v.Name, Items: make([]abi.Pattern, len(v.Fields))}
		}
		return abi.Pattern{Op: abi.PatConst, Const: s.e.Constants.Add(abi.SymbolValue(v.Name))}
	}
	if v, ok := s.referencePattern(p, t); ok {
		return abi.Pattern{Op: abi.PatConst, Const: s.e.Constants.Add(v)}
	}
	if len(p.Path.Parts) > 1 {
		s.e.World.Resolve(s.m, p.Path, variantKind)
		return abi.Pattern{}
	}
	name := p.Path.Parts[0].Name
	if name == "None" {
		return abi.Pattern{Op: abi.PatNone}
	}
	if bind == nil {
		s.report("OE0266", p, "match the alternatives in arms of their own", "an alternative of p | q cannot bind %s", name)
		return abi.Pattern{}
	}
	return abi.Pattern{Op: abi.PatBind, Slot: bind(name, t)}
}

func (s *scope) holdPattern(n syntax.Node, is, t abi.Type) {
	if !s.e.Comparable(is, t) {
		s.report("OE0266", n, "", "the value is of type %s, and this is a pattern of %s", Print(t), Print(is))
	}
}

func (s *scope) tuplePattern(p *syntax.TuplePattern, t abi.Type, bind func(string, abi.Type) int) abi.Pattern {
	if p.Path.String() == "Some" {
		if len(p.Items) != 1 {
			s.report("OE0258", p, "", "Some takes 1 pattern, and %d are given", len(p.Items))
			return abi.Pattern{}
		}
		return abi.Pattern{Op: abi.PatSome, Items: []abi.Pattern{s.pattern(p.Items[0], strip(t), bind)}}
	}
	n, v := s.variantFor(p.Path, t)
	if v == nil {
		s.e.World.Resolve(s.m, p.Path, variantKind)
		return abi.Pattern{}
	}
	s.holdPattern(p, n.of(nil), t)
	if v.Named {
		s.report("OE0266", p, "write "+v.Short+" { … }", "the payload of %s has names", v.Name)
		return abi.Pattern{}
	}
	if len(p.Items) != len(v.Fields) {
		s.report("OE0258", p, "", "%s has a payload of %s, and %d are given", v.Name, plural(len(v.Fields), "value"), len(p.Items))
	}
	out := abi.Pattern{Op: abi.PatVariant, Name: v.Name}
	of := strip(t)
	for i, item := range p.Items {
		t := Top
		if i < len(v.Fields) {
			t = payload(v.Fields[i].Type, n.Params, of)
		}
		out.Items = append(out.Items, s.pattern(item, t, bind))
	}
	return out
}

func (s *scope) structPattern(p *syntax.StructPattern, t abi.Type, bind func(string, abi.Type) int) abi.Pattern {
	out := abi.Pattern{Op: abi.PatVariant}
	var fields []*Field
	var params []abi.Type
	if n, v := s.variantFor(p.Path, t); v != nil {
		params = n.Params
		s.holdPattern(p, n.of(nil), t)
		out.Name, fields = v.Name, v.Fields
		if len(fields) > 0 && fields[0].Name == "" {
			s.report("OE0266", p, "write "+v.Short+"(…)", "the payload of %s has no names", v.Name)
			return out
		}
	} else {
		sym := s.e.World.Resolve(s.m, p.Path, resolve.Kinds(resolve.VariantKind, resolve.StructKind))
		if sym == nil || s.e.Structs[sym.Qualified] == nil {
			return abi.Pattern{}
		}
		s.holdPattern(p, s.e.Structs[sym.Qualified].of(nil), t)
		out.Op, out.Name, fields = abi.PatStruct, sym.Qualified, s.e.Structs[sym.Qualified].Fields
		params = s.e.Structs[sym.Qualified].Params
	}
	out.Items = make([]abi.Pattern, len(fields))
	given, unknown := map[string]bool{}, false
	for _, fp := range p.Fields {
		at := -1
		for i, f := range fields {
			if f.Name == fp.Name.Name {
				at = i
			}
		}
		if at < 0 {
			s.report("OE0259", fp.Name, s.e.nearest(fp.Name.Name, fieldNames(fields)), "%s has no field %s", out.Name, fp.Name.Name)
			unknown = true
			continue
		}
		given[fp.Name.Name] = true
		sub := fp.Pattern
		if sub == nil {
			sub = &syntax.NamePattern{Span: fp.Name.Span, Path: syntax.Path{Span: fp.Name.Span, Parts: []syntax.Ident{fp.Name}}}
		}
		out.Items[at] = s.pattern(sub, payload(fields[at].Type, params, strip(t)), bind)
	}
	if !p.Rest && !unknown {
		for _, f := range fields {
			if !given[f.Name] {
				s.report("OE0264", p, "name it, or end the pattern with ..", "the pattern leaves out the field %s", f.Name)
				break
			}
		}
	}
	return out
}

func fieldNames(fields []*Field) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// match types a match in value position and asks that it covers every value.
func (s *scope) match(x *syntax.Match, want abi.Type) (abi.Expr, abi.Type) {
	v, t := s.value(x.X, Top)
	out := abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{v}, Span: s.span(x)}
	result := abi.Type{Op: abi.TypeBot}
	misread := false
	for _, a := range x.Arms {
		in := s.maybe()
		mark := s.e.errors()
		arm := abi.Arm{Pattern: in.pattern(a.Pattern, t, in.declare)}
		misread = misread || s.e.errors() > mark
		if a.Guard != nil {
			g, _ := in.expr(a.Guard, Bool)
			arm.Guard = &g
		}
		body, bt := in.value(a.Body, want)
		arm.Body = body
		joined, ok := s.e.Join(result, bt)
		if !ok {
			s.report("OE0257", a.Body, "", "the arms before give %s, and this one %s", Print(result), Print(bt))
		}
		result = joined
		out.Arms = append(out.Arms, arm)
	}
	if !misread {
		s.covers(x, t, out.Arms)
	}
	return out, result
}
