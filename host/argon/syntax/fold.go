package syntax

// aggregates are the folds.
var aggregates = map[string]bool{"sum": true, "count": true, "min": true, "max": true, "avg": true}

// aggregate reads sum(e) or sum(e for x in s where c, atoms). A call of min
// with several arguments is an ordinary call.
func (p *parser) aggregate() Expr {
	start := p.start()
	t := p.next()
	a := &Aggregate{Func: p.text(t)}
	open := p.next().span()
	restore := p.inside()
	defer restore()
	a.Elem = p.expr()
	if p.at(tComma) && !p.failed {
		path := Path{Span: t.span(), Parts: []Ident{{t.span(), a.Func}}}
		return p.restOfCall(start, open, path, []Expr{a.Elem})
	}
	if p.eatWord("for") {
		p.ranging(a)
	}
	p.close(tRParen, open, "")
	a.Span = p.from(start)
	return a
}

// callOrFold reads the arguments of a call. What has a range behind its first
// one is a fold by a name that is none of the language's.
func (p *parser) callOrFold(start int, path Path) Expr {
	open := p.tok().span()
	restore := p.inside()
	defer restore()
	p.next()
	var args []Expr
	if !p.at(tRParen) {
		args = append(args, p.expr())
	}
	if len(args) == 0 || !p.eatWord("for") {
		return p.restOfCall(start, open, path, args)
	}
	a := &Aggregate{Func: path.String(), Other: &path, Elem: args[0]}
	p.ranging(a)
	p.close(tRParen, open, "")
	a.Span = p.from(start)
	return a
}

// restOfCall reads the arguments of a call behind the first one.
func (p *parser) restOfCall(start int, open Span, path Path, args []Expr) Expr {
	if len(args) > 0 && p.eat(tComma) {
		p.commaList(tRParen, func() { args = append(args, p.expr()) })
	}
	p.close(tRParen, open, "`,`")
	return &Call{Span: p.from(start), Path: path, Args: args}
}

// ranging reads x in s where c, atoms behind the `for` of a fold.
func (p *parser) ranging(a *Aggregate) {
	v := p.ident("a variable")
	a.Var = &v
	if !p.eatWord("in") {
		p.unexpected("`in`")
	}
	a.Source = p.expr()
	if p.eatWord("where") {
		a.Where = p.expr()
	}
	if p.eat(tComma) && !p.at(tRParen) {
		a.Atoms = p.atoms()
	}
}
