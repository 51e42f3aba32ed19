package syntax

import "strconv"

func (p *printer) stepAtom(a *StepAtom) {
	p.expr(a.From, levelPostfix)
	for _, s := range a.Steps {
		p.put(".", s.Name.Name)
		if s.Quantified {
			p.put(quantifier(s))
		}
		if s.Parens {
			p.put("(")
			list(p, s.To, func(b Binder) {
				p.expr(b.Expr, 0)
				if b.Type != nil {
					p.put(": ", p.typeText(b.Type))
				}
			})
			p.put(")")
		}
	}
}

func quantifier(s *Step) string {
	least := strconv.FormatInt(s.Min, 10)
	switch {
	case s.Limit != nil:
		return "{" + least + ", " + s.Limit.Name + "}"
	case s.Max == s.Min:
		return "{" + least + "}"
	case s.Max >= 0:
		return "{" + least + ", " + strconv.FormatInt(s.Max, 10) + "}"
	case s.Min == 0:
		return "*"
	}
	return "+"
}
