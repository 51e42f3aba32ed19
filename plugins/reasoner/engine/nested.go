package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/eval"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// maxBodyDepth bounds how deeply bodies nest in one another: planning and
// running recurse over them.
const maxBodyDepth = 32

// foldRows is the number of outer bindings whose solutions are gathered at a
// time, so that the memory for a fold follows its groups and not the batch.
const foldRows = 64

// nested is a body inside an atom. It is run for many outer bindings at once:
// every solution carries the number of the outer binding that it continues.
type nested struct {
	plan  *plan
	outer []int // slots that are handed in
	fold  abi.FoldOp
	over  []int // slots that tell solutions apart
	expr  *code // what is folded; nil for count
	in    batch
	ord   []abi.Term
	marks marks
	acc   accumulator
}

// marks notes which outer bindings have a solution.
type marks struct {
	seen   []bool
	left   int
	choice *choice // what it takes is only what this would; nil: all
}

func (m *marks) take(b *batch) (bool, *abi.Failure) {
	for at, o := range b.ord[:b.n] {
		if m.choice != nil && !m.choice.has(b, at) {
			continue
		}
		i := o & abi.PayloadMask
		if !m.seen[i] {
			m.seen[i] = true
			m.left--
		}
	}
	return m.left > 0, nil
}

// accumulator gathers the distinct solutions of a fold's body.
type accumulator struct {
	rel  *relation.Relation
	over []int
	cols [][]abi.Term
}

func (a *accumulator) take(b *batch) (bool, *abi.Failure) {
	a.cols = append(a.cols[:0], b.ord[:b.n])
	for _, s := range a.over {
		a.cols = append(a.cols, b.cols[s][:b.n])
	}
	a.rel.InsertBatch(a.cols, b.n)
	return true, nil
}

// nest plans the body of an exists or a fold.
func (e *Engine) nest(a *abi.Atom, width int, bound slotSet) (*nested, *abi.Failure) {
	if e.depth++; e.depth > maxBodyDepth {
		e.depth--
		return nil, &abi.Failure{Code: abi.FailureRequest, Span: a.Span, Rule: -1, Message: "bodies are nested too deeply"}
	}
	parity, folding := e.parity, e.folding
	defer func() { e.depth--; e.parity, e.folding = parity, folding }()
	if a.Op == abi.AtomFold {
		// A scan in a fold reads what is true; turned round, what may be.
		e.parity, e.folding = a.Possible, true
	} else if a.Neg {
		e.parity = !e.parity
	}
	outer := newSlotSet(width)
	for i := range a.Body {
		outer.addAll(atomSlots(&a.Body[i], width))
	}
	n := &nested{fold: a.Fold, over: slices.Clone(a.Over)}
	need := newSlotSet(width)
	if a.Op == abi.AtomFold {
		if a.Expr != nil && a.Fold != abi.FoldCount {
			var f *abi.Failure
			if n.expr, f = e.compile(a.Expr, width); f != nil {
				return nil, f
			}
			outer.addAll(exprSlots(a.Expr, width))
			for _, s := range n.expr.uses {
				if !bound.has(s) && !slices.Contains(n.over, s) {
					n.over = append(n.over, s)
				}
			}
		}
		for _, s := range n.over {
			outer.add(s)
			need.add(s)
		}
		if !bound.has(a.Slot) {
			outer.remove(a.Slot)
		}
	}
	outer.keepAll(bound)
	n.outer = outer.list()
	var f *abi.Failure
	n.plan, f = e.plan(a.Body, width, planOptions{bound: outer, need: need, first: -1, stable: e.stable})
	if f != nil {
		return nil, f
	}
	n.in.cols = make([][]abi.Term, width)
	return n, nil
}

// feed makes rows [from, to) of the outer batch, which has at most size, the
// nested body's input.
func (n *nested) feed(outer *batch, from, to, size int) *batch {
	if n.ord == nil {
		n.ord = make([]abi.Term, size)
		for i := range n.ord {
			n.ord[i] = abi.TagInt | abi.Term(i)
		}
	}
	for _, s := range n.outer {
		n.in.cols[s] = outer.cols[s][from:to]
	}
	n.in.n, n.in.ord = to-from, n.ord[from:to]
	return &n.in
}

func (e *Engine) advanceExists(s *step, w *window) (int, *abi.Failure) {
	n := s.nested
	if n.marks.seen == nil {
		n.marks.seen = make([]bool, e.batch)
	}
	clear(n.marks.seen)
	n.marks.left = s.in.n
	if f := e.run(n.plan, n.feed(&s.in, 0, s.in.n, e.batch), w.nested(), &n.marks); f != nil {
		return 0, f
	}
	m := 0
	for i := range s.in.n {
		if n.marks.seen[i] != s.neg {
			s.tuples[m] = uint32(i)
			m++
		}
	}
	return e.passSome(s, m), nil
}

func (e *Engine) advanceFold(s *step, w *window) (int, *abi.Failure) {
	var dst []abi.Term
	if !s.test {
		dst = e.buffer(s, s.slot)
	}
	m := 0
	for from := 0; from < s.in.n; from += foldRows {
		to := min(from+foldRows, s.in.n)
		groups, f := e.foldGroups(s.nested, &s.in, from, to, w)
		if f != nil {
			return 0, f
		}
		for i := range to - from {
			if groups[i].failed {
				continue
			}
			x, fault := groups[i].Result(e.terms)
			if f := foldFault(fault); f != nil {
				f.Span = s.source.Span
				return 0, f
			}
			if fault != term.OK || s.test && x != s.in.cols[s.slot][from+i] {
				continue
			}
			if !s.test {
				dst[m] = x
			}
			s.tuples[m] = uint32(from + i)
			m++
		}
	}
	if !s.test {
		s.out.cols[s.slot] = dst
	}
	return e.passSome(s, m), nil
}

// group is the fold of one outer binding so far.
type group struct {
	eval.Fold
	failed bool
}

// foldGroups folds the solutions of the body for the outer bindings
// [from, to).
func (e *Engine) foldGroups(n *nested, outer *batch, from, to int, w *window) ([]group, *abi.Failure) {
	n.acc.rel, n.acc.over = relation.New(1+len(n.over)), n.over
	var f *abi.Failure
	if f = e.run(n.plan, n.feed(outer, from, to, e.batch), w.nested(), &n.acc); f != nil {
		return nil, f
	}
	groups := make([]group, to-from)
	for i := range groups {
		groups[i].Op = n.fold
	}
	rows, ord := n.acc.rel.Rows(), n.acc.rel.Column(0)
	for row := range rows {
		i := int(ord[row]&abi.PayloadMask) - from
		g := &groups[i]
		if g.failed {
			continue
		}
		x, ok := abi.Term(abi.None), true // a count looks at no value
		if n.expr != nil {
			if x, ok, f = e.foldItem(n, outer, from+i, row); f != nil {
				return nil, f
			}
		}
		if !ok {
			g.failed = true
			continue
		}
		fault := g.Add(e.terms, x)
		if f := foldFault(fault); f != nil {
			return nil, f
		}
		g.failed = fault != term.OK
	}
	return groups, nil
}

// foldItem evaluates the folded expression for one solution.
func (e *Engine) foldItem(n *nested, outer *batch, at, row int) (abi.Term, bool, *abi.Failure) {
	if c := slices.Index(n.over, n.expr.slot); c >= 0 {
		return n.acc.rel.Column(1 + c)[row], true, nil
	}
	for _, u := range n.expr.uses {
		if c := slices.Index(n.over, u); c >= 0 {
			n.expr.regs[u] = n.acc.rel.Column(1 + c)[row]
		} else {
			n.expr.regs[u] = outer.cols[u][at]
		}
	}
	return e.vm.Eval(n.expr.Code, n.expr.regs)
}

// foldFault turns a fault of size into the failure that it is; any other only
// fails the atom.
func foldFault(fault term.Fault) *abi.Failure {
	b := fault.Breach()
	if b == nil {
		return nil
	}
	return &abi.Failure{Code: abi.FailureEval, Message: fault.String(), Limit: b, Rule: -1}
}
