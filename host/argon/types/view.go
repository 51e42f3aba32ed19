package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// View is what a field with `from` shows: for an individual at the endpoint
// Self of Relation, what stands at the endpoint Value. It stores nothing.
type View struct {
	Relation *Relation // nil if it could not be found
	Self     int
	Value    int
	Only     *Concept // what else the values have to be members of, or nil
}

// viewForm checks what can be said of a field with `from` by itself.
func (e *Env) viewForm(m *resolve.Module, node *syntax.Field) {
	switch {
	case node.Mut:
		e.report(m, "OE0284", node.Name.Span, "leave `mut` out, and write the relation", "%s is a view of %s, and nothing writes to a view", node.Name.Name, node.From.String())
	case node.Default != nil:
		e.report(m, "OE0284", node.Default.Range(), "leave the default out", "%s is a view of %s, and a default would have to be stored", node.Name.Name, node.From.String())
	}
}

// views finds what the fields with `from` show.
func (e *Env) views() {
	for _, c := range e.ConceptList {
		for _, f := range c.Fields {
			if f.View != nil {
				e.view(c, f)
			}
		}
	}
	only := func(m *resolve.Module, fields []*Field) {
		for _, f := range fields {
			if f.Node.From != nil {
				e.report(m, "OE0283", f.Node.From.Span, "declare the field in a concept", "only a concept's individuals stand in relations, so only its fields can be views of one")
			}
		}
	}
	for _, s := range e.StructList {
		only(s.Symbol.Module, s.Fields)
	}
	for _, r := range e.RelList {
		only(r.Symbol.Module, r.Fields)
	}
}

func (e *Env) view(c *Concept, f *Field) {
	node := f.Node
	sym := e.World.Resolve(f.Module, *node.From, resolve.Kinds(resolve.RelationKind))
	if sym == nil {
		return
	}
	r := e.Rels[sym.Qualified]
	value := -1
	if r == nil || unknown(f.Stored()) || slices.ContainsFunc(r.Columns, func(col abi.Column) bool { return unknown(col.Type) }) {
		return
	}
	if end := node.FromEndpoint; end != nil {
		var names []string
		for i, col := range r.Columns {
			names = append(names, col.Name)
			if col.Name == end.Name {
				value = i
			}
		}
		if value < 0 {
			e.report(f.Module, "OE0283", end.Span, e.nearest(end.Name, names), "%s has no endpoint %s", r.Name, end.Name)
			return
		}
	}
	self, value, ways := e.endpoints(c, f.Stored(), r, value)
	switch {
	case ways == 0:
		e.report(f.Module, "OE0283", node.From.Span, "name a relation between "+c.Symbol.Name+" and "+Print(f.Stored()),
			"no two endpoints of %s are for %s and for %s", r.Name, c.Name, Print(f.Stored()))
		return
	case ways > 1:
		e.report(f.Module, "OE0283", node.From.Span, "name the endpoint that the values stand at: from "+node.From.String()+"."+r.Columns[value].Name,
			"%s can be gone along in more than one way from %s to %s", r.Name, c.Name, Print(f.Stored()))
		return
	}
	if !f.Each && !mostOne(r, value) {
		e.report(f.Module, "OE0283", node.Type.Range(), "declare it as ["+Print(f.Stored())+"], or give the relation a cardinality of at most one there",
			"%s shows one value, and %s allows several at %s", f.Name, r.Name, r.Columns[value].Name)
		return
	}
	*f.View = View{Relation: r, Self: self, Value: value}
	if t := f.Stored(); t.Op == abi.TypeConcept && !Same(t, r.Columns[value].Type) {
		if only := e.Concepts[t.Name]; only != nil && !e.under(r.Columns[value].Type, only) {
			f.View.Only = only
		}
	}
}

// endpoints finds the endpoints of r at which individuals of c and values of
// type t stand: value is the latter, or -1 for any. Of several ways those count
// that have the very types.
func (e *Env) endpoints(c *Concept, t abi.Type, r *Relation, value int) (self, to, ways int) {
	related := func(a, b abi.Type) bool {
		if a.Op != abi.TypeConcept || b.Op != abi.TypeConcept {
			return Same(a, b)
		}
		return e.under(a, e.Concepts[b.Name]) || e.under(b, e.Concepts[a.Name])
	}
	for _, fits := range []func(a, b abi.Type) bool{Same, related} {
		for i := range r.Columns {
			for j := range r.Columns {
				if i != j && (value < 0 || j == value) && fits(r.Columns[i].Type, c.Type()) && fits(r.Columns[j].Type, t) {
					self, to = i, j
					ways++
				}
			}
		}
		if ways > 0 {
			break
		}
	}
	return self, to, ways
}

// under reports whether t is a concept that is up or below it.
func (e *Env) under(t abi.Type, up *Concept) bool {
	c := e.Concepts[t.Name]
	return t.Op == abi.TypeConcept && c != nil && up != nil && c.Is(up)
}

// mostOne reports whether r's cardinality allows one value at endpoint i.
func mostOne(r *Relation, i int) bool {
	list := r.Node.Cardinalities
	return len(list) == len(r.Columns) && list[i].Max >= 0 && list[i].Max <= 1
}

// viewed reports a write of f, at n, if f is a view.
func (s *scope) viewed(f *Field, n syntax.Node) bool {
	if f.View == nil {
		return false
	}
	s.report("OE0284", n, "write the relation: insert "+f.Node.From.String()+"(…);", "%s is a view of %s, and nothing writes to a view", f.Name, f.Node.From.String())
	return true
}
