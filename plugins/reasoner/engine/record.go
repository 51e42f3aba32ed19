package engine

import "math"

// record is what a solved ground program needs beside it to be kept up to date.
// It is made when the first change comes.
//
// Each decided atom has a stage, and a ground for its truth in earlier ones: of
// a true atom all literals of an instance hold since earlier stages; of a false
// one, each instance has a literal that is false since an earlier stage, or a
// positive one that was decided together with it. An undefined atom has no
// stage, and rests on nothing.
type record struct {
	stage     []uint32 // by atom; meaningless while it is open
	next      uint32   // stage
	usedBy    later    // uses in instances that have come since
	derivedBy later    // such instances, by head
	grown     []spot   // of atoms that have come since
	spans     []*place // in the order of their first numbers
	first     uint32   // the number of the first of them
	idle      []bool   // by instance: it needs something undefined outside, and may not fire
	gone      int      // instances that are no longer there
	was       []truth  // by atom, during an upkeep: its truth before, if it was decided
	reopened  []uint32 // atoms that were decided before the upkeep
	queue     stageHeap
	queued    []bool // by atom
	undefined []int  // by place in rels: undefined tuples
}

// spot is where an atom is found.
type spot struct {
	place *place
	row   uint32
}

// notThere is the number of missing literals of an instance that is no longer
// there. It is dead, too, and so looked at by nobody.
const notThere = math.MaxUint32

// maxStage is a stage after which it is better to start anew.
const maxStage = 1 << 31

// later holds, by number, what has been added to lists whose first parts are
// elsewhere.
type later struct {
	at    []uint32 // by number: place in lists plus one
	lists [][]uint32
}

func (l *later) of(n uint32) []uint32 {
	if int(n) >= len(l.at) || l.at[n] == 0 {
		return nil
	}
	return l.lists[l.at[n]-1]
}

func (l *later) add(n, x uint32) {
	if int(n) >= len(l.at) {
		l.at = append(l.at, make([]uint32, int(n)+1-len(l.at))...)
	}
	if l.at[n] == 0 {
		l.lists = append(l.lists, nil)
		l.at[n] = uint32(len(l.lists))
	}
	list := &l.lists[l.at[n]-1]
	*list = append(*list, x)
}

func (l *later) clear(n uint32) {
	if int(n) < len(l.at) && l.at[n] > 0 {
		l.lists[l.at[n]-1] = nil
	}
}

// stageHeap is a heap of atoms with the one of the least stage on top: the stage
// in the upper half of each.
type stageHeap heap

func (h *stageHeap) push(stage, atom uint32) {
	(*heap)(h).push(uint64(stage)<<32 | uint64(atom))
}

func (h *stageHeap) pop() (atom uint32) { return uint32((*heap)(h).pop()) }

// keep makes the record of a ground program that has been solved.
func (g *ground) keep(circles bool) {
	g.record = &record{
		stage: make([]uint32, g.atoms), was: make([]truth, g.atoms), queued: make([]bool, g.atoms),
		first: g.atoms, undefined: make([]int, len(g.rels)),
	}
	g.idle = make([]bool, len(g.heads))
	for i := g.firing; i < len(g.idle); i++ {
		g.idle[i] = true
	}
	g.indexHeads()
	if circles && g.foundation == nil {
		g.found()
	}
	for _, r := range g.rels {
		g.spans = append(g.spans, g.places[r])
	}
	for i := range g.projections {
		g.spans = append(g.spans, g.projections[i].place)
	}
	for i, r := range g.rels {
		p := g.places[r]
		for _, t := range g.truth[p.first : p.first+p.base] {
			if t == isOpen {
				g.undefined[i]++
			}
		}
	}
	g.date()
}

// date gives what was decided its stages.
func (g *ground) date() {
	at := 0
	for _, t := range g.together {
		at = g.dateEach(at, t[0])
		for ; at < t[1]; at++ {
			g.stage[g.decided[at]] = g.next
		}
		g.next++
	}
	g.dateEach(at, len(g.decided))
	g.decided, g.together, g.drawn = g.decided[:0], g.together[:0], 0
}

func (g *ground) dateEach(from, to int) int {
	for ; from < to; from++ {
		g.stage[g.decided[from]] = g.next
		g.next++
	}
	return from
}

// spotOf returns where an atom is found.
func (g *ground) spotOf(atom uint32) spot {
	if atom >= g.first {
		return g.grown[atom-g.first]
	}
	// Of places that begin at the same number all but the last are empty.
	lo, hi := 0, len(g.spans)
	for lo < hi {
		if mid := (lo + hi) / 2; g.spans[mid].first <= atom {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	p := g.spans[lo-1]
	return spot{p, atom - p.first}
}

// grow gives numbers to the rows that have come to a place.
func (g *ground) grow(p *place) {
	for row := int(p.base) + len(p.extra); row < p.data.Rows(); row++ {
		p.extra = append(p.extra, g.atoms)
		g.grown = append(g.grown, spot{p, uint32(row)})
		g.reopened = append(g.reopened, g.atoms)
		g.truth, g.support, g.stage = append(g.truth, isOpen), append(g.support, 0), append(g.stage, 0)
		g.was, g.queued = append(g.was, isFalse), append(g.queued, false)
		if g.foundation != nil {
			g.source, g.isLost = append(g.source, 0), append(g.isLost, false)
		}
		g.atoms++
	}
}
