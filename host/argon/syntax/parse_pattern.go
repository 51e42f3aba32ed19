package syntax

// pattern reads p ('|' p)*.
func (p *parser) pattern() Pattern {
	start := p.start()
	if p.failed || !p.enter() {
		return &BadPattern{p.from(start)}
	}
	defer p.leave()
	first := p.patternHead()
	if p.failed || !p.at(tBar) {
		return first
	}
	o := &OrPattern{Items: []Pattern{first}}
	for p.eat(tBar) {
		o.Items = append(o.Items, p.patternHead())
	}
	o.Span = p.from(start)
	return o
}

func (p *parser) patternHead() Pattern {
	start := p.start()
	if p.failed {
		return &BadPattern{p.from(start)}
	}
	switch t := p.tok(); t.kind {
	case tInt, tDecimal, tString, tDate, tDateTime:
		return &LitPattern{Span: t.span(), Lit: p.literal(false).(*Lit)}
	case tMinus:
		p.next()
		if !p.at(tInt) && !p.at(tDecimal) {
			p.unexpected("a number")
			return &BadPattern{p.from(start)}
		}
		lit := p.literal(false).(*Lit)
		lit.Text = "-" + lit.Text
		lit.Span = p.from(start)
		return &LitPattern{Span: lit.Span, Lit: lit}
	case tLParen:
		open := p.next().span()
		q := p.pattern()
		p.close(tRParen, open, "")
		return q
	case tIdent:
		switch p.text(t) {
		case "_":
			p.next()
			return &WildPattern{t.span()}
		case "true", "false":
			p.next()
			return &LitPattern{Span: t.span(), Lit: &Lit{Span: t.span(), Kind: BoolLit, Text: p.text(t)}}
		}
	}
	path := p.path("a pattern")
	switch {
	case p.failed:
		return &BadPattern{p.from(start)}
	case p.at(tLParen):
		q := &TuplePattern{Path: path}
		p.parenList(func() { q.Items = append(q.Items, p.pattern()) })
		q.Span = p.from(start)
		return q
	case p.at(tLBrace):
		return p.structPattern(start, path)
	}
	return &NamePattern{Span: path.Span, Path: path}
}

func (p *parser) structPattern(start int, path Path) Pattern {
	q := &StructPattern{Path: path}
	open := p.next().span()
	p.commaList(tRBrace, func() {
		if p.eat(tRange) {
			q.Rest = true
			return
		}
		at := p.start()
		f := FieldPattern{Name: p.ident("a field's name")}
		if p.eat(tColon) {
			f.Pattern = p.pattern()
		}
		f.Span = p.from(at)
		q.Fields = append(q.Fields, f)
	})
	p.close(tRBrace, open, "`,`")
	q.Span = p.from(start)
	return q
}
