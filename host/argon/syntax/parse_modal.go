package syntax

// metricWords are the operators over time, written op(…) or op[a, b](…).
var metricWords = map[string]bool{
	"box_plus": true, "box_minus": true, "diamond_plus": true, "diamond_minus": true, "since": true, "until": true,
}

// Metric reports whether word is an operator over time.
func Metric(word string) bool { return metricWords[word] }

// modal reads box(atoms) or diamond(atoms).
func (p *parser) modal(start int) Atom {
	a := &ModalAtom{Word: p.text(p.next())}
	a.Body = p.atomGroup()
	a.Span = p.from(start)
	if p.failed {
		return &BadAtom{a.Span}
	}
	return a
}

// metric reads an operator over time. What since and until take first holds
// meanwhile.
func (p *parser) metric(start int) Atom {
	a := &MetricAtom{Word: p.text(p.next()), To: -1}
	p.metricRange(a)
	if !a.Ranged && p.at(tLParen) && p.peek(1).kind == tInt {
		p.errorAt("OE0001", p.tok().span(), "the days of "+a.Word+" stand in brackets", "write "+a.Word+"[0, 7](…)")
	}
	a.Body = p.atomGroup()
	if (a.Word == "since" || a.Word == "until") && len(a.Body) > 0 {
		a.Left, a.Body = a.Body[:1], a.Body[1:]
	}
	a.Span = p.from(start)
	if p.failed {
		return &BadAtom{a.Span}
	}
	return a
}

// metricInfix reads on behind left: since[a, b] atom, until[a, b] atom.
func (p *parser) metricInfix(start int, left Atom) Atom {
	a := &MetricAtom{Word: p.text(p.next()), To: -1, Left: []Atom{left}}
	p.metricRange(a)
	a.Body = []Atom{p.atom()}
	a.Span = p.from(start)
	if p.failed {
		return &BadAtom{a.Span}
	}
	return a
}

// metricRange reads [a, b], [a, *] or nothing.
func (p *parser) metricRange(a *MetricAtom) {
	if !p.at(tLBracket) || p.failed {
		return
	}
	open := p.next().span()
	a.Ranged = true
	a.From = p.bound()
	if !p.failed && !p.eat(tComma) {
		p.missing(tComma, "`,`")
	}
	if !p.eat(tStar) {
		a.To = p.bound()
	}
	p.close(tRBracket, open, "")
}

// atomGroup reads atoms in parentheses.
func (p *parser) atomGroup() []Atom {
	open, ok := p.open(tLParen)
	if !ok {
		return nil
	}
	restore := p.inside()
	defer restore()
	body := p.atoms()
	p.close(tRParen, open, "`,`")
	return body
}
