package syntax

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

func (p *parser) fn(d Decl) Item {
	p.next()
	f := &Fn{Decl: d}
	f.Name = p.ident("the function's name")
	f.TypeParams = p.typeParams()
	f.Params = p.params(false)
	p.expect(tArrow)
	f.Result = p.typ()
	f.Where = p.whereBounds()
	switch {
	case p.failed:
	case p.at(tLBrace):
		f.Body = p.block()
		p.eat(tSemi)
	case p.eat(tAssign):
		f.Body = p.expr()
		p.expect(tSemi)
	default:
		p.unexpected("`=` or `{`")
	}
	if f.Body == nil {
		f.Body = &BadExpr{p.from(d.Span.Start)}
	}
	return f
}

func (p *parser) derive(d Decl) Item {
	p.next()
	r := &Derive{Decl: d}
	r.Name = p.ident("the predicate's name")
	r.Params = p.params(true)
	if p.eat(tNeck) {
		r.HasBody = true
		r.Body = p.atoms()
	}
	if !p.failed && !p.eat(tSemi) {
		switch {
		case p.at(tFat):
			p.unexpected("`;` (only a check has a payload)")
		case r.HasBody:
			p.missing(tSemi, "`,` or `;`")
		default:
			p.missing(tSemi, "`:-` or `;`")
		}
	}
	return r
}

func (p *parser) check(d Decl) Item {
	p.next()
	c := &Check{Decl: d}
	c.Name = p.ident("the check's name")
	c.Params = p.params(true)
	if p.expect(tNeck) {
		c.Body = p.atoms()
	}
	if !p.failed && !p.eat(tFat) {
		p.missing(tFat, "`,` or `=>`")
	}
	if p.failed {
		return c
	}
	at := p.start()
	if !p.atName() {
		p.unexpected("`Diagnostic { … }`")
	}
	x := p.expr()
	lit, ok := x.(*StructLit)
	if !ok && !p.failed {
		p.errorAt("OE0001", p.from(at), "what follows `=>` is no payload", "write `Diagnostic { severity: …, code: …, message: … }`")
	}
	c.Payload = lit
	p.eat(tSemi)
	return c
}

func (p *parser) mutate(d Decl) Item {
	p.next()
	m := &Mutate{Decl: d}
	m.Name = p.ident("the mutation's name")
	m.Params = p.params(false)
	if p.eat(tArrow) {
		m.Result = p.typ()
	}
	m.Body = p.stmtBlock()
	p.eat(tSemi)
	return m
}

func (p *parser) test(d Decl) Item {
	p.next()
	t := &Test{Decl: d}
	if p.at(tString) {
		tok := p.next()
		t.Title = p.plainString(tok)
	} else {
		p.unexpected("the test's title, a string")
	}
	t.Body = p.stmtBlock()
	p.eat(tSemi)
	return t
}

func (p *parser) fact(d Decl) Item {
	f := &Fact{Decl: d, Negative: p.atWord("not_fact")}
	p.next()
	f.Target = p.path("a concept or relation")
	p.parenList(func() { f.Args = append(f.Args, p.expr()) })
	if p.at(tLBrace) && !p.failed {
		p.memberList(func() { f.Fields = append(f.Fields, p.fieldInit()) })
	}
	if p.eatWord("at") {
		f.At = p.period()
	}
	p.endBraced()
	return f
}

// endBraced reads `;`, which may be left out behind a `}`.
func (p *parser) endBraced() {
	if p.failed || p.eat(tSemi) || p.pos > 0 && p.toks[p.pos-1].kind == tRBrace {
		return
	}
	p.missing(tSemi, "`;`")
}

func (p *parser) queryItem(d Decl) Item {
	p.next()
	q := &Query{Decl: d}
	q.Name = p.ident("the query's name")
	q.Params = p.params(false)
	p.expect(tArrow)
	q.Result = p.typ()
	for !p.failed {
		if q.Across == nil && p.eatWord("across") {
			open, ok := p.open(tLBracket)
			if ok {
				q.Across = []Path{}
				p.commaList(tRBracket, func() { q.Across = append(q.Across, p.path("a standpoint")) })
				p.close(tRBracket, open, "`,`")
			}
		} else if q.AsOf == nil && p.eatWord("as_of") {
			q.AsOf = p.withoutStruct(p.unary)
		} else {
			break
		}
	}
	if p.atBody("`;` or `{`") {
		open, _ := p.open(tLBrace)
		from, braces, parens := p.pos, p.braces, p.parens
		p.queryBody(q)
		p.eat(tSemi)
		if p.failed {
			p.resumeBlockEnd(from, braces, parens)
		}
		p.close(tRBrace, open, "")
		p.eat(tSemi)
		return q
	}
	q.Short = true
	if !p.failed && !p.eat(tSemi) {
		p.missing(tSemi, "`;` or `{`")
	}
	return q
}

// resumeBlockEnd goes on at the `}` of the block that was entered with braces.
func (p *parser) resumeBlockEnd(from, braces, parens int) {
	for ; !p.at(tEOF); p.next() {
		if p.pos > from && p.atItemStart() || p.at(tRBrace) && p.braces <= braces {
			break
		}
	}
	p.failed, p.braces, p.parens = false, braces, parens
}

// queryBody reads select … from … [where …] with the clauses that are refused,
// or, in an ad-hoc query, atoms.
func (p *parser) queryBody(q *Query) {
	outer := p.query
	p.query = q
	defer func() { p.query = outer }()
	for p.atWord("with") && p.peek(1).kind == tIdent && !p.failed {
		at := p.start()
		p.next()
		p.skipTo(func() bool { return false })
		q.Refused = append(q.Refused, RefusedClause{p.from(at), "OE1344", "with"})
		p.expect(tSemi)
	}
	if !p.atWord("select") {
		if q.Name.Name != "" {
			p.unexpected("`select`")
			return
		}
		q.From = p.atoms()
		return
	}
	p.next()
	p.projection(q)
	if !p.eatWord("from") {
		p.unexpected("`from`")
		return
	}
	q.From = p.atoms()
	for p.atWord("optional") && !p.failed {
		at := p.start()
		p.next()
		if !p.eatWord("from") {
			p.unexpected("`from`")
		}
		p.atoms()
		q.Refused = append(q.Refused, RefusedClause{p.from(at), "OE1346", "optional from"})
	}
	if p.eatWord("where") {
		q.Where = p.atoms()
	}
	p.shapingClauses(q)
}

func (p *parser) shapingClauses(q *Query) {
	for !p.failed {
		switch {
		case p.atWord("group"), p.atWord("order"), p.atWord("limit"), p.atWord("offset"), p.atWord("having"):
			p.refused(q, "OE0007", p.text(p.tok()))
		case p.atWord("union"), p.atWord("intersect"), p.atWord("except"):
			at, word := p.start(), p.text(p.tok())
			for !p.at(tEOF) && !p.at(tRBrace) && !p.at(tSemi) {
				before := p.pos
				p.next()
				p.skipTo(func() bool { return false })
				if p.pos == before+1 && (p.at(tRParen) || p.at(tRBracket)) {
					break
				}
			}
			q.Refused = append(q.Refused, RefusedClause{p.from(at), "OE1347", word})
		default:
			return
		}
	}
}

// refused reads a clause up to the next one.
func (p *parser) refused(q *Query, code, what string) {
	at := p.start()
	p.next()
	p.skipTo(func() bool {
		w := p.text(p.tok())
		return p.at(tIdent) && clauseWords[w] && w != "having" && w != "offset" && p.peek(-1).kind != tDot
	})
	q.Refused = append(q.Refused, RefusedClause{p.from(at), code, what})
}

// clauseWords begin a clause of a query behind its projection.
var clauseWords = map[string]bool{
	"where": true, "optional": true, "group": true, "having": true, "order": true, "limit": true, "offset": true,
	"union": true, "intersect": true, "except": true,
}

func (p *parser) projection(q *Query) {
	start := p.start()
	s := &Projection{}
	q.Select = s
	if p.atPathProjection() {
		p.skipTo(func() bool { return p.atWord("from") })
		s.Span = p.from(start)
		s.Expr = &UnsupportedExpr{Span: s.Span, What: "path projection"}
		q.Refused = append(q.Refused, RefusedClause{s.Span, "OE1345", "path projection"})
		return
	}
	if p.at(tLBrace) {
		p.memberList(func() { s.Columns = append(s.Columns, p.fieldInit()) })
	} else {
		s.Expr = p.expr()
	}
	s.Span = p.from(start)
}

func (p *parser) atPathProjection() bool {
	if !p.at(tIdent) {
		return false
	}
	switch p.text(p.tok()) {
	case "path", "shortest", "any":
		return p.peek(1).kind == tIdent && !p.peekWord(1, "from") && !reserved[p.text(p.peek(1))]
	case "all", "k":
		return p.peek(1).kind == tMinus && p.peekWord(2, "shortest") && p.peek(3).kind == tIdent && !p.peekWord(3, "from")
	}
	return false
}

// fieldInit reads f: e or f = e, or the shorthand f.
func (p *parser) fieldInit() *FieldInit {
	start := p.start()
	f := &FieldInit{Name: p.ident("a field's name")}
	switch {
	case p.failed:
	case p.at(tNeck): // `f:-1`
		p.split(tMinus)
		f.Value = p.expr()
	case p.eat(tColon), p.eat(tAssign):
		f.Value = p.expr()
	default:
		f.Value = &Name{Span: f.Name.Span, Path: Path{Span: f.Name.Span, Parts: []Ident{f.Name}}}
	}
	f.Span = p.from(start)
	return f
}

// setInit reads f = e, f += e or f -= e.
func (p *parser) setInit() *FieldInit {
	start := p.start()
	f := &FieldInit{Name: p.ident("a field's name")}
	switch {
	case p.failed:
	case p.eat(tAssign):
		f.Op = "="
	case p.eat(tPlusEq):
		f.Op = "+="
	case p.eat(tMinEq):
		f.Op = "-="
	case p.at(tColon):
		d := p.unexpected("`=`, `+=` or `-=`")
		d.Help = fmt.Sprintf("write `%s = …`; a colon is for building a value", f.Name.Name)
		d.Fix = &diag.Fix{Title: "write `=`", Edits: []diag.Edit{{Place: p.src.place(p.tok().span()), Text: " ="}}}
	default:
		p.unexpected("`=`, `+=` or `-=`")
	}
	f.Value = p.expr()
	f.Span = p.from(start)
	return f
}
