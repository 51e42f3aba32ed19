package syntax

func (p *printer) metaxis(m *Metaxis) {
	p.put("metaxis ", m.Name.Name, " for ")
	name := func(id Ident) { p.put(id.Name) }
	if len(m.Targets) == 1 {
		name(m.Targets[0])
	} else {
		p.put("[")
		list(p, m.Targets, name)
		p.put("]")
	}
	switch {
	case m.Type != nil:
		p.put(" = ", p.typeText(m.Type))
		switch len(m.Predicates) {
		case 0:
		case 1:
			p.put(" where ")
			p.bareExpr(m.Predicates[0], 0)
		default:
			p.put(" where { ")
			list(p, m.Predicates, func(x Expr) { p.expr(x, 0) })
			p.put(" }")
		}
	case m.Ordered:
		p.put(" { ")
		for i, v := range m.Values {
			if i > 0 {
				p.put(" < ")
			}
			name(v)
		}
		p.put(" }")
	case len(m.Values) > 0:
		p.put(" { ")
		list(p, m.Values, name)
		p.put(" }")
	}
	p.put(";")
}

// relationBody prints the parts of a relation's body.
func (p *printer) relationBody(r *Relation) {
	var parts []Member
	for i := range r.Overrides {
		parts = append(parts, Member{Override: &r.Overrides[i]})
	}
	for _, f := range r.Fields {
		parts = append(parts, Member{Field: f})
	}
	braced(p, parts, ",", p.member)
}
