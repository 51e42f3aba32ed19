package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// withFields is the statement that takes tuples away, with those that take the
// values of their own fields away: a field belongs to its tuple, and a tuple
// that is said again later begins without them.
func (s *scope) withFields(out abi.Stmt, fields []*Field, columns []abi.Column, n syntax.Node) []abi.Stmt {
	if len(fields) == 0 {
		return []abi.Stmt{out}
	}
	list := append(s.once(&out, columns, n), out)
	for _, f := range fields {
		clear := s.clear(f, out.Exprs, out.At, n)
		copy(clear.Wild, out.Wild)
		list = append(list, clear)
	}
	return list
}

// once gives each computed operand of out a slot: what out writes may be what
// the operand reads, and the statements beside out are about the same tuple.
func (s *scope) once(out *abi.Stmt, columns []abi.Column, n syntax.Node) []abi.Stmt {
	var list []abi.Stmt
	for i := range out.Exprs {
		if op := out.Exprs[i].Op; op == abi.ExprSlot || op == abi.ExprConst {
			continue
		}
		slot := s.slot("", columns[i].Type)
		list = append(list, abi.Stmt{Op: abi.StmtLet, Slot: slot, Exprs: []abi.Expr{out.Exprs[i]}, Span: out.Span})
		out.Exprs[i] = s.slotExpr(slot, n)
	}
	return list
}
