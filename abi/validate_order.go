package abi

// components checks that the derived relations from firstRelation on, and the
// rules from firstRule on, lie in one component each, that a component reads
// only itself and earlier ones, and itself only through positive atoms or, if it
// is well-founded, negated scans.
func (c *checker) components(components []Component, firstRelation, firstRule int) {
	if c.err != nil {
		return
	}
	relations := len(c.base.Relations) + len(c.added().Relations)
	rules := len(c.base.Rules) + len(c.added().Rules)
	place := make([]int, relations-firstRelation) // component + 1 of each relation
	placed := make([]bool, rules-firstRule)
	for i := range components {
		c.at("component", i, "")
		for _, r := range components[i].Relations {
			at := r - firstRelation
			switch {
			case at < 0 || r >= relations:
				c.fail("relation %d is none that it could define", r)
				return
			case c.relation(r).Role != Derived:
				c.fail("%s is not derived", c.relation(r).Name)
			case place[at] != 0:
				c.fail("%s is in component %d, too", c.relation(r).Name, place[at]-1)
			}
			place[at] = i + 1
		}
	}
	o := order{checker: c, first: firstRelation, place: place}
	for i := range components {
		o.costs(i, &components[i])
		for _, r := range components[i].Rules {
			c.at("component", i, "")
			at := r - firstRule
			if at < 0 || r >= rules {
				c.fail("rule %d is none that it could hold", r)
				return
			}
			if placed[at] {
				c.fail("rule %d is in two places", r)
			}
			placed[at] = true
			rule := pick(r, c.base.Rules, c.added().Rules)
			if o.of(rule.Head) != i {
				c.fail("rule %d defines %s, which is not in it", r, c.relation(rule.Head).Name)
			}
			c.at("rule", r, rule.Name)
			o.component, o.recursive, o.negates = i, components[i].Recursive, components[i].WellFounded
			o.reads(o.best(rule, components[i].Costs), true)
		}
	}
	for at, p := range place {
		if r := c.relation(firstRelation + at); p == 0 && r.Role == Derived {
			c.at("relation", at, r.Name)
			c.fail("is derived and in no component")
		}
	}
	for at, ok := range placed {
		if !ok {
			c.at("rule", at, "")
			c.fail("is in no component")
		}
	}
}

// order checks what the rules of one component read.
type order struct {
	*checker
	first     int // relations before it are there already
	place     []int
	component int
	recursive bool
	negates   bool // may read itself through a negated scan
}

// of is the component of a relation, -1 for one that is there already.
func (o *order) of(relation int) int {
	if relation < o.first {
		return -1
	}
	return o.place[relation-o.first] - 1
}

func (o *order) reads(body []Atom, positive bool) {
	for i := range body {
		a := &body[i]
		switch a.Op {
		case AtomScan:
			o.read(a.Rel, positive && (!a.Neg || o.negates))
		case AtomExists:
			o.reads(a.Body, positive && !a.Neg)
		case AtomFold:
			o.reads(a.Body, false)
		}
	}
}

func (o *order) read(relation int, positive bool) {
	switch at := o.of(relation); {
	case at < o.component:
	case at > o.component:
		o.fail("reads %s, which a later component defines", o.relation(relation).Name)
	case !positive:
		o.fail("reads %s, which depends on it, through a negation or an aggregate", o.relation(relation).Name)
	case !o.recursive:
		o.fail("reads %s of its own component, which is not marked recursive", o.relation(relation).Name)
	}
}

// readsRelations reports whether function i reads relations, itself or through
// a function that it calls.
func (c *checker) readsRelations(i int) bool {
	if c.readers == nil {
		c.findReaders()
	}
	return c.readers[i]
}

func (c *checker) findReaders() {
	base, ext := c.base.Functions, c.added().Functions
	n := len(base) + len(ext)
	c.readers = make([]bool, n)
	callers := make([][]int, n)
	var found []int
	for i := range n {
		visit(&pick(i, base, ext).Body, 0, func(x *Expr) {
			switch x.Op {
			case ExprRead, ExprReadAll, ExprHolds, ExprSub_:
				if !c.readers[i] {
					c.readers[i] = true
					found = append(found, i)
				}
			case ExprCall:
				if x.Index >= 0 && x.Index < n {
					callers[x.Index] = append(callers[x.Index], i)
				}
			}
		})
	}
	for at := 0; at < len(found); at++ {
		for _, caller := range callers[found[at]] {
			if !c.readers[caller] {
				c.readers[caller] = true
				found = append(found, caller)
			}
		}
	}
}
