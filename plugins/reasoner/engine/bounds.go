package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// possible returns the tuples that are true or undefined.
func (r *relationState) possible() *relation.Relation {
	if r.maybe != nil {
		return r.maybe
	}
	return r.data
}

// uncertain reports whether something that the component reads from outside has
// undefined tuples.
func (e *Engine) uncertain(c *component) bool {
	for _, s := range c.sources {
		if e.rels[s.rel].maybe != nil {
			return true
		}
	}
	return false
}

// uncertainBody reports whether the body reads a relation that has undefined
// tuples.
func (e *Engine) uncertainBody(body []abi.Atom) bool {
	for i := range body {
		if body[i].Op == abi.AtomScan && e.rels[body[i].Rel].maybe != nil || e.uncertainBody(body[i].Body) {
			return true
		}
	}
	return false
}

// bounds computes a component whose sources have undefined tuples, twice: for
// what may hold, where positive atoms take undefined tuples for true and
// negated ones take them for false, and for what does, the other way round. The
// difference is undefined.
func (e *Engine) bounds(c *component, w *window) *abi.Failure {
	derived := e.work.Derived
	e.upper = true
	f := e.scratch(c, w)
	e.upper = false
	if f != nil {
		return f
	}
	up := &upper{extents: e.takeExtents(c), round: c.round}
	all := e.work.Derived - derived
	e.work.Derived = derived
	if f := e.within(c, w, up.extents); f != nil {
		return f
	}
	e.work.Derived = max(e.work.Derived, derived+all)
	c.upper = up
	return nil
}

// takeExtents returns the component's extents, and leaves it empty ones.
func (e *Engine) takeExtents(c *component) []*relation.Relation {
	var out []*relation.Relation
	for _, r := range c.rels {
		out = append(out, e.rels[r].data)
	}
	e.resetRelations(c)
	return out
}

// within computes what is true of the component, given what is possible.
func (e *Engine) within(c *component, w *window, possible []*relation.Relation) *abi.Failure {
	e.resetRelations(c)
	for i, r := range c.rels {
		e.rels[r].maybe = possible[i]
	}
	if f := e.fixpoint(c, w); f != nil {
		return f
	}
	for _, r := range c.rels {
		if s := e.rels[r]; s.maybe.Live() == s.data.Live() {
			s.maybe = nil
		}
	}
	return nil
}
