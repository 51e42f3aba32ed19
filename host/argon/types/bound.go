package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// paramBounds are what every type that a type parameter may stand for
// implements, and what it is or is below.
type paramBounds struct {
	traits   []*resolve.Symbol
	concepts []*Concept
}

// askedBound is a type argument, at a place, for the parameter of.
type askedBound struct {
	m   *resolve.Module
	at  syntax.Span
	of  abi.Type
	arg abi.Type
}

// bound notes the bounds of the type parameter v.
func (e *Env) bound(m *resolve.Module, v abi.Type, list []syntax.Type) {
	for _, t := range list {
		named, ok := t.(*syntax.NamedType)
		if !ok || len(named.Args) > 0 {
			if _, bad := t.(*syntax.BadType); !bad {
				e.report(m, "OE0257", t.Range(), "name a trait or a concept", "the bound of a type parameter is a trait or a concept")
			}
			continue
		}
		sym := e.World.Resolve(m, named.Path, resolve.Kinds(resolve.TraitKind, resolve.ConceptKind))
		if sym == nil {
			continue
		}
		if e.bounds == nil {
			e.bounds = map[string]paramBounds{}
		}
		b := e.bounds[v.Name]
		if sym.Kind == resolve.TraitKind {
			b.traits = append(b.traits, sym)
		} else if c := e.Concepts[sym.Qualified]; c != nil {
			b.concepts = append(b.concepts, c)
		}
		e.bounds[v.Name] = b
	}
}

// boundsLater notes type arguments, to be looked at when the types are known.
func (e *Env) boundsLater(m *resolve.Module, sym *resolve.Symbol, t *syntax.NamedType, args []abi.Type) {
	for i, p := range typeParams(sym) {
		if i < len(args) && i < len(t.Args) {
			e.asked = append(e.asked, askedBound{m, t.Args[i].Range(), typeVar(sym.Qualified, p.Name.Name), args[i]})
		}
	}
}

// boundsOfTypes reports the type arguments that lack what their parameters ask.
func (e *Env) boundsOfTypes() {
	for _, a := range e.asked {
		e.satisfied(a.m, a.at, a.of, a.arg)
	}
	e.asked = nil
}

// satisfied reports where t, for which the type parameter of stands, lacks what
// its bounds ask.
func (e *Env) satisfied(m *resolve.Module, at syntax.Span, of, t abi.Type) {
	b := e.bounds[of.Name]
	if unknown(t) || t.Op == abi.TypeBot {
		return
	}
	for _, trait := range b.traits {
		if !e.hasTrait(t, trait) {
			e.report(m, "OE1365", at, "add impl "+trait.Name+" for "+Print(t), "the type parameter %s stands for a type that implements %s, and %s does not", of.Name, trait.Qualified, Print(t))
		}
	}
	for _, c := range b.concepts {
		if !e.isBelow(t, c) {
			e.report(m, "OE1365", at, "give "+c.Name+" or a type below it", "the type parameter %s stands for a type at or below %s, and %s is none", of.Name, c.Name, Print(t))
		}
	}
}

// isBelow reports whether t is c or below it, or is a type parameter that is.
func (e *Env) isBelow(t abi.Type, c *Concept) bool {
	if isVar(t) {
		return slices.ContainsFunc(e.bounds[t.Name].concepts, func(b *Concept) bool { return b.Is(c) })
	}
	if t.Op != abi.TypeConcept {
		return false
	}
	known := e.Concepts[t.Name]
	return known == nil || known.Is(c)
}

// hasTrait reports whether every value of type t is of a type that implements
// the trait: of a type parameter, by its bounds.
func (e *Env) hasTrait(t abi.Type, trait *resolve.Symbol) bool {
	switch {
	case isVar(t):
		b := e.bounds[t.Name]
		return slices.ContainsFunc(b.traits, func(has *resolve.Symbol) bool { return e.restsOn(has, trait, nil) }) ||
			slices.ContainsFunc(b.concepts, func(c *Concept) bool { return e.hasTrait(c.Type(), trait) })
	case t.Op == abi.TypeConcept:
		c := e.Concepts[t.Name]
		return c == nil || e.coveredBelow(trait, c, map[*Concept]bool{})
	}
	return e.World.Implementation(trait, e.valueDecl(t)) != nil
}

// restsOn reports whether trait is the trait up or rests on it.
func (e *Env) restsOn(trait, up *resolve.Symbol, seen []*resolve.Symbol) bool {
	if trait == up {
		return true
	}
	if slices.Contains(seen, trait) {
		return false
	}
	return slices.ContainsFunc(e.supersOf(trait), func(super *resolve.Symbol) bool { return e.restsOn(super, up, append(seen, trait)) })
}
