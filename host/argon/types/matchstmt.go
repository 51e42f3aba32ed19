package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// matchStmt types a match that stands as a statement: its arms hold statements,
// and it gives nothing. Each arm is an `if` whether its pattern fits, with what
// the pattern binds as the first statements of its body.
func (s *scope) matchStmt(x *syntax.Match) []abi.Stmt {
	v, t := s.value(x.X, Top)
	of := s.slot("", t)
	out := []abi.Stmt{{Op: abi.StmtLet, Slot: of, Exprs: []abi.Expr{v}, Span: s.span(x.X)}}
	at := &out // where the next arm goes
	misread := false
	var arms []abi.Arm
	for _, a := range x.Arms {
		in := s.inner()
		mark := s.e.errors()
		arm := abi.Arm{Pattern: in.pattern(a.Pattern, t, in.declare), Body: s.constant(abi.BoolValue(true), a.Pattern)}
		misread = misread || s.e.errors() > mark
		if a.Guard != nil {
			g, _ := in.maybe().expr(a.Guard, Bool)
			arm.Guard = &g
		}
		no := abi.Arm{Body: s.constant(abi.BoolValue(false), a.Pattern)}
		span := s.span(a)
		fits := abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{s.slotExpr(of, x.X)}, Arms: []abi.Arm{arm, no}, Span: span}
		var body []abi.Stmt
		for _, slot := range bindings(arm.Pattern) {
			own := s.slot("", s.typeOf(slot))
			only := binding(arm.Pattern, func(i int) (int, bool) { return own, i == slot })
			part := abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{s.slotExpr(of, x.X)}, Span: span, Arms: []abi.Arm{{Pattern: only, Body: s.slotExpr(own, a.Pattern)}}}
			body = append(body, abi.Stmt{Op: abi.StmtLet, Slot: slot, Exprs: []abi.Expr{part}, Span: span})
		}
		body = append(body, in.stmts(statementsOf(a.Body))...)
		*at = append(*at, abi.Stmt{Op: abi.StmtIf, Exprs: []abi.Expr{s.apart(fits)}, Body: body, Span: span})
		at = &(*at)[len(*at)-1].Else
		arms = append(arms, arm)
	}
	if !misread {
		s.covers(x, t, arms)
	}
	return out
}

// apart is x with slots of its own for what its first pattern binds: the body
// binds the pattern's to what it finds.
func (s *scope) apart(x abi.Expr) abi.Expr {
	arm := x.Arms[0]
	for _, slot := range bindings(arm.Pattern) {
		own := s.slot("", s.typeOf(slot))
		arm.Pattern = binding(arm.Pattern, func(i int) (int, bool) {
			if i == slot {
				i = own
			}
			return i, true
		})
		if arm.Guard != nil {
			g := abi.Expr{Op: abi.ExprLet, Index: slot, Args: []abi.Expr{{Op: abi.ExprSlot, Index: own, Span: x.Span}, *arm.Guard}, Span: x.Span}
			arm.Guard = &g
		}
	}
	x.Arms[0] = arm
	return x
}

// bindings returns the slots that a pattern binds.
func bindings(p abi.Pattern) []int {
	if p.Op == abi.PatBind {
		return []int{p.Slot}
	}
	var out []int
	for _, item := range p.Items {
		out = append(out, bindings(item)...)
	}
	return out
}

// binding is p with other slots in the place of those that it binds, or none.
func binding(p abi.Pattern, to func(slot int) (int, bool)) abi.Pattern {
	if p.Op == abi.PatBind {
		slot, binds := to(p.Slot)
		if !binds {
			return abi.Pattern{}
		}
		p.Slot = slot
	}
	items := make([]abi.Pattern, len(p.Items))
	for i, item := range p.Items {
		items[i] = binding(item, to)
	}
	p.Items = items
	return p
}

// statementsOf is what stands in an arm, as statements.
func statementsOf(x syntax.Expr) []syntax.Stmt {
	switch x := x.(type) {
	case nil:
		return nil
	case *syntax.Block:
		return append(x.Stmts[:len(x.Stmts):len(x.Stmts)], statementsOf(x.Value)...)
	case *syntax.If:
		return []syntax.Stmt{&syntax.IfStmt{Span: x.Span, Cond: x.Cond, Then: statementsOf(x.Then), Else: statementsOf(x.Else)}}
	}
	return []syntax.Stmt{&syntax.ExprStmt{Span: x.Range(), X: x}}
}
