package syntax

func (p *parser) ifExpr() Expr {
	start := p.start()
	if !p.enter() {
		return &BadExpr{p.from(start)}
	}
	defer p.leave()
	p.next()
	x := &If{Cond: p.withoutStruct(p.expr)}
	x.Then = p.block()
	if p.eatWord("else") {
		if p.atWord("if") {
			x.Else = p.ifExpr()
		} else {
			x.Else = p.block()
		}
	}
	x.Span = p.from(start)
	return x
}

func (p *parser) matchExpr() Expr {
	start := p.start()
	p.next()
	m := &Match{X: p.withoutStruct(p.expr)}
	restore := p.inside()
	defer restore()
	open, ok := p.open(tLBrace)
	for ok && !p.failed && !p.at(tRBrace) && !p.at(tEOF) {
		at := p.start()
		a := &Arm{Pattern: p.pattern()}
		if p.eatWord("if") {
			a.Guard = p.expr()
		}
		if !p.eat(tFat) {
			p.missing(tFat, "`=>`")
		}
		block := p.at(tLBrace)
		a.Body = p.expr()
		a.Span = p.from(at)
		m.Arms = append(m.Arms, a)
		if !p.eat(tComma) && !(block && p.pos > 0 && p.peek(-1).kind == tRBrace) {
			break
		}
	}
	if ok {
		p.close(tRBrace, open, "`,`")
	}
	m.Span = p.from(start)
	return m
}

// block reads { statements; value }.
func (p *parser) block() Expr {
	start := p.start()
	open, ok := p.open(tLBrace)
	if !ok || !p.enter() {
		return &BadExpr{p.from(start)}
	}
	defer p.leave()
	restore := p.inside()
	defer restore()
	b := &Block{}
	before := len(p.found)
	for !p.at(tRBrace) && !p.at(tEOF) && !p.atLostItem() {
		from, braces, parens := p.pos, p.braces, p.parens
		if p.at(tIdent) && stmtWords[p.text(p.tok())] && !p.atWord("if") {
			p.tail = true
			s := p.stmt()
			p.tail = false
			if in, ok := s.(*InsertStmt); ok && p.at(tRBrace) && p.peek(-1).kind != tSemi {
				b.Value = in.Insert
				break
			}
			b.Stmts = append(b.Stmts, s)
		} else {
			at := p.start()
			x := p.expr()
			if p.at(tRBrace) && !p.failed {
				b.Value = x
				break
			}
			switch {
			case p.failed || p.eat(tSemi):
			case p.peek(-1).kind == tRBrace:
			default:
				p.missing(tSemi, "`;` or `}`")
			}
			b.Stmts = append(b.Stmts, &ExprStmt{Span: p.from(at), X: x})
		}
		if p.failed {
			if p.nested > 0 {
				break
			}
			p.resumeStmt(from, braces, parens)
		}
		if p.pos == from {
			break
		}
	}
	p.close(tRBrace, open, "")
	b.Unread = p.failed || p.gaveUp || len(p.found) > before
	b.Span = p.from(start)
	return b
}
