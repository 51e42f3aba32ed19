package resolve

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// An implementation says what the type parameters of its trait stand for. The
// members that it gives are items with these types in the place of the
// parameters, whichever module their text is of.

var typeKinds = Kinds(ConceptKind, StructKind, EnumKind)

// traitTypes returns the types that an implementation in m gives its trait; ok
// is false after a report of their number.
func (w *World) traitTypes(m *Module, trait *Symbol, it *syntax.Impl) (types map[string]syntax.Type, ok bool) {
	node, isTrait := trait.Items[0].(*syntax.Trait)
	if !isTrait {
		return nil, true
	}
	if len(it.TraitArgs) != len(node.TypeParams) {
		help := "write " + trait.Name
		for i, p := range node.TypeParams {
			help += map[bool]string{true: "<", false: ", "}[i == 0] + p.Name.Name
		}
		if len(node.TypeParams) > 0 {
			help += ">, with types in their place"
		}
		w.report(m, "OE0290", it.Trait.Span, fmt.Sprintf("%s has %d type parameters, and %d types are given", trait.Qualified, len(node.TypeParams), len(it.TraitArgs)), help)
		return nil, false
	}
	if len(node.TypeParams) == 0 {
		return nil, true
	}
	types = map[string]syntax.Type{}
	for i, p := range node.TypeParams {
		arg := syntax.Clone(it.TraitArgs[i])
		syntax.Visit(arg, func(part any) bool {
			if path, ok := part.(*syntax.Path); ok && len(path.Parts) > 0 {
				if sym := w.Lookup(m, *path, typeKinds); sym != nil {
					path.Parts = []syntax.Ident{{Span: path.Span, Name: w.alias(sym)}}
				}
			}
			return true
		})
		types[p.Name.Name] = arg
	}
	return types, true
}

// everything gives each type parameter the type Top: what is known of it in the
// trait itself.
func everything(params []syntax.TypeParam, at syntax.Span) map[string]syntax.Type {
	out := map[string]syntax.Type{}
	for _, p := range params {
		out[p.Name.Name] = &syntax.NamedType{Span: at, Path: syntax.Path{Span: at, Parts: []syntax.Ident{{Span: at, Name: "Top"}}}}
	}
	return out
}
