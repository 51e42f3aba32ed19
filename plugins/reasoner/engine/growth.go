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
	guarded bool  // read under negation, exists or a fold: more of it may mean less of the component
	is      sight // of what is true
	can     sight // of what may be; where nothing was undefined the same
}

// sight is an extent as a component has read it.
type sight struct {
	data    *relation.Relation
	rows    int
	removed int // rows of data that were marked as removed

	// Where another extent took the place of the one that was read (settle.go),
	// the tuples among the first rows that the component has not read; nil: none.
	// Some may be gone again.
	come *relation.Relation
}

// see returns the sight of an extent as it is.
func see(data *relation.Relation) sight {
	return sight{data: data, rows: data.Rows(), removed: len(data.Removed())}
}

// remember notes what the component has read.
func (e *Engine) remember(c *component) {
	for i := range c.sources {
		s := &c.sources[i]
		r := e.rels[s.rel]
		s.is = see(r.data)
		s.can = s.is
		if r.maybe != nil {
			s.can = see(r.maybe)
		}
	}
}

// forget makes the next evaluation start from scratch.
func (c *component) forget() {
	for i := range c.sources {
		s := &c.sources[i]
		s.is, s.can = sight{}, sight{}
	}
	c.round, c.ground, c.offers, c.upper = 0, nil, nil, nil
}

// change is what has become of a source since the component was last brought
// up to date: of what is true of it, and of what may be.
type change struct {
	*source
	diff
	can  diff
	sure bool // what may be is what is true, and was
}

// diff is what an extent has gained and lost: the rows from lo on are new and so
// are the tuples of come, and those of gone no longer there, or most of them.
type diff struct {
	data       *relation.Relation
	lo, hi     uint32
	gone, come *relation.Relation // nil: none
}

// diff returns what has become of the extent that was seen.
func (s *sight) diff() diff {
	x := diff{data: s.data, lo: uint32(s.rows), hi: uint32(s.data.Rows())}
	x.gone = s.data.Lost(s.rows, s.removed)
	if x.lo < x.hi && s.removed < len(s.data.Removed()) && len(s.data.Gained(s.rows, s.removed)) == 0 {
		// All that is new are tuples that were taken out and came back, as most do
		// where a recursion loses a fact.
		x.lo = x.hi
	}
	if s.come != nil {
		x.come = s.come.Within(s.data)
	}
	return x
}

// none reports whether nothing has changed.
func (x *diff) none() bool { return x.lo >= x.hi && x.gone == nil && x.come == nil }

// arrived returns the tuples that have come; nil: none.
func (x *diff) arrived() *relation.Relation {
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
	return union(x.data.Pick(rows), x.come)
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
		if r.data != s.is.data || r.possible() != s.can.data {
			return nil, false
		}
		x := change{source: s, diff: s.is.diff(), sure: s.can == s.is}
		if x.can = x.diff; !x.sure {
			x.can = s.can.diff()
		}
		if !x.diff.none() || !x.can.none() {
			out = append(out, x)
		}
	}
	return out, true
}

// erase marks a row of a relation as removed.
func (e *Engine) erase(rel int, at uint32) { e.drop(rel, e.rels[rel].data, at) }

// drop marks a row of an extent of the relation as removed.
func (e *Engine) drop(rel int, of *relation.Relation, at uint32) {
	r := e.rels[rel]
	of.Remove(at)
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
		r.holey = e.thinned(rel, r.data)
		if up := e.upperOf(rel); up != nil && e.thinned(rel, up) {
			r.holey = true
		}
		if r.holey {
			kept = append(kept, rel)
		}
	}
	e.holey = kept
}

// thinned drops the removed rows of an extent if they are many, and reports
// whether some are left.
func (e *Engine) thinned(rel int, of *relation.Relation) bool {
	n := len(of.Removed())
	if n > 0 && (n < e.few || n*holeShare < of.Rows()) {
		return true
	}
	e.compact(rel, of)
	return false
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
			e.compact(rel, r.data)
		}
	}
}

// behind reports whether the component has yet to see rows go that it has read.
func (c *component) behind(data *relation.Relation) bool {
	for i := range c.sources {
		s := &c.sources[i]
		for _, x := range []*sight{&s.is, &s.can} {
			if x.data == data && x.removed < len(data.Removed()) {
				return true
			}
		}
	}
	return false
}

// compact drops the removed rows of an extent of a relation. Components that know
// of them all keep what they know; the others are evaluated from scratch.
func (e *Engine) compact(rel int, of *relation.Relation) {
	for _, id := range e.rels[rel].readers {
		c := e.comps[id]
		for i := range c.sources {
			s := &c.sources[i]
			for _, x := range []*sight{&s.is, &s.can} {
				switch {
				case s.rel != rel || x.data != of:
				case x.removed == len(of.Removed()):
					x.rows, x.removed = of.LiveBefore(x.rows), 0
				default:
					c.forget()
				}
			}
		}
	}
	of.Compact()
}

// exact brings the relation up to date, and sees to it that it has the rules and
// rounds of an evaluation from scratch: proofs must not depend on the order in
// which facts came. Of what the relation rests on only the tuples count for that,
// so that a proof makes exact what it comes to, and nothing else.
func (e *Engine) exact(rel int) *abi.Failure {
	if f := e.ensure(rel); f != nil || e.rels[rel].comp < 0 {
		return f
	}
	id := e.rels[rel].comp
	c := e.comps[id]
	if c.canonical {
		return nil
	}
	if !c.founded {
		c.forget()
	}
	c.state = stale
	e.exactly = true
	defer func() { e.exactly = false }()
	if f := e.evaluate(id); f != nil {
		e.disowned(c)
		return f
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
