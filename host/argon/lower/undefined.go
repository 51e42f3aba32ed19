package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
)

// undefinable marks the relations that may have undefined tuples: those of
// well-founded components, and those that read such a relation. known is what
// is known of the relations of a program that is extended.
func undefinable(known []bool, relations int, rules []abi.Rule, components []abi.Component, firstRule int) []bool {
	out := append(append([]bool(nil), known...), make([]bool, relations-len(known))...)
	for i := range components {
		c := &components[i]
		may := c.WellFounded
		for _, r := range c.Rules {
			readsOf(rules[r-firstRule].Body, positive, func(rel int, _ uint8) { may = may || out[rel] })
		}
		for _, rel := range c.Relations {
			out[rel] = may
		}
	}
	return out
}
