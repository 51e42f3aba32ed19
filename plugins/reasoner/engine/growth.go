package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// source is a relation outside a component that its rules read, and what they
// had read of it when the component was last brought up to date.
type source struct {
	rel     int
	guarded bool // read under negation, exists or a fold: more of it may mean less of the component
	data    *relation.Relation
	maybe   *relation.Relation
	rows    int
	removed int    // rows of data that were marked as removed
	extent  [2]int // of maybe: rows, and those that were marked as removed

	// Where data was evaluated anew since (settle.go), the tuples among the first
	// rows that the component has not read; nil: none. Some may be gone again.
	come *relation.Relation
}

// remember notes what the component has read.
func (e *Engine) remember(c *component) {
	for i := range c.sources {
		s := &c.sources[i]
		r := e.rels[s.rel]
		s.see(r)
		s.come = nil
	}
}

// see notes an extent as it is.
func (s *source) see(r *relationState) {
	s.data, s.maybe, s.rows, s.removed = r.data, r.maybe, r.data.Rows(), len(r.data.Removed())
	s.extent = extentOf(r.maybe)
}

// extentOf tells an extent, which may be nil, from what it is later.
func extentOf(r *relation.Relation) (x [2]int) {
	if r != nil {
		x = [2]int{r.Rows(), len(r.Removed())}
	}
	return x
}

// saw reports whether the extent of what may be is still as the source has seen
// it.
func (s *source) saw(maybe *relation.Relation) bool {
	return s.maybe == maybe && s.extent == extentOf(maybe)
}

// forget makes the next evaluation start from scratch.
func (c *component) forget() {
	for i := range c.sources {
		s := &c.sources[i]
		s.data, s.come = nil, nil
	}
	c.round, c.ground, c.offers = 0, nil, nil
}

// change is what has become of a source since the component was last brought
// up to date: the rows from lo on are new and so are the tuples of come, and
// those of gone no longer there, or most of them.
type change struct {
	*source
	lo, hi     uint32
	gone, come *relation.Relation // nil: none
}

// arrived returns the tuples that have come; nil: none.
func (x *change) arrived() *relation.Relation {
	if x.lo >= x.hi {
		return x.come
	}
	var rows []uint32
	for at := x.lo; at < x.hi; at++ {
		if !x.data.Dead(at) {
			rows = append(rows, at)
		}
	}
	if len(rows) == 0 {
		return x.come
	}
	return union(x.data.Tuples(rows), x.come)
}

// changes returns what has changed of the component's sources since its last
// evaluation; told is false if that is not known, or would not help.
func (e *Engine) changes(c *component) (out []change, told bool) {
	if c.round == 0 {
		return nil, false
	}
	for i := range c.sources {
		s := &c.sources[i]
		r := e.rels[s.rel]
		if r.data != s.data || !s.saw(r.maybe) {
			return nil, false
		}
		x := change{source: s, lo: uint32(s.rows), hi: uint32(s.data.Rows())}
		x.gone = s.data.Lost(s.rows, s.removed)
		if x.come = s.come; x.come != nil {
			x.come = x.come.Within(s.data)
		}
		if x.lo < x.hi || x.gone != nil || x.come != nil {
			out = append(out, x)
		}
	}
	return out, true
}

// erase marks a row of a relation as removed.
func (e *Engine) erase(rel int, at uint32) {
	r := e.rels[rel]
	r.data.Remove(at)
	if !r.holey {
		r.holey = true
		e.holey = append(e.holey, rel)
	}
}

// fewHoles is the number of removed rows that is never worth dropping them, and
// holeShare the part of a relation that they may take up.
const (
	fewHoles  = 256
	holeShare = 4
)

// tidy drops the removed rows of relations in which they have become many. It
// is called while nothing runs, and nobody but components remembers row numbers.
func (e *Engine) tidy() {
	kept := e.holey[:0]
	for _, rel := range e.holey {
		r := e.rels[rel]
		n := len(r.data.Removed())
		if r.holey = n > 0 && (n < e.few || n*holeShare < r.data.Rows()); r.holey {
			kept = append(kept, rel)
		} else {
			e.compact(rel)
		}
	}
	e.holey = kept
}

// tidySources drops the removed rows of what a component reads that is about to
// be evaluated from scratch, as it will look at all rows. It leaves relations
// alone of which another component has yet to see what is gone, and derived ones,
// whose row numbers a mutation remembers.
func (e *Engine) tidySources(c *component) {
	if e.holding > 0 {
		return
	}
	for i := range c.sources {
		rel := c.sources[i].rel
		r := e.rels[rel]
		if r.comp >= 0 || len(r.data.Removed()) == 0 {
			continue
		}
		if !slices.ContainsFunc(r.readers, func(id int) bool { return e.comps[id] != c && e.comps[id].behind(r.data) }) {
			e.compact(rel)
		}
	}
}

// behind reports whether the component has yet to see rows go that it has read.
func (c *component) behind(data *relation.Relation) bool {
	for i := range c.sources {
		if s := &c.sources[i]; s.data == data && s.removed < len(data.Removed()) {
			return true
		}
	}
	return false
}

// compact drops the removed rows of a relation. Components that know of them
// all keep what they know; the others are evaluated from scratch.
func (e *Engine) compact(rel int) {
	data := e.rels[rel].data
	for _, id := range e.rels[rel].readers {
		c := e.comps[id]
		for i := range c.sources {
			s := &c.sources[i]
			switch {
			case s.rel != rel || s.data != data:
			case s.removed == len(data.Removed()):
				s.rows, s.removed = data.LiveBefore(s.rows), 0
			default:
				c.forget()
			}
		}
	}
	data.Compact()
}

// exact brings the relation up to date, and sees to it that it and what it
// rests on have the rules and rounds of an evaluation from scratch: proofs
// must not depend on the order in which facts came.
func (e *Engine) exact(rel int) *abi.Failure {
	if f := e.ensure(rel); f != nil || e.rels[rel].comp < 0 {
		return f
	}
	need := make([]bool, e.rels[rel].comp+1)
	need[e.rels[rel].comp] = true
	for i := len(need) - 1; i >= 0; i-- {
		if need[i] {
			for _, d := range e.comps[i].reads {
				need[d] = true
			}
		}
	}
	e.exactly = true
	defer func() { e.exactly = false }()
	for i, needed := range need {
		c := e.comps[i]
		if !needed || c.canonical {
			continue
		}
		if !c.founded {
			c.forget()
		}
		c.state = stale
		if f := e.evaluate(i); f != nil {
			e.disowned(c)
			return f
		}
	}
	return nil
}

// disowned makes stale what was evaluated from the extents of a component that
// failed when it was to be evaluated again, and has none now.
func (e *Engine) disowned(c *component) {
	failure := c.failure
	for _, r := range c.rels {
		e.dirty(r)
	}
	c.state, c.failure = failed, failure // dirty makes one stale that reads itself
}
