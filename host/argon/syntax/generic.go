package syntax

// TypeParam is a type parameter: T, or T: Trait, … with bounds.
type TypeParam struct {
	Span
	Name   Ident
	Bounds []Type
}

// typeParams reads <A, B: Bound> where it stands.
func (p *parser) typeParams() []TypeParam {
	if !p.at(tLt) || p.failed {
		return nil
	}
	open := p.next().span()
	var out []TypeParam
	p.commaList(tGt, func() {
		start := p.start()
		t := TypeParam{Name: p.ident("a type parameter's name")}
		if p.eat(tColon) {
			t.Bounds = append(t.Bounds, p.typ())
			for p.eat(tPlus) {
				t.Bounds = append(t.Bounds, p.typ())
			}
		}
		t.Span = p.from(start)
		out = append(out, t)
	})
	p.close(tGt, open, "`,`")
	return out
}

func (p *printer) typeParams(list []TypeParam) {
	if len(list) == 0 {
		return
	}
	p.put("<")
	for i, t := range list {
		if i > 0 {
			p.put(", ")
		}
		p.put(t.Name.Name)
		for j, b := range t.Bounds {
			if j == 0 {
				p.put(": ")
			} else {
				p.put(" + ")
			}
			p.put(p.typeText(b))
		}
	}
	p.put(">")
}
