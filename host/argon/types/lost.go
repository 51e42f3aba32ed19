package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
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

// lostSlot reports whether x reads a slot whose type is lost.
func (s *scope) lostSlot(x abi.Expr) bool {
	return x.Op == abi.ExprSlot && s.frame.lost[x.Index]
}
