package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// page returns the rows that the page asks for, in order, and whether more
// come after them.
func (e *Engine) page(r *relation.Relation, p *abi.Page) (rows []uint32, more bool, f *abi.Failure) {
	if p.After == nil && (p.Limit == 0 || uint64(r.Live()) <= p.Limit) {
		return e.sortedRows(r), false, nil
	}
	after, f := e.afterRow(r, p)
	if f != nil {
		return nil, false, f
	}
	s := &pager{e: e, cols: columnsOf(r), after: after, within: relation.Everything(), limit: r.Live()}
	if p.Limit > 0 && p.Limit < uint64(r.Live()) {
		s.limit = int(p.Limit)
	}
	if r.Arity() == 0 {
		return nil, false, nil // nothing comes after the only row
	}
	s.compare = e.compareRowsOf(s.cols)
	s.collect(r)
	e.orderRows(s.cols, s.heap)
	return s.heap, s.more, nil
}

// afterRow returns the row that a page starts after, nil: from the start.
func (e *Engine) afterRow(r *relation.Relation, p *abi.Page) ([]abi.Term, *abi.Failure) {
	if p.After == nil {
		return nil, nil
	}
	if len(p.After) != r.Arity() {
		return nil, badRequest("the page starts after a row of %d values, the result has %d columns", len(p.After), r.Arity())
	}
	after := make([]abi.Term, len(p.After))
	for i := range p.After {
		after[i] = e.terms.Intern(p.After[i])
	}
	return after, nil
}

// pager finds the least rows after a given one in one pass: heap holds the
// least so far with the greatest of them on top. Most rows of a long extent
// are turned away by their first column alone, which within remembers.
type pager struct {
	e       *Engine
	cols    [][]abi.Term
	after   []abi.Term // nil: from the start
	limit   int
	compare func(a, b uint32) int
	within  relation.Range
	dropped abi.Term // the last that within drops, of which rows may be selected already
	drops   bool     // there is one
	heap    []uint32
	more    bool
}

func (s *pager) collect(r *relation.Relation) {
	if s.after != nil {
		s.bound(s.after[0], &s.within.Least)
	}
	rows := s.e.pool.selection()
	first := s.cols[0]
	for from := 0; from < len(first); from += s.e.batch {
		to := min(from+s.e.batch, len(first))
		n := s.within.Select(first[from:to], uint32(from), rows)
		for _, at := range rows[:n] {
			if (first[at] != s.dropped || !s.drops) && !r.Dead(at) {
				s.offer(at)
			}
		}
	}
	s.e.pool.rows = append(s.e.pool.rows, rows)
}

// bound takes an inline integer for a bound of the first column.
func (s *pager) bound(t abi.Term, of *int64) {
	if t.Tag() == abi.TagInt {
		*of = t.Inline()
	}
}

// drop has rows with that term in the first column turned away.
func (s *pager) drop(t abi.Term) {
	s.dropped, s.drops = t, true
	s.within.Exclude(t)
}

func (s *pager) offer(at uint32) {
	if s.after != nil && !s.follows(at) {
		return
	}
	if len(s.heap) < s.limit {
		s.heap = append(s.heap, at)
		if len(s.heap) == s.limit {
			for i := s.limit/2 - 1; i >= 0; i-- {
				s.sift(i)
			}
		}
		return
	}
	// Only now that some row is known to come after the page may others be
	// dropped unseen.
	s.more = true
	top, first := s.heap[0], s.cols[0]
	s.bound(first[top], &s.within.Most)
	if first[at] != first[top] && s.e.terms.Compare(first[at], first[top]) > 0 {
		s.drop(first[at]) // the top only ever falls
		return
	}
	if s.compare(at, top) < 0 {
		s.heap[0] = at
		s.sift(0)
		s.bound(first[s.heap[0]], &s.within.Most)
	}
}

// follows reports whether row at comes after the row that the page starts
// after.
func (s *pager) follows(at uint32) bool {
	for c, t := range s.after {
		x := s.cols[c][at]
		if x == t {
			continue
		}
		if d := s.e.terms.Compare(x, t); d > 0 {
			return true
		}
		if c == 0 {
			s.drop(x)
		}
		return false
	}
	return false
}

// sift lets the row at place i of the heap sink to where it belongs.
func (s *pager) sift(i int) {
	for n := len(s.heap); ; {
		child := 2*i + 1
		if child >= n {
			return
		}
		if child+1 < n && s.compare(s.heap[child+1], s.heap[child]) > 0 {
			child++
		}
		if s.compare(s.heap[i], s.heap[child]) >= 0 {
			return
		}
		s.heap[i], s.heap[child] = s.heap[child], s.heap[i]
		i = child
	}
}
