package syntax

import "strings"

func (p *printer) typeText(t Type) string {
	switch t := t.(type) {
	case *NamedType:
		s := t.Path.String()
		if len(t.Args) > 0 {
			s += "<" + p.typeTexts(t.Args) + ">"
		}
		return s
	case *OptionType:
		if f, ok := t.Elem.(*FnType); ok {
			return "(" + p.typeText(f) + ")?"
		}
		return p.typeText(t.Elem) + "?"
	case *ListType:
		if t.Card != nil {
			return "[" + p.typeText(t.Elem) + "; " + cardText(*t.Card) + "]"
		}
		return "[" + p.typeText(t.Elem) + "]"
	case *FnType:
		return "fn(" + p.typeTexts(t.Params) + ") -> " + p.typeText(t.Result)
	case *BadType:
		return p.raw(t.Span)
	}
	return ""
}

func (p *printer) typeTexts(ts []Type) string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = p.typeText(t)
	}
	return strings.Join(out, ", ")
}
