package syntax

// The literals of collections.
type (
	// MapLit is Map { key: value, … }.
	MapLit struct {
		Span
		Keys, Values []Expr
	}
	// SetLit is Set { item, … }.
	SetLit struct {
		Span
		Items []Expr
	}
)

func (*MapLit) expr() {}
func (*SetLit) expr() {}

// collectionLit reads the braces of Map { … } and Set { … }; nil, with nothing
// read, behind another path.
func (p *parser) collectionLit(start int, path Path) Expr {
	name := path.String()
	if name != "Map" && name != "Set" {
		return nil
	}
	restore := p.inside()
	defer restore()
	if name == "Set" {
		s := &SetLit{}
		p.memberList(func() { s.Items = append(s.Items, p.expr()) })
		s.Span = p.from(start)
		return s
	}
	m := &MapLit{}
	p.memberList(func() {
		key := p.expr()
		p.expect(tColon)
		m.Keys, m.Values = append(m.Keys, key), append(m.Values, p.expr())
	})
	m.Span = p.from(start)
	return m
}

func (p *printer) mapLit(m *MapLit) {
	p.put("Map {")
	for i := range m.Keys {
		if i > 0 {
			p.put(",")
		}
		p.put(" ")
		p.expr(m.Keys[i], 0)
		p.put(": ")
		p.expr(m.Values[i], 0)
	}
	p.put(" }")
}

func (p *printer) setLit(s *SetLit) {
	p.put("Set { ")
	list(p, s.Items, func(x Expr) { p.expr(x, 0) })
	p.put(" }")
}
