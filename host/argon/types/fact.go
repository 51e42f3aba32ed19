package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
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
	if sym == nil {
		return
	}
	s := e.newScope(m, "fact", false)
	if it.At != nil {
		s.unsupported(it.At, "a declared fact with a time", "insert it in a mutate")
	}
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
	at := place(m, it.Decl.Span)
	if it.Negative {
		e.Facts = append(e.Facts, Fact{Relation: e.refuted(t.rel), Tuple: tuple, Layer: layer(m), Place: at})
		if len(it.Fields) > 0 {
			s.report("OE0259", it.Fields[0], "", "a not_fact says nothing of fields")
		}
		return
	}
	if t.concept != nil && s.defined(t.concept, it.Target) {
		return
	}
	e.Facts = append(e.Facts, Fact{Relation: e.Relations[t.rel].Asserted, Tuple: tuple, Layer: layer(m), Place: at})
	fields := []*Field(nil)
	if t.concept != nil {
		fields = t.concept.AllFields()
		if t.concept.Abstract {
			s.report("OE0233", it.Target, "assert one of its subtypes", "%s is abstract: it has no direct instances", t.name)
		}
	} else if r := e.Rels[sym.Qualified]; r != nil {
		fields = r.Fields
	}
	s.factFields(t.name, fields, tuple, it.Fields, at)
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

// factFields asserts the fields written behind a fact, and the defaults of the
// others.
func (s *scope) factFields(owner string, fields []*Field, key []abi.Value, inits []*syntax.FieldInit, at diag.Place) {
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
			s.e.assertField(f, key, v, layer(s.m), place(s.m, init.Span), false)
		}
	}
	for _, f := range fields {
		if f.Default == nil || given[f.Name] {
			continue
		}
		if v, ok := s.e.constant(f.Default); ok {
			s.e.assertField(f, key, v, layer(s.m), at, true)
		} else {
			s.unsupported(f.Node.Default, "a default that has to be computed, of a declared individual", "write the field's value behind the fact")
		}
	}
}

func (e *Env) assertField(f *Field, key []abi.Value, v abi.Value, layer string, at diag.Place, def bool) {
	values := []abi.Value{v}
	if f.Each {
		values = v.Items
	}
	for _, item := range values {
		if item.Kind == abi.KindNone {
			continue
		}
		tuple := append(append([]abi.Value(nil), key...), item)
		e.Facts = append(e.Facts, Fact{Relation: f.Relation, Tuple: tuple, Layer: layer, Place: at, Default: def})
	}
}
