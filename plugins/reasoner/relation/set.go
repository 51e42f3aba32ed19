package relation

import "github.com/ox-mcp/ox-mcp/abi"

// rowSet is an open-addressing set of the rows of a relation, by their terms.
type rowSet struct {
	table []uint32 // row+1; 0 is free
	shift uint     // 64 - log2(len(table))
	count int      // rows that are in: of the first count rows those that are not marked as removed
}

const (
	mixA     = 0x9E3779B97F4A7C15
	minTable = 32
)

func hashPair(a, b abi.Term) uint64 { return (uint64(a)<<32 | uint64(b)) * mixA }

func hashTriple(a, b, c abi.Term) uint64 {
	return hashStep(hashStep(hashStep(0, a), b), c) * mixA
}

// hashStep takes one more term into a hash; the start is 0.
func hashStep(h uint64, t abi.Term) uint64 {
	h = (h ^ uint64(t)) * mixA
	return h ^ h>>29
}

// hashRow hashes the columns' terms at row i.
func hashRow(cols [][]abi.Term, i int) uint64 {
	switch len(cols) {
	case 1:
		return uint64(cols[0][i]) * mixA
	case 2:
		return hashPair(cols[0][i], cols[1][i])
	}
	h := uint64(0)
	for _, c := range cols {
		h = hashStep(h, c[i])
	}
	return h * mixA
}

func hashTuple(tuple []abi.Term) uint64 {
	switch len(tuple) {
	case 1:
		return uint64(tuple[0]) * mixA
	case 2:
		return hashPair(tuple[0], tuple[1])
	}
	h := uint64(0)
	for _, t := range tuple {
		h = hashStep(h, t)
	}
	return h * mixA
}

// find returns the row that holds tuple.
func (s *rowSet) find(r *Relation, tuple []abi.Term) (uint32, bool) {
	s.extend(r)
	mask := uint64(len(s.table) - 1)
probe:
	for i := hashTuple(tuple) >> s.shift; ; i = (i + 1) & mask {
		e := s.table[i]
		if e == 0 {
			return 0, false
		}
		for c, col := range r.cols {
			if col[e-1] != tuple[c] {
				continue probe
			}
		}
		return e - 1, true
	}
}

// extend puts in all rows that are not in yet; they are distinct.
func (s *rowSet) extend(r *Relation) {
	if r.arity == 0 || s.count == r.rows && s.table != nil {
		return
	}
	s.room(r, r.rows)
	s.fill(r, s.count, r.rows)
	s.count = r.rows
}

// room makes the table large enough for n rows and keeps it at most half full.
func (s *rowSet) room(r *Relation, n int) {
	if s.table != nil && 2*n <= len(s.table) {
		return
	}
	size, bits := minTable, uint(5)
	for size < 2*n {
		size, bits = size*2, bits+1
	}
	s.table, s.shift = make([]uint32, size), 64-bits
	s.fill(r, 0, s.count)
}

// fill puts in those of the rows [from, to) that are not marked as removed, for
// which there is room.
func (s *rowSet) fill(r *Relation, from, to int) {
	if !r.Holes(uint32(from), uint32(to)) {
		fill(r.cols, from, to, s.table, s.shift)
		return
	}
	for from < to {
		end := from
		for end < to && !r.Dead(uint32(end)) {
			end++
		}
		fill(r.cols, from, end, s.table, s.shift)
		from = end + 1
	}
}

// fill puts rows [from, to), which the table does not have and has room for,
// in the table.
func fill(cols [][]abi.Term, from, to int, table []uint32, shift uint) {
	switch len(cols) {
	case 2:
		fillPairs(cols[0], cols[1], from, to, table, shift)
		return
	case 3:
		fillTriples(cols[0], cols[1], cols[2], from, to, table, shift)
		return
	}
	mask := uint64(len(table) - 1)
	for row := from; row < to; row++ {
		i := hashRow(cols, row) >> shift
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i] = uint32(row) + 1
	}
}

// find writes, for each of the n tuples, the entry of the table for it, 0
// where there is none. cols are those of the rows in the table.
func find(out []uint32, tuples [][]abi.Term, n int, cols [][]abi.Term, table []uint32, shift uint) {
	switch len(cols) {
	case 1:
		findTerms(out, tuples[0][:n], cols[0], table, shift)
		return
	case 2:
		findPairs(out, tuples[0][:n], tuples[1][:n], cols[0], cols[1], table, shift)
		return
	case 3:
		findTriples(out, tuples[0][:n], tuples[1][:n], tuples[2][:n], cols[0], cols[1], cols[2], table, shift)
		return
	}
	mask := uint64(len(table) - 1)
	for j := range n {
		i := hashRow(tuples, j) >> shift
	probe:
		for e := table[i]; e != 0; e = table[i] {
			for c, col := range cols {
				if col[e-1] != tuples[c][j] {
					i = (i + 1) & mask
					continue probe
				}
			}
			break
		}
		out[j] = table[i]
	}
}

// InsertBatch adds the first n tuples of the columns, and returns how many of
// them were absent.
func (r *Relation) InsertBatch(cols [][]abi.Term, n int) (added int) {
	before := r.rows
	switch {
	case n == 0:
	case r.arity == 0:
		if r.Live() == 0 {
			r.rows++
		}
	default:
		r.reserve(n)
		if r.arity == 2 {
			r.insertPairs(cols[0][:n], cols[1][:n], nil)
			break
		}
		r.set.extend(r)
		r.set.room(r, r.rows+n)
		switch r.arity {
		case 1:
			r.insert1(cols[0][:n])
		case 3:
			r.insert3(cols[0][:n], cols[1][:n], cols[2][:n])
		default:
			r.insertN(cols, n)
		}
	}
	return r.rows - before
}

// insertPairs adds pairs, for which there is room, to a binary relation. They
// may lie where the new rows go. terms are the spreads that theirs are part
// of, nil if nobody knows them.
func (r *Relation) insertPairs(a, b []abi.Term, terms *[2]spread) {
	n := len(a)
	full := r.rows >= matrixRows && r.set.count+n > len(r.set.table)/2
	if terms == nil && (r.matrix != nil || full) {
		terms = new([2]spread)
		terms[0].take(a)
		terms[1].take(b)
	}
	if r.matrix == nil && full {
		r.tryMatrix(terms[0], terms[1])
	}
	if r.matrix != nil && r.admit(terms[0], terms[1]) {
		r.insertMatrix(a, b)
		return
	}
	r.set.extend(r)
	r.set.room(r, r.rows+n)
	r.insert2(a, b)
}

func (r *Relation) insert1(a []abi.Term) {
	ca := r.cols[0][:cap(r.cols[0])]
	rows := addTerms(a, ca, r.rows, r.set.table, r.set.shift)
	r.cols[0], r.rows, r.set.count = ca[:rows], rows, rows
}

func (r *Relation) insert2(a, b []abi.Term) {
	ca, cb := r.cols[0][:cap(r.cols[0])], r.cols[1][:cap(r.cols[1])]
	rows := addPairs(a, b, ca, cb, r.rows, r.set.table, r.set.shift)
	r.cols[0], r.cols[1], r.rows, r.set.count = ca[:rows], cb[:rows], rows, rows
}

func (r *Relation) insert3(a, b, c []abi.Term) {
	ca, cb, cc := r.cols[0][:cap(r.cols[0])], r.cols[1][:cap(r.cols[1])], r.cols[2][:cap(r.cols[2])]
	rows := addTriples(a, b, c, ca, cb, cc, r.rows, r.set.table, r.set.shift)
	r.cols[0], r.cols[1], r.cols[2], r.rows, r.set.count = ca[:rows], cb[:rows], cc[:rows], rows, rows
}

func (r *Relation) insertN(cols [][]abi.Term, n int) {
	table, shift, mask := r.set.table, r.set.shift, uint64(len(r.set.table)-1)
	arity, rows := r.arity, r.rows
	cols = cols[:arity]
	for c := range r.cols {
		r.cols[c] = r.cols[c][:cap(r.cols[c])]
	}
next:
	for j := range n {
		h := uint64(0)
		for _, c := range cols {
			h = (h ^ uint64(c[j])) * mixA
			h ^= h >> 29
		}
		i := h * mixA >> shift
	probe:
		for e := table[i]; e != 0; e = table[i] {
			for c, col := range cols {
				if r.cols[c][e-1] != col[j] {
					i = (i + 1) & mask
					continue probe
				}
			}
			continue next
		}
		for c, col := range cols {
			r.cols[c][rows] = col[j]
		}
		rows++
		table[i] = uint32(rows)
	}
	for c := range r.cols {
		r.cols[c] = r.cols[c][:rows]
	}
	r.rows, r.set.count = rows, rows
}
