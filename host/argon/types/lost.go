package types

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// lose takes note that the type t of slot is open because what is written for
// it does not resolve. That is reported there: what the missing type would have
// said is no second mistake.
func (s *scope) lose(slot int, t abi.Type, written syntax.Type) {
	if unknown(t) && written != nil && !writesTop(written) {
		s.frame.lost[slot] = true
	}
}

// loseParams does so for the parameters of a declaration, which have the first
// slots of s.
func (s *scope) loseParams(params []abi.Param, nodes []*syntax.Param) {
	for i, p := range params {
		if i < len(nodes) {
			s.lose(i, p.Type, nodes[i].Type)
		}
	}
}

// writesTop reports whether a type expression is the type of everything itself.
func writesTop(t syntax.Type) bool {
	n, ok := t.(*syntax.NamedType)
	return ok && len(n.Path.Parts) == 1 && (n.Path.Parts[0].Name == "Top" || n.Path.Parts[0].Name == "Entity")
}

// columnLost reports whether the type of an endpoint of the relation sym does
// not resolve.
func (s *scope) columnLost(sym *resolve.Symbol, column int) bool {
	for _, it := range sym.Items {
		r, ok := it.(*syntax.Relation)
		if !ok || column >= len(r.Params) || r.Params[column].Type == nil {
			continue
		}
		mark := len(s.e.diags.Items)
		t := s.e.resolveType(sym.Module, r.Params[column].Type)
		s.e.diags.Items = s.e.diags.Items[:mark] // the declaration itself reports
		if unknown(t) && !writesTop(r.Params[column].Type) {
			return true
		}
	}
	return false
}

// partial reports whether the parser complained about the declaration of that
// qualified name: it may have fields that were not read.
func (e *Env) partial(name string) bool {
	var sym *resolve.Symbol
	switch {
	case e.Structs[name] != nil:
		sym = e.Structs[name].Symbol
	case e.Concepts[name] != nil:
		sym = e.Concepts[name].Symbol
	case e.Rels[name] != nil:
		sym = e.Rels[name].Symbol
	}
	if sym == nil {
		return false
	}
	for _, it := range sym.Items {
		if e.misread(sym.Module, it) {
			return true
		}
	}
	return false
}

// loseValue does so for a slot whose value v did not type since mark, or is
// that of such a slot.
func (s *scope) loseValue(slot int, v abi.Expr, t abi.Type, mark int) {
	if unknown(t) && (s.e.errors() > mark || s.lostSlot(v)) {
		s.frame.lost[slot] = true
	}
}

// superless reports whether a concept, or one above it, names a supertype that
// does not resolve: what it inherits is not known then.
func superless(c *Concept) bool {
	return slices.ContainsFunc(c.ancestors(), func(up *Concept) bool { return len(up.Supers) < len(up.Node.Supers) })
}

// lostSlot reports whether x reads a slot whose type is lost.
func (s *scope) lostSlot(x abi.Expr) bool {
	return x.Op == abi.ExprSlot && s.frame.lost[x.Index]
}
