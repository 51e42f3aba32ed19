package types

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// negated types what must not hold. What it would say of the variables around it
// is not known of them afterwards, but for the kind of value that they have.
func (s *scope) negated(f func()) {
	n := len(s.frame.slots)
	before := slices.Clone(s.frame.slots)
	s.supposed(f)
	for i := range n {
		if t := &s.frame.slots[i].Type; t.Op == abi.TypeConcept && unknown(before[i].Type) {
			*t, s.frame.bounds[i] = anyIndividual, nil
		}
	}
}

// supposed types what need not hold where it stands: what is counted, an operand, a
// branch. Inside, one part of it tells the next of what concept a variable is;
// outside, nothing of that is known.
func (s *scope) supposed(f func()) {
	slots, bounds := slices.Clone(s.frame.slots), slices.Clone(s.frame.bounds)
	said := maps.Clone(s.frame.said)
	f()
	for i := range slots {
		if t := &s.frame.slots[i].Type; t.Op == abi.TypeConcept && !unknown(slots[i].Type) {
			*t, s.frame.bounds[i] = slots[i].Type, bounds[i]
		}
		if list, ok := s.frame.said[i]; ok && len(list) > len(said[i]) {
			s.frame.said[i] = said[i]
		}
	}
}

// supposedExpr is supposed, for an expression.
func (s *scope) supposedExpr(f func() (abi.Expr, abi.Type)) (v abi.Expr, t abi.Type) {
	s.supposed(func() { v, t = f() })
	return v, t
}
