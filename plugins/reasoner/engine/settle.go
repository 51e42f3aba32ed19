package engine

import "github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"

// held is an extent that components have read.
type held struct{ data, maybe *relation.Relation }

// possible returns the tuples that were true or undefined.
func (h held) possible() *relation.Relation {
	if h.maybe != nil {
		return h.maybe
	}
	return h.data
}

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
// by the difference, where others took their place: a component that was explained,
// or that depends on the hour, is mostly what it was, and so is mostly what may be
// where something has become undefined that was not.
func (e *Engine) settle(c *component, old []held) {
	for i, rel := range c.rels {
		r, was := e.rels[rel], old[i].possible()
		if r.data == old[i].data && r.possible() == was {
			continue
		}
		is := bridge{e: e, rel: rel, old: old[i].data, now: r.data}
		can := bridge{e: e, rel: rel, old: was, now: r.possible()}
		for _, id := range r.readers {
			reader := e.comps[id]
			for j := range reader.sources {
				s := &reader.sources[j]
				if s.rel != rel {
					continue
				}
				sure := s.can == s.is
				if s.is.data == is.old && is.old != is.now {
					is.lead(&s.is)
				}
				switch {
				case s.can.data != can.old || can.old == can.now:
				case sure && can.now == is.now:
					s.can = s.is
				default:
					can.now = e.ownMaybe(c, rel)
					can.lead(&s.can)
				}
			}
		}
	}
}

// ownMaybe returns the extent of what may be, which is no longer that of what has
// a number in a ground program.
func (e *Engine) ownMaybe(c *component, rel int) *relation.Relation {
	r := e.rels[rel]
	if g := c.ground; g != nil && r.maybe != nil && r.maybe == g.places[rel].data {
		r.maybe = copyOf(r.maybe)
	}
	return r.possible()
}

// bridge leads from an extent to the one that took its place. It serves one
// reader after another, of which most have seen the same of the old extent, so
// that it keeps the difference that it found last.
type bridge struct {
	e             *Engine
	rel           int
	old, now      *relation.Relation
	rows, removed int // what the last reader had seen of old
	known         bool
	large         bool
	come          *relation.Relation
	at            int // removed rows of the new extent before those that are gone
}

// largeShare is the part of an extent up to which the difference to another one
// is worth keeping.
const largeShare = 4

// lead lets a reader that has seen the old extent go on with the new one.
func (d *bridge) lead(s *sight) {
	if !d.known || d.rows != s.rows || d.removed != s.removed {
		d.known, d.rows, d.removed = true, s.rows, s.removed
		d.find()
	}
	if d.large {
		return
	}
	come := union(s.come, d.come)
	*s = see(d.now)
	s.come, s.removed = come, d.at
}

// find finds the difference. What is gone is put behind the rows of the new
// extent, as removed rows: there the upkeep looks for it.
func (d *bridge) find() {
	now := d.now
	seen := d.old.At(d.rows, d.removed)
	most := (now.Live() + fewHoles) / largeShare
	if d.large = max(seen.Live()-now.Live(), now.Live()-seen.Live()) > most; d.large {
		return
	}
	gone, come := seen.Minus(now), now.Minus(seen)
	if d.large = len(gone)+len(come) > most; d.large {
		return
	}
	d.come = nil
	if len(come) > 0 {
		d.come = now.Pick(come)
	}
	d.at = len(now.Removed())
	first := uint32(now.Rows())
	now.InsertTuples(seen, gone)
	for at := first; at < uint32(now.Rows()); at++ {
		d.e.drop(d.rel, now, at)
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
