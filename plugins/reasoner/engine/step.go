package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
)

// step builds the step of an atom, given the slots that are bound before it
// and those that are needed after it.
func (e *Engine) step(a *abi.Atom, at, width int, bound, need slotSet) (*step, *abi.Failure) {
	s := &step{atom: at, source: a, neg: a.Neg, slot: a.Slot, rel: -1}
	var f *abi.Failure
	switch a.Op {
	case abi.AtomScan:
		e.scanStep(s, a, bound, need)
	case abi.AtomCmp:
		e.compareStep(s, a, bound)
	case abi.AtomLet:
		s.op, s.test = opLet, bound.has(a.Slot)
		s.code, f = e.compile(a.Expr, width)
	case abi.AtomFilter:
		s.op = opFilter
		s.code, f = e.compile(a.Expr, width)
	case abi.AtomIs:
		// A type test is the expression of the same meaning.
		x := &abi.Expr{Op: abi.ExprIsType, Type: a.Type, Span: a.Span,
			Args: []abi.Expr{{Op: abi.ExprSlot, Index: a.Slot, Span: a.Span}}}
		s.op = opFilter
		s.code, f = e.compile(x, width)
	case abi.AtomMatch:
		s.op = opMatch
		s.pat, f = e.matcher(a.Pattern, width, bound)
	case abi.AtomIn:
		s.op, s.test = opIn, bound.has(a.Slot)
		s.code, f = e.compile(a.Expr, width)
	case abi.AtomExists:
		s.op = opExists
		s.nested, f = e.nest(a, width, bound)
	case abi.AtomFold:
		s.op, s.test = opFold, bound.has(a.Slot)
		s.nested, f = e.nest(a, width, bound)
	}
	return s, f
}

func (e *Engine) scanStep(s *step, a *abi.Atom, bound, need slotSet) {
	s.rel, s.flip, s.certain = a.Rel, e.parity != a.Neg, e.folding
	first := map[int]int{}
	for c, x := range a.Args {
		switch {
		case x.Op == abi.ArgConst:
			s.on, s.keys = append(s.on, c), append(s.keys, operand{slot: -1, term: e.consts[x.Index]})
		case x.Op == abi.ArgSlot && bound.has(x.Index):
			s.on, s.keys = append(s.on, c), append(s.keys, operand{slot: x.Index})
		case x.Op == abi.ArgSlot:
			if f, again := first[x.Index]; again {
				s.same = append(s.same, [2]int{f, c})
				continue
			}
			first[x.Index] = c
			if need.has(x.Index) {
				s.binds = append(s.binds, binding{col: c, slot: x.Index})
			}
		}
	}
	once := len(s.binds) == 0 && len(s.same) == 0
	switch {
	case len(s.on) == len(a.Args):
		s.op = opMember
	case len(s.on) == 0 && (once || a.Neg):
		s.op = opSome
	case len(s.on) == 0:
		s.op = opScan
	case a.Neg:
		s.op = opAbsent
	default:
		s.op = opProbe
		s.any = once
	}
}

func (e *Engine) compareStep(s *step, a *abi.Atom, bound slotSet) {
	s.op, s.cmp = opCompare, a.Cmp
	s.a, s.b = e.operand(a.Args[0]), e.operand(a.Args[1])
	free := func(o operand) bool { return o.slot >= 0 && !bound.has(o.slot) }
	switch {
	case free(s.a):
		s.op, s.slot, s.a = opAlias, s.a.slot, s.b
	case free(s.b):
		s.op, s.slot = opAlias, s.b.slot
	}
}

func (e *Engine) operand(x abi.Arg) operand {
	if x.Op == abi.ArgConst {
		return operand{slot: -1, term: e.consts[x.Index]}
	}
	return operand{slot: x.Index}
}
