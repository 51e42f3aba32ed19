package load

import (
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// passed reports whether there is nothing to load of a declaration of a
// standpoint in m: it is refused, or its items are in the module already.
func (l *loader) passed(m *Module, decl *syntax.Mod, place diag.Place) bool {
	if around := m.Standpoint(); around != nil {
		l.diags.Add(diag.Diagnostic{
			Code: "OE1258", Place: place, Help: fmt.Sprintf("declare it beside %s, as standpoint %s <: %s", around.Name, decl.Name.Name, around.Name),
			Message: fmt.Sprintf("the standpoint %s is declared inside the standpoint %s", decl.Name.Name, around.Name),
		})
		return true
	}
	known, ok := m.Child(decl.Name.Name)
	return ok && slices.Contains(known.Blocks, decl)
}

// blocks gives the standpoint child of m the items of all its declarations.
func (m *Module) blocks(child *Module) {
	if m.standpoints == nil {
		m.standpoints = map[string][]*syntax.Mod{}
		for _, item := range m.Items {
			if decl, ok := item.(*syntax.Mod); ok && decl.Standpoint {
				m.standpoints[decl.Name.Name] = append(m.standpoints[decl.Name.Name], decl)
			}
		}
	}
	child.Items, child.Blocks = nil, m.standpoints[child.Name]
	for _, decl := range child.Blocks {
		child.Items = append(child.Items, decl.Items...)
	}
}
