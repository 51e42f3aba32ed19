package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// fact types a declared fact into tuples.
func (e *Env) fact(m *resolve.Module, _ *resolve.Symbol, item syntax.Item) {
	it, ok := item.(*syntax.Fact)
	if !ok {
		return
	}
	sym := e.World.Resolve(m, it.Target, extentKinds)
	if sym == nil || e.misread(m, it) {
		return
	}
	s := e.newScope(m, "fact", false)
	if sym.Kind == resolve.DeriveKind {
		s.report("OE0270", it.Target, "write it as a derive without a body: derive "+it.Target.String()+"(…);", "%s is derived, and a fact asserts", sym.Qualified)
		return
	}
	t, ok := e.predicate(sym, len(it.Args))
	if !ok {
		return
	}
	if len(t.columns) != len(it.Args) {
		s.arity(it.Target, t, len(it.Args))
		return
	}
	tuple := make([]abi.Value, len(it.Args))
	for i, arg := range it.Args {
		v, ok := s.constantExpr(arg, t.columns[i].Type)
		if !ok {
			return
		}
		tuple[i] = v
	}
	one := Fact{Tuple: tuple, Layer: layer(m), Place: place(m, it.Decl.Span)}
	if it.At != nil {
		var ok bool
		if one.Period, ok = s.period(it.At); !ok {
			return
		}
	}
	if it.Negative {
		one.Relation = e.refuted(t.rel)
		e.Facts = append(e.Facts, one)
		if len(it.Fields) > 0 {
			s.report("OE0259", it.Fields[0], "", "a not_fact says nothing of fields")
		}
		return
	}
	if t.concept != nil && s.defined(t.concept, it.Target) {
		return
	}
	one.Relation = e.Relations[t.rel].Asserted
	e.Facts = append(e.Facts, one)
	fields := []*Field(nil)
	if t.concept != nil {
		fields = t.concept.AllFields()
		if t.concept.Abstract {
			s.report("OE0233", it.Target, "assert one of its subtypes", "%s is abstract: it has no direct instances", t.name)
		}
	} else if r := e.Rels[sym.Qualified]; r != nil {
		fields = r.AllFields()
	}
	s.factFields(t.name, fields, one, it.Fields)
}

// constantExpr types x and folds it.
func (s *scope) constantExpr(x syntax.Expr, want abi.Type) (abi.Value, bool) {
	before := len(s.e.diags.Items)
	v, _ := s.expr(x, want)
	if len(s.e.diags.Items) > before {
		return abi.Value{}, false
	}
	value, ok := s.e.constant(&v)
	if !ok {
		s.report("OE1342", x, "", "a fact holds constants: literals, individuals, enum constants and structs of them")
	}
	return value, ok
}

// factFields asserts the fields written behind the fact of, and the defaults of
// the others.
func (s *scope) factFields(owner string, fields []*Field, of Fact, inits []*syntax.FieldInit) {
	given := map[string]bool{}
	for _, init := range inits {
		var f *Field
		for _, candidate := range fields {
			if candidate.Name == init.Name.Name {
				f = candidate
				break
			}
		}
		if f == nil && s.e.partial(owner) {
			continue
		}
		if f == nil {
			s.report("OE0259", init.Name, s.e.nearest(init.Name.Name, fieldNames(fields)), "%s has no field %s", owner, init.Name.Name)
			continue
		}
		given[f.Name] = true
		if s.viewed(f, init.Name) {
			continue
		}
		if v, ok := s.constantExpr(init.Value, f.Type); ok {
			value := of
			value.Place = place(s.m, init.Span)
			s.e.assertField(f, value, v)
		}
	}
	for _, f := range fields {
		if f.Default == nil || given[f.Name] {
			continue
		}
		if v, ok := s.e.constant(f.Default); ok {
			value := of
			value.Default = true
			s.e.assertField(f, value, v)
		} else {
			s.unsupported(f.Node.Default, "a default that has to be computed, of a declared individual", "write the field's value behind the fact")
		}
	}
}

// assertField asserts a value, or the items of one, for the individual or tuple
// of of, at its place and time.
func (e *Env) assertField(f *Field, of Fact, v abi.Value) {
	values := []abi.Value{v}
	if f.Each {
		values = v.Items
	}
	of.Relation = f.Relation
	key := of.Tuple
	for _, item := range values {
		if item.Kind == abi.KindNone {
			continue
		}
		of.Tuple = append(append([]abi.Value(nil), key...), item)
		e.Facts = append(e.Facts, of)
	}
}
