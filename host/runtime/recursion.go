package runtime

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// components lists the recursive components of the program, or with a construct
// the one that it is in, without what is the compiler's own, and counts the
// strata.
func (m *module) components(only *lower.Construct) (out []ComponentEntry, strata int) {
	out = []ComponentEntry{}
	var heads []int
	if only != nil {
		heads = m.heads(only)
	}
	for i := range m.program.Components {
		c := &m.program.Components[i]
		e := ComponentEntry{Predicates: []string{}, Kind: componentKind(c), Stratum: c.Stratum, Rules: len(c.Rules)}
		asked := false
		for _, rel := range c.Relations {
			asked = asked || slices.Contains(heads, rel)
			if r := &m.program.Relations[rel]; r.Origin != abi.OriginAux {
				e.Predicates = append(e.Predicates, r.Name)
			}
		}
		if len(e.Predicates) == 0 {
			continue
		}
		strata = max(strata, c.Stratum+1)
		if only == nil && c.Recursive || asked {
			out = append(out, e)
		}
	}
	return out, strata
}

func componentKind(c *abi.Component) string {
	switch {
	case c.WellFounded:
		return "well-founded"
	case len(c.Costs) > 0:
		return "best"
	case c.Recursive:
		return "recursive"
	}
	return "plain"
}
