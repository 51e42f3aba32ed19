package types

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// later are the attributes that the language has and this version does not
// take, with what to write meanwhile.
var later = map[string]string{
	"comptime": "",
	"assumed":  "",
	"unproven": "",
}

func (e *Env) attributes(m *resolve.Module, item syntax.Item) {
	switch item.(type) {
	case *syntax.Unsupported:
		return // the item is refused as a whole
	case *syntax.ProcMacro:
		return // expansion has read it
	}
	for _, a := range item.Head().Attrs {
		e.attribute(m, a, itemWord(item))
	}
	if it, ok := item.(*syntax.Derive); ok {
		e.directives(m, it)
	}
}

func (e *Env) attribute(m *resolve.Module, a syntax.Attr, on string) {
	name := a.Name.String()
	if name == "" {
		return
	}
	switch {
	case name == "world" && (on == "concept" || on == "relation"):
		if a.Text != "open" && a.Text != "closed" {
			e.report(m, "OE0351", a.Span, "write #[world(closed)]", "#[world(…)] takes open or closed, not %q", a.Text)
		}
	case on == "derive" && (name == "label" || name == "default" || name == "defeats"):
		// directives looks at them together
	case name == "dec":
		e.dec(m, a, on)
	case name == "allow_forget" && on == "mutate":
		if a.Text != "" {
			e.report(m, "OE0351", a.Span, "write #[allow_forget]", "#[allow_forget] takes no argument")
		}
	case name == "procmacro":
		e.report(m, "OE0351", a.Span, "write #[procmacro] pub fn name(item: Decl) -> Syntax = quote { … };", "#[procmacro] belongs on a fn")
	case name == "evaluator" && on == "check":
		if a.Text == "" {
			e.report(m, "OE0351", a.Span, "write #["+name+"(some_name)]", "#[%s] needs a name", name)
		}
	case name == "world" || name == "label" || name == "evaluator" || name == "default" || name == "defeats" || name == "allow_forget":
		if on != misreadItem {
			e.report(m, "OE0351", a.Span, "", "#[%s] does not belong on a %s", name, on)
		}
	case m.Missing(name):
		// the import says that there is none
	default:
		if help, ok := removedStrength[name]; ok {
			e.report(m, "OE0355", a.Span, help, "#[%s] is no longer part of the language", name)
			return
		}
		if help, ok := later[name]; ok {
			e.unsupported(m, a.Span, "the attribute #["+name+"]", help)
			return
		}
		e.report(m, "OE0350", a.Span, e.attributeHelp(m, name), "there is no attribute #[%s]", name)
		if path, ok := strings.CutPrefix(e.diags.Items[len(e.diags.Items)-1].Help, importIt); ok {
			e.diags.Items[len(e.diags.Items)-1].Fix = m.ImportFix(strings.TrimSuffix(path, ";"))
		}
	}
}

// misreadItem is the word for a declaration that has a mistake of its own: which
// attributes it takes is not known.
const misreadItem = ""

func itemWord(item syntax.Item) string {
	switch item.(type) {
	case *syntax.Bad:
		return misreadItem
	case *syntax.Concept:
		return "concept"
	case *syntax.Relation:
		return "relation"
	case *syntax.Struct:
		return "struct"
	case *syntax.Enum:
		return "enum"
	case *syntax.Derive:
		return "derive"
	case *syntax.Query:
		return "query"
	case *syntax.Check:
		return "check"
	case *syntax.Fn:
		return "fn"
	case *syntax.Mutate:
		return "mutate"
	case *syntax.Test:
		return "test"
	case *syntax.Fact:
		return "fact"
	case *syntax.Mod:
		return "module"
	}
	return "declaration"
}

const importIt = "import it: use "

// attributeHelp says what an unknown attribute may have been meant to be: a
// macro of std::rel that is not imported, or a name that is near.
func (e *Env) attributeHelp(m *resolve.Module, name string) string {
	switch name {
	case "transitive", "irreflexive", "asymmetric", "functional":
		return importIt + "std::rel::" + name + ";"
	}
	return e.nearest(name, append(e.World.Names(m, nil, resolve.Kinds(resolve.MacroKind)), syntax.Directives()...))
}
