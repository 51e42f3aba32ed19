package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/eval"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// unbound marks a slot without a value.
const unbound = term.Unbound

// code is an expression of a body with the slots that it reads.
type code struct {
	*eval.Code
	slot int        // the expression is just this slot, or -1
	regs []abi.Term // the slots that it runs over
	uses []int
}

func (e *Engine) compile(x *abi.Expr, width int) (*code, *abi.Failure) {
	c, f := e.vm.Compile(x, width)
	if f != nil {
		return nil, f
	}
	out := &code{Code: c, slot: -1, regs: unboundSlots(width), uses: exprSlots(x, width).list()}
	if x.Op == abi.ExprSlot {
		out.slot = x.Index
	}
	return out, nil
}

func unboundSlots(n int) []abi.Term {
	s := make([]abi.Term, n)
	for i := range s {
		s[i] = unbound
	}
	return s
}

// at evaluates the code over row i of b. ok is false where it faults.
func (c *code) at(e *Engine, b *batch, i int) (x abi.Term, ok bool, f *abi.Failure) {
	if c.slot >= 0 {
		return b.cols[c.slot][i], true, nil
	}
	for _, u := range c.uses {
		c.regs[u] = b.cols[u][i]
	}
	return e.vm.Eval(c.Code, c.regs)
}

// pattern is a compiled pattern; checks are those of its slots that are bound
// already, and so must match what is there.
type pattern struct {
	*eval.Pattern
	regs   []abi.Term
	binds  []int
	checks []int
}

func (e *Engine) matcher(p *abi.Pattern, width int, bound slotSet) (*pattern, *abi.Failure) {
	c, f := e.vm.CompilePattern(p, width)
	if f != nil {
		return nil, f
	}
	out := &pattern{Pattern: c, regs: unboundSlots(width)}
	for _, s := range c.Slots() {
		if bound.has(s) {
			out.checks = append(out.checks, s)
		} else if !slices.Contains(out.binds, s) {
			out.binds = append(out.binds, s)
		}
	}
	return out, nil
}

func (e *Engine) advanceLet(s *step) (int, *abi.Failure) {
	var dst []abi.Term
	if !s.test {
		dst = e.buffer(s, s.slot)
	}
	n := 0
	for i := range s.in.n {
		x, ok, f := s.code.at(e, &s.in, i)
		if f != nil {
			return 0, f
		}
		if !ok || s.test && x != s.in.cols[s.slot][i] {
			continue
		}
		if !s.test {
			dst[n] = x
		}
		s.tuples[n] = uint32(i)
		n++
	}
	if !s.test {
		s.out.cols[s.slot] = dst
	}
	return e.passSome(s, n), nil
}

func (e *Engine) advanceFilter(s *step) (int, *abi.Failure) {
	n := 0
	for i := range s.in.n {
		x, ok, f := s.code.at(e, &s.in, i)
		if f != nil {
			return 0, f
		}
		if ok && x == abi.True {
			s.tuples[n] = uint32(i)
			n++
		}
	}
	return e.passSome(s, n), nil
}

func (e *Engine) advanceMatch(s *step) (int, *abi.Failure) {
	p, n := s.pat, 0
rows:
	for i := range s.in.n {
		if !p.Match(s.in.cols[s.slot][i], p.regs) {
			continue
		}
		for _, c := range p.checks {
			if p.regs[c] != s.in.cols[c][i] {
				continue rows
			}
		}
		for _, c := range p.binds {
			e.buffer(s, c)[n] = p.regs[c]
		}
		s.tuples[n] = uint32(i)
		n++
	}
	for _, c := range p.binds {
		s.out.cols[c] = s.own[c]
	}
	return e.passSome(s, n), nil
}

// advanceIn ranges over the items of a list or set. A value of another kind
// has no items.
func (e *Engine) advanceIn(s *step) (int, *abi.Failure) {
	n := 0
	var dst []abi.Term
	if !s.test {
		dst = e.buffer(s, s.slot)
		s.out.cols[s.slot] = dst
	}
	for n < e.batch {
		if s.at < len(s.items) {
			x := s.items[s.at]
			s.at++
			if s.test {
				if x != s.in.cols[s.slot][s.row-1] {
					continue
				}
				s.at = len(s.items)
			} else {
				dst[n] = x
			}
			s.tuples[n] = uint32(s.row - 1)
			n++
			continue
		}
		if s.row == s.in.n {
			break
		}
		list, ok, f := s.code.at(e, &s.in, s.row)
		if f != nil {
			return 0, f
		}
		s.row, s.at, s.items = s.row+1, 0, nil
		if k := e.terms.Kind(list); ok && (k == abi.KindList || k == abi.KindSet) {
			s.items = e.terms.Items(list)
		}
	}
	if n > 0 {
		e.gather(s, n)
	}
	return n, nil
}
