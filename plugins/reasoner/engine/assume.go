package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// baseFact is a tuple of a base relation.
type baseFact struct {
	rel   int
	tuple []abi.Term
}

// revision is a change of one base fact: it is added, in place of the one with its
// key if there is one, or taken away.
type revision struct {
	baseFact
	remove bool
}

// displaced returns the fact that x takes the place of.
func (e *Engine) displaced(x baseFact) (old baseFact, ok bool) {
	key := e.rels[x.rel].key
	if key == nil {
		return old, false
	}
	pattern := unboundSlots(len(x.tuple))
	for _, c := range key {
		pattern[c] = x.tuple[c]
	}
	for _, at := range e.fitting(x.rel, pattern) {
		return baseFact{x.rel, e.rels[x.rel].data.Row(nil, at)}, true
	}
	return old, false
}

// assume makes a change until undo is called, which brings back what was there,
// extents included: nothing is evaluated a second time. Undo comes in the
// opposite order of the changes.
func (e *Engine) assume(x revision) (undo func()) {
	r := e.rels[x.rel]
	before := r.data
	old, changed := x.baseFact, x.remove
	if !changed {
		old, changed = e.displaced(x.baseFact)
	}
	r.data = copyOf(before)
	e.effort += effortOfTrial + before.Rows()/copiedRows
	if changed {
		if at, ok := r.data.Find(old.tuple); ok {
			r.data.Remove(at)
			r.data.Compact()
		}
	}
	if !x.remove {
		r.data.Insert(x.tuple)
	}
	held := e.holdReaders([]int{x.rel})
	return func() {
		r.data = before
		held()
	}
}

// assumeGone is assume for some facts that are taken away.
func (e *Engine) assumeGone(facts []baseFact) (undo func()) {
	var rels []int
	var before []*relation.Relation
	for _, x := range facts {
		if !slices.Contains(rels, x.rel) {
			rels, before = append(rels, x.rel), append(before, e.rels[x.rel].data)
			e.rels[x.rel].data = copyOf(e.rels[x.rel].data)
			e.effort += e.rels[x.rel].data.Rows() / copiedRows
		}
		if at, ok := e.rels[x.rel].data.Find(x.tuple); ok {
			e.rels[x.rel].data.Remove(at)
		}
	}
	for _, rel := range rels {
		e.rels[rel].data.Compact()
	}
	held := e.holdReaders(rels)
	return func() {
		for i, rel := range rels {
			e.rels[rel].data = before[i]
		}
		held()
	}
}

// holdReaders makes all that rests on some relations stale, and returns what
// makes it as it was.
func (e *Engine) holdReaders(rels []int) (restore func()) {
	var undone []func()
	seen := make([]bool, len(e.comps))
	for work := slices.Clone(rels); len(work) > 0; {
		rel := work[len(work)-1]
		work = work[:len(work)-1]
		for _, id := range e.rels[rel].readers {
			if seen[id] {
				continue
			}
			seen[id] = true
			undone = append(undone, e.holdComponent(e.comps[id]))
			work = append(work, e.comps[id].rels...)
		}
	}
	return func() {
		for _, f := range undone {
			f()
		}
	}
}

// holdComponent makes a component stale, and returns what makes it as it was.
// Its next evaluation is from scratch, and so gives its relations new extents. Until
// then the engine does not know which rows the component has read, so removed rows
// stay where they are.
func (e *Engine) holdComponent(c *component) (restore func()) {
	was, sources := *c, slices.Clone(c.sources)
	rels := make([]relationState, len(c.rels))
	for i, r := range c.rels {
		rels[i] = *e.rels[r]
	}
	c.forget()
	c.state, c.failure, c.held = stale, nil, true
	e.holding++
	return func() {
		e.holding--
		*c = was
		copy(c.sources, sources)
		for i, r := range c.rels {
			*e.rels[r] = rels[i]
		}
	}
}

// copyOf returns a relation with the tuples of r.
func copyOf(r *relation.Relation) *relation.Relation {
	out := relation.New(r.Arity())
	switch {
	case r.Arity() == 0:
		if r.Live() > 0 {
			out.Insert(nil)
		}
	case r.Live() == r.Rows():
		out.InsertBatch(columnsOf(r), r.Rows())
	default:
		var tuple []abi.Term
		for _, at := range liveRows(r) {
			tuple = r.Row(tuple[:0], at)
			out.Insert(tuple)
		}
	}
	return out
}
