package engine

import (
	"math"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// refound brings a component with the well-founded model up to date by what its
// sources have gained and lost. done is false, and the component in any state,
// if it is better or necessary to start from scratch.
func (e *Engine) refound(c *component, changes []change) (done bool) {
	g := c.ground
	if g == nil {
		return false
	}
	before := e.work
	if f := e.refoundBy(g, c, changes); f != nil {
		// What fails here may be what the rules alone would never try.
		e.work, c.ground = before, nil
		return false
	}
	return true
}

func (e *Engine) refoundBy(g *ground, c *component, changes []change) *abi.Failure {
	if g.record == nil {
		g.keep(g.circular(c))
	}
	if g.next > maxStage || g.gone > len(g.heads)/2+e.least {
		return errTooMuch
	}
	c.canonical = false
	c.round++
	for _, r := range c.rels {
		if s := e.rels[r]; s.maybe == g.places[r].data {
			s.maybe = copyOf(s.maybe) // where all that has a number may hold, it is the same
		}
	}
	atoms, f := e.reground(g, c, changes)
	if f != nil {
		return f
	}
	for _, a := range atoms {
		g.doubt(a)
	}
	if f := g.reopen(e.flows); f != nil {
		return f
	}
	if f := g.decideAgain(c, append(atoms, g.reopened...)); f != nil {
		return f
	}
	return g.apply(c)
}

// reground makes the instances anew that the changes concern, within a budget,
// and returns the atoms that are their heads.
func (e *Engine) reground(g *ground, c *component, changes []change) ([]uint32, *abi.Failure) {
	u := &regrounding{g: g, doubtful: !e.sure(c, changes), upkeep: &upkeep{e: e, c: c.looseForm(), id: e.rels[c.rels[0]].comp, changes: changes}}
	u.c.round = c.round
	if len(e.ghosts) < len(e.rels) {
		e.ghosts = make([]*relation.Relation, len(e.rels))
	}
	u.ghosts = e.ghosts
	for _, x := range changes {
		u.ghosts[x.rel] = x.gone
		if !x.sure {
			u.ghosts[x.rel] = union(x.gone, x.can.gone)
		}
	}
	was := make([]held, len(c.rels))
	for i, r := range c.rels {
		s := e.rels[r]
		was[i] = held{s.data, s.maybe}
		s.data, s.maybe = g.places[r].data, nil
		u.own = append(u.own, ownUpkeep{rel: r})
	}
	e.flow, e.most = 0, u.budget()
	defer func() {
		e.most = math.MaxInt
		for _, x := range changes {
			u.ghosts[x.rel] = nil
		}
		for i, r := range c.rels {
			e.rels[r].data, e.rels[r].maybe = was[i].data, was[i].maybe
		}
		u.release()
		for _, rs := range c.rules {
			rs.loose.release(e)
		}
	}()
	return u.run(c)
}

// release gives the buffers of the plans back that are kept.
func (l *loose) release(e *Engine) {
	for _, p := range append([]*plan{l.again}, l.denials...) {
		if p != nil {
			e.release(p)
		}
	}
}

// apply makes the extents what the atoms say.
func (g *ground) apply(c *component) *abi.Failure {
	for _, r := range c.rels {
		g.e.rels[r].data.Begin(-1, c.round)
	}
	for _, list := range [][]uint32{g.reopened, g.decided} {
		for _, a := range list {
			if was, is := g.was[a], g.truth[a]; was != is {
				if f := g.show(a, was, is); f != nil {
					return f
				}
			}
			g.was[a] = g.truth[a] // an atom may be in both
		}
	}
	for _, list := range [][]uint32{g.reopened, g.decided} {
		for _, a := range list {
			g.was[a] = isOpen
		}
	}
	g.reopened = g.reopened[:0]
	g.date()
	for i, r := range c.rels {
		if s := g.e.rels[r]; g.undefined[i] == 0 {
			s.maybe = nil
		}
	}
	return nil
}

// show puts the tuple of an atom where its truth wants it.
func (g *ground) show(atom uint32, was, is truth) *abi.Failure {
	at := g.spotOf(atom)
	if at.place.rel < 0 {
		return nil
	}
	e, rel := g.e, at.place.rel
	s := e.rels[rel]
	if was == isOpen {
		g.undefined[at.place.at]--
	} else if is == isOpen {
		g.undefined[at.place.at]++
	}
	tuple := at.place.data.Row(nil, at.row)
	if s.maybe == nil && is == isOpen {
		s.maybe = copyOf(s.data)
	}
	if s.maybe != nil {
		if is == isFalse {
			if row, ok := s.maybe.Find(tuple); ok {
				e.drop(rel, s.maybe, row)
			}
		} else {
			s.maybe.Insert(tuple)
		}
	}
	switch {
	case is == isTrue:
		s.data.Insert(tuple)
	case was == isTrue:
		if row, ok := s.data.Find(tuple); ok {
			e.erase(rel, row)
		}
	}
	if is != isFalse {
		return e.counted(-1)
	}
	return nil
}
