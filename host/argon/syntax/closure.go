package syntax

// Closure is |a, b: T| -> U body; Result may be nil, and so may the type of a
// parameter.
type Closure struct {
	Span
	Params []*Param
	Result Type
	Body   Expr
}

func (*Closure) expr() {}

// closure reads |a, b: T| -> U e.
func (p *parser) closure() Expr {
	start := p.start()
	c := &Closure{}
	if !p.eat(tOr) {
		p.next()
		p.commaList(tBar, func() {
			at := p.start()
			q := &Param{Name: p.ident("a parameter's name")}
			if p.eat(tColon) {
				q.Type = p.typ()
			}
			q.Span = p.from(at)
			c.Params = append(c.Params, q)
		})
		p.expect(tBar)
	}
	if p.eat(tArrow) {
		c.Result = p.typ()
	}
	c.Body = p.expr()
	c.Span = p.from(start)
	return c
}

func (p *printer) closure(c *Closure) {
	p.put("|")
	list(p, c.Params, func(q *Param) {
		p.put(q.Name.Name)
		if q.Type != nil {
			p.put(": ", p.typeText(q.Type))
		}
	})
	p.put("| ")
	if c.Result != nil {
		p.put("-> ", p.typeText(c.Result), " ")
	}
	p.expr(c.Body, 0)
}
