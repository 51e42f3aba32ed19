package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// truth is what is known of an atom while a component is solved.
type truth = relation.Truth

const (
	isOpen  = relation.Open // not decided; at the end: undefined
	isTrue  = relation.True
	isFalse = relation.False
)

// ground is the instances of a component's rules. Atoms have numbers, those of
// a relation or projection in the order of its rows; literals are an atom's
// number twice, plus one if it is negated.
type ground struct {
	e           *Engine
	rels        []int
	places      map[int]*place
	projections []projection
	atoms       uint32

	heads    []uint32 // by instance
	ends     []uint32 // by instance: end of its literals
	literals []uint32
	firing   int  // instances from here on need something undefined outside
	positive bool // some instance has a positive literal

	truth       []truth  // by atom
	support     []uint32 // by atom: instances with it as head that may still fire
	missing     []uint32 // by instance: literals that are not known to hold; one more where it may not fire
	dead        []bool   // by instance: a literal is false
	uses        []uint32 // an instance twice, plus one where the atom is negated in it
	useEnds     []uint32 // by atom: end of its uses
	byHead      []uint32 // instances by head; nil until they are needed
	headEnds    []uint32 // by atom: end of its instances in byHead
	decided     []uint32 // atoms in the order in which they were decided
	drawn       int      // of decided: their consequences are drawn
	together    [][2]int // parts of decided that were decided at once, as they rest on one another
	*foundation          // nil until circles are looked for
	*record              // nil until the component is kept up to date
}

func newGround(e *Engine, c *component) *ground {
	g := &ground{e: e, rels: c.rels, places: map[int]*place{}}
	for i, r := range c.rels {
		g.places[r] = g.place(r, e.rels[r].data)
		g.places[r].at = i
	}
	return g
}

func (g *ground) place(rel int, data *relation.Relation) *place {
	p := &place{rel: rel, data: data, first: g.atoms, base: uint32(data.Rows())}
	g.atoms += p.base
	return p
}

// projected returns the place of the projection of a relation to columns.
func (g *ground) projected(rel int, cols []int) *place {
	for i := range g.projections {
		if p := &g.projections[i]; p.rel == rel && slices.Equal(p.cols, cols) {
			return p.place
		}
	}
	data, keys := g.places[rel].data, relation.New(len(cols))
	tuple := make([]abi.Term, len(cols))
	for row := range data.Rows() {
		for i, c := range cols {
			tuple[i] = data.Column(c)[row]
		}
		keys.Insert(tuple)
	}
	g.projections = append(g.projections, projection{rel: rel, cols: cols, place: g.place(-1, keys), rows: data.Rows()})
	return g.projections[len(g.projections)-1].place
}

// project adds the instances that make an atom of a projection follow from each
// tuple that it stands for. They may fire.
func (g *ground) project() {
	if len(g.projections) == 0 {
		return
	}
	heads, ends, literals := g.heads, g.ends, g.literals
	g.heads, g.ends, g.literals, g.positive = nil, nil, nil, true
	for _, p := range g.projections {
		from := g.places[p.rel]
		tuple := make([]abi.Term, len(p.cols))
		for row := range from.data.Rows() {
			for i, c := range p.cols {
				tuple[i] = from.data.Column(c)[row]
			}
			at, _ := p.place.data.Find(tuple)
			g.heads = append(g.heads, p.place.first+at)
			g.literals = append(g.literals, (from.first+uint32(row))<<1)
			g.ends = append(g.ends, uint32(len(g.literals)))
		}
	}
	g.firing += len(g.heads)
	shift := uint32(len(g.literals))
	g.heads, g.literals = append(g.heads, heads...), append(g.literals, literals...)
	for _, end := range ends {
		g.ends = append(g.ends, end+shift)
	}
}

// body returns the literals of an instance.
func (g *ground) body(instance uint32) []uint32 {
	return of(g.literals, g.ends, instance)
}

// solve decides what can be. Drawing consequences takes time in proportion to
// the instances; only where positive literals leave atoms that rest on one
// another in a circle, the circles are looked for, and it goes on from there.
func (g *ground) solve(c *component) *abi.Failure {
	g.prepare()
	g.draw()
	if !g.positive {
		return nil
	}
	g.found()
	return g.dropCircles(c)
}

// dropCircles decides the lost atoms, and what follows.
func (g *ground) dropCircles(c *component) *abi.Failure {
	for len(g.lost) > 0 {
		if f := g.e.countRound(c); f != nil {
			return f
		}
		g.dropUnfounded()
		g.draw()
	}
	return nil
}

// prepare indexes the uses of atoms, and notes what holds at once.
func (g *ground) prepare() {
	g.truth, g.support = make([]truth, g.atoms), make([]uint32, g.atoms)
	g.missing, g.dead = make([]uint32, len(g.heads)), make([]bool, len(g.heads))
	g.useEnds, g.uses = make([]uint32, g.atoms+1), make([]uint32, len(g.literals))
	g.decided = make([]uint32, 0, g.atoms)
	relation.Tally(g.useEnds[1:], g.literals, 1)
	relation.Sums(g.useEnds)
	relation.Tally(g.support, g.heads, 0)
	// Each atom's end is where its uses start until they have been placed.
	facts := relation.PlaceUses(g.literals, g.ends, g.useEnds, g.uses, g.missing)
	for i := g.firing; i < len(g.missing); i++ {
		g.missing[i]++
	}
	if facts == 0 {
		return
	}
	for i := relation.NextZero(g.missing, 0); i < len(g.missing); i = relation.NextZero(g.missing, i+1) {
		g.decide(g.heads[i], isTrue)
	}
}

func (g *ground) decide(atom uint32, t truth) {
	if g.truth[atom] == isOpen {
		g.truth[atom] = t
		g.decided = append(g.decided, atom)
	}
}

// draw draws the consequences of what was decided.
func (g *ground) draw() {
	if g.foundation == nil && g.record == nil {
		c := relation.Consequences{Truth: g.truth, Support: g.support, Missing: g.missing, Dead: g.dead, Heads: g.heads, Uses: g.uses, UseEnds: g.useEnds}
		g.decided = g.decided[:relation.Draw(&c, g.decided[:g.atoms], g.drawn, len(g.decided))]
		g.drawn = len(g.decided)
		return
	}
	// Slices in variables: each turn of these loops would read the fields again.
	truth, support, missing, dead, heads := g.truth, g.support, g.missing, g.dead, g.heads
	uses, useEnds := g.uses, g.useEnds
	for ; g.drawn < len(g.decided); g.drawn++ {
		atom := g.decided[g.drawn]
		var list, more []uint32
		if int(atom)+1 < len(useEnds) {
			list = of(uses, useEnds, atom)
		}
		if g.record != nil {
			more = g.usedBy.of(atom)
		}
		// Positive literals of a true atom hold, and negated ones of a false atom.
		failing := uint32(1)
		if truth[atom] == isFalse {
			failing = 0
		}
		for {
			for _, u := range list {
				i := u >> 1
				if dead[i] {
					continue
				}
				h := heads[i]
				if u&1 != failing {
					if missing[i]--; missing[i] == 0 {
						g.decide(h, isTrue)
					}
					continue
				}
				dead[i] = true
				if support[h]--; support[h] == 0 {
					g.decide(h, isFalse)
				} else if g.foundation != nil && g.source[h] == i {
					g.lose(h)
				}
			}
			if more == nil {
				break
			}
			list, more = more, nil
		}
	}
}

// fill makes the extents of the component what the atoms say. The rows have no
// rules and rounds.
func (g *ground) fill(c *component) {
	e := g.e
	c.canonical, c.round = false, 1
	for _, r := range g.rels {
		p := g.places[r]
		var is, can []uint32
		truth := g.truth[p.first : p.first+p.base]
		for row, t := range truth {
			if t == isTrue {
				is = append(is, uint32(row))
			}
			if t != isFalse {
				can = append(can, uint32(row))
			}
		}
		s := e.rels[r]
		s.data, s.maybe = p.data.Pick(is), nil
		switch {
		case len(can) == len(is):
		case len(can) == len(truth):
			s.maybe = p.data
		default:
			s.maybe = p.data.Pick(can)
		}
		e.work.Derived += uint64(len(can))
	}
}
