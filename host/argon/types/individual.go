package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// typeIndividuals is the pass over the items that finds for each declared
// individual the concept that its facts say: an individual may stand in many.
func (e *Env) typeIndividuals() func(*resolve.Module, *resolve.Symbol, syntax.Item) {
	e.individuals = map[*resolve.Symbol]abi.Type{}
	return func(m *resolve.Module, _ *resolve.Symbol, item syntax.Item) {
		fact, ok := item.(*syntax.Fact)
		if !ok || fact.Negative {
			return
		}
		target := e.World.Lookup(m, fact.Target, resolve.Kinds(resolve.ConceptKind, resolve.RelationKind))
		if target == nil {
			return
		}
		concept, relation := e.Concepts[target.Qualified], e.Rels[target.Qualified]
		for i, arg := range fact.Args {
			name, ok := arg.(*syntax.Name)
			if !ok {
				continue
			}
			var c *Concept
			switch {
			case concept != nil:
				c = concept
			case relation != nil && i < len(relation.Columns) && IsIndividual(relation.Columns[i].Type):
				c = e.Concepts[relation.Columns[i].Type.Name]
			}
			if c == nil {
				continue
			}
			sym := e.World.Lookup(m, name.Path, resolve.Kinds(resolve.IndividualKind))
			if sym == nil {
				continue
			}
			old, known := e.individuals[sym]
			if !known || concept != nil && c.Is(e.Concepts[old.Name]) {
				e.individuals[sym] = c.Type()
			}
		}
	}
}

// nameCells notes the individuals that t spells with an identifier, and for
// each the concept of its column: the most special one where there are several.
func (e *Env) nameCells(p *resolve.Package, t *factTable) {
	extent := e.Concepts[t.target.Qualified] != nil
	for _, columns := range [][]factColumn{t.keys, t.fields} {
		for _, c := range columns {
			concept := e.Concepts[strip(c.typ).Name]
			if c.at < 0 || !IsIndividual(strip(c.typ)) || concept == nil {
				continue
			}
			for _, row := range t.file.Rows {
				for _, cell := range row.Cell(c.at).Items() {
					if cell.Kind != load.CellText || !syntax.IsIdent(cell.Text) {
						continue
					}
					old := p.Cell(cell.Text)
					if old == nil || extent && c.field == nil && concept.Is(e.Concepts[old.Qualified]) {
						p.NameCell(cell.Text, concept.Symbol)
					}
				}
			}
		}
	}
}
