package abi

// The recursive parts of a program. Each counts one level of nesting, and a
// level costs two calls, so that MaxDepth levels fit the call depth that a
// sandboxed guest is given.

func (c *coder) arg(p *Arg) {
	c.fields(2)
	enum(c, &p.Op, ArgConst)
	c.int(&p.Index)
}

func (c *coder) atom(p *Atom) {
	if !c.enter() {
		return
	}
	c.fields(13)
	enum(c, &p.Op, atomOpCount-1)
	c.int(&p.Rel)
	list(c, &p.Args, (*coder).arg)
	c.bool(&p.Neg)
	enum(c, &p.Cmp, CmpGe)
	c.int(&p.Slot)
	optional(c, &p.Expr, (*coder).expr)
	optional(c, &p.Pattern, (*coder).pattern)
	optional(c, &p.Type, (*coder).typ)
	enum(c, &p.Fold, FoldAvg)
	list(c, &p.Over, (*coder).int)
	list(c, &p.Body, (*coder).atom)
	c.span(&p.Span)
	c.leave()
}

func (c *coder) pattern(p *Pattern) {
	if !c.enter() {
		return
	}
	c.fields(5)
	enum(c, &p.Op, PatSome)
	c.int(&p.Slot)
	c.int(&p.Const)
	c.string(&p.Name)
	list(c, &p.Items, (*coder).pattern)
	c.leave()
}

func (c *coder) expr(p *Expr) {
	if !c.enter() {
		return
	}
	c.fields(9)
	enum(c, &p.Op, exprOpCount-1)
	c.int(&p.Index)
	c.string(&p.Name)
	list(c, &p.Args, (*coder).expr)
	list(c, &p.Arms, (*coder).arm)
	enum(c, &p.Fold, FoldAvg)
	optional(c, &p.Type, (*coder).typ)
	optional(c, &p.Sub, (*coder).sub)
	c.span(&p.Span)
	c.leave()
}

func (c *coder) arm(p *Arm) {
	if !c.enter() {
		return
	}
	c.fields(3)
	c.pattern(&p.Pattern)
	optional(c, &p.Guard, (*coder).expr)
	c.expr(&p.Body)
	c.leave()
}

func (c *coder) sub(p *Sub) {
	if !c.enter() {
		return
	}
	c.fields(5)
	enum(c, &p.Op, SubFold)
	enum(c, &p.Fold, FoldAvg)
	list(c, &p.Body, (*coder).atom)
	list(c, &p.Over, (*coder).int)
	optional(c, &p.Out, (*coder).expr)
	c.leave()
}

func (c *coder) fieldInit(p *FieldInit) {
	c.fields(3)
	c.int(&p.Relation)
	c.expr(&p.Value)
	c.bool(&p.Each)
}

func (c *coder) stmt(p *Stmt) {
	if !c.enter() {
		return
	}
	c.fields(15)
	enum(c, &p.Op, stmtOpCount-1)
	c.int(&p.Slot)
	c.int(&p.Index)
	c.int(&p.Rel)
	list(c, &p.Rels, (*coder).int)
	c.string(&p.Type)
	enum(c, &p.Assign, AssignSub)
	list(c, &p.Exprs, (*coder).expr)
	list(c, &p.Wild, (*coder).bool)
	list(c, &p.Fields, (*coder).fieldInit)
	optional(c, &p.At, (*coder).expr)
	list(c, &p.Body, (*coder).stmt)
	list(c, &p.Else, (*coder).stmt)
	c.string(&p.Text)
	c.span(&p.Span)
	c.leave()
}

func (c *coder) mutation(p *Mutation) {
	c.fields(7)
	c.string(&p.Name)
	list(c, &p.Params, (*coder).param)
	list(c, &p.Slots, (*coder).slot)
	optional(c, &p.Result, (*coder).typ)
	list(c, &p.Body, (*coder).stmt)
	c.bool(&p.Public)
	c.span(&p.Span)
}
