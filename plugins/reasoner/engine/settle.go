package engine

import "github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"

// held is an extent that components have read.
type held struct{ data, maybe *relation.Relation }

// heldBy returns the extents of a component, by place in its relations, until it
// is called again: components are evaluated one at a time.
func (e *Engine) heldBy(c *component) []held {
	e.held = e.held[:0]
	for _, r := range c.rels {
		e.held = append(e.held, held{e.rels[r].data, e.rels[r].maybe})
	}
	return e.held
}

// settle sees to it that components which have read the extents that c had go on
// by the difference, if c was evaluated anew: a component that was explained, or
// that depends on the hour, is mostly what it was, and one with the well-founded
// model changes little by a small change.
func (e *Engine) settle(c *component, old []held) {
	for i, rel := range c.rels {
		r := e.rels[rel]
		if r.data == old[i].data {
			continue
		}
		d := bridge{e: e, rel: rel, old: old[i].data}
		for _, id := range r.readers {
			reader := e.comps[id]
			for j := range reader.sources {
				s := &reader.sources[j]
				if s.rel == rel && s.data == old[i].data && s.saw(old[i].maybe) && sameTuples(s.maybe, r.maybe) {
					d.lead(s)
				}
			}
		}
	}
}

// bridge leads from an extent to the one that took its place. It serves one
// reader after another, of which most have seen the same of the old extent, so
// that it keeps the difference that it found last.
type bridge struct {
	e             *Engine
	rel           int
	old           *relation.Relation
	rows, removed int // what the last reader had seen of old
	known         bool
	large         bool
	come          *relation.Relation
	at            int // removed rows of the new extent before those that are gone
}

// largeShare is the part of an extent up to which the difference to another one
// is worth keeping.
const largeShare = 4

// lead lets a source that has read the old extent go on with the new one.
func (d *bridge) lead(s *source) {
	r := d.e.rels[d.rel]
	if !d.known || d.rows != s.rows || d.removed != s.removed {
		d.known, d.rows, d.removed = true, s.rows, s.removed
		d.find()
	}
	if d.large {
		return
	}
	s.come = union(s.come, d.come)
	s.see(r)
	s.removed = d.at
}

// find finds the difference. What is gone is put behind the rows of the new
// extent, as removed rows: there the upkeep looks for it.
func (d *bridge) find() {
	now := d.e.rels[d.rel].data
	seen := d.old.At(d.rows, d.removed)
	gone, come := seen.Minus(now), now.Minus(seen)
	if d.large = (len(gone)+len(come))*largeShare > now.Live()+fewHoles; d.large {
		return
	}
	d.come = nil
	if len(come) > 0 {
		d.come = now.Tuples(come)
	}
	d.at = len(now.Removed())
	first := uint32(now.Rows())
	now.InsertTuples(seen, gone)
	for at := first; at < uint32(now.Rows()); at++ {
		d.e.erase(d.rel, at)
	}
}

// union returns the tuples of both, either of which may be nil.
func union(a, b *relation.Relation) *relation.Relation {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := relation.New(a.Arity())
	out.InsertBatch(columnsOf(a), a.Rows())
	out.InsertBatch(columnsOf(b), b.Rows())
	return out
}

// sameTuples reports whether two extents, either of which may be nil, have the
// same tuples.
func sameTuples(a, b *relation.Relation) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Live() == b.Live() && len(a.Minus(b)) == 0
}
