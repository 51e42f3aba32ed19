package syntax

import "fmt"

// Levels of binding, loosest first.
const (
	levelOr = iota + 1
	levelAnd
	levelIn
	levelCompare
	levelAdd
	levelMul
	levelUnary
	levelPostfix
)

// notIn is an operator of two words, or one sign.
const notIn = "not in"

// binaryOp gives the operator at hand, its level and its number of tokens.
func (p *parser) binaryOp() (op string, level, tokens int) {
	switch k := p.tok().kind; k {
	case tOr:
		return "||", levelOr, 1
	case tAnd:
		return "&&", levelAnd, 1
	case tEq, tNe, tLt, tLe, tGt, tGe:
		return spelling[k], levelCompare, 1
	case tPlus, tMinus:
		return spelling[k], levelAdd, 1
	case tStar, tSlash, tPct:
		return spelling[k], levelMul, 1
	case tIdent:
		if p.atWord("in") {
			return "in", levelIn, 1
		}
		if p.atWord(notIn) {
			return notIn, levelIn, 1
		}
		if p.atWord("not") && p.peekWord(1, "in") {
			return notIn, levelIn, 2
		}
	}
	return "", 0, 0
}

// expr reads an expression.
func (p *parser) expr() Expr {
	start := p.start()
	if p.failed || !p.enter() {
		return &BadExpr{p.from(start)}
	}
	defer p.leave()
	return p.binary(levelOr)
}

// binary reads operators of level min and tighter.
func (p *parser) binary(least int) Expr {
	start := p.start()
	x := p.unary()
	if _, ok := x.(*roleStep); ok {
		return x
	}
	for n := 0; !p.failed; n++ {
		op, level, tokens := p.binaryOp()
		if op == "" || level < least {
			return x
		}
		if n == maxChain {
			p.tooDeep()
			break
		}
		at := p.tok().span()
		for range tokens {
			p.next()
		}
		at.End = p.prevEnd
		y := p.binary(level + 1)
		x = &Binary{Span: p.from(start), Op: op, OpAt: at, X: x, Y: y}
		if again, l, _ := p.binaryOp(); !p.failed && l == level && (level == levelCompare || level == levelIn) {
			p.errorAt("OE0001", p.tok().span(), fmt.Sprintf("`%s` cannot follow `%s`: comparisons do not chain", again, op), "join two comparisons with `&&`, or put one in parentheses")
		}
	}
	if p.failed {
		return &BadExpr{p.from(start)}
	}
	return x
}

func (p *parser) unary() Expr {
	start := p.start()
	if !p.failed && (p.at(tBang) || p.at(tMinus) || p.atWord("not") && !p.peekWord(1, "in")) {
		if p.atWord("not") {
			d := p.unexpected("an expression")
			d.Help = "in an expression negation is written `!`; `not` stands before an atom of a rule"
			return &BadExpr{p.from(start)}
		}
		if !p.enter() {
			return &BadExpr{p.from(start)}
		}
		defer p.leave()
		outer := p.atomStart
		p.atomStart = -1
		op := spelling[p.next().kind]
		x := p.unary()
		p.atomStart = outer
		return &Unary{Span: p.from(start), Op: op, X: x}
	}
	x := p.primary()
	for n := 0; !p.failed; n++ {
		if n == maxChain {
			p.tooDeep()
			break
		}
		y := p.postfix(start, x)
		if y == nil {
			return x
		}
		if _, ok := y.(*roleStep); ok {
			return y
		}
		x = y
	}
	return &BadExpr{p.from(start)}
}

// postfix reads one postfix of x, or gives nil where none follows.
func (p *parser) postfix(start int, x Expr) Expr {
	switch p.tok().kind {
	case tDot:
		if next := p.peek(1); next.kind == tEOF || next.first && itemWords[p.text(next)] {
			p.errorAt("OE0001", p.tok().span(), "what stands here ends with `;`", "write `;` for the point")
			return &BadExpr{p.from(start)}
		}
		p.next()
		m := &Method{X: x, Name: p.ident("a field or method")}
		if !p.failed && p.atRoleStep(x) {
			return &roleStep{p.from(start), x, m.Name}
		}
		if p.at(tLParen) && !p.failed {
			m.Parens = true
			m.Args = p.args()
		}
		m.Span = p.from(start)
		return m
	case tTry:
		p.next()
		return &Try{Span: p.from(start), X: x}
	case tLBracket:
		return p.index(start, x)
	}
	return nil
}

func (p *parser) index(start int, x Expr) Expr {
	open := p.next().span()
	restore := p.inside()
	defer restore()
	var from, to Expr
	if !p.at(tRange) {
		from = p.expr()
	}
	if p.eat(tRange) {
		if !p.at(tRBracket) {
			to = p.expr()
		}
		p.close(tRBracket, open, "")
		return &Slice{Span: p.from(start), X: x, From: from, To: to}
	}
	p.close(tRBracket, open, "")
	return &Index{Span: p.from(start), X: x, I: from}
}

// inside enters brackets: what an outer place forbids is free there. The
// answer undoes it.
func (p *parser) inside() func() {
	noStruct, atomStart := p.noStruct, p.atomStart
	p.noStruct, p.atomStart = false, -1
	return func() { p.noStruct, p.atomStart = noStruct, atomStart }
}

// withoutStruct reads an expression before a `{` that belongs to what follows.
func (p *parser) withoutStruct(read func() Expr) Expr {
	noStruct, atomStart := p.noStruct, p.atomStart
	p.noStruct, p.atomStart = true, -1
	x := read()
	p.noStruct, p.atomStart = noStruct, atomStart
	return x
}

func (p *parser) args() []Expr {
	restore := p.inside()
	defer restore()
	var out []Expr
	p.parenList(func() { out = append(out, p.expr()) })
	return out
}

func (p *parser) primary() Expr {
	start := p.start()
	if p.failed {
		return &BadExpr{p.from(start)}
	}
	switch p.tok().kind {
	case tInt, tDecimal, tString, tDate, tDateTime:
		return p.literal(true)
	case tLParen:
		open := p.next().span()
		restore := p.inside()
		x := p.expr()
		restore()
		p.close(tRParen, open, "an operator")
		return x
	case tLBracket:
		return p.listOrComprehension()
	case tLBrace:
		return p.block()
	case tBar, tOr:
		return p.closure()
	case tIdent:
		return p.wordExpr()
	}
	p.unexpected("an expression")
	return &BadExpr{p.from(start)}
}

// wordExpr reads an expression that begins with a word or name.
func (p *parser) wordExpr() Expr {
	start := p.start()
	w, after := p.text(p.tok()), p.peek(1).kind
	switch w {
	case "true", "false":
		p.next()
		return &Lit{Span: p.from(start), Kind: BoolLit, Text: w}
	case "_":
		p.next()
		return &Wild{p.from(start)}
	case "if":
		return p.ifExpr()
	case "match":
		return p.matchExpr()
	case "insert":
		if after == tIdent {
			return p.insertExpr()
		}
	case "count", "exists":
		if after == tLBrace {
			return p.subquery()
		}
	case "set", "one", "collect":
		if after == tLBrace && !p.noStruct {
			return p.subquery()
		}
	case "quote":
		if after == tLBrace && !p.noStruct {
			p.next()
			p.skipGroup()
			return &UnsupportedExpr{Span: p.from(start), What: "quote"}
		}
	}
	if aggregates[w] && after == tLParen && p.peek(2).kind != tRParen {
		return p.aggregate()
	}
	path := p.path("an expression")
	switch {
	case p.failed:
		return &BadExpr{p.from(start)}
	case p.atMacroExpr():
		return p.macroExpr(start, path)
	case p.at(tLParen):
		return p.callOrFold(start, path)
	case p.at(tLBrace) && !p.noStruct:
		if c := p.collectionLit(start, path); c != nil {
			return c
		}
		return p.structLit(start, path)
	}
	return &Name{Span: path.Span, Path: path}
}

func (p *parser) structLit(start int, path Path) Expr {
	s := &StructLit{Path: path}
	restore := p.inside()
	defer restore()
	first := true
	p.memberList(func() {
		if first && p.at(tRange) {
			p.next()
			s.Base = p.expr()
		} else {
			s.Fields = append(s.Fields, p.fieldInit())
		}
		first = false
	})
	s.Span = p.from(start)
	return s
}

func (p *parser) listOrComprehension() Expr {
	start := p.start()
	open := p.next().span()
	restore := p.inside()
	defer restore()
	if p.eat(tRBracket) {
		return &List{Span: p.from(start)}
	}
	first := p.expr()
	if p.eatWord("for") {
		c := &Comprehension{Elem: first, Var: p.ident("a variable")}
		if !p.eatWord("in") {
			p.unexpected("`in`")
		}
		c.Source = p.expr()
		if p.eatWord("where") {
			c.Where = p.expr()
		}
		p.close(tRBracket, open, "")
		c.Span = p.from(start)
		return c
	}
	l := &List{Items: []Expr{first}}
	if p.eat(tComma) {
		p.commaList(tRBracket, func() { l.Items = append(l.Items, p.expr()) })
	}
	p.close(tRBracket, open, "`,`")
	l.Span = p.from(start)
	return l
}

// subquery reads count { atoms }, or with a projection set { select e from atoms }.
func (p *parser) subquery() Expr {
	start := p.start()
	if !p.enter() {
		return &BadExpr{p.from(start)}
	}
	defer p.leave()
	s := &Subquery{Func: p.text(p.next())}
	open := p.next().span()
	restore := p.inside()
	defer restore()
	if p.atWord("select") {
		q := &Query{}
		q.Name.Name = s.Func // a body of atoms alone has no `select`
		p.queryBody(q)
		s.Body = append(q.From, q.Where...)
		if q.Select != nil {
			s.Select = q.Select.Expr
		}
		if !p.failed && (len(q.Refused) > 0 || s.Select == nil) {
			p.close(tRBrace, open, "")
			return &UnsupportedExpr{Span: p.from(start), What: "subquery with more than select, from and where"}
		}
	} else if !p.at(tRBrace) {
		s.Body = p.atoms()
	} else {
		p.unexpected("a condition")
	}
	p.close(tRBrace, open, "`,`")
	s.Span = p.from(start)
	return s
}

// insertExpr reads insert C { … } [at d].
func (p *parser) insertExpr() Expr {
	start := p.start()
	p.next()
	x := &Insert{Concept: p.path("a concept")}
	restore := p.inside()
	if !p.failed {
		p.memberList(func() { x.Fields = append(x.Fields, p.fieldInit()) })
	}
	restore() // a `{` behind the date belongs to what is around
	if p.eatWord("at") {
		x.At = p.expr()
	}
	x.Span = p.from(start)
	return x
}
