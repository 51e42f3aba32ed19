package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// hit returns the changes of which each set has one that derives the goal from
// the state as it stands: of each rule those that take a fact away from the proof
// of what bars it, or add what it reads beside. over says that no set of up to
// left further changes does. told is false where nothing bars the goal, or where
// that is not known.
func (s *repairing) hit(left int) (changes []revision, told, over bool, f *abi.Failure) {
	if s.barrier == nil {
		return nil, false, false, nil
	}
	_, closed, known, f := s.standing(s.barrier, true)
	if f != nil || !known {
		return nil, false, false, f
	}
	if closed {
		if least, f := s.disjoint(s.barrier, left+1); f != nil || least > left {
			return nil, true, true, f
		}
	} else if ok, decided, f := s.passes(s.barrier); f != nil || ok || !decided {
		return nil, false, false, f
	}
	w := &candidateWalk{s: s, e: s.e, seen: map[string]bool{}}
	if told, f = s.ways(s.barrier, w); f != nil || !told {
		return nil, false, false, f
	}
	if f := w.walk(); f != nil {
		return nil, false, false, f
	}
	return s.changes(w, false), true, false, nil
}

// ways notes what each rule of the barrier waits for; ok is false where that
// takes more than facts to tell.
func (s *repairing) ways(b *barrier, w *candidateWalk) (ok bool, f *abi.Failure) {
	for _, r := range b.rules {
		proofs, closed, known, f := s.standingOf(r, true)
		if f != nil || !known {
			return false, f
		}
		if closed {
			for i := range proofs {
				w.stand = append(w.stand, proofs[i].loose...)
			}
			continue
		}
		body := r.rs.rule.Body
		if r.dark {
			return false, nil
		}
		for _, at := range r.rest {
			if !s.gathered(body[at : at+1]) {
				return false, nil
			}
		}
		if f := w.through(body, r.rest, r.slots); f != nil {
			return false, f
		}
		for _, below := range r.below {
			if ok, decided, f := s.passes(below); f != nil || !decided {
				return false, f
			} else if ok {
				continue
			}
			if ok, f := s.ways(below, w); f != nil || !ok {
				return false, f
			}
		}
	}
	return true, nil
}

// readsSome reports whether a body reads a relation.
func readsSome(body []abi.Atom) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool { return a.Op == abi.AtomScan || readsSome(a.Body) })
}

// barredBeside reports whether proofs that were found before bar the goal, once x
// is done beside what is chosen.
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
