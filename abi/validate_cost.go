package abi

import "slices"

// costs checks that component i has at most one cost a relation, of its own
// relations, that all go one way, and that it is not well-founded.
func (o *order) costs(i int, c *Component) {
	seen := map[int]bool{}
	for _, k := range c.Costs {
		o.at("component", i, "")
		switch {
		case !slices.Contains(c.Relations, k.Relation):
			o.fail("relation %d has a cost and is not in it", k.Relation)
		case k.Column < 0 || k.Column >= len(o.relation(k.Relation).Columns):
			o.fail("column %d of %s has a cost", k.Column, o.relation(k.Relation).Name)
		case seen[k.Relation]:
			o.fail("%s has two costs", o.relation(k.Relation).Name)
		case k.Most != c.Costs[0].Most:
			o.fail("its costs go both ways")
		case c.WellFounded:
			o.fail("it has costs and is well-founded")
		}
		seen[k.Relation] = true
	}
}

// best returns the body of a rule of a component with costs, with that fold
// replaced by its body that may read the component.
func (o *order) best(r *Rule, costs []Cost) []Atom {
	if len(costs) == 0 {
		return r.Body
	}
	out := slices.Clone(r.Body)
	for i := range out {
		a := &out[i]
		if a.Op != AtomFold || !o.readsOwn(a.Body) {
			continue
		}
		uses := 0
		for _, x := range r.Args {
			if x.Op == ArgSlot && x.Index == a.Slot {
				uses++
			}
		}
		fold := FoldMin
		if costs[0].Most {
			fold = FoldMax
		}
		if a.Fold != fold || a.Expr == nil || uses != 1 {
			o.fail("folds over %s, which depends on it, other than for the head's best cost", o.relation(r.Head).Name)
		}
		out = append(out, a.Body...)
		out[i] = Atom{Op: AtomExists}
		return out // a second fold that reads the component is refused like any
	}
	return out
}

// readsOwn reports whether the body reads a relation of the component.
func (o *order) readsOwn(body []Atom) bool {
	for i := range body {
		a := &body[i]
		if a.Op == AtomScan && o.of(a.Rel) == o.component || o.readsOwn(a.Body) {
			return true
		}
	}
	return false
}
