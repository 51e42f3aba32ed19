package syntax

// stmtBlock reads '{' statements '}'.
func (p *parser) stmtBlock() []Stmt {
	open, ok := p.open(tLBrace)
	if !ok || !p.enter() {
		return nil
	}
	defer p.leave()
	out := p.stmts(tRBrace)
	p.close(tRBrace, open, "")
	return out
}

// stmts reads statements up to end, going on behind each mistake.
func (p *parser) stmts(end kind) []Stmt {
	restore := p.inside()
	defer restore()
	p.tail = false
	var out []Stmt
	for !p.at(end) && !p.at(tEOF) && !p.atLostItem() {
		if p.at(tSemi) {
			p.next()
			continue
		}
		from, braces, parens := p.pos, p.braces, p.parens
		out = append(out, p.stmt())
		if p.failed {
			p.resumeStmt(from, braces, parens)
		}
		if p.pos == from {
			break
		}
	}
	return out
}

func (p *parser) stmt() Stmt {
	start := p.start()
	if p.failed || !p.enter() {
		return &BadStmt{p.from(start)}
	}
	defer p.leave()
	s := p.stmtBody(start)
	if p.failed {
		return &BadStmt{p.from(start)}
	}
	return s
}

func (p *parser) stmtBody(start int) Stmt {
	word := ""
	if p.at(tIdent) {
		switch k := p.peek(1).kind; k {
		case tDot, tPath, tAssign: // a name in spite of its spelling
		default:
			word = p.text(p.tok())
		}
	}
	switch word {
	case "require":
		p.next()
		s := &Require{Cond: p.expr()}
		p.endBraced()
		s.Span = p.from(start)
		return s
	case "let":
		return p.letStmt(start)
	case "insert", "delete":
		return p.writeStmt(start, word == "delete")
	case "update":
		return p.updateStmt(start)
	case "forget":
		return p.forgetStmt(start)
	case "for":
		return p.forStmt(start)
	case "if":
		return p.ifStmt(start)
	case "return":
		p.next()
		s := &Return{}
		if !p.at(tSemi) {
			s.Value = p.expr()
		}
		p.endBraced()
		s.Span = p.from(start)
		return s
	case "assert":
		return p.assertStmt(start)
	case "do", "retract", "emit":
		if p.atRemovedBlock() {
			return p.removedBlocks(start)
		}
	}
	s := &ExprStmt{X: p.expr()}
	p.endBraced()
	s.Span = p.from(start)
	return s
}

func (p *parser) letStmt(start int) Stmt {
	p.next()
	s := &Let{Name: p.ident("a variable")}
	if p.eat(tColon) {
		s.Type = p.typ()
	}
	p.expect(tAssign)
	s.Value = p.expr()
	p.endBraced()
	s.Span = p.from(start)
	return s
}

// writeStmt reads insert and delete in all their forms. What stands behind the
// word is read as an expression, and its shape tells the form.
func (p *parser) writeStmt(start int, del bool) Stmt {
	p.next()
	at := p.start()
	tail := p.tail
	p.tail = false
	x := p.expr()
	preposition := "into"
	if del {
		preposition = "from"
	}
	if p.eatWord(preposition) {
		s := &IntoStmt{Delete: del, Value: x, Target: p.expr()}
		s.At = p.atClause()
		p.endBraced()
		s.Span = p.from(start)
		return s
	}
	switch x := x.(type) {
	case *Call:
		s := &TupleStmt{Delete: del, Path: x.Path, Args: x.Args}
		if !del && p.at(tLBrace) {
			s.Fields = p.inits()
		}
		s.At = p.atClause()
		p.endBraced()
		s.Span = p.from(start)
		return s
	case *StructLit:
		if x.Base == nil && !del {
			in := &Insert{Concept: x.Path, Fields: x.Fields, At: p.atClause()}
			in.Span = p.from(start)
			if !tail || !p.at(tRBrace) {
				p.endBraced()
			}
			return &InsertStmt{Span: p.from(start), Insert: in}
		}
	}
	if !p.failed {
		if del {
			p.errorAt("OE0001", p.from(at), "this is nothing that `delete` takes", "write `delete Relation(…);`, `delete iof(x, C);` or `delete value from x.field;`")
		} else {
			p.errorAt("OE0001", p.from(at), "this is nothing that `insert` takes", "write `insert C { … };`, `insert Relation(…);`, `insert iof(x, C);` or `insert value into x.field;`")
		}
	}
	return &BadStmt{p.from(start)}
}

// inits reads { f: e, … } behind the arguments of an insert.
func (p *parser) inits() (out []*FieldInit) {
	restore := p.inside()
	defer restore()
	p.memberList(func() { out = append(out, p.fieldInit()) })
	return out
}

func (p *parser) atClause() Expr {
	if p.eatWord("at") {
		return p.expr()
	}
	return nil
}

func (p *parser) updateStmt(start int) Stmt {
	p.next()
	s := &Update{Target: p.withoutStruct(p.unary)}
	if p.eat(tColon) {
		s.Type = p.typ()
	}
	if !p.eatWord("set") {
		p.unexpected("`set`")
		return &BadStmt{p.from(start)}
	}
	p.memberList(func() { s.Sets = append(s.Sets, p.setInit()) })
	s.At = p.atClause()
	p.endBraced()
	s.Span = p.from(start)
	return s
}

func (p *parser) forStmt(start int) Stmt {
	p.next()
	s := &For{Var: p.ident("a variable")}
	if !p.eatWord("in") {
		p.unexpected("`in`")
	}
	s.Source = p.withoutStruct(p.expr)
	if !p.failed {
		s.Body = p.stmtBlock()
	}
	p.eat(tSemi)
	s.Span = p.from(start)
	return s
}

func (p *parser) ifStmt(start int) Stmt {
	p.next()
	s := &IfStmt{Cond: p.withoutStruct(p.expr)}
	if !p.failed {
		s.Then = p.stmtBlock()
	}
	if p.eatWord("else") {
		if p.atWord("if") {
			s.Else = []Stmt{p.stmt()}
		} else {
			s.Else = p.stmtBlock()
			if s.Else == nil {
				s.Else = []Stmt{}
			}
		}
	}
	p.eat(tSemi)
	s.Span = p.from(start)
	return s
}

// assertStmt reads assert e; assert [not] derivable F(…); assert rejects … { … }.
func (p *parser) assertStmt(start int) Stmt {
	p.next()
	not := p.atWord("not") && p.peekWord(1, "derivable")
	n := 0
	if not {
		n = 1
	}
	if p.peekWord(n, "derivable") && p.peek(n+1).kind == tIdent {
		for range n + 1 {
			p.next()
		}
		s := &AssertDerivable{Not: not, Path: p.path("a predicate")}
		s.Args = p.args()
		p.endBraced()
		s.Span = p.from(start)
		return s
	}
	if p.atWord("rejects") && (p.peek(1).kind == tLParen || p.peek(1).kind == tLBrace || p.peek(1).kind == tString) {
		return p.rejectsStmt(start)
	}
	s := &Assert{Cond: p.expr()}
	p.endBraced()
	s.Span = p.from(start)
	return s
}

func (p *parser) rejectsStmt(start int) Stmt {
	p.next()
	s := &AssertRejects{}
	code := func() {
		if p.at(tString) {
			s.Code = p.plainString(p.next())
		} else {
			s.Code = p.path("a code").String()
		}
	}
	if p.at(tLParen) {
		open := p.next().span()
		code()
		p.close(tRParen, open, "")
	} else if p.at(tString) {
		code()
	}
	if !p.failed {
		s.Body = p.stmtBlock()
	}
	p.endBraced()
	s.Span = p.from(start)
	return s
}
