package resolve

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// finish enters the declarations of all modules and follows the imports.
func (w *World) finish() {
	each := func(do func(*Module)) {
		for _, p := range w.Packages {
			for _, m := range p.Modules {
				do(m)
			}
		}
	}
	each(w.declare)
	each(w.followAll)
	w.followed = true
	each(w.inScope)
	each(w.implement)
	each(w.fill)
	each(w.declareIndividuals)
	w.declared = map[string][]*Symbol{}
	each(func(m *Module) {
		for name, s := range m.individuals {
			w.declared[name] = append(w.declared[name], s)
		}
	})
	w.short = map[string][]*Symbol{}
	for _, m := range w.Entry.Modules {
		for name, s := range m.names {
			w.shorten(s, m.individuals[name])
		}
		for name, s := range m.individuals {
			if m.names[name] == nil {
				w.shorten(s, nil)
			}
		}
	}
}

// shorten enters what one module declares under a name, of which other may be
// nil, in the order of kinds.
func (w *World) shorten(s, other *Symbol) {
	if other != nil && other.Kind < s.Kind {
		s, other = other, s
	}
	for _, s := range []*Symbol{s, other} {
		if s != nil && s.Vis != syntax.Private {
			w.short[s.Name] = append(w.short[s.Name], s)
		}
	}
}

func (w *World) declare(m *Module) {
	for _, item := range m.Items {
		head := item.Head()
		sym := &Symbol{Name: head.Name.Name, Vis: head.Vis, Module: m, Items: []syntax.Item{item}, Place: m.place(head.Name.Span)}
		switch it := item.(type) {
		case *syntax.Use:
			w.declareUse(m, it)
			continue
		case *syntax.Mod, *syntax.Fact, *syntax.Test, *syntax.Bad:
			continue
		case *syntax.Metaxis:
			sym.Kind = MetaxisKind
		case *syntax.Metatype:
			sym.Kind = MetatypeKind
		case *syntax.Metarel:
			sym.Kind = MetarelKind
		case *syntax.Concept:
			sym.Kind = ConceptKind
		case *syntax.Relation:
			sym.Kind = RelationKind
			if old := m.names[sym.Name]; old != nil && takesClauses(it, old) {
				sym.Items = append(sym.Items, old.Items...)
				sym.Qualified = old.Qualified
				*old = *sym
				continue
			}
		case *syntax.Struct:
			sym.Kind = StructKind
		case *syntax.Enum:
			sym.Kind = EnumKind
		case *syntax.Fn:
			sym.Kind = FnKind
		case *syntax.Derive:
			if sym.Name == "iof" && len(it.Params) == 2 {
				continue // a membership, and no predicate of its own
			}
			sym.Kind = DeriveKind
			if old := m.names[sym.Name]; old != nil && old.Kind == DeriveKind {
				old.add(item)
				old.Vis = max(old.Vis, sym.Vis)
				continue
			} else if old != nil && clauseOf(old, it) {
				old.Items = append(old.Items, item)
				continue
			}
		case *syntax.Query:
			sym.Kind = QueryKind
		case *syntax.Mutate:
			sym.Kind = MutateKind
		case *syntax.Check:
			sym.Kind = CheckKind
		case *syntax.Trait:
			sym.Kind = TraitKind
			sym.Qualified = m.Path + "::" + sym.Name
			if m.names[sym.Name] == nil {
				w.declareTrait(m, sym, it)
			}
		case *syntax.Macro, *syntax.ProcMacro:
			sym.Kind = MacroKind
		case *syntax.Unsupported:
			sym.Kind = UnsupportedKind
		default:
			continue
		}
		if sym.Name != "" {
			w.enter(m, sym)
		}
	}
	for _, sub := range m.Children {
		sym := &Symbol{Kind: ModuleKind, Name: sub.Name, Qualified: sub.Path, Vis: syntax.PubPackage, Module: m, Target: sub}
		if m.Package == w.Std {
			sym.Vis = syntax.Public
		}
		if sub.decl != nil {
			sym.Vis = max(sub.decl.Vis, sym.Vis)
			for _, b := range sub.Blocks {
				sym.Vis = max(sym.Vis, b.Vis)
			}
			sym.Place = m.place(sub.decl.Name.Span)
			sym.Items = []syntax.Item{sub.decl}
		}
		w.enter(m, sym)
	}
}

// clauseOf reports whether a derive adds a clause to a relation of its module:
// it has the relation's name and as many arguments.
func clauseOf(sym *Symbol, it *syntax.Derive) bool {
	if sym.Kind != RelationKind {
		return false
	}
	r, ok := sym.Items[0].(*syntax.Relation)
	return ok && len(r.Params) == len(it.Params)
}

// takesClauses is clauseOf for a relation that stands behind its clauses.
func takesClauses(r *syntax.Relation, old *Symbol) bool {
	if old.Kind != DeriveKind {
		return false
	}
	for _, item := range old.Items {
		if d, ok := item.(*syntax.Derive); !ok || len(d.Params) != len(r.Params) {
			return false
		}
	}
	return true
}

// enter adds sym to m, or reports that the name is taken.
func (w *World) enter(m *Module, sym *Symbol) {
	if sym.Qualified == "" {
		sym.Qualified = m.Path + "::" + sym.Name
	}
	if old := m.names[sym.Name]; old != nil {
		w.duplicate(m, sym, old)
		return
	}
	m.names[sym.Name] = sym
}

func (w *World) duplicate(m *Module, sym, old *Symbol) {
	help := "rename one of the two"
	if sym.Kind == DeriveKind || old.Kind == DeriveKind {
		help = fmt.Sprintf("a derive defines a predicate of its own; give it another name than the %s, and use both in bodies", kindNames[min(sym.Kind, old.Kind)])
	}
	var related []diag.Related
	if old.Place.Path != "" {
		related = append(related, diag.Related{Place: old.Place, Message: "first declared here"})
	}
	code := "OE0262"
	if sym.Kind == MacroKind || old.Kind == MacroKind {
		code = "OE0705"
	}
	w.diags.Add(diag.Diagnostic{
		Code:    code,
		Message: fmt.Sprintf("%s is declared twice in module %s: as a %s and as a %s", sym.Name, m.Path, old.Kind, sym.Kind),
		Place:   sym.Place, Help: help, Related: related,
	})
}

// declareIndividuals enters the individuals that the facts of m name: a lone
// name in a fact that means nothing else declares "module::name".
func (w *World) declareIndividuals(m *Module) {
	for _, item := range m.Items {
		fact, ok := item.(*syntax.Fact)
		if !ok {
			continue
		}
		for _, arg := range fact.Args {
			name, ok := arg.(*syntax.Name)
			if !ok || len(name.Path.Parts) != 1 {
				continue
			}
			w.individual(m.Home(), name.Path.Parts[0], fact)
		}
	}
}

func (w *World) individual(m *Module, id syntax.Ident, fact *syntax.Fact) {
	if sym := m.individuals[id.Name]; sym != nil {
		sym.Items = append(sym.Items, fact)
		sym.Vis = max(sym.Vis, fact.Vis)
		return
	}
	if sym := w.peek(m, id.Name); sym != nil && (sym.Kind == IndividualKind || sym.Kind == VariantKind || sym.Kind == ConceptKind) {
		return
	}
	m.individuals[id.Name] = &Symbol{
		Kind: IndividualKind, Name: id.Name, Qualified: m.Path + "::" + id.Name, Vis: fact.Vis, Module: m,
		Items: []syntax.Item{fact}, Place: m.place(id.Span),
	}
}
