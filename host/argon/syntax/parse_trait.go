package syntax

// trait reads `trait Name <: Super, … { members }`.
func (p *parser) trait(d Decl) Item {
	p.next()
	t := &Trait{Decl: d}
	t.Name = p.ident("the trait's name")
	t.TypeParams = p.typeParams()
	if p.eat(tSub) || p.eat(tColon) {
		t.Supers = p.paths()
		if p.at(tLt) && !p.failed {
			return p.unsupported(t.Decl, "a supertrait with type arguments")
		}
	}
	t.Members = p.traitMembers()
	return t
}

// impl reads `impl Trait for Type { members }`.
func (p *parser) impl(d Decl) Item {
	p.next()
	t := &Impl{Decl: d}
	t.Trait = p.path("a trait")
	t.TraitArgs = p.typeArgs()
	if !p.eatWord("for") {
		p.unexpected("`for` and the type that implements it")
	}
	t.For = p.path("a type")
	if p.atWord("where") && !p.failed {
		t.Where = p.refinement().Body
	}
	t.Members = p.traitMembers()
	return t
}

// traitMembers reads '{' members '}'. A `;` may be missing behind a member that
// is only a signature.
func (p *parser) traitMembers() []TraitMember {
	open, ok := p.open(tLBrace)
	if !ok {
		return nil
	}
	var out []TraitMember
	for !p.at(tRBrace) && !p.at(tEOF) && !p.atLostItem() {
		if p.eat(tSemi) {
			continue
		}
		from, braces, parens := p.pos, p.braces, p.parens
		m := p.traitMember()
		if !p.failed {
			out = append(out, m)
			continue
		}
		p.resumeStmt(from, braces, parens)
		if p.pos == from {
			break
		}
	}
	p.close(tRBrace, open, "a member")
	p.eat(tSemi)
	return out
}

func (p *parser) traitMember() (m TraitMember) {
	d := p.memberHead()
	if p.eatWord("pub") {
		d.Vis = Public
	}
	switch {
	case p.failed:
	case p.atWord("derive"):
		p.next()
		r := &Derive{Decl: d}
		r.Name = p.ident("the predicate's name")
		r.Params = p.params(true)
		if p.eat(tNeck) {
			r.HasBody = true
			r.Body = p.atoms()
			p.expect(tSemi)
		}
		m = TraitMember{r, r.HasBody}
	case p.atWord("fn"):
		p.next()
		f := &Fn{Decl: d}
		f.Name = p.ident("the function's name")
		f.Params = p.selfParams()
		p.expect(tArrow)
		f.Result = p.typ()
		switch {
		case p.at(tLBrace):
			f.Body = p.block()
		case p.eat(tAssign):
			f.Body = p.expr()
			p.expect(tSemi)
		}
		m = TraitMember{f, f.Body != nil}
	case p.atWord("mutate"):
		p.next()
		u := &Mutate{Decl: d}
		u.Name = p.ident("the mutation's name")
		u.Params = p.selfParams()
		if p.eat(tArrow) {
			u.Result = p.typ()
		}
		provided := p.at(tLBrace)
		if provided {
			u.Body = p.stmtBlock()
		}
		m = TraitMember{u, provided}
	case p.atWord("check"):
		m = TraitMember{p.check(d), true}
	default:
		p.unexpected("`derive`, `fn`, `mutate` or `check`")
	}
	if m.Item != nil {
		m.Head().Span = p.from(d.Span.Start)
	}
	return m
}

// selfParams reads parameters of which `self` needs no type.
func (p *parser) selfParams() []*Param {
	var out []*Param
	p.parenList(func() {
		if after := p.peek(1).kind; p.atWord("self") && (after == tComma || after == tRParen) {
			at := p.next().span()
			self := Ident{at, "self"}
			out = append(out, &Param{Span: at, Name: self, Type: &NamedType{Span: at, Path: Path{at, []Ident{{at, "Self"}}}}})
			return
		}
		out = append(out, p.param(false))
	})
	return out
}
