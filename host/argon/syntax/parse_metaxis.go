package syntax

// axisTargets are what a meta axis may describe.
var axisTargets = map[string]bool{"metatype": true, "metarel": true, "individual": true, "macro": true}

// metaxis reads metaxis name for target { a, b }; with { a < b } for a chain
// and = Type where predicate for a typed axis.
func (p *parser) metaxis(d Decl) Item {
	p.next()
	m := &Metaxis{Decl: d}
	m.Name = p.ident("the axis's name")
	if !p.failed && !p.eatWord("for") {
		p.unexpected("`for` and what the axis describes")
	}
	if p.at(tLBracket) && !p.failed {
		open := p.next().span()
		p.commaList(tRBracket, func() { m.Targets = append(m.Targets, p.axisTarget()) })
		p.close(tRBracket, open, "`,`")
	} else {
		m.Targets = append(m.Targets, p.axisTarget())
	}
	switch {
	case p.failed:
	case p.eat(tAssign):
		m.Type = p.typ()
		if p.eatWord("where") {
			p.axisPredicate(m)
		}
	case p.at(tLBrace):
		p.axisValues(m)
	}
	p.expect(tSemi)
	return m
}

func (p *parser) axisTarget() Ident {
	if p.failed || !p.at(tIdent) || !axisTargets[p.text(p.tok())] {
		if !p.failed {
			p.unexpected("`metatype`, `metarel`, `individual` or `macro`")
		}
		return Ident{Span: Span{p.prevEnd, p.prevEnd}}
	}
	return p.ident("a target")
}

func (p *parser) axisPredicate(m *Metaxis) {
	if !p.at(tLBrace) {
		m.Predicates = append(m.Predicates, p.expr())
		return
	}
	open := p.next().span()
	p.commaList(tRBrace, func() { m.Predicates = append(m.Predicates, p.expr()) })
	p.close(tRBrace, open, "`,`")
}

// axisValues reads { a, b } or { a < b < c }.
func (p *parser) axisValues(m *Metaxis) {
	open := p.next().span()
	m.Values = append(m.Values, p.ident("a value's name"))
	if p.at(tLt) {
		m.Ordered = true
		for p.eat(tLt) {
			m.Values = append(m.Values, p.ident("a value's name"))
		}
	} else if p.eat(tComma) {
		p.commaList(tRBrace, func() { m.Values = append(m.Values, p.ident("a value's name")) })
	}
	or := "`,`"
	if m.Ordered {
		or = "`<`"
	}
	p.close(tRBrace, open, or)
}
