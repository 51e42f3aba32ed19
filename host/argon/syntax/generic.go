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
	p.commaList(tGt, func() { out = append(out, p.typeParam()) })
	p.close(tGt, open, "`,`")
	return out
}

func (p *parser) typeParam() TypeParam {
	start := p.start()
	t := TypeParam{Name: p.ident("a type parameter's name")}
	if p.eat(tColon) {
		t.Bounds = append(t.Bounds, p.typ())
		for p.eat(tPlus) {
			t.Bounds = append(t.Bounds, p.typ())
		}
	}
	t.Span = p.from(start)
	return t
}

// superConcepts reads A, B<T>, … behind the `<:` of a concept.
func (p *parser) superConcepts(c *Concept) {
	for {
		c.Supers = append(c.Supers, p.path("a name"))
		c.SuperArgs = append(c.SuperArgs, p.typeArgs())
		if !p.eat(tComma) {
			return
		}
	}
}

func (p *printer) superConcepts(c *Concept) {
	for i, path := range c.Supers {
		p.put(map[bool]string{true: " <: ", false: ", "}[i == 0], path.String())
		if i < len(c.SuperArgs) {
			p.typeArgs(c.SuperArgs[i])
		}
	}
}

// typeArgs reads <A, B> where it stands.
func (p *parser) typeArgs() (args []Type) {
	if p.at(tLt) && !p.failed {
		open := p.next().span()
		p.commaList(tGt, func() { args = append(args, p.typ()) })
		p.close(tGt, open, "`,`")
	}
	return args
}

func (p *printer) typeArgs(args []Type) {
	for i, t := range args {
		p.put(map[bool]string{true: "<", false: ", "}[i == 0], p.typeText(t))
	}
	if len(args) > 0 {
		p.put(">")
	}
}

// whereBounds reads `where T: Bound + …, U: Bound` where it stands.
func (p *parser) whereBounds() []TypeParam {
	if p.failed || !p.eatWord("where") {
		return nil
	}
	var out []TypeParam
	for {
		t := p.typeParam()
		if len(t.Bounds) == 0 && !p.failed {
			p.unexpected("`:` and a trait or concept")
		}
		if p.failed {
			return out
		}
		out = append(out, t)
		if !p.eat(tComma) || !p.atName() {
			return out
		}
	}
}

func (p *printer) typeParams(list []TypeParam) {
	if len(list) == 0 {
		return
	}
	p.put("<")
	p.typeParamList(list)
	p.put(">")
}

func (p *printer) whereBounds(list []TypeParam) {
	if len(list) > 0 {
		p.put(" where ")
		p.typeParamList(list)
	}
}

func (p *printer) typeParamList(list []TypeParam) {
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
}
