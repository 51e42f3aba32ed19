package syntax

// Refinement is `where { P, … }` or `iff { P, … }`: conditions on `self`, all of
// which hold.
type Refinement struct {
	Span
	Iff  bool
	Body []Atom
}

func (p *parser) refinement() *Refinement {
	start := p.start()
	r := &Refinement{Iff: p.atWord("iff")}
	p.next()
	open, ok := p.open(tLBrace)
	if ok {
		p.commaList(tRBrace, func() { r.Body = append(r.Body, p.atom()) })
		p.close(tRBrace, open, "`,`")
	}
	r.Span = p.from(start)
	return r
}

func (p *printer) refinement(r *Refinement) {
	word := " where { "
	if r.Iff {
		word = " iff { "
	}
	p.put(word)
	list(p, r.Body, p.atom)
	p.put(" }")
}
