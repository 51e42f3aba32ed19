package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// resolveType gives the meaning of a type expression; what it cannot read is
// Top, after a report.
func (e *Env) resolveType(m *resolve.Module, t syntax.Type) abi.Type {
	switch t := t.(type) {
	case *syntax.OptionType:
		return Option(e.resolveType(m, t.Elem))
	case *syntax.ListType:
		if t.Card != nil && t != e.counted && !(t.Card.Min == 0 && t.Card.Max == -1) {
			e.unsupported(m, t.Card.Span, "a list type with a number of items, but of a field of a concept,", "write [T], and count with .len where it matters")
		}
		return List(e.resolveType(m, t.Elem))
	case *syntax.FnType:
		return e.fnType(m, t)
	case *syntax.NamedType:
		return e.namedType(m, t)
	}
	return Top
}

func (e *Env) namedType(m *resolve.Module, t *syntax.NamedType) abi.Type {
	if len(t.Path.Parts) == 1 {
		name := t.Path.Parts[0].Name
		if v, ok := e.vars[name]; ok && len(t.Args) == 0 {
			return v
		}
		if p, ok := primordial[name]; ok && len(t.Args) == 0 {
			return p
		}
		switch {
		case len(t.Args) == 1 && name == "Set":
			return Set(e.resolveType(m, t.Args[0]))
		case len(t.Args) == 1 && name == "List":
			return List(e.resolveType(m, t.Args[0]))
		case len(t.Args) == 1 && name == "Option":
			return Option(e.resolveType(m, t.Args[0]))
		case len(t.Args) == 1 && name == "Range":
			return Range(e.resolveType(m, t.Args[0]))
		case len(t.Args) == 2 && name == "Map":
			return Map(e.resolveType(m, t.Args[0]), e.resolveType(m, t.Args[1]))
		case name == "Result" && e.World.Lookup(m, t.Path, typeKinds) == nil && e.Enums[resultEnum] != nil:
			return e.applied(m, t, e.Enums[resultEnum].Symbol)
		}
		if want := builtinArgs[name]; want > 0 && e.World.Lookup(m, t.Path, typeKinds) == nil {
			e.report(m, "OE0290", t.Span, "", "%s takes %s, and %d are given", name, plural(want, "type argument"), len(t.Args))
			return Top
		}
		if sort, ok := e.sortOf(m, t); ok {
			return sort
		}
	}
	if name := t.Path.Parts[0].Name; len(t.Path.Parts) == 1 && len(t.Args) > 0 && isPrimordial(name) {
		e.report(m, "OE0290", t.Span, "write "+name, "%s takes no type arguments", name)
		return Top
	}
	if len(t.Path.Parts) == 1 && e.World.Lookup(m, t.Path, typeKinds) == nil && e.inexact(m, t, primitives+t.Path.Parts[0].Name) {
		return Top
	}
	sym := e.World.Resolve(m, t.Path, typeKinds)
	if sym == nil || e.inexact(m, t, sym.Qualified) {
		return Top
	}
	return e.applied(m, t, sym)
}

// builtinArgs has the number of type arguments of the generic types of the
// language.
var builtinArgs = map[string]int{"Set": 1, "List": 1, "Option": 1, "Range": 1, "Map": 2}

var typeKinds = resolve.Kinds(resolve.ConceptKind, resolve.StructKind, resolve.EnumKind)

func symbolType(sym *resolve.Symbol) abi.Type {
	switch sym.Kind {
	case resolve.ConceptKind:
		return abi.Type{Op: abi.TypeConcept, Name: sym.Qualified}
	case resolve.StructKind:
		if t, ok := bounded(sym.Qualified); ok {
			return t
		}
		return abi.Type{Op: abi.TypeStruct, Name: sym.Qualified}
	case resolve.EnumKind:
		return abi.Type{Op: abi.TypeEnum, Name: sym.Qualified}
	}
	return Top
}

func isPrimordial(name string) bool {
	_, ok := primordial[name]
	return ok
}
