package resolve

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Meanings calls symbol for each declaration, of any kind and visibility, that
// a part of the path written in m may lead to, and through for each import that
// one is found by, with its module. Several of them may be called twice. It
// changes nothing of w.
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

// Plain reports whether the package has neither traits nor implementations of
// them, nor standpoints: what one item says then bears on others by names alone.
func (p *Package) Plain() bool {
	for _, m := range p.Modules {
		if m.Blocks != nil || len(m.impls) > 0 || len(m.extra) > 0 {
			return false
		}
		for _, item := range m.Items {
			switch item.(type) {
			case *syntax.Trait, *syntax.Impl:
				return false
			}
		}
	}
	return true
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
