package argon

import (
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Traits and standpoints bear on items that do not name them. The members of a
// trait are found by their names where the trait is in scope, so that the trait,
// its implementations and what uses its members are looked at together; and what
// is declared above a standpoint is declared by a module, which every part has.
// What would bring another trait into scope, or give a standpoint other parents,
// is for the whole package to say.

// beyond notes what m has of traits and standpoints. It is false where a trait
// of the standard packages is implemented: parts do not look at who uses that.
func (r *reach) beyond(m *resolve.Module) bool {
	for _, im := range m.Impls() {
		if im.Trait.Module.Package == r.std {
			return false
		}
	}
	m.TraitNames(func(name string) { r.traits[name] = true })
	m.TraitImports(func(u *syntax.Use) { r.bringers[u] = true })
	for _, block := range m.Blocks {
		for _, up := range block.Parents {
			for _, part := range up.Parts {
				r.parents[part.Name] = true
			}
		}
	}
	return true
}

// brings reports whether an import brings traits into scope by way of a module
// of that name: their members are used without it.
func (r *reach) brings(a at, name string) bool {
	u, ok := r.item(a).(*syntax.Use)
	if !ok || !r.bringers[u] {
		return false
	}
	for i, part := range u.Path.Parts {
		if part.Name == name && (u.Glob || i < len(u.Path.Parts)-1) {
			return true
		}
	}
	return false
}

// beyond adds what standpoints have their parents by. What an edit does to
// that, or to the traits in scope, is for the whole package to say.
func (p *part) beyond() {
	stays := func(name string) { p.ok = p.ok && !p.r.traits[name] && !p.r.parents[name] }
	for _, e := range p.edits {
		for _, item := range e.touched() {
			declares(item, stays)
			if u, ok := item.(*syntax.Use); ok && len(u.Path.Parts) > 0 {
				stays(u.Path.Parts[len(u.Path.Parts)-1].Name)
			}
		}
	}
	for _, m := range p.r.modules {
		for _, block := range m.Blocks {
			for _, up := range block.Parents {
				p.r.meanings(m.Parent, parts(up), p.symbol, func(_ *resolve.Module, u *syntax.Use) { p.need(p.r.places[u]) })
			}
		}
	}
}
