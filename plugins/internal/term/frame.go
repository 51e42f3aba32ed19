package term

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// InternFrame interns the dictionary of f and returns its terms, for Resolve, in
// the room of dst where that is enough.
func (t *Table) InternFrame(dst []abi.Term, f *abi.Frame) []abi.Term {
	t.reserve(len(f.Dict))
	terms := slices.Grow(dst[:0], len(f.Dict))
	for i := range f.Dict {
		if v := &f.Dict[i]; v.Kind == abi.KindString || v.Kind == abi.KindNamed {
			terms = append(terms, t.Text(v.Kind, v.Str)) // as intern does, without two calls
		} else {
			terms = append(terms, t.intern(v))
		}
	}
	return terms
}

// Resolve returns the instance's term of the frame's term x, where dict is what
// InternFrame gave; ok is false if x is no term of the frame.
func Resolve(dict []abi.Term, x abi.Term) (y abi.Term, ok bool) {
	switch x.Tag() {
	case abi.TagTable:
		i := x.Index()
		if int(i) >= len(dict) {
			return 0, false
		}
		return dict[i], true
	case abi.TagFixed:
		return x, x <= abi.None
	}
	return x, true
}

// FrameWriter makes an abi.Frame of rows of an instance's terms.
type FrameWriter struct {
	table *Table
	frame abi.Frame
	keys  []abi.Term // open addressing: table terms seen, plus one; beside them in vals their place in Dict
	vals  []abi.Term
}

// NewFrameWriter returns a writer of frames with arity columns.
func (t *Table) NewFrameWriter(arity int) *FrameWriter {
	return &FrameWriter{
		table: t,
		frame: abi.Frame{Columns: make([][]abi.Term, arity)},
		keys:  make([]abi.Term, 32),
		vals:  make([]abi.Term, 32),
	}
}

// Row adds a row; len(row) is the writer's arity.
func (w *FrameWriter) Row(row []abi.Term) {
	for i, x := range row {
		w.frame.Columns[i] = append(w.frame.Columns[i], w.term(x))
	}
	w.frame.Rows++
}

// Pick adds rows of a relation whose columns are given, one for each of the
// writer's. The rows are numbers of places that all columns have.
func (w *FrameWriter) Pick(cols [][]abi.Term, rows []uint32) {
	out, n := w.frame.Columns, w.frame.Rows
	w.frame.Rows += len(rows)
	for i := range out {
		out[i] = slices.Grow(out[i], len(rows))[:w.frame.Rows]
	}
	for _, at := range rows {
		for i, col := range cols {
			out[i][n] = w.term(col[at])
		}
		n++
	}
}

// Truth gives the truth value of the last row. Give it for all rows or none.
func (w *FrameWriter) Truth(v abi.Truth4) { w.frame.Truth = append(w.frame.Truth, v) }

// Frame returns what was written.
func (w *FrameWriter) Frame() abi.Frame { return w.frame }

func (w *FrameWriter) term(x abi.Term) abi.Term {
	if x.Tag() != abi.TagTable {
		return x
	}
	mask := uint32(len(w.keys) - 1)
	i := uint32(x) * hashOdd & mask
	for ; w.keys[i] != 0; i = (i + 1) & mask {
		if w.keys[i] == x+1 {
			return w.vals[i]
		}
	}
	y := abi.TagTable | abi.Term(len(w.frame.Dict))
	w.frame.Dict = append(w.frame.Dict, w.table.Value(x))
	w.keys[i], w.vals[i] = x+1, y
	if 2*len(w.frame.Dict) > len(w.keys) {
		w.grow()
	}
	return y
}

func (w *FrameWriter) grow() {
	keys, vals := w.keys, w.vals
	w.keys = make([]abi.Term, 2*len(keys))
	w.vals = make([]abi.Term, 2*len(vals))
	mask := uint32(len(w.keys) - 1)
	for j, k := range keys {
		if k == 0 {
			continue
		}
		i := uint32(k-1) * hashOdd & mask
		for w.keys[i] != 0 {
			i = (i + 1) & mask
		}
		w.keys[i], w.vals[i] = k, vals[j]
	}
}
