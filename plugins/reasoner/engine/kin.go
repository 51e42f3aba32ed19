package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// kinship knows which concepts are related: one is below the other.
type kinship struct {
	concepts []int          // types that have an extent
	extents  map[int]int    // by relation of members, asserted or all: the type
	told     map[int]int    // by type: the base relation of its members, or -1
	above    []map[int]bool // by type: the types above it, and itself
	overlap  map[[2]int]bool
}

func (s *repairing) knowKin() *kinship {
	if s.kin != nil {
		return s.kin
	}
	types := s.e.prog.Types
	k := &kinship{extents: map[int]int{}, told: map[int]int{}, overlap: map[[2]int]bool{}, above: make([]map[int]bool, len(types))}
	for i := range types {
		t := &types[i]
		if t.Op != abi.TypeConcept || t.Extent < 0 {
			continue
		}
		k.concepts = append(k.concepts, i)
		k.extents[t.Extent] = i
		told := s.e.prog.Relations[t.Extent].Asserted
		if told >= 0 {
			k.extents[told] = i
		} else if s.e.prog.Relations[t.Extent].Role == abi.Base {
			told = t.Extent
		}
		k.told[i] = told
		k.above[i] = map[int]bool{i: true}
		for work := slices.Clone(t.Supers); len(work) > 0; {
			above := work[len(work)-1]
			work = work[:len(work)-1]
			if !k.above[i][above] {
				k.above[i][above] = true
				work = append(work, types[above].Supers...)
			}
		}
	}
	s.kin = k
	return k
}

// mayJoin reports whether something may become a member of the concept whose
// facts rel holds: it is of none yet, or of one that is related, or that has a
// member in common with it. What has no members of its kind, as a concept of
// individuals has no types, takes none.
func (s *repairing) mayJoin(x abi.Term, rel int) bool {
	k := s.knowKin()
	to, ok := k.extents[rel]
	if !ok {
		return true
	}
	var of []int
	for _, c := range k.concepts {
		extent := s.e.prog.Types[c].Extent
		if s.e.ensure(extent) != nil || s.e.rels[extent].data.Arity() != 1 {
			continue
		}
		if _, member := s.e.rels[extent].data.Find([]abi.Term{x}); member {
			of = append(of, c)
		}
	}
	if len(of) == 0 {
		return s.kindFits(x, s.e.prog.Types[to].Extent)
	}
	related := false
	for _, c := range of {
		// What it is a member of by way of another concept does not count.
		lowest := !slices.ContainsFunc(of, func(d int) bool { return d != c && k.above[d][c] })
		related = related || lowest && (k.above[c][to] || k.above[to][c] || s.overlap(c, to))
	}
	return related
}

// mayLeave reports whether an individual may be taken out of the concept that the
// fact puts it into: it stays in another one, and no set of changes takes it out of
// one and out of or into another.
func (s *repairing) mayLeave(x baseFact) bool {
	return s.stays(x) && !s.moved(x.tuple[0], false)
}

// stays reports whether a fact puts an individual into a concept, and another fact
// puts it into one, too, whatever is chosen to be taken away.
func (s *repairing) stays(x baseFact) bool {
	if s.e.prog.Relations[x.rel].Origin != abi.OriginConcept || !s.e.addable(x.rel) || len(x.tuple) != 1 {
		return false
	}
	k := s.knowKin()
	return slices.ContainsFunc(k.concepts, func(c int) bool {
		rel := k.told[c]
		if rel < 0 || rel == x.rel || len(s.e.prog.Relations[rel].Columns) != 1 {
			return false
		}
		_, told := s.e.rels[rel].data.Find(x.tuple)
		return told || slices.ContainsFunc(s.chosen, func(y revision) bool {
			return y.remove && y.rel == rel && slices.Equal(y.tuple, x.tuple)
		})
	})
}

// moved reports whether what is chosen takes an individual out of a concept or, if
// not out only, puts it into one.
func (s *repairing) moved(x abi.Term, outOnly bool) bool {
	k := s.knowKin()
	return slices.ContainsFunc(s.chosen, func(y revision) bool {
		_, member := k.extents[y.rel] // and not what refutes that it is one
		return member && (y.remove || !outOnly) && len(y.tuple) == 1 && y.tuple[0] == x
	})
}

// overlap reports whether two concepts have a member in common, among the first
// of the smaller one.
func (s *repairing) overlap(c, d int) (both bool) {
	const looked = 20_000
	if both, known := s.kin.overlap[[2]int{c, d}]; known {
		return both
	}
	defer func() { s.kin.overlap[[2]int{c, d}] = both }()
	a, b := s.e.rels[s.e.prog.Types[c].Extent].data, s.e.rels[s.e.prog.Types[d].Extent].data
	if a.Arity() != 1 || b.Arity() != 1 {
		return false
	}
	if b.Live() < a.Live() {
		a, b = b, a
	}
	s.work += uint64(min(looked, a.Live())) / 8
	for _, at := range liveRows(a)[:min(looked, a.Live())] {
		if _, both := b.Find([]abi.Term{a.Column(0)[at]}); both {
			return true
		}
	}
	if a.Live() > looked {
		s.cut = true // one of the others may be of both
	}
	return false
}

// kindFits reports whether the members of the extent are of x's kind, as far as
// there are some.
func (s *repairing) kindFits(x abi.Term, extent int) bool {
	data := s.e.rels[extent].data
	if data.Live() == 0 {
		return individual(s.e.terms.Value(x).Kind)
	}
	rows := liveRows(data)
	return individual(s.e.terms.Value(data.Column(0)[rows[0]]).Kind) == individual(s.e.terms.Value(x).Kind)
}
