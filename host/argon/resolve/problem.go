package resolve

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// problem is why a path leads nowhere.
type problem struct {
	part      int       // index of the part that failed
	hidden    *Symbol   // it is there, and private
	ambiguous []*Symbol // more than one glob brings it
	wrong     *Symbol   // it is there, and of another kind
	in        *Module   // where the part was looked for
	inEnum    *Symbol
	imported  *Symbol  // it is imported there, for that module alone
	named     []string // what it may have been beside the names that are declared
}

func (w *World) reportProblem(m *Module, path syntax.Path, p problem, want Want) {
	if len(path.Parts) == 0 || p.part >= len(path.Parts) {
		return
	}
	part := path.Parts[p.part]
	for _, x := range path.Parts {
		if x.Name == "" {
			return // the parser has reported it
		}
	}
	switch {
	case len(p.ambiguous) > 0:
		var names []string
		var related []diag.Related
		for _, s := range p.ambiguous {
			names = append(names, s.Qualified)
			related = append(related, diag.Related{Place: s.Place, Message: s.Qualified})
		}
		sort.Strings(names)
		w.report(m, "OE0102", part.Span, fmt.Sprintf("%s may be %s", part.Name, strings.Join(names, " or ")),
			"write the qualified name", related...)
	case p.hidden != nil:
		w.report(m, "OE0153", part.Span, fmt.Sprintf("%s %s is private to module %s", p.hidden.Kind, part.Name, p.hidden.Module.Path),
			"declare it `pub`, or `pub(pkg)` for this package only", diag.Related{Place: p.hidden.Place, Message: "declared here"})
	case p.imported != nil:
		w.report(m, "OE0153", part.Span, fmt.Sprintf("module %s imports %s for itself alone", p.in.Path, part.Name),
			"write `pub use` there, or name it where it is declared: "+p.imported.Qualified, diag.Related{Place: p.in.uses[part.Name].module.place(p.in.uses[part.Name].node.Span), Message: "imported here"})
	case p.wrong != nil:
		w.report(m, "OE0201", part.Span, fmt.Sprintf("%s is a %s, and here stands a %s", path, p.wrong.Kind, describe(want)),
			"", diag.Related{Place: p.wrong.Place, Message: "declared here"})
	case p.inEnum == nil && (p.in != nil && w.Unimported(p.in, part.Name) || p.part == 0 && slices.Contains(m.Package.Absent, part.Name)):
		w.diags.Add(diag.Diagnostic{Code: "OE0101", Message: "there is no " + part.Name, Place: m.place(part.Span), Follows: true})
	default:
		where := m.Where()
		if p.inEnum != nil {
			where = "in " + p.inEnum.Kind.String() + " " + p.inEnum.Qualified
		} else if p.in != nil {
			where = p.in.Where()
		}
		hint := w.hint(m, p, part.Name, want)
		w.diags.Add(diag.Diagnostic{
			Code: "OE0101", Message: fmt.Sprintf("there is no %s %s", part.Name, where), Place: m.place(part.Span), Help: hint,
			Fix: m.importing(hint),
		})
	}
}

// Where says for a message where a name of m was looked for.
func (m *Module) Where() string {
	if m.open {
		return "in the package"
	}
	return "in module " + m.Path
}

func describe(want Want) string {
	var words []string
	for k := range Kind(len(kindNames)) {
		if want.has(k) && k != UnsupportedKind {
			words = append(words, kindNames[k])
		}
	}
	switch {
	case len(words) > 4:
		return "name of another kind"
	case len(words) > 1:
		return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	case len(words) == 1:
		return words[0]
	}
	return "name"
}
