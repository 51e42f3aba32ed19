package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// reduce takes from the sets that were found the changes that they can do
// without, and keeps the smallest sets. A set that takes too much to look at goes.
func (s *repairing) reduce() *abi.Failure {
	least := abi.MaxRepair
	left := s.bounds.effort / reducing
	for i, facts := range s.found {
		before := s.e.effort
		over, f := s.e.allow(left, func() (f *abi.Failure) {
			facts, f = s.without(facts)
			return f
		})
		if f != nil {
			return f
		}
		if left -= s.e.effort - before; over {
			s.found[i], s.chosen = nil, nil
			continue
		}
		s.found[i] = facts
		least = min(least, len(facts))
	}
	listed := map[string]bool{}
	s.found = slices.DeleteFunc(s.found, func(facts []revision) bool {
		key := keyOfEdits(facts)
		again := listed[key]
		listed[key] = true
		return again || len(facts) == 0 || len(facts) > least
	})
	return nil
}

// reducing is the part of a search's effort that it may take to reduce what was
// found.
const reducing = 4

// without returns the changes but for those that the others can do without.
func (s *repairing) without(facts []revision) ([]revision, *abi.Failure) {
	for j := 0; j < len(facts) && len(facts) > 1; {
		others := slices.Delete(slices.Clone(facts), j, j+1)
		does, f := s.does(others)
		if f != nil {
			return facts, f
		}
		if does {
			facts = others
		} else {
			j++
		}
	}
	return facts, nil
}
