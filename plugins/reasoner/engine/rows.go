package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// liveRows returns the rows of the relation that are not removed.
func liveRows(r *relation.Relation) []uint32 {
	out := make([]uint32, 0, r.Live())
	if len(r.Removed()) == 0 {
		for at := range uint32(r.Rows()) {
			out = append(out, at)
		}
		return out
	}
	for at := range uint32(r.Rows()) {
		if !r.Dead(at) {
			out = append(out, at)
		}
	}
	return out
}

// compareRowsOf orders rows of a relation by their values.
func (e *Engine) compareRowsOf(cols [][]abi.Term) func(a, b uint32) int {
	return func(a, b uint32) int {
		for _, c := range cols {
			if x, y := c[a], c[b]; x != y {
				if d := e.terms.Compare(x, y); d != 0 {
					return d
				}
			}
		}
		return 0
	}
}

func columnsOf(r *relation.Relation) [][]abi.Term {
	cols := make([][]abi.Term, r.Arity())
	for c := range cols {
		cols[c] = r.Column(c)
	}
	return cols
}

// sortedRows returns the rows of the relation in the order of their values.
func (e *Engine) sortedRows(r *relation.Relation) []uint32 {
	rows := liveRows(r)
	e.orderRows(columnsOf(r), rows)
	return rows
}

// frame writes rows of the relation.
func (e *Engine) frame(r *relation.Relation, rows []uint32) abi.Frame {
	w := e.terms.NewFrameWriter(r.Arity())
	w.Pick(columnsOf(r), rows)
	return w.Frame()
}

// result is a page of an answer: of the rows of what may be, those that are not
// true are undefined. rows are those of the page.
func (e *Engine) result(a *answer, p *abi.Page) (out *abi.Rows, rows []uint32, f *abi.Failure) {
	rows, more, f := a.page(e, p)
	if f != nil {
		return nil, nil, f
	}
	r, possible := a.is, a.can
	out = &abi.Rows{Total: uint64(possible.Live()), More: more}
	out.Hidden.Can = uint64(possible.Live() - r.Live())
	refuted := e.refutedTwin(a.truth)
	w := e.terms.NewFrameWriter(r.Arity())
	var tuple []abi.Term
	for _, at := range rows {
		tuple = possible.Row(tuple[:0], at)
		w.Row(tuple)
		if out.Hidden.Can > 0 {
			if _, ok := r.Find(tuple); !ok {
				w.Truth(abi.Can)
				continue
			}
		}
		w.Truth(truthOf(refuted, tuple))
	}
	out.Hidden.Both = uint64(a.refutedToo(e, refuted))
	out.Frame = w.Frame()
	out.Work = e.spent()
	return out, rows, nil
}

// refutedTwin returns the extent of what is refuted of the relation, or nil.
func (e *Engine) refutedTwin(rel int) *relation.Relation {
	if rel < 0 || rel >= len(e.rels) || e.prog.Relations[rel].Refuted < 0 {
		return nil
	}
	return e.rels[e.prog.Relations[rel].Refuted].data
}

func truthOf(refuted *relation.Relation, tuple []abi.Term) abi.Truth4 {
	if refuted != nil && refuted.Arity() == len(tuple) {
		if _, ok := refuted.Find(tuple); ok {
			return abi.Both
		}
	}
	return abi.Is
}

func (e *Engine) values(tuple []abi.Term) []abi.Value {
	out := make([]abi.Value, len(tuple))
	for i, t := range tuple {
		out[i] = e.terms.Value(t)
	}
	return out
}

// optional returns the values of the terms, nil for unbound ones.
func (e *Engine) optional(tuple []abi.Term) []*abi.Value {
	out := make([]*abi.Value, len(tuple))
	for i, t := range tuple {
		if t != term.Unbound {
			v := e.terms.Value(t)
			out[i] = &v
		}
	}
	return out
}

// intern returns the terms of the values, unbound for nil ones.
func (e *Engine) internOptional(values []*abi.Value) []abi.Term {
	out := unboundSlots(len(values))
	for i, v := range values {
		if v != nil {
			out[i] = e.terms.Intern(*v)
		}
	}
	return out
}
