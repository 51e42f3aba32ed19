package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// gathering takes the solutions of a loose rule while all that its component
// could derive is computed. It adds the heads, and keeps what instances are made
// of: the rows of the head and of positive literals, and of negated literals the
// terms, whose rows may still come.
type gathering struct {
	e        *Engine
	rule     int
	head     terms
	data     *relationState
	heads    []uint32
	literals []gathered
	before   []*gathering // of the component's rules before it
	rows     []uint32
}

// gathered is what is kept of a literal.
type gathered struct {
	terms
	of    *relationState // nil: it is negated
	rows  []uint32
	bound [][]abi.Term // columns of the arguments that are no wildcards
}

// terms says where the terms of an atom come from.
type terms struct {
	args  []operand
	fixed [][]abi.Term // constant columns, by argument
	cols  [][]abi.Term // of the batch at hand
}

func (e *Engine) termsOf(args []abi.Arg) terms {
	t := terms{args: e.operands(args), fixed: make([][]abi.Term, len(args)), cols: make([][]abi.Term, len(args))}
	for i, o := range t.args {
		if o.slot < 0 {
			t.fixed[i] = make([]abi.Term, e.batch)
			relation.Fill(t.fixed[i], o.term)
		}
	}
	return t
}

// of returns the terms' columns for a batch.
func (t *terms) of(b *batch) [][]abi.Term {
	for i, o := range t.args {
		if o.slot >= 0 {
			t.cols[i] = b.cols[o.slot][:b.n]
		} else {
			t.cols[i] = t.fixed[i][:b.n]
		}
	}
	return t.cols
}

func (e *Engine) gathering(rs *ruleState, before []*gathering) *gathering {
	s := &gathering{e: e, rule: rs.index, head: e.termsOf(rs.rule.Args), data: e.rels[rs.rule.Head], before: before, rows: make([]uint32, e.batch)}
	for i := range rs.loose.literals {
		a := &rs.loose.literals[i]
		l := gathered{of: e.rels[a.Rel]}
		args := a.Args
		if a.Neg {
			l.of, args = nil, nil
			for _, c := range boundArgs(a.Args) {
				args = append(args, a.Args[c])
			}
			l.bound = make([][]abi.Term, len(args))
		}
		l.terms = e.termsOf(args)
		s.literals = append(s.literals, l)
	}
	return s
}

func (s *gathering) take(b *batch) (bool, *abi.Failure) {
	e := s.e
	cols := s.head.of(b)
	e.work.Derived += uint64(s.data.data.InsertBatch(cols, b.n))
	s.data.data.Locate(cols, b.n, s.rows)
	s.heads = append(s.heads, s.rows[:b.n]...)
	for j := range s.literals {
		l := &s.literals[j]
		cols := l.terms.of(b)
		if l.of == nil {
			for i := range cols {
				l.bound[i] = append(l.bound[i], cols[i]...)
			}
			continue
		}
		l.of.data.Locate(cols, b.n, s.rows)
		l.rows = append(l.rows, s.rows[:b.n]...)
	}
	used := e.work.Derived + uint64(len(s.heads))
	for _, o := range s.before {
		used += uint64(len(o.heads))
	}
	if l := e.call.Limits.Derived; l > 0 && used > l {
		return false, e.breach(abi.LimitDerived, l, used, s.rule)
	}
	return true, nil
}

// assemble adds the instances to the ground program, in which to has the places
// of the rule's literals.
func (s *gathering) assemble(g *ground, to *instanceSink) {
	e := s.e
	cols := make([][]abi.Term, 0, 8)
	for from := 0; from < len(s.heads); from += e.batch {
		n := min(e.batch, len(s.heads)-from)
		to.head.rows = s.heads[from : from+n]
		for j := range s.literals {
			l := &s.literals[j]
			if l.of != nil {
				to.body[j].rows = l.rows[from : from+n]
				continue
			}
			cols = cols[:0]
			for _, c := range l.bound {
				cols = append(cols, c[from:from+n])
			}
			to.body[j].place.data.Locate(cols, n, to.body[j].rows)
		}
		to.add(n)
	}
}
