package engine

import "github.com/ox-mcp/ox-mcp/abi"

// hit returns the changes that take a fact away from the proofs that bar the
// goal, one of a rule; over says that no set of up to left further changes takes
// one from each of them. barred is false where nothing bars the goal, or where
// that is not known.
func (s *repairing) hit(left int) (changes []revision, barred, over bool, f *abi.Failure) {
	if s.barrier == nil {
		return nil, false, false, nil
	}
	proofs, closed, known, f := s.standing(s.barrier, true)
	if f != nil || !closed {
		return nil, false, !known, f
	}
	least, f := s.disjoint(s.barrier, left+1)
	if f != nil || least > left {
		return nil, true, true, f
	}
	w := &candidateWalk{s: s, e: s.e, seen: map[string]bool{}}
	for i := range proofs {
		w.stand = append(w.stand, proofs[i].loose...)
	}
	return s.changes(w, false), true, false, nil
}

// barred reports whether proofs that were found before bar the goal, once x is
// done beside what is chosen.
func (s *repairing) barredBeside(x revision) bool {
	if s.barrier == nil {
		return false
	}
	old, changed := x.baseFact, x.remove
	if !changed {
		old, changed = s.e.displaced(x.baseFact)
	}
	if changed {
		s.gone = &old
	}
	_, closed, _, f := s.standing(s.barrier, false)
	s.gone = nil
	return f == nil && closed
}
