package argon

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// callable are the kinds of items that a caller names.
var callable = resolve.Kinds(resolve.ConceptKind, resolve.RelationKind, resolve.DeriveKind, resolve.CheckKind,
	resolve.QueryKind, resolve.FnKind, resolve.MutateKind)

// Declared returns the qualified name of the item that a path leads to from the
// entry module, through imports and what modules pass on with `pub use`. ok is
// false where it leads to none.
func Declared(m *lower.Module, path string) (qualified string, ok bool) {
	p := syntax.Path{}
	for _, part := range strings.Split(path, "::") {
		if !syntax.IsIdent(part) {
			return "", false
		}
		p.Parts = append(p.Parts, syntax.Ident{Name: part})
	}
	world := m.Env.World.With(&diag.List{})
	sym := world.Lookup(world.AdHoc(&syntax.Source{}), p, callable)
	if sym == nil {
		return "", false
	}
	return sym.Qualified, true
}
