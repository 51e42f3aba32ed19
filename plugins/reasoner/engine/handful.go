package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// A rule whose relations have a handful of rows is run without a plan: to choose
// an order, lay out steps and make their buffers costs more than to look at every
// row. A large package has many rules, and few facts of its own for each.

// handfulRows is the most rows of a relation that is read so, and the most
// combinations of rows that a rule may come to.
const handfulRows = 32

// handfulAtoms and handfulSlots bound the bodies that are run so.
const (
	handfulAtoms = 12
	handfulSlots = 64
)

// handful runs one rule, atom by atom in an order that is chosen before, binding
// by binding.
type handful struct {
	e     *Engine
	sink  headSink
	round uint32
	begun bool // the head knows of the rule: there has been a tuple
	atoms [handfulAtoms]*abi.Atom
	n     int // of atoms
	slots [handfulSlots]abi.Term
	tuple []abi.Term
}

// byHand runs the rule in a component's first round, if it is one to be run so.
func (e *Engine) byHand(c *component, rs *ruleState, w *window) (done bool, f *abi.Failure) {
	if e.upper || c.founded || rs.sink != nil || len(rs.body) > handfulAtoms || rs.width > handfulSlots || w.round > 0 || w.from != nil {
		return false, nil
	}
	h := &e.hand
	if !h.arrange(e, rs) {
		return false, nil
	}
	for i := range rs.width {
		h.slots[i] = unbound
	}
	h.round, h.begun = c.round, false
	h.sink = headSink{e: e, rel: e.rels[rs.rule.Head].data, rule: rs.index, args: rs.rule.Args}
	f = h.from(0)
	h.sink.rel = nil
	return true, f
}

// arrange puts the atoms in an order in which they can run: what only tests as
// soon as it can, and of the scans the one of the fewest rows. It reports whether
// there is one, and whether it is a handful of work.
func (h *handful) arrange(e *Engine, rs *ruleState) bool {
	h.e, h.n = e, 0
	for i := range rs.body {
		a := &rs.body[i]
		switch a.Op {
		case abi.AtomCmp:
		case abi.AtomScan:
			r := e.rels[a.Rel]
			if r.maybe != nil || r.data.Rows() > e.handful {
				return false
			}
		default:
			return false
		}
	}
	var taken, bound uint64
	combinations := 1
	for h.n < len(rs.body) {
		best, rows := -1, 0
		for i := range rs.body {
			if taken>>i&1 == 1 {
				continue
			}
			a := &rs.body[i]
			if a.Op == abi.AtomScan && !a.Neg {
				if n := e.rels[a.Rel].data.Rows(); best < 0 || n < rows {
					best, rows = i, n
				}
				continue
			}
			if tests(a, bound) {
				best = i
				break
			}
		}
		if best < 0 {
			return false
		}
		a := &rs.body[best]
		if a.Op == abi.AtomScan && !a.Neg {
			if combinations *= rows; combinations > e.handful {
				return false
			}
		}
		for _, x := range a.Args {
			if x.Op == abi.ArgSlot {
				bound |= 1 << x.Index
			}
		}
		taken |= 1 << best
		h.atoms[h.n] = a
		h.n++
	}
	for _, x := range rs.rule.Args {
		if x.Op == abi.ArgSlot && bound>>x.Index&1 == 0 {
			return false
		}
	}
	return true
}

// tests reports whether an atom that is no positive scan can run: all its slots
// are bound, or it binds one that equals something.
func tests(a *abi.Atom, bound uint64) bool {
	free := 0
	for _, x := range a.Args {
		if x.Op == abi.ArgSlot && bound>>x.Index&1 == 0 {
			free++
		}
	}
	return free == 0 || free == 1 && a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq
}

// from continues the bindings with the atoms from k on.
func (h *handful) from(k int) *abi.Failure {
	if k == h.n {
		return h.found()
	}
	a := h.atoms[k]
	switch {
	case a.Op == abi.AtomCmp:
		return h.compare(a, k)
	case a.Neg:
		data := h.e.rels[a.Rel].data
		for at := range uint32(data.Rows()) {
			if !data.Dead(at) && h.fits(a, data, at) {
				return nil
			}
		}
		return h.from(k + 1)
	}
	// What this atom binds, which it has to set free again.
	var free uint64
	for _, x := range a.Args {
		if x.Op == abi.ArgSlot && h.slots[x.Index] == unbound {
			free |= 1 << x.Index
		}
	}
	data := h.e.rels[a.Rel].data
	for at := range uint32(data.Rows()) {
		if !data.Dead(at) && h.bind(a, data, at) {
			if f := h.from(k + 1); f != nil {
				return f
			}
		}
		for _, x := range a.Args {
			if x.Op == abi.ArgSlot && free>>x.Index&1 == 1 {
				h.slots[x.Index] = unbound
			}
		}
	}
	return nil
}

// bind makes the atom's free slots what the row has, and reports whether the
// others fit it.
func (h *handful) bind(a *abi.Atom, data *relation.Relation, at uint32) bool {
	for c, x := range a.Args {
		t := data.Column(c)[at]
		switch {
		case x.Op == abi.ArgWild:
		case x.Op == abi.ArgSlot && h.slots[x.Index] == unbound:
			h.slots[x.Index] = t
		case h.term(x) != t:
			return false
		}
	}
	return true
}

// fits reports whether the atom, whose slots are bound, fits the row.
func (h *handful) fits(a *abi.Atom, data *relation.Relation, at uint32) bool {
	for c, x := range a.Args {
		if x.Op != abi.ArgWild && h.term(x) != data.Column(c)[at] {
			return false
		}
	}
	return true
}

func (h *handful) term(x abi.Arg) abi.Term {
	if x.Op == abi.ArgConst {
		return h.e.consts[x.Index]
	}
	return h.slots[x.Index]
}

func (h *handful) compare(a *abi.Atom, k int) *abi.Failure {
	x, y := h.term(a.Args[0]), h.term(a.Args[1])
	free := -1
	switch {
	case x == unbound:
		free = a.Args[0].Index
		h.slots[free] = y
	case y == unbound:
		free = a.Args[1].Index
		h.slots[free] = x
	case !h.e.holds(a.Cmp, x, y):
		return nil
	}
	f := h.from(k + 1)
	if free >= 0 {
		h.slots[free] = unbound
	}
	return f
}

// holds reports whether two terms compare so.
func (e *Engine) holds(op abi.CmpOp, x, y abi.Term) bool {
	if op == abi.CmpEq || op == abi.CmpNe {
		return (x == y) == (op == abi.CmpEq)
	}
	c, fault := e.terms.Order(x, y)
	if fault != term.OK {
		return false
	}
	switch op {
	case abi.CmpLt:
		return c < 0
	case abi.CmpLe:
		return c <= 0
	case abi.CmpGt:
		return c > 0
	}
	return c >= 0
}

// found adds the head's tuple.
func (h *handful) found() *abi.Failure {
	if !h.begun {
		h.begun = true
		h.sink.rel.Begin(h.sink.rule, h.round)
	}
	h.tuple = h.tuple[:0]
	for _, x := range h.sink.args {
		h.tuple = append(h.tuple, h.term(x))
	}
	if _, added := h.sink.rel.Insert(h.tuple); !added {
		return nil
	}
	return h.sink.count(1)
}
