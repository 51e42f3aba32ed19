package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// upper is what may hold of a component that reads undefined tuples: extents of
// their own, with the rounds of an evaluation in which positive atoms take
// undefined tuples for true and negated ones take them for false. It is kept also
// while nothing of the component is undefined.
type upper struct {
	extents []*relation.Relation // by place in the component's relations
	round   uint32
}

// sure reports whether nothing that the component reads is or was undefined.
func (e *Engine) sure(c *component, changes []change) bool {
	for _, x := range changes {
		if !x.sure {
			return false
		}
	}
	return c.upper == nil && !e.uncertain(c)
}

// maintainBounds brings a component that reads undefined tuples up to date, or one
// that did. It is two components: what holds rests on what holds, and on what may
// not be under a negation; what may be rests on what may be, and on what does not
// hold. Each is kept up to date by the changes that it sees.
func (e *Engine) maintainBounds(c *component, w *window, changes []change) (done bool, f *abi.Failure) {
	is, isNot := divide(changes, func(x *change) diff { return x.diff })
	can, cannot := divide(changes, func(x *change) diff { return x.can })
	if c.upper == nil {
		// So far nothing was undefined, so that what may be is what is.
		c.upper = &upper{round: c.round}
		for _, r := range c.rels {
			c.upper.extents = append(c.upper.extents, e.rels[r].data.Clone())
		}
	}
	up := c.upper
	swap := func() {
		for i, r := range c.rels {
			s := e.rels[r]
			s.data, up.extents[i] = up.extents[i], s.data
		}
		c.round, up.round = up.round, c.round
		e.upper = !e.upper
	}
	for _, r := range c.rels {
		e.rels[r].maybe = nil
	}
	derived := e.work.Derived
	if done, f = e.maintainSide(c, w, is, cannot); !done || f != nil {
		return done, f
	}
	all := e.work.Derived - derived
	e.work.Derived = derived
	e.closeWindow(c)
	for _, r := range c.rels {
		w.active[r] = true
	}
	swap()
	done, f = e.maintainSide(c, w, can, isNot)
	swap()
	if !done || f != nil {
		return done, f
	}
	e.work.Derived = max(e.work.Derived, derived+all)
	e.tell(c)
	return true, nil
}

// divide returns the changes as positive atoms see them, and those of them that
// other atoms may see.
func divide(changes []change, seen func(*change) diff) (all, guarded []change) {
	guarded = []change{}
	for _, x := range changes {
		if x.diff = seen(&x); x.diff.none() {
			continue
		}
		all = append(all, x)
		if x.guarded {
			guarded = append(guarded, x)
		}
	}
	return all, guarded
}

// maintainSide brings one of the two up to date.
func (e *Engine) maintainSide(c *component, w *window, changes, against []change) (done bool, f *abi.Failure) {
	if len(changes) == 0 && len(against) == 0 {
		return true, nil
	}
	return e.maintain(c, w, changes, against)
}

// tell makes what may be of the component's relations what its upper extents say.
func (e *Engine) tell(c *component) {
	for i, r := range c.rels {
		s, possible := e.rels[r], c.upper.extents[i]
		if possible.Live() != s.data.Live() {
			s.maybe = possible
		}
	}
	if !e.uncertain(c) {
		c.upper = nil // it is equal
	}
}

// upperOf returns what may be of a relation where that is kept apart; nil: it is
// not.
func (e *Engine) upperOf(rel int) *relation.Relation {
	r := e.rels[rel]
	if r.comp >= 0 && r.maybe == nil && e.comps[r.comp].upper != nil {
		c := e.comps[r.comp]
		return c.upper.extents[slices.Index(c.rels, rel)]
	}
	return r.maybe
}
