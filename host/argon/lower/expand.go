package lower

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// maxBodySlots bounds what queries and functions that are written into a body
// make of it: each may hold several others.
const maxBodySlots = 4_000

// full reports, once for a body, that too much is written into it.
func (h *hoist) full(span abi.Span) bool {
	if h.depth < maxInline && len(*h.slots) < maxBodySlots {
		return false
	}
	if !h.told {
		h.told = true
		h.b.unsupported(span, "a fn or query that reads and calls itself, or very many others, in a body", "write it as a recursive derive")
	}
	return true
}

// expanded is x with the text of the query that it calls, if it calls one. The
// caller is done with it when it calls done.
func (h *hoist) expanded(x abi.Expr) (out abi.Expr, done func()) {
	if x.Name != types.QueryCall {
		return x, func() {}
	}
	h.depth++
	done = func() { h.depth-- }
	if h.full(x.Span) {
		sub := *x.Sub
		none := h.b.constant(abi.NoneValue(), x.Span)
		sub.Out = &none
		x.Sub, x.Name, x.Args = &sub, "", nil
		return x, done
	}
	q := h.b.env.QueryList[x.Index]
	h.b.writtenQ[x.Index] = true
	base := len(*h.slots)
	for _, s := range q.Slots {
		s.Name = ""
		*h.slots = append(*h.slots, s)
	}
	sub := *x.Sub
	for i := range min(len(q.Params), len(x.Args)) { // fewer arguments were reported
		arg := x.Args[i]
		sub.Body = append(sub.Body, abi.Atom{Op: abi.AtomLet, Slot: base + i, Expr: &arg, Span: arg.Span})
	}
	body := copyAtoms(q.Body)
	shift := func(i *int) { *i += base }
	slotWalk{use: shift, inner: shift}.atoms(body)
	sub.Body = append(sub.Body, body...)
	var cells []abi.Expr
	for _, o := range q.Out {
		if o.Op == abi.ArgSlot {
			o.Index += base
			sub.Over = append(sub.Over, o.Index)
			cells = append(cells, slotOf(o.Index, x.Span))
		} else {
			cells = append(cells, abi.Expr{Op: abi.ExprConst, Index: o.Index, Span: x.Span})
		}
	}
	value := h.row(x, q, cells)
	sub.Out = &value
	x.Sub, x.Name, x.Args = &sub, types.KeyedCall, nil
	return x, done
}

// row is a query's row as a value: the only column, or the struct of which the
// columns are the fields.
func (h *hoist) row(x abi.Expr, q *types.Query, cells []abi.Expr) abi.Expr {
	if len(cells) == 1 {
		return cells[0]
	}
	elem := q.Result
	if len(elem.Args) == 1 {
		elem = elem.Args[0]
	}
	st := h.b.env.Structs[elem.Name]
	if st == nil {
		return h.stay(x, "a row of several columns as a value", "give the query a struct as its result")
	}
	out := abi.Expr{Op: abi.ExprStruct, Name: st.Name, Span: x.Span}
	for _, f := range st.Fields {
		at := -1
		for i, c := range q.Columns {
			if c.Name == f.Name {
				at = i
			}
		}
		switch {
		case at >= 0:
			out.Args = append(out.Args, cells[at])
		case f.Default != nil:
			out.Args = append(out.Args, *f.Default)
		default:
			return h.stay(x, "a row that leaves a field of its struct out", "select every field")
		}
	}
	return out
}
