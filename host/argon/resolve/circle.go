package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// goesRound notes that the imports from u on, which are being followed, lead
// back to u. If nothing else gives the name, none of them does.
func (w *World) goesRound(u *use) {
	if u.node.Glob {
		return
	}
	for i := len(w.trail) - 1; i >= 0; i-- {
		if w.trail[i].node.Glob {
			return
		}
		if w.trail[i] == u {
			for _, x := range w.trail[i:] {
				if x.circle == nil {
					x.circle = u
					u.round = append(u.round, x)
				}
			}
			return
		}
	}
}

// leaveCircle follows the imports again that lead to u and found nothing while
// it was being followed, now that it has the name from elsewhere.
func (w *World) leaveCircle(u *use) {
	if len(u.found) == 0 {
		return // it may have a circle of its own, and be followed again
	}
	round := slices.DeleteFunc(u.round, func(x *use) bool { return x.state != 2 || len(x.found) > 0 })
	u.round = nil
	for _, x := range round {
		x.state, x.circle = 0, nil // all of them first: one leads to another
	}
	for _, x := range round {
		w.follow(x)
	}
}

// reportCircle reports imports that give a name to each other and have it from
// nowhere, at the first of them.
func (w *World) reportCircle(u *use) {
	var related []diag.Related
	for _, x := range u.round {
		if x != u && len(x.found) == 0 {
			related = append(related, diag.Related{Place: x.module.place(x.node.Path.Span), Message: "by way of this import"})
		}
	}
	slices.SortFunc(related, func(a, b diag.Related) int {
		return cmp.Or(cmp.Compare(a.Place.Path, b.Place.Path), cmp.Compare(a.Place.Start, b.Place.Start))
	})
	path := u.node.Path
	w.report(u.module, "OE0103", path.Span,
		fmt.Sprintf("%s comes from an import that has it from here", path.Parts[len(path.Parts)-1].Name),
		"declare it in one of these modules, or import it from where it is declared", related...)
}

// Unimported reports whether name would be what an import of m brings, were it
// not that the import leads nowhere, which was reported, or may be one that all
// of an absent dependency would bring.
func (w *World) Unimported(m *Module, name string) bool {
	for m != nil {
		if u := m.uses[name]; u != nil && u.state == 2 && len(u.found) == 0 {
			return true
		}
		if slices.ContainsFunc(m.globs, func(g *use) bool { return slices.Contains(m.Package.Absent, g.node.Path.Parts[0].Name) }) {
			return true
		}
		if m.Blocks == nil {
			return false
		}
		m = m.Parent
	}
	return false
}
