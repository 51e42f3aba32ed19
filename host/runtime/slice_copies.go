package runtime

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// findCopies finds the relations that hold what another one does, and no more:
// the members of a concept without subtypes are those that are asserted. Their
// readers may read the other, and a component less is evaluated for each.
func (s *slicer) findCopies(facts []coherence.Facts) {
	heads := make([]int, len(s.p.Relations)) // 1 + the rule that may fire; -1: there are several, or facts
	for i, fires := range s.fires {
		switch head := s.p.Rules[i].Head; {
		case !fires:
		case heads[head] == 0:
			heads[head] = 1 + i
		default:
			heads[head] = -1
		}
	}
	for i := range facts {
		heads[facts[i].Relation] = -1
	}
	for i := range s.p.Checks {
		heads[s.p.Checks[i].Relation] = -1
	}
	s.copyOf = make([]int, len(s.p.Relations))
	for i := range s.copyOf {
		s.copyOf[i] = i
	}
	// Components come in the order of evaluation, so that what a copy is of has
	// been looked at before.
	for i := range s.p.Components {
		c := &s.p.Components[i]
		if c.Recursive || c.WellFounded || len(c.Relations) != 1 {
			continue
		}
		rel := c.Relations[0]
		if heads[rel] <= 0 {
			continue
		}
		if of, ok := s.sameAs(rel, &s.p.Rules[heads[rel]-1]); ok {
			s.copyOf[rel] = s.copyOf[of]
		}
	}
}

// sameAs reports which relation the rule, the only one for rel, makes rel a copy
// of. What is open or may be refuted is read by more than its tuples.
func (s *slicer) sameAs(rel int, r *abi.Rule) (of int, ok bool) {
	if len(r.Body) != 1 {
		return 0, false
	}
	a := &r.Body[0]
	if a.Op != abi.AtomScan || a.Neg || len(a.Args) != len(r.Args) {
		return 0, false
	}
	seen := make([]bool, len(r.Slots))
	for i, x := range a.Args {
		if x.Op != abi.ArgSlot || x != r.Args[i] || seen[x.Index] {
			return 0, false
		}
		seen[x.Index] = true
	}
	for _, x := range [...]*abi.Relation{&s.p.Relations[rel], &s.p.Relations[a.Rel]} {
		if x.Open || x.Role == abi.Derived && x.Refuted >= 0 {
			return 0, false
		}
	}
	return a.Rel, true
}
