package lower

import (
	"slices"

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

// refuseFolds reports aggregates over relations that may have undefined tuples:
// what they give would be an interval.
func (b *builder) refuseFolds(may []bool, body []abi.Atom) {
	for i := range body {
		a := &body[i]
		if a.Op != abi.AtomFold {
			b.refuseFolds(may, a.Body)
			continue
		}
		told := false
		readsOf(a.Body, positive, func(rel int, _ uint8) {
			if may[rel] && !told {
				told = true
				if rel == b.unknown() {
					b.report("OE1350", a.Span, "count the rows that are certain by a derive without the negation, or list the rows with a query, which says which are undefined",
						"aggregate over the absence of what is open, whose rows may be undefined: not supported yet")
					return
				}
				b.report("OE1350", a.Span, "aggregate over what the recursion reads, or list the rows with a query, which says which are undefined",
					"aggregate over %s, whose tuples may be undefined: not supported yet", b.env.Relations[rel].Name)
			}
		})
	}
}

// settle finds what may be undefined once the components are known, and refuses
// aggregates over it.
func (b *builder) settle(known []bool, components []abi.Component, firstRule int, queries []abi.Query) []bool {
	may := undefinable(known, len(b.env.Relations), b.rules, components, firstRule)
	for i := range b.rules {
		if !slices.Contains(b.refused, firstRule+i) {
			b.refuseFolds(may, b.rules[i].Body)
		}
	}
	for i := range queries {
		b.refuseFolds(may, queries[i].Body)
	}
	return may
}
