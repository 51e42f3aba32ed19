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

// tryMatrix goes over to a matrix if the rows and the batch are dense enough.
func (r *Relation) tryMatrix(cols [][]abi.Term, n int) {
	if r.arity != 2 || r.rows < matrixRows {
		return
	}
	m := &matrix{tagA: r.cols[0][0].Tag(), tagB: r.cols[1][0].Tag()}
	maxA, okA := maxPayload(r.cols[0], m.tagA, 0)
	maxB, okB := maxPayload(r.cols[1], m.tagB, 0)
	if !okA || !okB {
		return
	}
	maxA, okA = maxPayload(cols[0][:n], m.tagA, maxA)
	maxB, okB = maxPayload(cols[1][:n], m.tagB, maxB)
	if !okA || !okB || !m.size(maxA, maxB, r.rows) {
		return
	}
	m.fill(r)
	r.matrix, r.set = m, rowSet{}
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

func (m *matrix) fill(r *Relation) {
	m.bits = make([]uint64, m.dimA*m.dimB/64)
	bits, dim, b := m.bits, m.dimB, r.cols[1]
	for i, x := range r.cols[0] {
		at := uint64(x&abi.PayloadMask)*dim + uint64(b[i]&abi.PayloadMask)
		bits[at>>6] |= 1 << (at & 63)
	}
}

// maxPayload returns the largest payload of the terms, at least least; ok is
// false where a term has another tag.
func maxPayload(terms []abi.Term, tag abi.Term, least uint64) (m uint64, ok bool) {
	m = least
	for _, t := range terms {
		if t&abi.TagMask != tag {
			return 0, false
		}
		m = max(m, uint64(t&abi.PayloadMask))
	}
	return m, true
}

// insertMatrix adds the batch, or goes back to the hash set and reports false.
func (r *Relation) insertMatrix(cols [][]abi.Term, n int) bool {
	m := r.matrix
	a, b := cols[0][:n], cols[1][:n]
	maxA, okA := maxPayload(a, m.tagA, 0)
	maxB, okB := maxPayload(b, m.tagB, 0)
	if !okA || !okB {
		r.dropMatrix()
		return false
	}
	if maxA >= m.dimA || maxB >= m.dimB {
		if !m.size(max(maxA, m.dimA-1), max(maxB, m.dimB-1), r.rows) {
			r.dropMatrix()
			return false
		}
		m.fill(r)
	}
	bits, dim := m.bits, m.dimB
	ca, cb, rows := r.cols[0][:cap(r.cols[0])], r.cols[1][:cap(r.cols[1])], r.rows
	for j, x := range a {
		y := b[j]
		at := uint64(x&abi.PayloadMask)*dim + uint64(y&abi.PayloadMask)
		w, bit := at>>6, uint64(1)<<(at&63)
		if bits[w]&bit == 0 {
			bits[w] |= bit
			ca[rows], cb[rows] = x, y
			rows++
		}
	}
	r.cols[0], r.cols[1], r.rows = ca[:rows], cb[:rows], rows
	return true
}

// dropMatrix goes back to the hash set, which alone knows row numbers.
func (r *Relation) dropMatrix() { r.matrix = nil }
