package types

import (
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// declareRelationClause enters a derive that has the name of a relation of its
// module: it adds tuples to the relation's extent, beside the asserted ones. The
// endpoints have the relation's types, so nothing is inferred.
func (e *Env) declareRelationClause(m *resolve.Module, sym *resolve.Symbol, it *syntax.Derive) {
	r := e.Rels[sym.Qualified]
	if r == nil {
		return
	}
	key := predicateKey(sym.Qualified, len(it.Params))
	p := e.Predicates[key]
	if p == nil {
		p = &Predicate{Name: r.Name, Symbol: sym, Module: m, Columns: r.Columns, Rel: r.Rel, known: make([]bool, len(it.Params))}
		for i := range p.known {
			p.known[i] = true
		}
		e.Predicates[key] = p
	}
	p.Nodes = append(p.Nodes, it)
	e.enlist(m, p, it)
	for i, param := range it.Params {
		if param.Type == nil || i >= len(r.Columns) {
			continue
		}
		mark := e.errors()
		t := e.resolveType(m, param.Type)
		e.diags.Items = e.diags.Items[:mark] // the clause itself reports
		if _, ok := e.Join(r.Columns[i].Type, t); !ok {
			e.report(m, "OE0257", param.Span, "write the endpoint's type, or leave it out", "the relation %s has %s here, and this is %s", r.Name, Print(r.Columns[i].Type), Print(t))
		}
	}
}
