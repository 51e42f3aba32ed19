package syntax

// macro reads `macro name { (pattern) => { template }; … }`.
func (p *parser) macro(d Decl) Item {
	p.next()
	m := &Macro{Decl: d}
	m.Name = p.ident("the macro's name")
	open, ok := p.open(tLBrace)
	for ok && !p.failed && !p.at(tRBrace) && !p.at(tEOF) {
		arm := MacroArm{Span: Span{Start: p.start()}}
		arm.Pattern = p.group(tLParen)
		p.expect(tFat)
		arm.Template = p.group(tLBrace)
		arm.Span = p.from(arm.Span.Start)
		if !p.failed {
			m.Arms = append(m.Arms, arm)
		}
		if !p.eat(tSemi) {
			break
		}
	}
	if ok {
		if !p.failed && len(m.Arms) == 0 {
			p.unexpected("`(` and the pattern of a rule")
		}
		p.close(tRBrace, open, "`;`")
	}
	p.eat(tSemi)
	return m
}

// group reads a bracketed group and gives the span inside its brackets.
func (p *parser) group(k kind) Span {
	if p.failed || !p.at(k) {
		p.expect(k)
		return Span{p.prevEnd, p.prevEnd}
	}
	start := int(p.tok().end)
	p.skipGroup()
	return Span{start, max(start, p.prevEnd-1)}
}

// atMacroCall tells `path!(` from the declaration that a path introduces.
func (p *parser) atMacroCall() bool {
	i := 1
	for p.peek(i).kind == tPath && p.peek(i+1).kind == tIdent {
		i += 2
	}
	return p.peek(i).kind == tBang && isOpen(p.peek(i+1).kind)
}

func isOpen(k kind) bool { return k == tLParen || k == tLBracket || k == tLBrace }

func (p *parser) macroCall(d Decl) Item {
	c := &MacroCall{Decl: d, Macro: p.path("a macro")}
	p.next() // !
	braces := p.at(tLBrace)
	c.Tokens = p.group(p.tok().kind)
	if !p.eat(tSemi) && !braces && !p.failed {
		p.missing(tSemi, "`;`")
	}
	return c
}

// atMacroExpr tells `path!(` from a path, behind it.
func (p *parser) atMacroExpr() bool {
	next := p.peek(1).kind
	return p.at(tBang) && isOpen(next) && (next != tLBrace || !p.noStruct)
}

func (p *parser) macroExpr(start int, path Path) Expr {
	m := &MacroExpr{Macro: path}
	p.next() // !
	m.Tokens = p.group(p.tok().kind)
	m.Span = p.from(start)
	p.macros = true
	return m
}

// isProcMacro reports whether a fn with these attributes is a macro.
func isProcMacro(attrs []Attr) bool {
	for i := range attrs {
		if attrs[i].Name.String() == "procmacro" {
			return true
		}
	}
	return false
}

func (p *parser) procMacro(d Decl) Item {
	p.next()
	m := &ProcMacro{Decl: d}
	m.Name = p.ident("the macro's name")
	m.Params = p.params(false)
	p.expect(tArrow)
	m.Result = p.typ()
	start := p.start()
	switch {
	case p.failed:
	case p.at(tLBrace):
		p.skipGroup()
		m.Tokens = p.from(start)
		p.eat(tSemi)
	case p.eat(tAssign):
		start = p.start()
		p.skipTo(func() bool { return false })
		m.Tokens = p.from(start)
		p.expect(tSemi)
	default:
		p.unexpected("`=` or `{`")
	}
	return m
}
