package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// uses are the places of a relation in a component's rules. An upkeep goes from
// what has changed to the rules that it concerns: in a large component most have
// nothing to do with it.
type uses struct {
	place  int          // in the component's relations
	heads  []*ruleState // rules that derive it
	scans  []*ruleState // that scan it
	denies []*ruleState // of a well-founded component, that negate it
	guards []*ruleState // that have a guard of it
}

// fewRules is the number of rules, or relations, up to which to look at all of
// them costs less than to keep where which are.
const fewRules = 16

// usesOf returns rules among which are all that derive the relation, scan it, negate
// it or have a guard of it: of a small component all rules.
func (c *component) usesOf(rel int) *uses {
	if len(c.rules) > fewRules {
		return c.exactUsesOf(rel)
	}
	if c.every == nil {
		c.every = &uses{heads: c.rules, scans: c.rules, denies: c.rules, guards: c.rules}
	}
	return c.every
}

// exactUsesOf returns the places of a relation in the component's rules.
func (c *component) exactUsesOf(rel int) *uses {
	if c.uses == nil {
		c.uses = map[int]*uses{}
		for i, r := range c.rels {
			c.uses[r] = &uses{place: i}
		}
		of := func(rel int) *uses {
			x := c.uses[rel]
			if x == nil {
				x = &uses{}
				c.uses[rel] = x
			}
			return x
		}
		for _, rs := range c.rules {
			of(rs.rule.Head).heads = append(of(rs.rule.Head).heads, rs)
			for _, at := range rs.scans {
				once(&of(rs.body[at].Rel).scans, rs)
			}
			guardedIn(rs.body, 0, func(rel int) { once(&of(rel).guards, rs) })
			if rs.loose == nil {
				continue
			}
			for i := range rs.loose.literals {
				if a := &rs.loose.literals[i]; a.Neg {
					once(&of(a.Rel).denies, rs)
				}
			}
		}
	}
	if x := c.uses[rel]; x != nil {
		return x
	}
	return &uses{}
}

// once appends a rule unless it is the last.
func once(list *[]*ruleState, rs *ruleState) {
	if n := len(*list); n == 0 || (*list)[n-1] != rs {
		*list = append(*list, rs)
	}
}

// guardedIn calls each with the relations of the body that have guards.
func guardedIn(body []abi.Atom, depth int, each func(rel int)) {
	for i := range body {
		switch a := &body[i]; a.Op {
		case abi.AtomScan:
			if a.Neg || depth > 0 {
				each(a.Rel)
			}
		case abi.AtomExists, abi.AtomFold:
			guardedIn(a.Body, depth+1, each)
		}
	}
}

// placeOf returns the place of one of the component's relations among them.
func (c *component) placeOf(rel int) int {
	if len(c.rels) <= fewRules {
		return slices.Index(c.rels, rel)
	}
	return c.exactUsesOf(rel).place
}
