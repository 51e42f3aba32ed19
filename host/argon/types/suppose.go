package types

import "github.com/ox-mcp/ox-mcp/abi"

// negated types what must not hold. What it would say of the variables around it
// is not known of them afterwards, but for the kind of value that they have.
func (s *scope) negated(f func()) {
	for _, was := range s.supposition(f) {
		if t := &s.frame.slots[was.slot].Type; t.Op == abi.TypeConcept && unknown(was.of) {
			*t, s.frame.bounds[was.slot] = anyIndividual, nil
		}
	}
}

// supposed types what need not hold where it stands: what is counted, an operand, a
// branch. Inside, one part of it tells the next of what concept a variable is;
// outside, nothing of that is known.
func (s *scope) supposed(f func()) { s.supposition(f) }

// learnt is what was known of a slot before more of it was: of which type it is,
// of which concepts, and of which of these it is said.
type learnt struct {
	slot         int
	of           abi.Type
	bounds, said []*Concept
}

// learns notes what is known of a slot that more is about to be known of.
func (f *frame) learns(slot int) {
	if f.supposing > 0 {
		f.learnt = append(f.learnt, learnt{slot, f.slots[slot].Type, f.bounds[slot], f.said[slot]})
	}
}

// supposition is supposed. It returns what was known before of the slots that f
// learnt of. A body may have as many suppositions as slots, so that they are not
// looked at one by one.
func (s *scope) supposition(f func()) []learnt {
	frame := s.frame
	n, from := len(frame.slots), len(frame.learnt)
	frame.supposing++
	f()
	frame.supposing--
	var before []learnt
	known := map[int]bool{}
	for _, was := range frame.learnt[from:] {
		if was.slot >= n || known[was.slot] {
			continue
		}
		known[was.slot] = true
		before = append(before, was)
		if t := &frame.slots[was.slot].Type; t.Op == abi.TypeConcept && !unknown(was.of) {
			*t, frame.bounds[was.slot] = was.of, was.bounds
		}
		if list, ok := frame.said[was.slot]; ok && len(list) > len(was.said) {
			frame.said[was.slot] = was.said
		}
	}
	if frame.supposing == 0 {
		frame.learnt = nil
	}
	return before
}

// supposedExpr is supposed, for an expression.
func (s *scope) supposedExpr(f func() (abi.Expr, abi.Type)) (v abi.Expr, t abi.Type) {
	s.supposed(func() { v, t = f() })
	return v, t
}
