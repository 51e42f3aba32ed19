package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// newcomers adds to the members of a concept, for a place of such, the individuals
// that may become members: that takes another change. An individual that is not
// there is none of them, as a repair names no such. What it could do a member can,
// unless the rules ask whether an individual is another than some, or each member
// has a value that would have to make way.
func (s *repairing) newcomers(at columnRef, extent int, how guess, open bool, members []abi.Term) []abi.Term {
	out := slices.Clone(members)
	listed := make(map[abi.Term]bool, len(members))
	for _, x := range members {
		listed[x] = true
	}
	add := func(x abi.Term) {
		if !listed[x] {
			listed[x] = true
			out = append(out, x)
		}
	}
	for _, x := range s.goal.tuple {
		if individual(s.e.terms.Value(x).Kind) {
			add(x)
		}
	}
	if s.left < 2 || s.bounds.named {
		return out
	}
	if how != 0 || open && (len(members) == 0 || s.left > 2 && s.displaces(at, members)) {
		s.guess()
	}
	told := s.e.prog.Relations[extent].Asserted
	if told < 0 {
		told = extent
	}
	if s.e.addable(told) {
		for _, x := range s.joining(told) {
			add(x)
		}
	}
	return out
}

// joining returns the individuals that may become members of the concept whose facts
// rel holds, those that are members among them.
func (s *repairing) joining(rel int) []abi.Term {
	if out, known := s.joins[rel]; known {
		return out
	}
	var out []abi.Term
	for _, of := range [][]abi.Term{s.know().byType["concept"], s.know().constants} {
		s.work += uint64(len(of))
		for _, x := range of {
			if individual(s.e.terms.Value(x).Kind) && s.mayJoin(x, rel) {
				out = append(out, x)
			}
		}
	}
	if s.joins == nil {
		s.joins = map[int][]abi.Term{}
	}
	s.joins[rel] = out
	return out
}

// joined says that it guessed where a new member of the concept of a place, of
// which the others are, would do what none of the individuals that are there does.
func (s *repairing) joined(at columnRef, how guess, open bool, others []abi.Term) {
	some := slices.ContainsFunc(others, func(x abi.Term) bool {
		return individual(s.e.terms.Value(x).Kind) && s.mayJoin(x, at.rel)
	})
	if how != 0 || open && (!some || s.left > 1 && s.displaces(at, others)) {
		s.guess()
	}
}

// displaces reports whether each of the individuals has a fact that another one
// with the same key would take the place of.
func (s *repairing) displaces(at columnRef, of []abi.Term) bool {
	p := s.placing()
	return len(of) > 0 && !slices.ContainsFunc(of, func(x abi.Term) bool {
		return !slices.ContainsFunc(p.columns[p.group(at)], func(c columnRef) bool {
			key := s.e.rels[c.rel].key
			if !slices.Contains(key, c.col) || s.reach != nil && s.reach[c.rel] == 0 {
				return false
			}
			pattern := unboundSlots(len(s.e.prog.Relations[c.rel].Columns))
			pattern[c.col] = x
			return len(s.e.fitting(c.rel, pattern)) > 0
		})
	})
}
