package syntax

// Period is when a declared fact holds: `d`, from then on; `d..e`, up to e
// with it; `..e`, as far back as anything.
type Period struct {
	Span
	From Expr // nil: it has no beginning
	Open bool // it has no end
	To   Expr // nil where it is Open, and after a mistake
}

func (p *parser) period() *Period {
	start := p.start()
	t := &Period{}
	if !p.at(tRange) {
		t.From = p.expr()
	}
	if p.eat(tRange) {
		t.To = p.expr()
	} else {
		t.Open = true
	}
	t.Span = p.from(start)
	return t
}

func (p *printer) period(t *Period) {
	if t.From != nil {
		p.expr(t.From, 0)
	}
	if !t.Open {
		p.put("..")
		p.expr(t.To, 0)
	}
}
