package resolve

import (
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/std"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// maxHints bounds the suggestions of one compilation: each looks at every name.
const maxHints = 100

// Hush stops suggestions until the function it returns is called.
func (w *World) Hush() func() {
	made := *w.hints
	*w.hints = maxHints
	return func() { *w.hints = made }
}

// hint says what the missing name may have been.
func (w *World) hint(m *Module, p problem, name string, want Want) string {
	if *w.hints++; *w.hints > maxHints {
		return ""
	}
	var candidates []string
	if p.inEnum != nil {
		for _, item := range p.inEnum.Items {
			if e, ok := item.(*syntax.Enum); ok {
				for _, v := range e.Variants {
					candidates = append(candidates, v.Name.Name)
				}
			}
			if x, ok := item.(*syntax.Metaxis); ok {
				for _, v := range x.Values {
					candidates = append(candidates, v.Name)
				}
			}
		}
	} else {
		candidates = append(w.Names(m, p.in, want), p.named...)
	}
	if help := diag.DidYouMean(name, candidates); help != "" {
		return help
	}
	if near := w.elsewhere(m, name, want); len(near) > 0 {
		return "it is declared elsewhere: use " + strings.Join(near, "; or use ") + ";"
	}
	if path, ok := std.Home(name); ok && p.part == 0 {
		return "it is declared elsewhere: use " + path + ";"
	}
	return ""
}

// Names returns the names of the wanted kinds that can be written in m: those
// inside the module at, or, where at is m or nil, those in scope.
func (w *World) Names(m, at *Module, want Want) []string {
	return w.names(m, at, want, w.followed)
}

// names is Names, without what imports bring where they are being followed: who
// comes first would decide what they have brought so far.
func (w *World) names(m, at *Module, want Want, followed bool) []string {
	if at == nil {
		at = m
	}
	var names []string
	seen := map[string]bool{}
	add := func(s *Symbol) {
		if want.has(s.Kind) && visible(s.Vis, s.Module, m) && !seen[s.Name] {
			seen[s.Name] = true
			names = append(names, s.Name)
		}
	}
	for _, s := range at.Symbols() {
		add(s)
	}
	if at == m && followed {
		for name, u := range m.uses {
			for _, s := range u.found {
				if want.has(s.Kind) && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
		for _, g := range m.globs {
			for _, s := range g.found {
				if s.Target != nil {
					for _, inner := range s.Target.Symbols() {
						add(inner)
					}
				}
			}
		}
	}
	if m.open {
		for _, mod := range m.Package.Modules {
			for _, s := range mod.Symbols() {
				add(s)
			}
		}
	}
	if want.has(IndividualKind) && at == m && len(m.Package.cells) <= maxCellHints {
		for name := range m.Package.cells {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	w.namesOfRest(m, at, want, followed, func(name string) {
		if !seen[name] {
			names = append(names, name)
		}
	})
	sort.Strings(names)
	return names
}

// elsewhere returns the qualified names, at most three, under which name could
// be imported into m.
func (w *World) elsewhere(m *Module, name string, want Want) []string {
	var found []string
	for _, p := range w.Packages {
		if _, known := m.Package.dependencies[p.Name]; !known && p != m.Package && p != w.Std {
			continue
		}
		for _, mod := range p.Modules {
			m, mod, own := m, mod, []*Symbol{mod.names[name], mod.individuals[name]}
			if own[0] == nil && own[1] == nil {
				m, mod, own = w.declaredInRest(m, mod, name)
			}
			for _, sym := range own {
				if sym != nil && want.has(sym.Kind) && sym.Kind != ModuleKind && visible(sym.Vis, mod, m) && len(found) < 3 {
					found = append(found, importName(m, sym))
				}
			}
		}
	}
	return found
}

func importName(m *Module, sym *Symbol) string {
	if sym.Module.Package != m.Package {
		return sym.Qualified
	}
	if sym.Module.Parent == nil {
		return "pkg::" + sym.Name
	}
	return "pkg::" + strings.TrimPrefix(sym.Qualified, m.Package.Name+"::")
}

// With returns w reporting to diags.
func (w *World) With(diags *diag.List) *World {
	other := *w
	other.diags = diags
	other.hints = new(int)
	return &other
}

// Hints returns how many suggestions w has made.
func (w *World) Hints() int { return *w.hints }

// ForgetHints makes it as if w had made only n suggestions.
func (w *World) ForgetHints(n int) { *w.hints = n }

// Join counts the suggestions of other, which is of w.With, as those of w; ok is
// false if the two together made more than are made at most.
func (w *World) Join(other *World) (ok bool) {
	if *other.hints > 0 && *w.hints+*other.hints > maxHints {
		return false
	}
	*w.hints += *other.hints
	return true
}

// HintsLeft reports whether w, which is of before.With, and before together
// made fewer suggestions than are made at most.
func (w *World) HintsLeft(before *World) bool { return *w.hints+*before.hints < maxHints }

// AdHoc returns a module for a body that is not in a file: it sees what the
// entry module sees and every public name of the package.
func (w *World) AdHoc(source *syntax.Source) *Module {
	m := &Module{
		Name: "adhoc", Path: "adhoc", Package: w.Entry, Parent: w.Entry.Root(), Source: source,
		names: map[string]*Symbol{}, individuals: map[string]*Symbol{}, uses: map[string]*use{}, open: true,
	}
	m.traits = append(m.traits, w.Entry.Root().traits...)
	for _, other := range w.Entry.Modules {
		for _, t := range other.traits {
			if visible(t.Vis, t.Module, m) && !contains(m.traits, t) {
				m.traits = append(m.traits, t)
			}
		}
	}
	return m
}
