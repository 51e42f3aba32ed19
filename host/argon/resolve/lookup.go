package resolve

import (
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Want is a set of kinds that a lookup accepts.
type Want uint32

const anyKind Want = ^Want(0)

// AnyKind accepts symbols of every kind.
const AnyKind = anyKind

// Kinds returns the set of kinds.
func Kinds(kinds ...Kind) Want {
	var w Want
	for _, k := range kinds {
		w |= 1 << k
	}
	return w
}

func (w Want) has(k Kind) bool { return w&(1<<k) != 0 }

// Lookup resolves a path from m to a symbol of one of the wanted kinds. It
// returns nil, without a report, where there is none.
func (w *World) Lookup(m *Module, path syntax.Path, want Want) *Symbol {
	found, _ := w.walk(m, path.Parts, want, nil)
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// Resolve is Lookup that reports a path that leads nowhere.
func (w *World) Resolve(m *Module, path syntax.Path, want Want) *Symbol {
	found, p := w.walk(m, path.Parts, want, nil)
	if len(found) > 0 {
		return found[0]
	}
	w.reportProblem(m, path, p, want)
	return nil
}

// peek looks for a lone name without following path rules or reporting.
func (w *World) peek(m *Module, name string) *Symbol {
	found, _ := w.scope(m, name, anyKind, nil)
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// walk resolves parts from m. from is the import that asks, which must not
// answer itself.
func (w *World) walk(m *Module, parts []syntax.Ident, want Want, from *use) ([]*Symbol, problem) {
	for _, p := range parts {
		if p.Name == "" {
			return nil, problem{}
		}
	}
	if len(parts) == 0 {
		return nil, problem{}
	}
	if len(parts) == 1 {
		return w.first(m, parts[0].Name, want, from)
	}
	if enum := w.enumAt(m, parts[:len(parts)-1], from); enum != nil {
		if v := variant(enum, parts[len(parts)-1].Name); v != nil && want.has(VariantKind) {
			return []*Symbol{v}, problem{}
		}
		return nil, problem{part: len(parts) - 1, inEnum: enum}
	}
	if trait := w.traitAt(m, parts[:len(parts)-1], from); trait != nil {
		if one := trait.members[parts[len(parts)-1].Name]; one != nil && want.has(one.Kind) {
			return []*Symbol{one}, problem{}
		}
		return nil, problem{part: len(parts) - 1, inEnum: trait}
	}
	if want.has(AxisValueKind) {
		if axis := w.axisAt(m, parts[:len(parts)-1], from); axis != nil {
			if v := axisValue(axis, parts[len(parts)-1].Name); v != nil {
				return []*Symbol{v}, problem{}
			}
			return nil, problem{part: len(parts) - 1, inEnum: axis}
		}
	}
	at, failed := w.modulesAt(m, parts[:len(parts)-1], from)
	if at == nil {
		return nil, failed
	}
	return w.member(at, m, parts[len(parts)-1].Name, want, len(parts)-1, from)
}

// first resolves the only part of a path: the module's scope, then what the
// prelude brings, then packages.
func (w *World) first(m *Module, name string, want Want, from *use) ([]*Symbol, problem) {
	found, p := w.scope(m, name, want, from)
	if len(found) > 0 || len(p.ambiguous) > 0 {
		return found, p
	}
	if want.has(ModuleKind) {
		if mod := w.anchor(m, name); mod != nil {
			return []*Symbol{{Kind: ModuleKind, Name: name, Qualified: mod.Path, Module: mod, Target: mod}}, problem{}
		}
	}
	if want.has(IndividualKind) {
		if sym := w.cell(m.Package, name); sym != nil {
			return []*Symbol{sym}, problem{}
		}
	}
	if sym := w.aliased(name); sym != nil && want.has(sym.Kind) {
		return []*Symbol{sym}, problem{}
	}
	if members := w.traitMember(m, name, want); len(members) > 1 {
		return nil, problem{ambiguous: members}
	} else if len(members) == 1 {
		return members, problem{}
	}
	p.in = m
	return nil, p
}

func (w *World) enumAt(m *Module, parts []syntax.Ident, from *use) *Symbol {
	found, _ := w.walk(m, parts, Kinds(EnumKind), from)
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

func (w *World) moduleAt(m *Module, parts []syntax.Ident, from *use) *Module {
	mod, _ := w.modulesAt(m, parts, from)
	return mod
}

func (w *World) modulesAt(m *Module, parts []syntax.Ident, from *use) (*Module, problem) {
	at := w.anchor(m, parts[0].Name)
	if found, p := w.scope(m, parts[0].Name, Kinds(ModuleKind), from); len(found) == 1 && found[0].Target != nil {
		at = found[0].Target
	} else if at == nil {
		p.in = m
		return nil, p
	}
	for i, part := range parts[1:] {
		if part.Name == "super" {
			if at.Parent == nil {
				return nil, problem{part: i + 1, in: at}
			}
			at = at.Parent
			continue
		}
		found, p := w.member(at, m, part.Name, Kinds(ModuleKind), i+1, from)
		if len(found) == 0 {
			return nil, p
		}
		at = found[0].Target
	}
	return at, problem{}
}

// anchor resolves the first part of a path that is no name in scope: pkg,
// self, super, a module at the package's root, a dependency, std.
func (w *World) anchor(m *Module, name string) *Module {
	switch name {
	case "pkg":
		return m.Package.Root()
	case "self":
		return m
	case "super":
		return m.Parent
	case "std":
		return w.Std.Root()
	}
	root := m.Package.Root()
	if sub := root.names[name]; sub != nil && sub.Kind == ModuleKind {
		return sub.Target
	}
	if dep := m.Package.dependencies[name]; dep != nil {
		return dep.Root()
	}
	if root.Name == name || m.Package.Name == name {
		return root
	}
	return nil
}

// member looks for name inside the module at, as seen from m.
func (w *World) member(at, m *Module, name string, want Want, part int, from *use) ([]*Symbol, problem) {
	p := problem{part: part, in: at}
	var found []*Symbol
	for _, sym := range w.own(at, name, from, map[*Module]bool{}, true) {
		switch {
		case !want.has(sym.Kind):
			p.wrong = sym
		case !visible(sym.Vis, sym.Module, m):
			p.hidden = sym
		default:
			found = append(found, sym)
		}
	}
	if len(found) > 0 {
		return found, p
	}
	if u := at.uses[name]; u != nil && u != from && u.node.Vis == syntax.Private {
		for _, sym := range w.follow(u) {
			if want.has(sym.Kind) {
				p.imported = sym
			}
		}
	}
	return nil, p
}

// own returns what name means inside m: its declarations, its imports (only
// public ones are seen from outside), its globs.
func (w *World) own(m *Module, name string, from *use, seen map[*Module]bool, outside bool) []*Symbol {
	var found []*Symbol
	if sym := m.names[name]; sym != nil {
		found = append(found, sym)
	}
	if sym := m.individuals[name]; sym != nil {
		found = append(found, sym)
	}
	if u := m.uses[name]; u != nil && u != from && (!outside || u.node.Vis != syntax.Private) {
		found = append(found, w.follow(u)...)
	}
	if len(found) > 0 || seen[m] {
		return found
	}
	seen[m] = true
	for _, g := range m.globs {
		if g == from || outside && g.node.Vis == syntax.Private {
			continue
		}
		for _, sym := range w.follow(g) {
			switch sym.Kind {
			case ModuleKind:
				for _, s := range w.own(sym.Target, name, from, seen, true) {
					if visible(s.Vis, s.Module, m) && !contains(found, s) {
						found = append(found, s)
					}
				}
			case EnumKind:
				if v := variant(sym, name); v != nil && !contains(found, v) {
					found = append(found, v)
				}
			}
		}
	}
	return found
}

// scope resolves a lone name in m: declarations and explicit imports, globs,
// the prelude; in an ad-hoc module also every public name of the package.
func (w *World) scope(m *Module, name string, want Want, from *use) ([]*Symbol, problem) {
	var p problem
	found := filter(w.own(m, name, from, map[*Module]bool{}, false), want, &p)
	if len(found) > 1 {
		if byKind := sameKind(found); !byKind {
			return found[:1], p
		}
		return nil, problem{ambiguous: found}
	}
	if len(found) == 1 {
		return found, p
	}
	for _, path := range m.Package.Prelude {
		parts := strings.Split(path, "::")
		if parts[len(parts)-1] != name {
			continue
		}
		idents := make([]syntax.Ident, len(parts))
		for i, s := range parts {
			idents[i].Name = s
		}
		if at := w.moduleAt(m.Package.Root(), idents[:len(idents)-1], from); at != nil {
			if f := filter(w.own(at, name, from, map[*Module]bool{}, true), want, &p); len(f) > 0 {
				return f[:1], p
			}
		}
	}
	if std, ok := ambient[name]; ok && len(p.ambiguous) == 0 {
		if core := w.core(); core != nil && core != m {
			if f := filter(w.own(core, std, from, map[*Module]bool{}, true), want, &p); len(f) > 0 {
				return f[:1], p
			}
		}
	}
	if m.Blocks != nil && len(p.ambiguous) == 0 {
		return w.scope(m.Parent, name, want, from)
	}
	if m.open {
		if f := filter(w.own(m.Package.Root(), name, from, map[*Module]bool{}, false), want, &p); len(f) > 0 {
			return f[:1], p
		}
		f := filter(w.public(m.Package, name), want, &p)
		if len(f) > 1 {
			return nil, problem{ambiguous: f}
		}
		return f, p
	}
	return nil, p
}

// ambient are the names of std::core that a check's payload is written with, and
// those of truth; no file has to import them.
var ambient = map[string]string{
	"Diagnostic": "Diagnostic", "Severity": "Severity", "Range": "Range",
	"Truth4": "Truth4", "Truth4Of": "Truth4Of",
}

func (w *World) core() *Module {
	for _, m := range w.Std.Modules {
		if m.Name == "core" {
			return m
		}
	}
	return nil
}

func filter(found []*Symbol, want Want, p *problem) []*Symbol {
	var kept []*Symbol
	for _, sym := range found {
		if want.has(sym.Kind) {
			kept = append(kept, sym)
		} else {
			p.wrong = sym
		}
	}
	return kept
}

// sameKind reports whether found has two symbols that could both be meant: an
// item and an individual of one name live beside each other.
func sameKind(found []*Symbol) bool {
	items := 0
	for _, s := range found {
		if s.Kind != IndividualKind {
			items++
		}
	}
	return items > 1 || len(found)-items > 1
}

// public returns the public items and individuals of p called name.
func (w *World) public(p *Package, name string) []*Symbol {
	if p != w.Entry {
		return nil
	}
	return w.short[name]
}

// Symbols returns what m declares, in the order of names.
func (m *Module) Symbols() []*Symbol { return m.SymbolsOf(anyKind) }

// SymbolsOf returns what m declares of the wanted kinds, in the order of names.
func (m *Module) SymbolsOf(want Want) []*Symbol {
	var all []*Symbol
	for _, s := range m.names {
		if want.has(s.Kind) {
			all = append(all, s)
		}
	}
	if want.has(IndividualKind) {
		for _, s := range m.individuals {
			all = append(all, s)
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Name != all[j].Name {
			return all[i].Name < all[j].Name
		}
		return all[i].Kind < all[j].Kind
	})
	return all
}

// Declared returns the symbol that item declares in m, or nil: the item names
// nothing, or its name was taken.
func (m *Module) Declared(item syntax.Item) *Symbol {
	sym := m.names[item.Head().Name.Name]
	if sym == nil {
		return nil
	}
	if sym.declares(item) {
		return sym
	}
	return nil
}

// visible reports whether something of visibility vis in module at is seen
// from module m: private means the module and those inside it.
func visible(vis syntax.Visibility, at, m *Module) bool {
	switch vis {
	case syntax.Public:
		return true
	case syntax.PubPackage:
		return at.Package == m.Package
	}
	for ; m != nil; m = m.Parent {
		if m == at {
			return true
		}
	}
	return false
}

func variant(enum *Symbol, name string) *Symbol {
	for _, item := range enum.Items {
		e, ok := item.(*syntax.Enum)
		if !ok {
			continue
		}
		for _, v := range e.Variants {
			if v.Name.Name == name {
				return &Symbol{
					Kind: VariantKind, Name: name, Qualified: enum.Qualified + "::" + name, Vis: syntax.Public,
					Module: enum.Module, Place: enum.Module.place(v.Name.Span), Enum: enum, Variant: v,
				}
			}
		}
	}
	return nil
}

func contains(list []*Symbol, s *Symbol) bool {
	for _, x := range list {
		if x == s || x.Kind == VariantKind && x.Qualified == s.Qualified {
			return true
		}
	}
	return false
}
