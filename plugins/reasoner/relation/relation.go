// Package relation holds n-ary relations of terms as flat columns, with the
// sets, indexes and join loops that work on them. It is the hot part of the
// reasoner: nothing in it allocates, calls back or goes through an interface
// once a row, and its columns hold no pointers for the collector to follow.
//
// The loops that take the time are in loops.go, and for a guest in assembly
// (*_wasm.s).
//
// A relation is append-only while rules run, so that an interval of row
// numbers names "everything up to the last round" or "what the last round
// added". Removal marks rows; Compact drops the marked ones.
//
// Callers keep row numbers and column numbers in range: the guest is built
// without bounds checks in this package, and there only the sandbox would
// notice.
package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Relation is a set of tuples of one arity.
type Relation struct {
	arity     int
	rows      int
	cols      [][]abi.Term // each of the same capacity, length rows
	set       rowSet
	matrix    *matrix // instead of set, where a binary relation is dense
	lanes     lanes   // beside a matrix
	passes    int     // made in place of an index
	indexes   []*Index
	spreads   []spread // by column; nil until one is asked for
	tags      []segment
	estimates []estimate
	dead      []uint64 // bit a row; nil while no row is marked
	deadN     int
	epoch     uint32
}

// minCapacity is the number of rows that a relation first makes room for.
const minCapacity = 16

// New returns an empty relation of the arity.
func New(arity int) *Relation {
	return &Relation{arity: arity, cols: make([][]abi.Term, arity)}
}

// Many returns an empty relation of each of the arities.
func Many(arities []int) []Relation {
	total := 0
	for _, n := range arities {
		total += n
	}
	rels, cols := make([]Relation, len(arities)), make([][]abi.Term, total)
	for i, n := range arities {
		rels[i].arity, rels[i].cols = n, cols[:n:n]
		cols = cols[n:]
	}
	return rels
}

// Arity returns the number of columns.
func (r *Relation) Arity() int { return r.arity }

// Rows returns the number of rows, marked ones included.
func (r *Relation) Rows() int { return r.rows }

// Live returns the number of tuples.
func (r *Relation) Live() int { return r.rows - r.deadN }

// Column returns column c of all rows. It stays valid, and does not change,
// while rows are added.
func (r *Relation) Column(c int) []abi.Term { return r.cols[c] }

// Row appends the terms of row at to dst.
func (r *Relation) Row(dst []abi.Term, at uint32) []abi.Term {
	for _, c := range r.cols {
		dst = append(dst, c[at])
	}
	return dst
}

// reserve makes room for n more rows.
func (r *Relation) reserve(n int) {
	need := r.rows + n
	if r.arity == 0 || need <= cap(r.cols[0]) {
		return
	}
	room := max(minCapacity, 2*cap(r.cols[0]))
	for room < need {
		room *= 2
	}
	for i, c := range r.cols {
		grown := make([]abi.Term, r.rows, room)
		copy(grown, c)
		r.cols[i] = grown
	}
}

// Insert adds a tuple. It returns the tuple's row, and whether it was absent.
func (r *Relation) Insert(tuple []abi.Term) (at uint32, added bool) {
	if at, ok := r.lookup(tuple); ok {
		if r.deadN > 0 && r.Dead(at) {
			r.dead[at>>6] &^= 1 << (at & 63)
			r.deadN--
			r.epoch++
			return at, true
		}
		return at, false
	}
	r.reserve(1)
	for i := range r.cols {
		r.cols[i] = append(r.cols[i], tuple[i])
	}
	at = uint32(r.rows)
	r.rows++
	r.dropMatrix()
	return at, true
}

// Find returns the row of a tuple that is not marked as removed.
func (r *Relation) Find(tuple []abi.Term) (at uint32, ok bool) {
	at, ok = r.lookup(tuple)
	return at, ok && !r.Dead(at)
}

// lookup finds a tuple, marked or not.
func (r *Relation) lookup(tuple []abi.Term) (uint32, bool) {
	if r.rows == 0 {
		return 0, false
	}
	if r.arity == 0 {
		return 0, true
	}
	if r.useLanes() {
		return r.locate(tuple[0], tuple[1])
	}
	return r.set.find(r, tuple)
}

// Dead reports whether row at is marked as removed.
func (r *Relation) Dead(at uint32) bool {
	return r.deadN > 0 && int(at>>6) < len(r.dead) && r.dead[at>>6]>>(at&63)&1 == 1
}

// Remove marks row at as removed.
func (r *Relation) Remove(at uint32) {
	if r.Dead(at) {
		return
	}
	for len(r.dead) <= int(at>>6) {
		r.dead = append(r.dead, 0)
	}
	r.dead[at>>6] |= 1 << (at & 63)
	r.deadN++
	r.epoch++
}

// Compact drops the rows that are marked as removed, and with them the
// indexes. Row numbers change.
func (r *Relation) Compact() {
	if r.deadN == 0 {
		return
	}
	kept := 0
	for at := range r.rows {
		if r.Dead(uint32(at)) {
			continue
		}
		for _, c := range r.cols {
			c[kept] = c[at]
		}
		kept++
	}
	for i := range r.cols {
		r.cols[i] = r.cols[i][:kept:cap(r.cols[i])]
	}
	r.rows, r.deadN, r.dead, r.indexes, r.spreads, r.matrix, r.estimates = kept, 0, nil, nil, nil, nil, nil
	r.set = rowSet{}
	r.set.extend(r)
	r.epoch++
}

// Epoch changes whenever the relation does in another way than by new rows at
// the end.
func (r *Relation) Epoch() uint32 { return r.epoch }
