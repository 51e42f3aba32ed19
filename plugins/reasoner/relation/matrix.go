package relation

import "github.com/ox-mcp/ox-mcp/abi"

// matrix is a bit a pair: the set of a binary relation whose columns hold few
// different terms for its size, as a closure does. It needs no more memory
// than the hash set would, and one probe touches one word.
type matrix struct {
	bits       []uint64
	tagA, tagB abi.Term
	dimA, dimB uint64 // payloads below these fit; dimB is a multiple of 64
}

// matrixRows is the size from which on a matrix is considered, and
// matrixBits the bits that it may spend a row.
const (
	matrixRows = 4096
	matrixBits = 64
)

// tryMatrix goes over to a matrix if the rows, and terms of the given spreads
// that are to be added, are dense enough. It reports whether there is one.
func (r *Relation) tryMatrix(a, b spread) bool {
	if r.arity != 2 || r.rows < matrixRows {
		return false
	}
	a, b = a.and(r.spread(0)), b.and(r.spread(1))
	m := &matrix{tagA: a.tag, tagB: b.tag}
	if a.mixed || b.mixed || !m.size(a.top, b.top, r.rows) {
		return false
	}
	m.fill(r)
	r.matrix, r.set, r.lanes = m, rowSet{}, lanes{}
	return true
}

// admit makes sure that terms of these spreads fit the matrix, or gives it up
// and reports false.
func (r *Relation) admit(a, b spread) bool {
	m := r.matrix
	fits := func(s spread, tag abi.Term) bool { return s.rows == 0 || !s.mixed && s.tag == tag }
	if !fits(a, m.tagA) || !fits(b, m.tagB) {
		r.dropMatrix()
		return false
	}
	if a.top < m.dimA && b.top < m.dimB {
		return true
	}
	if !m.grow(a.top, b.top, r.rows) {
		r.dropMatrix()
		return false
	}
	m.fill(r)
	return true
}

// most is how many rows the relation can have without a term that is larger
// than those which were seen; 0 if it has no matrix.
func (r *Relation) most() int {
	if r.matrix == nil || r.spreads == nil {
		return 0
	}
	return int((r.spreads[0].top + 1) * (r.spreads[1].top + 1))
}

// size sets the dimensions so that the payloads fit with room to spare, if
// that is not too much for a relation of so many rows.
func (m *matrix) size(maxA, maxB uint64, rows int) bool {
	allowed := uint64(rows) * matrixBits
	for _, spare := range []uint64{4, 0} { // a quarter more, else exactly
		a, b := maxA+1, maxB+1
		if spare > 0 {
			a, b = a+a/spare, b+b/spare
		}
		b = (b + 63) &^ 63
		if a*b <= allowed {
			m.dimA, m.dimB = a, b
			return true
		}
	}
	return false
}

// grow is size for a matrix that payloads do not fit. What does not fit gets a
// quarter more than it needs, or there is no growing: rows that come in the order
// of a column would fill the matrix anew with each batch. What fits stays.
func (m *matrix) grow(maxA, maxB uint64, rows int) bool {
	a, b := m.dimA, m.dimB
	if maxA >= a {
		a = (maxA + 1) * 5 / 4
	}
	if maxB >= b {
		b = ((maxB+1)*5/4 + 63) &^ 63
	}
	if a*b > uint64(rows)*matrixBits {
		return false
	}
	m.dimA, m.dimB = a, b
	return true
}

func (m *matrix) fill(r *Relation) {
	m.bits = make([]uint64, m.dimA*m.dimB/64)
	bits, dim, b := m.bits, m.dimB, r.cols[1]
	holes := len(r.gone.log) > 0
	for i, x := range r.cols[0] {
		if holes && r.Dead(uint32(i)) {
			continue
		}
		at := payload(x)*dim + payload(b[i])
		bits[at>>6] |= 1 << (at & 63)
	}
}

// insertMatrix adds pairs that fit the matrix.
func (r *Relation) insertMatrix(a, b []abi.Term) {
	ca, cb := r.cols[0][:cap(r.cols[0])], r.cols[1][:cap(r.cols[1])]
	rows := markPairs(a, b, ca, cb, r.rows, r.matrix.bits, r.matrix.dimB)
	r.cols[0], r.cols[1], r.rows = ca[:rows], cb[:rows], rows
}

// dropMatrix goes back to the hash set, which alone knows row numbers.
func (r *Relation) dropMatrix() { r.matrix, r.lanes = nil, lanes{} }
