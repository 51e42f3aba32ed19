package syntax

import "github.com/ox-mcp/ox-mcp/host/argon/diag"

// atoms reads a comma-separated conjunction. A trailing comma is taken.
func (p *parser) atoms() []Atom {
	var out []Atom
	for !p.failed {
		out = append(out, p.atom())
		if !p.eat(tComma) || p.atAtomsEnd() {
			return out
		}
	}
	return out
}

// atAtomsEnd tells whether the token at hand ends a conjunction.
func (p *parser) atAtomsEnd() bool {
	switch p.tok().kind {
	case tSemi, tFat, tRBrace, tRParen, tRBracket, tEOF:
		return true
	case tIdent:
		if p.query != nil && clauseWords[p.text(p.tok())] {
			after := p.peek(1).kind
			return after != tLParen && after != tDot && after != tColon
		}
	}
	return false
}

// restOfAtom passes over the rest of an atom. whole passes over the commas too:
// the range of a quantifier is the rest of the body.
func (p *parser) restOfAtom(whole bool) {
	for {
		p.skipTo(func() bool { return p.at(tComma) && !whole || p.atAtomsEnd() })
		if p.at(tFat) && whole && !p.atPayload() { // an implication
			p.next()
			continue
		}
		return
	}
}

// atPayload tells `=> Path {` from an implication.
func (p *parser) atPayload() bool {
	n := 2
	for p.peek(n).kind == tPath {
		n += 2
	}
	return p.peek(1).kind == tIdent && p.peek(n).kind == tLBrace
}

func (p *parser) atom() Atom {
	start := p.start()
	if p.failed || !p.enter() {
		return &BadAtom{p.from(start)}
	}
	defer p.leave()
	unsupported := func(what string, whole bool) Atom {
		p.restOfAtom(whole)
		return &UnsupportedAtom{Span: p.from(start), What: what}
	}
	if p.at(tIdent) {
		after := p.peek(1).kind
		switch w := p.text(p.tok()); {
		case w == "not":
			p.next()
			a := p.atom()
			return &NotAtom{Span: p.from(start), Atom: a}
		case w == "forall" && (after == tIdent || after == tLParen || after == tLBrace):
			return unsupported("forall", true)
		case w == "exists" && after == tIdent:
			return unsupported("exists over variables", true)
		case (w == "box" || w == "diamond") && after == tLParen:
			return p.modal(start)
		case metricWords[w] && (after == tLParen || after == tLBracket):
			return p.metric(start)
		case w == "unsafe" && p.peekWord(1, "logic"):
			return unsupported(UnsafeLogic, false)
		case after == tAssign && p.atName():
			name := p.ident("a variable")
			p.next()
			v := p.expr()
			return &BindAtom{Span: p.from(start), Name: name, Value: v}
		}
	}
	a := p.exprAtom(start)
	if p.failed {
		return &BadAtom{p.from(start)}
	}
	if w := p.text(p.tok()); p.at(tIdent) && (w == "since" || w == "until") {
		return p.metricInfix(start, a)
	}
	return a
}

// exprAtom reads an atom that begins with an expression.
func (p *parser) exprAtom(start int) Atom {
	outer := p.atomStart
	p.atomStart = start
	e := p.expr()
	p.atomStart = outer
	if step, ok := e.(*roleStep); ok {
		return p.roleStepAtom(step)
	}
	switch {
	case p.failed:
		return &BadAtom{p.from(start)}
	case p.eat(tColon):
		t := p.typ()
		return &TypeAtom{Span: p.from(start), Expr: e, Type: t}
	case p.eatWord("is"):
		q := p.pattern()
		return &IsAtom{Span: p.from(start), Expr: e, Pattern: q}
	case p.at(tAssign):
		at := p.tok().span()
		d := p.errorAt("OE0001", at, "found `=` behind an expression", "a comparison is written `==`; `=` gives a value to a new variable")
		d.Fix = &diag.Fix{Title: "write `==`", Edits: []diag.Edit{{Place: p.src.place(at), Text: "=="}}}
		return &BadAtom{p.from(start)}
	}
	switch x := e.(type) {
	case *Call:
		return &CallAtom{Span: p.from(start), Path: x.Path, Args: x.Args}
	case *Subquery:
		if x.Func == "exists" && x.Select == nil {
			return &ExistsAtom{Span: p.from(start), Body: x.Body}
		}
	}
	return &CompareAtom{Span: p.from(start), Expr: e}
}
