package syntax

// Forget is `forget x;`: the erasure of all that is stored of an individual.
type Forget struct {
	Span
	X Expr
}

func (*Forget) stmt() {}

func (p *parser) forgetStmt(start int) Stmt {
	p.next()
	s := &Forget{X: p.expr()}
	p.endBraced()
	s.Span = p.from(start)
	return s
}
