package abi

import "math"

// scope is what an expression may use.
type scope struct {
	slots int
	reads bool // relations
}

func (c *checker) slotIn(i int, s scope) {
	if i < 0 || i >= s.slots {
		c.fail("slot %d of %d", i, s.slots)
	}
}

func (c *checker) slotsIn(slots []int, s scope) {
	for _, i := range slots {
		c.slotIn(i, s)
	}
}

func (c *checker) arg(a Arg, s scope) {
	switch a.Op {
	case ArgWild:
	case ArgSlot:
		c.slotIn(a.Index, s)
	case ArgConst:
		c.constant(a.Index)
	default:
		c.fail("unknown argument %d", int(a.Op))
	}
}

// boundArg is an argument that stands for a value.
func (c *checker) boundArg(a Arg, s scope) {
	if a.Op == ArgWild {
		c.fail("a wild argument where a value is needed")
	}
	c.arg(a, s)
}

func (c *checker) deep(depth int) bool {
	if depth >= MaxDepth {
		c.fail("nested deeper than %d levels", MaxDepth)
	}
	return c.err != nil
}

func (c *checker) atoms(body []Atom, s scope, depth int) {
	for i := range body {
		c.atom(&body[i], s, depth)
	}
}

func (c *checker) atom(a *Atom, s scope, depth int) {
	if c.deep(depth) || !known(c, "atom", a.Op, atomOpCount-1) {
		return
	}
	c.span(&a.Span)
	if a.Neg && a.Op != AtomScan && a.Op != AtomExists {
		c.fail("atom %d is negated, which only scans and exists can be", int(a.Op))
	}
	if a.Possible && a.Op != AtomFold {
		c.fail("atom %d is over what may be, which only folds can be", int(a.Op))
	}
	operand := func(ok bool, what string) {
		if !ok {
			c.fail("atom %d has no %s", int(a.Op), what)
		}
	}
	switch a.Op {
	case AtomScan:
		c.arity(a.Rel, len(a.Args))
		for _, arg := range a.Args {
			c.arg(arg, s)
		}
	case AtomCmp:
		known(c, "comparison", a.Cmp, CmpGe)
		if len(a.Args) != 2 {
			c.fail("comparison of %d operands", len(a.Args))
		}
		for _, arg := range a.Args {
			c.boundArg(arg, s)
		}
	case AtomLet, AtomIn:
		c.slotIn(a.Slot, s)
		operand(a.Expr != nil, "expression")
	case AtomFilter:
		operand(a.Expr != nil, "expression")
	case AtomMatch:
		c.slotIn(a.Slot, s)
		operand(a.Pattern != nil, "pattern")
	case AtomIs:
		c.slotIn(a.Slot, s)
		operand(a.Type != nil, "type")
	case AtomFold:
		c.slotIn(a.Slot, s)
		c.slotsIn(a.Over, s)
		if known(c, "fold", a.Fold, FoldList) && a.Fold != FoldCount {
			operand(a.Expr != nil, "expression")
		}
	}
	if a.Expr != nil {
		c.expr(a.Expr, s, depth+1)
	}
	if a.Pattern != nil {
		c.pattern(a.Pattern, s, true, depth+1)
	}
	if a.Type != nil {
		c.typ(a.Type, depth+1)
	}
	if len(a.Body) > 0 && a.Op != AtomExists && a.Op != AtomFold {
		c.fail("atom %d has a body", int(a.Op))
	}
	c.atoms(a.Body, s, depth+1)
}

func (c *checker) pattern(p *Pattern, s scope, binds bool, depth int) {
	if c.deep(depth) {
		return
	}
	low, high := 0, 0
	switch p.Op {
	case PatWild, PatNone:
	case PatBind:
		if !binds {
			c.fail("an alternative of a pattern binds slot %d", p.Slot)
		}
		c.slotIn(p.Slot, s)
	case PatConst:
		c.constant(p.Const)
	case PatVariant, PatStruct:
		high = math.MaxInt
	case PatOr:
		low, high, binds = 1, math.MaxInt, false
	case PatSome:
		low, high = 1, 1
	default:
		c.fail("unknown pattern %d", int(p.Op))
	}
	if len(p.Items) < low || len(p.Items) > high {
		c.fail("pattern %d of %d items", int(p.Op), len(p.Items))
	}
	for i := range p.Items {
		c.pattern(&p.Items[i], s, binds, depth+1)
	}
}

func (c *checker) exprs(xs []Expr, s scope, depth int) {
	for i := range xs {
		c.expr(&xs[i], s, depth)
	}
}

func (c *checker) expr(x *Expr, s scope, depth int) {
	if c.deep(depth) || !known(c, "operator", x.Op, exprOpCount-1) {
		return
	}
	c.span(&x.Span)
	if n := len(x.Args); n < operands[x.Op].low || n > operands[x.Op].high {
		c.fail("operator %d of %d operands", int(x.Op), n)
	}
	if len(x.Arms) > 0 && x.Op != ExprMatch || x.Sub != nil && x.Op != ExprSub_ {
		c.fail("operator %d has arms or a subquery", int(x.Op))
	}
	known(c, "fold", x.Fold, FoldList)
	switch x.Op {
	case ExprConst:
		c.constant(x.Index)
	case ExprSlot, ExprLet, ExprFor:
		c.slotIn(x.Index, s)
	case ExprFold:
		if len(x.Args) > 1 {
			c.slotIn(x.Index, s)
		}
	case ExprField, ExprWith:
		if x.Index < 0 || x.Index > math.MaxInt32 {
			c.fail("item %d of a struct", x.Index)
		}
	case ExprCall:
		if f := c.functionAt(x.Index); f != nil {
			if len(x.Args) != len(f.Params) {
				c.fail("%d operands for %s, which has %d parameters", len(x.Args), f.Name, len(f.Params))
			} else if !s.reads && c.readsRelations(x.Index) {
				c.fail("calls %s, which reads relations: nothing may do that here", f.Name)
			}
		}
	case ExprBuiltin:
		c.builtin(x)
	case ExprMatch:
		if len(x.Arms) == 0 {
			c.fail("match without arms")
		}
		for i := range x.Arms {
			arm := &x.Arms[i]
			c.pattern(&arm.Pattern, s, true, depth+1)
			if arm.Guard != nil {
				c.expr(arm.Guard, s, depth+1)
			}
			c.expr(&arm.Body, s, depth+1)
		}
	case ExprIsType:
		if x.Type == nil {
			c.fail("a type test without a type")
		}
	case ExprRead, ExprReadAll:
		c.arity(x.Index, len(x.Args)+1)
	case ExprHolds:
		c.arity(x.Index, len(x.Args))
	case ExprSub_:
		if x.Sub == nil {
			c.fail("a subquery without a body")
		} else {
			c.sub(x.Sub, s, depth+1)
		}
	}
	if !s.reads && (x.Op == ExprRead || x.Op == ExprReadAll || x.Op == ExprHolds || x.Op == ExprSub_) {
		c.fail("an expression reads relations: nothing may do that here")
	}
	if x.Type != nil {
		c.typ(x.Type, depth+1)
	}
	c.exprs(x.Args, s, depth+1)
}

func (c *checker) sub(b *Sub, s scope, depth int) {
	if c.deep(depth) || !known(c, "subquery", b.Op, SubFold) || !known(c, "fold", b.Fold, FoldList) {
		return
	}
	counts := b.Op == SubExists || b.Op == SubCount || b.Op == SubFold && b.Fold == FoldCount
	if b.Out == nil && !counts {
		c.fail("subquery %d without a result", int(b.Op))
	}
	c.slotsIn(b.Over, s)
	c.atoms(b.Body, s, depth+1)
	if b.Out != nil {
		c.expr(b.Out, s, depth+1)
	}
}

func (c *checker) stmts(body []Stmt, s scope, depth int) {
	for i := range body {
		c.stmt(&body[i], s, depth)
	}
}

func (c *checker) stmt(t *Stmt, s scope, depth int) {
	if c.deep(depth) || !known(c, "statement", t.Op, stmtOpCount-1) {
		return
	}
	c.span(&t.Span)
	low, high := 1, 1
	switch t.Op {
	case StmtLet, StmtFor:
		c.slotIn(t.Slot, s)
	case StmtNew:
		low, high = 0, 0
		c.slotIn(t.Slot, s)
		for _, r := range t.Rels {
			c.writable(r, 1)
		}
		for i := range t.Fields {
			c.writable(t.Fields[i].Relation, 2)
			c.expr(&t.Fields[i].Value, s, depth+1)
		}
	case StmtAssert:
		low, high = 0, math.MaxInt
		c.writable(t.Rel, len(t.Exprs))
	case StmtRetract:
		low, high = 0, math.MaxInt
		c.writable(t.Rel, len(t.Exprs))
		if len(t.Wild) > len(t.Exprs) {
			c.fail("%d marks for %d operands", len(t.Wild), len(t.Exprs))
		}
	case StmtSet:
		low, high = 2, math.MaxInt
		known(c, "assignment", t.Assign, AssignDefault)
		c.writable(t.Rel, len(t.Exprs))
	case StmtCall:
		low, high = 0, math.MaxInt
		if t.Slot != -1 {
			c.slotIn(t.Slot, s)
		}
		if m := c.mutationAt(t.Index); m != nil && len(m.Params) != len(t.Exprs) {
			c.fail("%d operands for %s, which has %d parameters", len(t.Exprs), m.Name, len(m.Params))
		}
	case StmtReturn:
		low = 0
	}
	if len(t.Exprs) < low || len(t.Exprs) > high {
		c.fail("statement %d of %d operands", int(t.Op), len(t.Exprs))
	}
	for i := range t.Exprs {
		// What a wild operand would be is of no account.
		if t.Op != StmtRetract || i >= len(t.Wild) || !t.Wild[i] {
			c.expr(&t.Exprs[i], s, depth+1)
		}
	}
	if t.At != nil {
		c.expr(t.At, s, depth+1)
	}
	if len(t.Body) > 0 && t.Op != StmtFor && t.Op != StmtIf || len(t.Else) > 0 && t.Op != StmtIf {
		c.fail("statement %d has a body", int(t.Op))
	}
	c.stmts(t.Body, s, depth+1)
	c.stmts(t.Else, s, depth+1)
}
