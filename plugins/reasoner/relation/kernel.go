package relation

import "github.com/ox-mcp/ox-mcp/abi"

// What a kernel reads and writes: a guest hands it the addresses of these.

// Chains are the parts of an index.
type Chains struct {
	Dense       bool // a key of the tag addresses the table by its payload, up to the last place
	Tag         abi.Term
	Table, Next []uint32
	Shift       uint
	Keys        [][]abi.Term
}

// Chains returns the index's parts. ok is false unless it holds just the rows
// below hi.
func (x *Index) Chains(hi uint32) (c Chains, ok bool) {
	return Chains{x.dense, x.tag, x.table, x.next, x.shift, x.keys}, x.count == int(hi) && len(x.table) > 0
}

// Table returns the set of the rows, by hash. ok is false where a matrix is in its
// place.
func (r *Relation) Table() (table []uint32, shift uint, ok bool) {
	if r.matrix != nil {
		return nil, 0, false
	}
	r.set.extend(r)
	return r.set.table, r.set.shift, r.set.table != nil
}

// From is a column that a column of new tuples takes its terms from.
type From struct {
	Rel *Relation
	Col int
}

// Target is what tuples are added to.
type Target struct {
	Cols  [][]abi.Term // with the room behind the rows
	Table []uint32     // of the set
	Shift uint
	Bits  []uint64 // not nil: the set is a matrix
	Dim   uint64
	Room  int // the most rows that there may be in the end
	terms [2]spread
}

// Target makes room for n more rows at least, whose terms are of the columns
// given. It is good for one kernel's call, after which Took is to be called.
func (r *Relation) Target(n int, from []From) Target {
	r.reserve(n)
	var t Target
	if r.arity == 2 {
		for c, f := range from {
			t.terms[c] = f.Rel.spread(f.Col)
		}
		if r.matrix == nil && r.rows >= matrixRows && r.set.count+n > len(r.set.table)/2 {
			r.tryMatrix(t.terms[0], t.terms[1])
		}
		if r.matrix != nil {
			r.admit(t.terms[0], t.terms[1])
		}
	}
	for _, c := range r.cols {
		t.Cols = append(t.Cols, c[:cap(c)])
	}
	t.Room = cap(r.cols[0])
	if m := r.matrix; m != nil {
		for c := range t.terms {
			r.spread(c) // of the rows before, as bound wants it
		}
		t.Bits, t.Dim = m.bits, m.dimB
		return t
	}
	r.set.extend(r)
	r.set.room(r, r.rows+n)
	t.Table, t.Shift = r.set.table, r.set.shift
	t.Room = min(t.Room, len(t.Table)/2)
	return t
}

// Took says how many rows there are now.
func (r *Relation) Took(t *Target, rows int) {
	for c := range r.cols {
		r.cols[c] = t.Cols[c][:rows]
	}
	r.rows = rows
	if t.Bits == nil {
		r.set.count = rows
		return
	}
	for c := range t.terms {
		r.bound(c, t.terms[c])
	}
}

// Dense reports whether the set of the rows is a matrix and not a table of hashes.
func (r *Relation) Dense() bool { return r.matrix != nil }
