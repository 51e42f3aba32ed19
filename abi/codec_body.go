package abi

// The recursive parts of a program. Each counts one level of nesting, and a
// level costs two calls, so that MaxDepth levels fit the call depth that a
// sandboxed guest is given.

func (c *coder) arg(p *Arg) {
	if c.usualArg(p) {
		return
	}
	c.fields(2)
	enum(c, &p.Op, ArgConst)
	c.int(&p.Index)
}

func (c *coder) atom(p *Atom) {
	if !c.enter() {
		return
	}
	more := c.fieldsAndMore(13, p.Possible)
	enum(c, &p.Op, atomOpCount-1)
	c.int(&p.Rel)
	slab(c, &p.Args, &c.cuts.args, (*coder).arg)
	c.bool(&p.Neg)
	if !c.usual(usualOfScan) {
		enum(c, &p.Cmp, CmpGe)
		c.int(&p.Slot)
		cutOptional(c, &p.Expr, &c.cuts.exprs, (*coder).expr)
		cutOptional(c, &p.Pattern, &c.cuts.patterns, (*coder).pattern)
		cutOptional(c, &p.Type, &c.cuts.types, (*coder).typ)
		enum(c, &p.Fold, FoldList)
		slab(c, &p.Over, &c.cuts.ints, (*coder).int)
		slab(c, &p.Body, &c.cuts.atoms, (*coder).atom)
	}
	c.span(&p.Span)
	if more {
		c.bool(&p.Possible)
		c.given(p.Possible)
	}
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
	slab(c, &p.Items, &c.cuts.patterns, (*coder).pattern)
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
	slab(c, &p.Args, &c.cuts.exprs, (*coder).expr)
	if !c.usual(usualOfExpr) {
		list(c, &p.Arms, (*coder).arm)
		enum(c, &p.Fold, FoldList)
		cutOptional(c, &p.Type, &c.cuts.types, (*coder).typ)
		optional(c, &p.Sub, (*coder).sub)
	}
	c.span(&p.Span)
	c.leave()
}

func (c *coder) arm(p *Arm) {
	if !c.enter() {
		return
	}
	c.fields(3)
	c.pattern(&p.Pattern)
	cutOptional(c, &p.Guard, &c.cuts.exprs, (*coder).expr)
	c.expr(&p.Body)
	c.leave()
}

func (c *coder) sub(p *Sub) {
	if !c.enter() {
		return
	}
	c.fields(5)
	enum(c, &p.Op, SubFold)
	enum(c, &p.Fold, FoldList)
	slab(c, &p.Body, &c.cuts.atoms, (*coder).atom)
	slab(c, &p.Over, &c.cuts.ints, (*coder).int)
	cutOptional(c, &p.Out, &c.cuts.exprs, (*coder).expr)
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
	slab(c, &p.Rels, &c.cuts.ints, (*coder).int)
	c.string(&p.Type)
	enum(c, &p.Assign, AssignDefault)
	slab(c, &p.Exprs, &c.cuts.exprs, (*coder).expr)
	list(c, &p.Wild, (*coder).bool)
	list(c, &p.Fields, (*coder).fieldInit)
	cutOptional(c, &p.At, &c.cuts.exprs, (*coder).expr)
	list(c, &p.Body, (*coder).stmt)
	list(c, &p.Else, (*coder).stmt)
	c.string(&p.Text)
	c.span(&p.Span)
	c.leave()
}

func (c *coder) mutation(p *Mutation) {
	c.fields(7)
	c.string(&p.Name)
	slab(c, &p.Params, &c.cuts.params, (*coder).param)
	slab(c, &p.Slots, &c.cuts.slots, (*coder).slot)
	cutOptional(c, &p.Result, &c.cuts.types, (*coder).typ)
	list(c, &p.Body, (*coder).stmt)
	c.bool(&p.Public)
	c.span(&p.Span)
}
