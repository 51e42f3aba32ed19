// Package resolve gives every name of a workspace its declaration: it enters
// the items of all modules, follows imports, and answers lookups with
// visibility taken into account. It knows nothing of types.
package resolve

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Kind says what a symbol names.
type Kind uint8

// The kinds of symbols.
const (
	ModuleKind Kind = iota
	MetatypeKind
	MetarelKind
	ConceptKind
	RelationKind
	StructKind
	EnumKind
	VariantKind
	FnKind
	DeriveKind
	QueryKind
	MutateKind
	CheckKind
	IndividualKind
	MetaxisKind
	AxisValueKind
	MacroKind
	TraitKind
	UnsupportedKind // a construct that is read and not taken yet
)

var kindNames = [...]string{
	ModuleKind: "module", MetatypeKind: "metatype", MetarelKind: "metarel", ConceptKind: "concept",
	RelationKind: "relation", StructKind: "struct", EnumKind: "enum", VariantKind: "enum constant",
	FnKind: "fn", DeriveKind: "derive", QueryKind: "query", MutateKind: "mutate", CheckKind: "check",
	IndividualKind: "individual", MetaxisKind: "meta axis", AxisValueKind: "axis value", UnsupportedKind: "unsupported construct",
	MacroKind: "macro",
	TraitKind: "trait",
}

// String returns the word for k in messages, as "concept".
func (k Kind) String() string { return kindNames[k] }

// Symbol is a declared name.
type Symbol struct {
	Kind      Kind
	Name      string
	Qualified string // "module::name"; for a variant "module::Enum::Tag"
	Vis       syntax.Visibility
	Module    *Module              // where it is declared
	Items     []syntax.Item        // its declarations; more than one only for derive clauses and individuals
	clauses   map[syntax.Item]bool // the same, where they are many
	Place     diag.Place           // of the name
	Target    *Module              // of a ModuleKind
	Enum      *Symbol              // of a VariantKind; of an AxisValueKind the axis
	Variant   *syntax.Variant
	Trait     *Symbol            // of a member of a trait
	Signature syntax.Item        // of a member of a trait: as the trait has it
	members   map[string]*Symbol // of a trait
}

// Package is a loaded package.
type Package struct {
	*load.Package
	Modules      []*Module // Modules[0] is the root
	dependencies map[string]*Package
	cells        map[string]*Symbol // see NameCell
}

// Root returns the package's root module.
func (p *Package) Root() *Module { return p.Modules[0] }

// Module is one module: a file, or an inline `mod`.
type Module struct {
	Name     string // last part
	Path     string // qualified: "root", "lease", "dep::lease"
	Package  *Package
	Parent   *Module
	Children []*Module
	Source   *syntax.Source
	Items    []syntax.Item

	Blocks      []*syntax.Mod // of a standpoint: its declarations; else nil
	decl        *syntax.Mod
	names       map[string]*Symbol // items and submodules
	individuals map[string]*Symbol
	uses        map[string]*use
	globs       []*use
	impls       []*Impl
	extra       []Member
	traits      []*Symbol            // in scope
	byMember    map[string][]*Symbol // those by the names of their members; nil of an ad-hoc module
	open        bool                 // an ad-hoc module: sees every public name of its package
}

// Decl returns the `mod` item that declares m; nil for the root module of a
// package.
func (m *Module) Decl() *syntax.Mod { return m.decl }

// use is an import that is followed when it is first needed.
type use struct {
	node   *syntax.Use
	module *Module
	found  []*Symbol
	state  uint8  // 0 not followed, 1 being followed, 2 done
	circle *use   // the import that it leads to, which leads back to it
	round  []*use // those whose circle it is, until it is found
}

// World is all packages of a compilation.
type World struct {
	Packages []*Package // dependencies before their dependents; the entry package is last
	Entry    *Package
	Std      *Package
	diags    *diag.List
	trail    []*use              // imports being followed
	followed bool                // all imports are
	impls    map[*Symbol][]*Impl // by trait
	implOf   map[implKey]*Impl
	aliases  map[string]*Symbol   // by the name that stands for them in every module
	given    map[string]bool      // qualified names of members of implementations
	hints    *int                 // suggestions made so far
	short    map[string][]*Symbol // public items and individuals of the entry package by short name
	declared map[string][]*Symbol // individuals that source declares, by short name
	rest     *Rest                // what may be suggested beside; nil: nothing
}

// Names enters every declaration of ws and follows its imports. What is wrong
// with them it reports to diags.
func Names(ws *load.Workspace, diags *diag.List) *World { return PartNames(ws, diags, nil) }

// PartNames is Names of a part of a workspace; what is suggested for a name that
// is missing is as in the whole.
func PartNames(ws *load.Workspace, diags *diag.List, rest *Rest) *World {
	w := &World{diags: diags, rest: rest, hints: new(int), impls: map[*Symbol][]*Impl{}, implOf: map[implKey]*Impl{}, aliases: map[string]*Symbol{}, given: map[string]bool{}}
	packages := map[*load.Package]*Package{}
	for _, lp := range ws.Packages {
		p := &Package{Package: lp, dependencies: map[string]*Package{}}
		modules := map[*load.Module]*Module{}
		for _, lm := range lp.Modules {
			m := &Module{
				Name: lm.Name, Path: lm.Path, Package: p, Parent: modules[lm.Parent], Source: lm.File.Source,
				Items: lm.Items, Blocks: lm.Blocks, decl: lm.Decl,
				names: map[string]*Symbol{}, individuals: map[string]*Symbol{}, uses: map[string]*use{},
			}
			if m.Parent != nil {
				m.Parent.Children = append(m.Parent.Children, m)
			}
			modules[lm] = m
			p.Modules = append(p.Modules, m)
		}
		for _, d := range lp.Dependencies {
			if dep := packages[d.Package]; dep != nil {
				p.dependencies[d.Name] = dep
			}
		}
		packages[lp] = p
		w.Packages = append(w.Packages, p)
	}
	w.Entry = packages[ws.Main]
	w.Std = packages[ws.Std]
	if rest != nil {
		rest.pair(w)
	}
	w.finish()
	return w
}

// place returns the place of a span of m's file.
func (m *Module) place(s syntax.Span) diag.Place {
	return diag.Place{Path: m.Source.Path, Start: s.Start, End: s.End}
}

func (w *World) report(m *Module, code string, s syntax.Span, message, help string, related ...diag.Related) {
	w.diags.Add(diag.Diagnostic{Code: code, Message: message, Place: m.place(s), Help: help, Related: related})
}

// manyClauses is from how many declarations on a symbol keeps them in a map:
// looking each up in a list would take the square of their number.
const manyClauses = 16

// add gives the symbol one more declaration.
func (s *Symbol) add(item syntax.Item) {
	s.Items = append(s.Items, item)
	if len(s.Items) == manyClauses {
		s.clauses = make(map[syntax.Item]bool, 2*manyClauses)
		for _, it := range s.Items {
			s.clauses[it] = true
		}
	} else if s.clauses != nil {
		s.clauses[item] = true
	}
}

// declares reports whether item is one of the symbol's declarations.
func (s *Symbol) declares(item syntax.Item) bool {
	if s.clauses != nil {
		return s.clauses[item]
	}
	return slices.Contains(s.Items, item)
}
