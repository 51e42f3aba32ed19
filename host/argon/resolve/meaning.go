package resolve

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Meanings calls symbol for each declaration, of any kind and visibility, that
// a part of the path written in m may lead to, and through for each import that
// one is found by, with its module. Several of them may be called twice. For a
// member of a trait it is the trait. It changes nothing of w.
func (w *World) Meanings(m *Module, parts []string, symbol func(*Symbol), through func(*Module, *syntax.Use)) {
	c := meanings{w: w, symbol: symbol, through: through}
	c.scope(m, parts[0])
	if len(parts) == 1 {
		return
	}
	for n := 1; n < len(parts); n++ {
		if at := w.ModuleAt(m, parts[:n]); at != nil {
			c.inside(at, parts[n], map[*Module]bool{})
		}
	}
}

type meanings struct {
	w       *World
	symbol  func(*Symbol)
	through func(*Module, *syntax.Use)
}

func (c *meanings) scope(m *Module, name string) {
	c.inside(m, name, map[*Module]bool{})
	for _, path := range m.Package.Prelude {
		parts := strings.Split(path, "::")
		if parts[len(parts)-1] != name || len(parts) == 1 {
			continue
		}
		c.w.Meanings(m.Package.Root(), parts, c.symbol, c.through)
	}
	for _, t := range c.w.TraitsWith(m, name) {
		c.symbol(t)
		for _, u := range m.uses {
			if contains(u.found, t) {
				c.through(m, u.node)
			}
		}
		for _, g := range m.globs {
			if slices.ContainsFunc(g.found, func(s *Symbol) bool { return s.Target != nil && s.Target.names[t.Name] == t }) {
				c.through(m, g.node)
			}
		}
	}
	if m.Blocks != nil {
		c.scope(m.Parent, name)
	}
}

// inside is what World.own finds, and more: what has the name here does not
// hide what imports of all bring.
func (c *meanings) inside(m *Module, name string, seen map[*Module]bool) {
	if seen[m] {
		return
	}
	seen[m] = true
	if sym := m.names[name]; sym != nil {
		c.symbol(sym)
	}
	if sym := m.individuals[name]; sym != nil {
		c.symbol(sym)
	}
	if u := m.uses[name]; u != nil {
		c.through(m, u.node)
		c.imported(u)
	}
	for _, g := range m.globs {
		found := false
		note := meanings{w: c.w, symbol: func(s *Symbol) { found = true; c.symbol(s) }, through: func(at *Module, u *syntax.Use) { found = true; c.through(at, u) }}
		for _, sym := range g.found {
			switch sym.Kind {
			case ModuleKind:
				note.inside(sym.Target, name, seen)
			case EnumKind:
				if variant(sym, name) != nil {
					note.symbol(sym)
				}
			}
		}
		if found {
			c.through(m, g.node)
		}
	}
}

// imported is what an import of one name brings, with the imports on its way.
func (c *meanings) imported(u *use) {
	for _, s := range u.found {
		c.symbol(s)
	}
}

// Named reports whether m declares or imports something under the name, or
// imports all of something.
func (m *Module) Named(name string) bool {
	return m.names[name] != nil || m.individuals[name] != nil || m.uses[name] != nil
}

// Globs reports whether m imports all of something.
func (m *Module) Globs() bool { return len(m.globs) > 0 }

// Item returns the declaration of m under the name that is no individual, or
// nil.
func (m *Module) Item(name string) *Symbol { return m.names[name] }

// Individual returns the individual that facts of m declare under the name, or
// nil.
func (m *Module) Individual(name string) *Symbol { return m.individuals[name] }

// Brings reports whether a name that comes to be declared in the module at may
// be seen in m without more than the name: m sees all that at declares, or
// imports all of something.
func (m *Module) Brings(at *Module) bool {
	for ; m != nil; m = m.Parent {
		if m == at || m.Globs() {
			return true
		}
		if m.Blocks == nil {
			return false
		}
	}
	return false
}

// TraitNames calls do with the names that lead to traits in m: those that it
// declares, and those of its imports.
func (m *Module) TraitNames(do func(string)) {
	for name, s := range m.names {
		if s.Kind == TraitKind {
			do(name)
		}
	}
	for name, u := range m.uses {
		if slices.ContainsFunc(u.found, func(s *Symbol) bool { return s.Kind == TraitKind }) {
			do(name)
		}
	}
}

// TraitImports calls do with the imports of m that bring traits into its scope,
// or may: one of all that something declares brings those that this imports.
func (m *Module) TraitImports(do func(*syntax.Use)) {
	for _, u := range m.uses {
		if slices.ContainsFunc(u.found, func(s *Symbol) bool { return s.Kind == TraitKind }) {
			do(u.node)
		}
	}
	for _, g := range m.globs {
		for _, s := range g.found {
			traits := false
			if s.Target != nil {
				traits = s.Target.Globs()
				s.Target.TraitNames(func(string) { traits = true })
			}
			if traits {
				do(g.node)
				break
			}
		}
	}
}

// ModuleAt returns the module that a path written in m leads to, or nil.
func (w *World) ModuleAt(m *Module, parts []string) *Module {
	idents := make([]syntax.Ident, len(parts))
	for i, p := range parts {
		idents[i].Name = p
	}
	at, _ := w.modulesAt(m, idents, nil)
	return at
}
