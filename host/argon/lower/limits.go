package lower

import "github.com/ox-mcp/ox-mcp/abi"

// maxSlots is how many slots the contract has room for in one body.
const maxSlots = 1 << 16

// tooLarge reports the items of p with more slots, or nested deeper, than the
// contract has room for.
func (b *builder) tooLarge(p *abi.Program) {
	told := map[abi.Span]bool{}
	item := func(name string, span abi.Span, slots int, deep bool) {
		if told[span] || slots <= maxSlots && !deep {
			return // of one item there may be several rules
		}
		told[span] = true
		if slots > maxSlots {
			b.report("OE1366", span, "take a part of it into a fn or a derive of its own", "%s has %d variables, more than the %d that one body may have", short(name), slots, maxSlots)
			return
		}
		b.report("OE1366", span, "take a part of it into a fn or a derive of its own, or put a long chain of operands into groups: (a + b) + (c + d)",
			"%s nests deeper than %d levels: each operand of a chain of operators is a level, and so is each let of a fn", short(name), abi.MaxDepth)
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		item(f.Name, f.Span, len(f.Slots), deepExpr(&f.Body, 0))
	}
	for i := range p.Mutations {
		m := &p.Mutations[i]
		item(m.Name, m.Span, len(m.Slots), deepStmts(m.Body, 0))
	}
	for i := range p.Queries {
		q := &p.Queries[i]
		item(q.Name, q.Span, len(q.Slots), deepAtoms(q.Body, 0))
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		item(r.Name, r.Span, len(r.Slots), deepAtoms(r.Body, 0))
	}
	for i := range p.Checks {
		c := &p.Checks[i]
		item(c.Name, c.Span, 0, deepExpr(&c.Payload.Severity, 0) || deepExpr(&c.Payload.Code, 0) || deepExpr(&c.Payload.Message, 0))
	}
	for i := range p.Tests {
		t := &p.Tests[i]
		deep := false
		for j := range t.Steps {
			s := &t.Steps[j]
			deep = deep || deepExprs(s.Exprs, 0) || s.Expr != nil && deepExpr(s.Expr, 0)
		}
		item(t.Name, t.Span, len(t.Slots), deep)
	}
}

// deepExpr reports whether something in an expression at a depth is as deep as
// nothing may be.
func deepExpr(x *abi.Expr, depth int) bool {
	if depth >= abi.MaxDepth {
		return true
	}
	for i := range x.Arms {
		arm := &x.Arms[i]
		if deepExpr(&arm.Body, depth+1) || arm.Guard != nil && deepExpr(arm.Guard, depth+1) {
			return true
		}
	}
	if x.Sub != nil && (deepAtoms(x.Sub.Body, depth+2) || x.Sub.Out != nil && deepExpr(x.Sub.Out, depth+2)) {
		return true
	}
	return deepExprs(x.Args, depth+1)
}

func deepExprs(list []abi.Expr, depth int) bool {
	for i := range list {
		if deepExpr(&list[i], depth) {
			return true
		}
	}
	return false
}

func deepAtoms(body []abi.Atom, depth int) bool {
	for i := range body {
		a := &body[i]
		if depth >= abi.MaxDepth || a.Expr != nil && deepExpr(a.Expr, depth+1) || deepAtoms(a.Body, depth+1) {
			return true
		}
	}
	return false
}

func deepStmts(body []abi.Stmt, depth int) bool {
	for i := range body {
		t := &body[i]
		if depth >= abi.MaxDepth || deepExprs(t.Exprs, depth+1) || t.At != nil && deepExpr(t.At, depth+1) || deepStmts(t.Body, depth+1) || deepStmts(t.Else, depth+1) {
			return true
		}
		for j := range t.Fields {
			if deepExpr(&t.Fields[j].Value, depth+1) {
				return true
			}
		}
	}
	return false
}
