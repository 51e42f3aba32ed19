package syntax

// typ reads a type expression.
func (p *parser) typ() Type {
	start := p.start()
	if p.failed || !p.enter() {
		return &BadType{p.from(start)}
	}
	defer p.leave()
	t := p.typeHead()
	for n := 0; p.at(tTry) && !p.failed; n++ {
		if n == maxDepth {
			p.tooDeep()
			break
		}
		p.next()
		t = &OptionType{Span: p.from(start), Elem: t}
	}
	if p.failed {
		return &BadType{p.from(start)}
	}
	return t
}

func (p *parser) typeHead() Type {
	start := p.start()
	switch {
	case p.at(tLBracket):
		open := p.next().span()
		l := &ListType{Elem: p.typ()}
		if p.eat(tSemi) {
			c := p.cardinality()
			l.Card = &c
		}
		p.close(tRBracket, open, "")
		l.Span = p.from(start)
		return l
	case p.at(tLParen):
		open := p.next().span()
		t := p.typ()
		p.close(tRParen, open, "")
		return t
	case p.atWord("fn"):
		p.next()
		f := &FnType{}
		p.parenList(func() { f.Params = append(f.Params, p.typ()) })
		p.expect(tArrow)
		f.Result = p.typ()
		f.Span = p.from(start)
		return f
	}
	n := &NamedType{Path: p.path("a type")}
	if p.at(tLt) && !p.failed {
		open := p.next().span()
		p.commaList(tGt, func() { n.Args = append(n.Args, p.typ()) })
		if p.at(tGe) { // `Set<T>= x`
			p.split(tAssign)
		} else {
			p.close(tGt, open, "`,`")
		}
	}
	n.Span = p.from(start)
	return n
}
