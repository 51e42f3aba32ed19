package syntax

import "strconv"

func (p *printer) modalAtom(a *ModalAtom) {
	p.put(a.Word, "(")
	list(p, a.Body, p.atom)
	p.put(")")
}

func (p *printer) metricAtom(a *MetricAtom) {
	p.put(a.Word)
	if a.Ranged {
		most := "*"
		if a.To >= 0 {
			most = strconv.FormatInt(a.To, 10)
		}
		p.put("[", strconv.FormatInt(a.From, 10), ", ", most, "]")
	}
	p.put("(")
	list(p, append(append([]Atom(nil), a.Left...), a.Body...), p.atom)
	p.put(")")
}
