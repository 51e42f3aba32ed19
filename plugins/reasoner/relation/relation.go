// Package relation holds n-ary relations of terms as flat columns, with the
// sets, indexes and join loops that work on them. It is the hot part of the
// reasoner: nothing in it allocates, calls back or goes through an interface
// once a row, and its columns hold no pointers for the collector to follow.
//
// The loops that take the time are in loops.go, those over ground programs in
// ground.go, and both for a guest in assembly (*_wasm.s).
//
// Rows are added at the end, so that an interval of row numbers names
// "everything up to the last round" or "what the last round added". Removal
// marks rows (removal.go); Compact drops the marked ones.
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
	semijoins []*Index
	spreads   []spread // by column; nil until one is asked for
	tags      []segment
	estimates []estimate
	gone      removals
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

// Empty takes all rows out of the relation and keeps their room. Nobody else
// may hold its columns.
func (r *Relation) Empty() {
	cols, table, shift := r.cols, r.set.table, r.set.shift
	clear(table)
	for i := range cols {
		cols[i] = cols[i][:0]
	}
	*r = Relation{arity: r.arity, cols: cols, set: rowSet{table: table, shift: shift}}
}

// Arity returns the number of columns.
func (r *Relation) Arity() int { return r.arity }

// Rows returns the number of rows, marked ones included.
func (r *Relation) Rows() int { return r.rows }

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
	// What was outgrown stays until the collector runs, so that a last step to
	// the most rows that there can be is better than two.
	if most := r.most(); most >= need && 2*room > most {
		room = most
	}
	for i, c := range r.cols {
		grown := make([]abi.Term, r.rows, room)
		copy(grown, c)
		r.cols[i] = grown
	}
}

// Insert adds a tuple. It returns the tuple's row, and whether it was absent.
func (r *Relation) Insert(tuple []abi.Term) (at uint32, added bool) {
	if at, ok := r.Find(tuple); ok {
		return at, false
	}
	r.reserve(1)
	at = uint32(r.rows)
	if r.matrix != nil {
		r.insertPairs(tuple[:1], tuple[1:2], nil)
		return at, true
	}
	for i := range r.cols {
		r.cols[i] = append(r.cols[i], tuple[i])
	}
	r.rows++
	return at, true
}

// Find returns the row of a tuple that is not marked as removed.
func (r *Relation) Find(tuple []abi.Term) (at uint32, ok bool) {
	if r.Live() == 0 {
		return 0, false
	}
	if r.arity == 0 {
		return uint32(r.rows - 1), true
	}
	if r.useLanes() {
		return r.locate(tuple[0], tuple[1])
	}
	return r.set.find(r, tuple)
}

// Locate writes, for each of the n tuples of the columns, its row plus one, 0
// where it is not there.
func (r *Relation) Locate(cols [][]abi.Term, n int, rows []uint32) {
	switch {
	case r.Live() == 0:
		clear(rows[:n])
	case r.arity == 0:
		for i := range n {
			rows[i] = uint32(r.rows)
		}
	default:
		r.set.extend(r)
		find(rows, cols, n, r.cols, r.set.table, r.set.shift)
	}
}
