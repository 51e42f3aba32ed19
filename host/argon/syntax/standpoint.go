package syntax

// standpoint reads `standpoint S <: P, Q { … }`: a module whose facts are its
// own, or a forward declaration that ends in `;`.
func (p *parser) standpoint(d Decl) Item {
	p.next()
	m := &Mod{Decl: d, Standpoint: true, Inline: true}
	m.Name = p.ident("the standpoint's name")
	if p.eat(tSub) {
		m.Parents = p.paths()
	}
	if p.atBody("`;` or `{`") {
		open, _ := p.open(tLBrace)
		m.Items = p.items(true)
		p.close(tRBrace, open, "a declaration")
		p.eat(tSemi)
		return m
	}
	m.Forward = true
	if !p.eat(tSemi) {
		p.missing(tSemi, "`;` or `{`")
	}
	return m
}

// standpoint prints one, apart from its visibility.
func (p *printer) standpoint(it *Mod) {
	p.put("standpoint ", it.Name.Name)
	for i, up := range it.Parents {
		p.put(map[bool]string{true: " <: ", false: ", "}[i == 0], up.String())
	}
	if it.Forward {
		p.put(";")
		return
	}
	p.inside(it.Items)
}

// inside prints the items of an inline module.
func (p *printer) inside(items []Item) {
	p.put(" {")
	p.indent++
	p.items(items)
	p.indent--
	p.line()
	p.put("}")
}
