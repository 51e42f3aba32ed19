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

// columnLost reports whether the type of an endpoint of the relation sym, or of
// a place of the predicate, does not resolve.
func (s *scope) columnLost(sym *resolve.Symbol, column int) bool {
	for _, it := range sym.Items {
		var params []*syntax.Param
		switch it := it.(type) {
		case *syntax.Relation:
			params = it.Params
		case *syntax.Derive:
			params = it.Params
		}
		if column >= len(params) || params[column].Type == nil {
			continue
		}
		mark := len(s.e.diags.Items)
		t := s.e.resolveType(sym.Module, params[column].Type)
		s.e.diags.Items = s.e.diags.Items[:mark] // the declaration itself reports
		if unknown(t) && !writesTop(params[column].Type) {
			return true
		}
	}
	return false
}

// partial reports whether the parser complained about the declaration of that
// qualified name, or it inherits from what is not known: it may have fields
// that were not read.
func (e *Env) partial(name string) bool {
	if c := e.Concepts[name]; c != nil && superless(c) {
		return true
	}
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

// noSource reports the source x of what goes over items where it is a name that
// means nothing and stands nowhere else, so that nothing can bind it. It reports
// whether it did. alone says that no atoms go with it.
func (s *scope) noSource(x syntax.Expr, v abi.Expr, t abi.Type, alone bool) bool {
	n, ok := x.(*syntax.Name)
	if !ok || !unknown(t) || v.Op != abi.ExprSlot || len(n.Path.Parts) != 1 {
		return false
	}
	name := n.Path.Parts[0].Name
	at, free := s.frame.free[v.Index]
	if _, outside := s.frame.mentions[name]; !outside && alone {
		at, free = n.Span, true // nothing around mentions it either
	}
	if !free || at != n.Span || s.frame.mentions[name] == severalPlaces {
		return false
	}
	delete(s.frame.free, v.Index)
	s.frame.lost[v.Index] = true
	s.report("OE0101", x, s.e.nearest(name, s.e.World.Names(s.m, nil, extentKinds)), "there is no %s %s, and nothing binds it", name, s.m.Where())
	return true
}
