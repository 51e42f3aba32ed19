package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// What a fixed metatype introduces has its members for good, also where the
// write is about a concept below it that is not fixed: only a member can come
// into that one, and who leaves it stays a member.

// fixedAbove are the nearest fixed concepts above c.
func fixedAbove(c *Concept) []*Concept {
	var list []*Concept
	for _, up := range c.ancestors()[1:] {
		known := !up.Fixed || up.Plus < 0
		for _, f := range list {
			known = known || f.Is(up)
		}
		if !known {
			list = append(list, up)
		}
	}
	return list
}

// entering is what goes before the statement that makes self a member of c.
func (s *scope) entering(c *Concept, self abi.Expr, n *syntax.TupleStmt) []abi.Stmt {
	var list []abi.Stmt
	for _, f := range fixedAbove(c) {
		list = append(list, abi.Stmt{
			Op: abi.StmtRequire, Exprs: []abi.Expr{s.within(f.Rel, self, n)}, Span: s.span(n),
			Text: f.Symbol.Name + "(" + s.text(n.Args[0]) + ")",
		})
	}
	return list
}

// leaving is what goes before the statement that takes self out of c.
func (s *scope) leaving(c *Concept, self, at *abi.Expr, n syntax.Node) []abi.Stmt {
	var list []abi.Stmt
	for _, f := range fixedAbove(c) {
		not := abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{s.within(f.Plus, *self, n)}, Span: s.span(n)}
		only := abi.Expr{Op: abi.ExprAnd, Args: []abi.Expr{s.within(f.Rel, *self, n), not}, Span: s.span(n)}
		list = append(list, abi.Stmt{
			Op: abi.StmtIf, Exprs: []abi.Expr{only}, Span: s.span(n),
			Body: []abi.Stmt{{Op: abi.StmtAssert, Rel: f.Plus, Exprs: []abi.Expr{*self}, At: at, Span: s.span(n)}},
		})
	}
	return list
}

// within is whether self is in a relation of one column.
func (s *scope) within(rel int, self abi.Expr, n syntax.Node) abi.Expr {
	slot := s.slot("", Top)
	body := []abi.Atom{
		{Op: abi.AtomLet, Slot: slot, Expr: &self, Span: s.span(n)},
		{Op: abi.AtomScan, Rel: rel, Args: []abi.Arg{{Op: abi.ArgSlot, Index: slot}}, Span: s.span(n)},
	}
	return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: body}, Span: s.span(n)}
}
