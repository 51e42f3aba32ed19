package generated

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Rearranged is text after items of it have come, gone, moved or changed what
// others see of them. Items may come from more, another text.
func Rearranged(rnd *rand.Rand, text, more string) string {
	for range 12 {
		edited := rearranged(rnd, text, more)
		for rnd.IntN(4) == 0 {
			edited = rearranged(rnd, edited, more)
		}
		var found diag.List
		if syntax.ParseFile(&syntax.Source{Text: edited}, &found); len(found.Items) == 0 || rnd.IntN(12) == 0 {
			return edited
		}
	}
	return text
}

func rearranged(rnd *rand.Rand, text, more string) string {
	items := itemsOf(text)
	if len(items) == 0 {
		return text
	}
	at := items[rnd.IntN(len(items))]
	span := at.Range()
	item, head := text[span.Start:span.End], at.Head().Name.Name
	put := func(s string) string { return text[:span.Start] + s + text[span.End:] }
	insert := func(s string) string { return text[:span.Start] + s + "\n" + text[span.Start:] }
	renamed := func(item, head string) string {
		if head == "" || rnd.IntN(6) == 0 {
			return item
		}
		return strings.Replace(item, head, fmt.Sprintf("%s%d", head, rnd.IntN(3)), 1)
	}
	switch rnd.IntN(14) {
	case 0, 1: // one less
		return put("")
	case 2: // one twice, most often under another name
		return insert(renamed(item, head))
	case 3: // one of another text
		if others := itemsOf(more); len(others) > 0 {
			o := others[rnd.IntN(len(others))]
			return insert(renamed(more[o.Range().Start:o.Range().End], o.Head().Name.Name))
		}
	case 4: // moved
		other := items[rnd.IntN(len(items))].Range()
		if other.End <= span.Start {
			return text[:other.Start] + item + "\n" + text[other.Start:span.Start] + text[span.End:]
		}
	case 5: // another name, here or in all places
		if head != "" {
			if rnd.IntN(2) == 0 {
				return strings.ReplaceAll(text, head, head+"x")
			}
			return put(strings.ReplaceAll(item, head, head+"x"))
		}
	case 6: // another of the same kind
		other := items[rnd.IntN(len(items))]
		if name := other.Head().Name.Name; head != "" && name != "" {
			return put(strings.Replace(item, head, name, 1))
		}
	case 7: // seen by fewer or more
		if strings.HasPrefix(item, "pub ") {
			return put(strings.TrimPrefix(item, "pub "))
		}
		return put("pub " + item)
	case 8:
		switch it := at.(type) {
		case *syntax.Concept:
			if n := len(it.Members); n > 0 && rnd.IntN(3) > 0 {
				if f := it.Members[rnd.IntN(n)].Field; f != nil {
					s := f.Range()
					if rnd.IntN(2) == 0 {
						return text[:s.End] + ", " + renamed(text[s.Start:s.End], f.Name.Name) + text[s.End:]
					}
					return text[:s.Start] + strings.TrimPrefix(strings.TrimLeft(text[s.End:], " \n"), ",")
				}
			}
			if i := strings.IndexByte(item, '{'); i >= 0 {
				return put(item[:i+1] + fmt.Sprintf(" mut more%d: Int? = 1,", rnd.IntN(3)) + item[i+1:])
			}
		case *syntax.Derive:
			return insert([]string{"#[default]", "#[dec(tier: expressive)]", "#[dec(tier: closure)]", "#[label(more)]"}[rnd.IntN(4)])
		}
	case 9: // a parameter less, or twice
		if i, j := strings.IndexByte(item, '('), strings.IndexByte(item, ')'); i > 0 && i < j {
			if k := strings.IndexByte(item[:j], ','); k > i && rnd.IntN(2) == 0 {
				return put(item[:i+1] + item[k+1:])
			}
			return put(item[:j] + ", more: Int" + item[j:])
		}
	case 10: // a fact of what is there
		switch it := at.(type) {
		case *syntax.Concept:
			return insert(fmt.Sprintf("pub fact %s(one%d);", head, rnd.IntN(3)))
		case *syntax.Relation:
			names := make([]string, len(it.Params))
			for i := range names {
				names[i] = fmt.Sprintf("one%d", rnd.IntN(3))
			}
			return insert(fmt.Sprintf("pub fact %s(%s);", head, strings.Join(names, ", ")))
		case *syntax.Fact:
			for _, x := range it.Args {
				if n, ok := x.(*syntax.Name); ok {
					s := n.Range()
					return text[:s.Start] + fmt.Sprintf("one%d", rnd.IntN(3)) + text[s.End:]
				}
			}
		}
	case 11: // a concept below another, and a rule that reads it
		if _, ok := at.(*syntax.Concept); ok {
			n := rnd.IntN(3)
			return insert(fmt.Sprintf("pub type Below%d <: %s { }\npub derive below%d(x: Below%d) :- x: Below%d;", n, head, n, n, n))
		}
	case 12: // a check of what is there
		switch it := at.(type) {
		case *syntax.Concept, *syntax.Derive:
			if d, ok := it.(*syntax.Derive); ok && len(d.Params) != 1 {
				break
			}
			return insert(fmt.Sprintf("pub check sees%d(x: Top) :- %s(x)\n    => Diagnostic { severity: Severity::Warning, code: \"SEES-%d\", message: \"{x} is seen\", range: None };", rnd.IntN(3), head, rnd.IntN(3)))
		}
	}
	return insert(renamed(item, head))
}

func itemsOf(text string) []syntax.Item {
	var out []syntax.Item
	for _, it := range syntax.ParseFile(&syntax.Source{Text: text}, &diag.List{}).Items {
		switch it.(type) {
		case *syntax.Use:
			// Of braces that hold several it is a part, and no text of its own.
			if s := it.Range(); strings.ContainsAny(text[s.Start:min(s.End+1, len(text))], "{},") || !strings.HasPrefix(text[s.Start:], "use ") {
				continue
			}
		case *syntax.Mod:
			continue
		}
		out = append(out, it)
	}
	return out
}
