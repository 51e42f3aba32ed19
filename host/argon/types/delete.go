package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

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
