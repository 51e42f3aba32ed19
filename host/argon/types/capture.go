package types

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// captured warns of names that look like the variables of a join and name an
// individual, because a facts file happens to have a row of that spelling:
// more rows would change what the rule means.
func (e *Env) captured(m *resolve.Module, _ *resolve.Symbol, item syntax.Item) {
	var atoms []syntax.Atom
	var params []*syntax.Param
	switch it := item.(type) {
	case *syntax.Derive:
		atoms, params = it.Body, it.Params
	case *syntax.Check:
		atoms, params = it.Body, it.Params
	case *syntax.Query:
		atoms, params = append(append(atoms, it.From...), it.Where...), it.Params
	}
	bound := map[string]bool{}
	for _, p := range params {
		bound[p.Name.Name] = true
	}
	seen := map[string]int{} // scans that a name is an argument of
	for _, a := range atoms {
		if not, ok := a.(*syntax.NotAtom); ok {
			a = not.Atom
		}
		call, ok := a.(*syntax.CallAtom)
		if !ok {
			continue
		}
		in := map[string]bool{}
		for _, x := range call.Args {
			n, ok := x.(*syntax.Name)
			if !ok || len(n.Path.Parts) != 1 || bound[n.Path.Parts[0].Name] || in[n.Path.Parts[0].Name] {
				continue
			}
			name := n.Path.Parts[0].Name
			in[name] = true
			if seen[name]++; seen[name] == 2 && e.World.OnlyInCells(m, n.Path) {
				e.diags.Add(diag.Diagnostic{
					Code: "OW0155", Severity: diag.Warning, Place: place(m, n.Range()),
					Message: fmt.Sprintf("%s is no variable here: a facts file has an individual of that name", name),
					Help:    "for a variable take another name; for the individual say x == " + name + " once, and x in the atoms",
				})
			}
		}
	}
}
