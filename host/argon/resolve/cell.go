package resolve

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// maxCellHints bounds the spellings of facts files that suggestions look at.
const maxCellHints = 1000

// NameCell notes that a facts file of p uses text for an individual, of which
// the file says that it is in concept. Every module of p can name it by that
// spelling, after what its own source and imports declare. It has to be called
// before the first body is looked at.
func (p *Package) NameCell(text string, concept *Symbol) {
	if p.cells == nil {
		p.cells = map[string]*Symbol{}
	}
	p.cells[text] = concept
}

// Cell returns the concept that NameCell noted of text, or nil.
func (p *Package) Cell(text string) *Symbol { return p.cells[text] }

// cell returns the individual that a facts file of p spells name: the one that
// source declares where there is one, because the cell means it.
func (w *World) cell(p *Package, name string) *Symbol {
	if p.cells[name] == nil || name == "None" {
		return nil
	}
	if found := w.declared[name]; len(found) == 1 {
		return found[0]
	}
	return &Symbol{Kind: IndividualKind, Name: name, Qualified: name, Vis: syntax.PubPackage, Module: p.Root()}
}

// OnlyInCells reports whether path, as a value in m, is an individual that no
// source declares, and a facts file spells.
func (w *World) OnlyInCells(m *Module, path syntax.Path) bool {
	sym := w.Lookup(m, path, Kinds(IndividualKind, VariantKind))
	return sym != nil && sym.Kind == IndividualKind && len(sym.Items) == 0
}

// Individuals returns the individuals that source declares with this name: the
// one whose qualified name it is, or all whose short name it is.
func (w *World) Individuals(name string) []*Symbol {
	i := strings.LastIndex(name, "::")
	if i < 0 {
		return w.declared[name]
	}
	for _, s := range w.declared[name[i+2:]] {
		if s.Module.Path == name[:i] {
			return []*Symbol{s}
		}
	}
	return nil
}
