package abi

// AppendCBOR appends the program's encoding to dst.
func (p *Program) AppendCBOR(dst []byte) []byte { return encode(dst, p, (*coder).program) }

// DecodeCBOR reads a program that is the whole of b. Indexes are not checked:
// see Validate.
func (p *Program) DecodeCBOR(b []byte) error { return decode(b, p, "Program", (*coder).program) }

func (c *coder) program(p *Program) {
	c.keep()
	c.fields(13)
	c.string(&p.ABI)
	c.string(&p.Module)
	list(c, &p.Files, (*coder).string)
	longList(c, &p.Types, (*coder).typeDef)
	longList(c, &p.Relations, (*coder).relation)
	list(c, &p.Constants, (*coder).value)
	longList(c, &p.Rules, (*coder).rule)
	longList(c, &p.Components, (*coder).component)
	longList(c, &p.Functions, (*coder).function)
	longList(c, &p.Mutations, (*coder).mutation)
	longList(c, &p.Queries, (*coder).query)
	longList(c, &p.Checks, (*coder).check)
	longList(c, &p.Tests, (*coder).test)
}

func (c *coder) extension(p *Extension) {
	c.fields(7)
	list(c, &p.Constants, (*coder).value)
	list(c, &p.Relations, (*coder).relation)
	list(c, &p.Rules, (*coder).rule)
	list(c, &p.Components, (*coder).component)
	list(c, &p.Functions, (*coder).function)
	list(c, &p.Queries, (*coder).query)
	list(c, &p.Mutations, (*coder).mutation)
}

func (c *coder) span(p *Span) {
	if c.usualSpan(p) {
		return
	}
	c.fields(3)
	c.int(&p.File)
	c.int(&p.Start)
	c.int(&p.End)
}

func (c *coder) typ(p *Type) {
	if c.plainType(p) {
		return
	}
	if !c.enter() {
		return
	}
	c.fields(3)
	enum(c, &p.Op, typeOpCount-1)
	c.string(&p.Name)
	slab(c, &p.Args, &c.cuts.types, (*coder).typ)
	c.leave()
}

func (c *coder) typeDef(p *TypeDef) {
	c.fields(8)
	c.string(&p.Name)
	enum(c, &p.Op, typeOpCount-1)
	slab(c, &p.Supers, &c.cuts.ints, (*coder).int)
	list(c, &p.Fields, (*coder).fieldDef)
	list(c, &p.Variants, (*coder).variantDef)
	c.bool(&p.Abstract)
	c.int(&p.Extent)
	c.span(&p.Span)
}

func (c *coder) fieldDef(p *FieldDef) {
	c.fields(6)
	c.string(&p.Name)
	c.typ(&p.Type)
	c.bool(&p.Mut)
	c.bool(&p.Required)
	c.int(&p.Relation)
	cutOptional(c, &p.Default, &c.cuts.exprs, (*coder).expr)
}

func (c *coder) variantDef(p *VariantDef) {
	c.fields(3)
	c.string(&p.Name)
	list(c, &p.Fields, (*coder).fieldDef)
	c.bool(&p.Named)
}

func (c *coder) relation(p *Relation) {
	c.fields(10)
	c.string(&p.Name)
	enum(c, &p.Role, Derived)
	enum(c, &p.Origin, OriginAux)
	slab(c, &p.Columns, &c.cuts.columns, (*coder).column)
	slab(c, &p.Key, &c.cuts.ints, (*coder).int)
	if c.usual(usualOfRelation) {
		p.Asserted, p.Refuted = -1, -1
	} else {
		c.bool(&p.Open)
		c.int(&p.Asserted)
		c.int(&p.Refuted)
		c.bool(&p.Mut)
	}
	c.span(&p.Span)
}

func (c *coder) column(p *Column) {
	c.fields(2)
	c.string(&p.Name)
	c.typ(&p.Type)
}

func (c *coder) slot(p *Slot) {
	c.fields(2)
	c.string(&p.Name)
	c.typ(&p.Type)
}

func (c *coder) param(p *Param) {
	c.fields(2)
	c.string(&p.Name)
	c.typ(&p.Type)
}

func (c *coder) rule(p *Rule) {
	c.fields(7)
	c.string(&p.Name)
	c.string(&p.Label)
	c.int(&p.Head)
	slab(c, &p.Args, &c.cuts.args, (*coder).arg)
	slab(c, &p.Slots, &c.cuts.slots, (*coder).slot)
	slab(c, &p.Body, &c.cuts.atoms, (*coder).atom)
	c.span(&p.Span)
}

func (c *coder) component(p *Component) {
	more := c.fieldsAndMore(5, len(p.Costs) > 0)
	slab(c, &p.Relations, &c.cuts.ints, (*coder).int)
	slab(c, &p.Rules, &c.cuts.ints, (*coder).int)
	c.bool(&p.Recursive)
	c.int(&p.Stratum)
	c.bool(&p.WellFounded)
	if more {
		list(c, &p.Costs, (*coder).cost)
		c.given(len(p.Costs) > 0)
	}
}

func (c *coder) cost(p *Cost) {
	c.fields(3)
	c.int(&p.Relation)
	c.int(&p.Column)
	c.bool(&p.Most)
}

func (c *coder) function(p *Function) {
	c.fields(7)
	c.string(&p.Name)
	slab(c, &p.Params, &c.cuts.params, (*coder).param)
	slab(c, &p.Slots, &c.cuts.slots, (*coder).slot)
	c.typ(&p.Result)
	c.expr(&p.Body)
	c.bool(&p.Public)
	c.span(&p.Span)
}

func (c *coder) query(p *Query) {
	c.fields(10)
	c.string(&p.Name)
	slab(c, &p.Params, &c.cuts.params, (*coder).param)
	slab(c, &p.Slots, &c.cuts.slots, (*coder).slot)
	slab(c, &p.Body, &c.cuts.atoms, (*coder).atom)
	slab(c, &p.Out, &c.cuts.args, (*coder).arg)
	slab(c, &p.Columns, &c.cuts.columns, (*coder).column)
	optional(c, &p.AsOf, (*coder).asOf)
	c.int(&p.Truth)
	c.bool(&p.Public)
	c.span(&p.Span)
}

func (c *coder) asOf(p *AsOf) {
	c.fields(3)
	c.int64(&p.TT)
	optionalValue(c, &p.VT)
	c.bool(&p.ByVT)
}

func (c *coder) check(p *Check) {
	c.fields(10)
	c.string(&p.Name)
	c.int(&p.Relation)
	c.int(&p.Keys)
	c.int(&p.Rule)
	enum(c, &p.Severity, SeverityHint)
	c.string(&p.Code)
	c.payload(&p.Payload)
	c.bool(&p.Guard)
	c.string(&p.Evaluator)
	c.span(&p.Span)
}

func (c *coder) payload(p *Payload) {
	c.fields(3)
	c.expr(&p.Severity)
	c.expr(&p.Code)
	c.expr(&p.Message)
}

func (c *coder) test(p *Test) {
	c.fields(4)
	c.string(&p.Name)
	slab(c, &p.Slots, &c.cuts.slots, (*coder).slot)
	list(c, &p.Steps, (*coder).testStep)
	c.span(&p.Span)
}

func (c *coder) testStep(p *TestStep) {
	c.fields(9)
	enum(c, &p.Op, TestRejects)
	c.int(&p.Mutation)
	cutOptional(c, &p.Expr, &c.cuts.exprs, (*coder).expr)
	c.int(&p.Rel)
	slab(c, &p.Exprs, &c.cuts.exprs, (*coder).expr)
	c.bool(&p.Neg)
	c.string(&p.Code)
	c.string(&p.Text)
	c.span(&p.Span)
}
