package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// supersOf returns the traits that trait names as those it rests on.
func (e *Env) supersOf(trait *resolve.Symbol) []*resolve.Symbol {
	var out []*resolve.Symbol
	for _, path := range trait.Items[0].(*syntax.Trait).Supers {
		if super := e.World.Lookup(trait.Module, path, resolve.Kinds(resolve.TraitKind)); super != nil {
			out = append(out, super)
		}
	}
	return out
}

// traitCircles reports traits that rest on themselves, once for a circle, and
// returns all that stand in one.
func (e *Env) traitCircles() map[*resolve.Symbol]bool {
	circular := map[*resolve.Symbol]bool{}
	for _, p := range e.World.Packages {
		for _, m := range p.Modules {
			for _, sym := range m.SymbolsOf(resolve.Kinds(resolve.TraitKind)) {
				for _, path := range sym.Items[0].(*syntax.Trait).Supers {
					e.World.Resolve(m, path, resolve.Kinds(resolve.TraitKind)) // reports what leads nowhere
				}
				if circular[sym] {
					continue
				}
				above := e.traitsAbove(sym)
				if !slices.Contains(above, sym) {
					continue
				}
				for _, up := range above {
					circular[up] = circular[up] || slices.Contains(e.traitsAbove(up), sym)
				}
				paths := sym.Items[0].(*syntax.Trait).Supers
				for _, super := range e.supersOf(sym) {
					if circular[super] {
						e.circle(sym, paths, super)
						break
					}
				}
			}
		}
	}
	return circular
}

// traitsAbove returns what trait rests on, nearest first; it is among them
// itself where it stands in a circle.
func (e *Env) traitsAbove(trait *resolve.Symbol) []*resolve.Symbol {
	list := e.supersOf(trait)
	for i := 0; i < len(list); i++ {
		for _, super := range e.supersOf(list[i]) {
			if !slices.Contains(list, super) {
				list = append(list, super)
			}
		}
	}
	return list
}
