package types

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// The reflective sorts: their values are references to declarations. A TypeRef
// with an argument is of the concepts at or below it.
var (
	TypeRef  = abi.Type{Op: abi.TypeRef}                   // to a concept or relation, and to what is a Metatype
	Metatype = abi.Type{Op: abi.TypeRef, Name: "Metatype"} // to a metatype or metarel
	TraitRef = abi.Type{Op: abi.TypeRef, Name: "TraitRef"} // to a trait
)

// RefTo is the sort of references to c and what is below it.
func RefTo(c *Concept) abi.Type {
	return abi.Type{Op: abi.TypeRef, Args: []abi.Type{c.Type()}}
}

// IsRef reports whether values of t are references to declarations.
func IsRef(t abi.Type) bool { return t.Op == abi.TypeRef }

// sorts are the names of the reflective sorts. Entity is the sort above
// references and individuals alike, which nothing more can be said of.
var sorts = map[string]abi.Type{"TypeRef": TypeRef, "Metatype": Metatype, "TraitRef": TraitRef, "Entity": Top}

// sortOf resolves a reflective sort; ok is false if t names none.
func (e *Env) sortOf(m *resolve.Module, t *syntax.NamedType) (abi.Type, bool) {
	name := t.Path.String()
	sort, ok := sorts[name]
	if !ok || e.World.Lookup(m, t.Path, typeKinds) != nil {
		return Top, false
	}
	if len(t.Args) == 0 {
		return sort, true
	}
	if name != "TypeRef" || len(t.Args) > 1 {
		e.report(m, "OE0257", t.Span, "", "%s takes no such arguments", name)
		return sort, true
	}
	bound := e.resolveType(m, t.Args[0])
	switch {
	case bound.Op == abi.TypeConcept:
		return abi.Type{Op: abi.TypeRef, Args: []abi.Type{bound}}, true
	case !unknown(bound):
		e.report(m, "OE0654", t.Args[0].Range(), "name a concept", "%s is no concept, and TypeRef<C> is of the concepts below C", Print(bound))
	}
	return TypeRef, true
}

// refFits reports whether every reference of sort from is one of sort to.
func (e *Env) refFits(from, to abi.Type) bool {
	if to.Name != "" || from.Name != "" {
		return from.Name == to.Name || from.Name == Metatype.Name && to.Name == "" && len(to.Args) == 0
	}
	return len(to.Args) == 0 || len(from.Args) > 0 && e.below(from.Args[0].Name, to.Args[0].Name)
}

func (e *Env) below(c, up string) bool {
	a, b := e.Concepts[c], e.Concepts[up]
	return a != nil && b != nil && a.Is(b)
}

// joinRefs returns the least sort above both.
func (e *Env) joinRefs(a, b abi.Type) (abi.Type, bool) {
	switch {
	case e.refFits(a, b):
		return b, true
	case e.refFits(b, a):
		return a, true
	case a.Name == TraitRef.Name || b.Name == TraitRef.Name:
		return Top, false
	case len(a.Args) > 0 && len(b.Args) > 0:
		if up := e.joinConcepts(a.Args[0], b.Args[0]); up.Op == abi.TypeConcept {
			return abi.Type{Op: abi.TypeRef, Args: []abi.Type{up}}, true
		}
	}
	return TypeRef, true
}

// printRef returns a reflective sort as it is written.
func printRef(t abi.Type) string {
	switch {
	case t.Name != "":
		return t.Name
	case len(t.Args) > 0:
		return "TypeRef<" + Print(t.Args[0]) + ">"
	}
	return "TypeRef"
}

// typeNames are what a reference can refer to.
var typeNames = resolve.Kinds(resolve.ConceptKind, resolve.RelationKind, resolve.MetatypeKind, resolve.MetarelKind, resolve.TraitKind)

// reference is the reference to what path names, and its sort; ok is false
// where it names nothing that can be referred to.
func (e *Env) reference(m *resolve.Module, path syntax.Path) (v abi.Value, t abi.Type, ok bool) {
	sym := e.World.Lookup(m, path, typeNames)
	if sym == nil {
		if path.String() == "Top" {
			return abi.TypeValue("Top"), TypeRef, true
		}
		return v, Top, false
	}
	v = abi.TypeValue(sym.Qualified)
	switch sym.Kind {
	case resolve.ConceptKind:
		c := e.Concepts[sym.Qualified]
		if c == nil {
			return v, TypeRef, true
		}
		return v, RefTo(c), true
	case resolve.RelationKind:
		return v, TypeRef, true
	case resolve.TraitKind:
		return v, TraitRef, true
	}
	return v, Metatype, true
}

// valueSort is the sort of the reference v.
func (e *Env) valueSort(v abi.Value) abi.Type {
	if c := e.Concepts[v.Str]; c != nil {
		return RefTo(c)
	}
	if e.Metas[v.Str] != nil {
		return Metatype
	}
	return TypeRef
}

// readReference reads the name of a declaration as a reference of sort t: the
// qualified name, or a short one that only one declaration has.
func (e *Env) readReference(text string, t abi.Type) (v abi.Value, empty bool, problem string) {
	var found []string
	for _, c := range e.ConceptList {
		found = append(found, c.Name)
	}
	for _, r := range e.RelList {
		found = append(found, r.Name)
	}
	for _, m := range e.MetaList {
		found = append(found, m.Name)
	}
	var meant []string
	for _, name := range found {
		if name == text || name[strings.LastIndex(name, ":")+1:] == text {
			meant = append(meant, name)
		}
	}
	if i := slices.Index(meant, text); i >= 0 {
		meant = meant[i : i+1]
	}
	switch {
	case len(meant) == 0:
		return v, false, "write the name of a declaration"
	case len(meant) > 1:
		return v, false, "it may be " + meant[0] + " or " + meant[1] + "; write which"
	}
	v = abi.TypeValue(meant[0])
	if !e.Fits(e.valueSort(v), t) {
		return v, false, meant[0] + " is none"
	}
	return v, false, ""
}
