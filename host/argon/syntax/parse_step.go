package syntax

// PathMode names, as the What of an UnsupportedAtom, a path that is named or
// that chooses between walks, trails and shortest paths.
const PathMode = "path mode"

// UnsafeLogic names, as the What of an Unsupported or an UnsupportedAtom, a
// block of full first-order logic.
const UnsafeLogic = "unsafe logic"

// atRoleStep tells, with the token behind `.name` at hand, whether x.name goes
// on as a quantified or binding step: name+(…), name*(…), name{m, n}, name(v: T).
func (p *parser) atRoleStep(x Expr) bool {
	if p.atomStart < 0 || x.Range().Start != p.atomStart {
		return false
	}
	switch p.tok().kind {
	case tLBrace:
		k := p.peek(1).kind
		return k == tInt || k == tIdent
	case tLParen:
		return p.peek(1).kind == tIdent && p.peek(2).kind == tColon
	case tPlus, tStar:
		return int(p.tok().start) == p.prevEnd && p.stepEnds(1)
	}
	return false
}

// stepEnds tells whether, n tokens on, an atom ends, or ends behind one short
// group in parentheses.
func (p *parser) stepEnds(n int) bool {
	if p.peek(n).kind == tLParen {
		const longest = 64
		depth := 0
		for i := n; ; i++ {
			if i > n+longest {
				return false
			}
			switch p.peek(i).kind {
			case tLParen:
				depth++
			case tRParen:
				depth--
			case tEOF:
				return false
			}
			if depth == 0 {
				n = i + 1
				break
			}
		}
	}
	switch t := p.peek(n); t.kind {
	case tComma, tSemi, tFat, tRBrace, tRParen, tEOF:
		return true
	case tDot:
		return true
	case tIdent:
		w := p.text(t)
		return pathWords[w] || clauseWords[w]
	}
	return false
}

// pathWords begin, behind a step, what names a path or says which ones count.
var pathWords = map[string]bool{"as": true, "mode": true, "shortest": true, "any": true, "all": true, "k": true}

// roleStepAtom reads on from the name of the first step. A path that is named,
// or of a mode, is read to its end and refused: in a query by the query.
func (p *parser) roleStepAtom(s *roleStep) Atom {
	a := &StepAtom{From: s.from}
	a.Steps = append(a.Steps, p.step(s.name))
	for p.at(tDot) && !p.failed {
		if len(a.Steps) == maxChain {
			p.tooDeep()
			break
		}
		p.next()
		a.Steps = append(a.Steps, p.step(p.ident("a relation or field")))
	}
	if p.at(tIdent) && pathWords[p.text(p.tok())] && !p.failed {
		p.restOfAtom(false)
		at := p.from(s.Start)
		if p.query != nil {
			p.query.Refused = append(p.query.Refused, RefusedClause{at, "OE1345", PathMode})
			return &BadAtom{at}
		}
		return &UnsupportedAtom{Span: at, What: PathMode}
	}
	a.Span = p.from(s.Start)
	if p.failed {
		return &BadAtom{a.Span}
	}
	return a
}

// step reads a step on from behind its name.
func (p *parser) step(name Ident) *Step {
	s := &Step{Name: name}
	switch {
	case p.failed:
	case p.eat(tPlus):
		s.Quantified, s.Min, s.Max = true, 1, -1
	case p.eat(tStar):
		s.Quantified, s.Max = true, -1
	case p.at(tLBrace):
		p.stepCounts(s)
	}
	if p.at(tLParen) && !p.failed {
		s.Parens = true
		restore := p.inside()
		p.parenList(func() { s.To = append(s.To, p.binder()) })
		restore()
	}
	s.Span = p.from(name.Start)
	return s
}

// stepCounts reads {m}, {m, n} or {m, limit}.
func (p *parser) stepCounts(s *Step) {
	open := p.next().span()
	s.Quantified = true
	if p.at(tIdent) {
		p.errorAt("OE0001", p.tok().span(), "the least number of steps is not written out", "begin with a number: {1, n}")
		p.failed = true
		return
	}
	s.Min = p.bound()
	s.Max = s.Min
	if p.eat(tComma) && !p.failed {
		if p.at(tIdent) {
			limit := p.ident("a bound")
			s.Limit, s.Max = &limit, -1
		} else {
			s.Max = p.bound()
		}
	}
	p.close(tRBrace, open, "`,`")
}

func (p *parser) binder() Binder {
	start := p.start()
	b := Binder{Expr: p.expr()}
	if p.eat(tColon) {
		b.Type = p.typ()
	}
	b.Span = p.from(start)
	return b
}
