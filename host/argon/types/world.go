package types

import (
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// worlds says of each concept and relation whether what is absent from it is
// unknown. A concept without a mark goes by its package; a relation is closed
// unless it is marked.
func (e *Env) worlds() {
	for _, c := range e.ConceptList {
		e.Relations[c.Rel].Open = marked(c.Node.Attrs, c.Symbol.Module.Package.OpenWorld)
	}
	for _, r := range e.RelList {
		e.Relations[r.Rel].Open = marked(r.Node.Attrs, false)
	}
}

// marked returns what #[world(…)] among attrs says, or otherwise where there is
// none.
func marked(attrs []syntax.Attr, otherwise bool) bool {
	open := otherwise
	for _, a := range attrs {
		if a.Name.String() == "world" {
			open = a.Text == "open"
		}
	}
	return open
}
