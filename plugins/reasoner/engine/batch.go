package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// defaultBatch is the number of bindings that a step hands on at a time: few
// enough for the columns to stay in the cache, enough for the cost of a step to
// vanish.
const defaultBatch = 1024

// batch is a set of bindings: a column a slot. ord, where a nested body runs,
// is the number of the outer binding that each row continues.
type batch struct {
	n    int
	cols [][]abi.Term // by slot; nil where the slot is not held
	ord  []abi.Term
}

// sink takes the bindings that a plan finds. It keeps no part of the batch;
// more says whether it wants another.
type sink interface {
	take(b *batch) (more bool, f *abi.Failure)
}

// pool hands out the columns that steps fill, and takes them back.
type pool struct {
	size  int // of each
	terms [][]abi.Term
	rows  [][]uint32
}

func (p *pool) column() []abi.Term {
	if n := len(p.terms); n > 0 {
		c := p.terms[n-1]
		p.terms = p.terms[:n-1]
		return c
	}
	return make([]abi.Term, p.size)
}

func (p *pool) selection() []uint32 {
	if n := len(p.rows); n > 0 {
		c := p.rows[n-1]
		p.rows = p.rows[:n-1]
		return c
	}
	return make([]uint32, p.size)
}

// presets returns the batch of one row that binds the slots that are given.
func presets(slots []abi.Term) *batch {
	b := &batch{n: 1, cols: make([][]abi.Term, len(slots))}
	for i, t := range slots {
		if t != unbound {
			b.cols[i] = slots[i : i+1 : i+1]
		}
	}
	return b
}

// boundSlots returns the slots that are not unbound.
func boundSlots(slots []abi.Term) slotSet {
	s := newSlotSet(len(slots))
	for i, t := range slots {
		if t != unbound {
			s.add(i)
		}
	}
	return s
}

// buffer returns the step's own column for a slot.
func (e *Engine) buffer(s *step, slot int) []abi.Term {
	if s.own[slot] == nil {
		s.own[slot] = e.pool.column()
	}
	return s.own[slot]
}

func (e *Engine) ordBuffer(s *step) []abi.Term {
	if s.ownOrd == nil {
		s.ownOrd = e.pool.column()
	}
	return s.ownOrd
}

// release gives the plan's buffers back.
func (e *Engine) release(p *plan) {
	for _, s := range p.steps {
		e.releaseStep(s)
		if s.meet != nil {
			for i := range s.meet.ways {
				for _, other := range s.meet.ways[i].steps {
					e.releaseStep(other)
				}
			}
		}
	}
	// The plan may be kept, but is not to hold on to extents.
	if p.fused != nil {
		p.fused.join.Left, p.fused.join.Index, p.fused.join.Into = nil, nil, nil
	}
	if p.out != nil {
		p.out.rel = nil
		clear(p.out.cols)
	}
}

func (e *Engine) releaseStep(s *step) {
	for i, c := range s.own {
		if c != nil {
			e.pool.terms = append(e.pool.terms, c)
			s.own[i] = nil
		}
	}
	for i, c := range s.fixed {
		if c != nil {
			e.pool.terms = append(e.pool.terms, c)
			s.fixed[i] = nil
		}
	}
	if s.ownOrd != nil {
		e.pool.terms = append(e.pool.terms, s.ownOrd)
	}
	if s.ready {
		e.pool.rows = append(e.pool.rows, s.tuples, s.rows)
	}
	s.ownOrd, s.tuples, s.rows, s.ready = nil, nil, nil, false
	s.target, s.lost, s.probe.Index, s.in, s.out.ord = nil, nil, nil, batch{}, nil
	clear(s.out.cols)
	clear(s.keyCols)
	if s.nested != nil {
		e.release(s.nested.plan)
	}
}

// passAll makes out the same bindings as in.
func (s *step) passAll() int {
	for _, c := range s.keep {
		s.out.cols[c] = s.in.cols[c]
	}
	s.out.ord, s.out.n = s.in.ord, s.in.n
	return s.out.n
}

// passSome makes out the first m selected rows of in; a selection of all rows
// is in order.
func (e *Engine) passSome(s *step, m int) int {
	if m == s.in.n {
		return s.passAll()
	}
	e.gather(s, m)
	return m
}

// gather fills out's kept columns with the rows tuples[:m] of in.
func (e *Engine) gather(s *step, m int) {
	at := s.tuples[:m]
	for _, c := range s.keep {
		dst := e.buffer(s, c)
		relation.Gather(dst, s.in.cols[c], at)
		s.out.cols[c] = dst
	}
	if s.in.ord != nil {
		dst := e.ordBuffer(s)
		relation.Gather(dst, s.in.ord, at)
		s.out.ord = dst
	} else {
		s.out.ord = nil
	}
	s.out.n = m
}

// spread fills out's kept columns with m copies of row i of in.
func (e *Engine) spread(s *step, i, m int) {
	for _, c := range s.keep {
		dst := e.buffer(s, c)
		relation.Fill(dst[:m], s.in.cols[c][i])
		s.out.cols[c] = dst
	}
	if s.in.ord != nil {
		dst := e.ordBuffer(s)
		relation.Fill(dst[:m], s.in.ord[i])
		s.out.ord = dst
	} else {
		s.out.ord = nil
	}
	s.out.n = m
}
