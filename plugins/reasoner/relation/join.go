package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Join is the shape of most recursive rules, a binary head over two scans that
// share one column, run as a single loop:
//
//	head(a, b) :- left(…, a, …, k, …), right(…, k, …, b, …)
//
// or with the head's columns exchanged. What it finds goes straight into the
// head's relation.
type Join struct {
	Left  []abi.Term // the head's column that left gives, a row each
	Key   []abi.Term // left's shared column, parallel to Left
	Index *Index     // right's, on its shared column
	Right int        // right's column that the head takes
	Lo    uint32     // only right's rows from Lo on match
	Into  *Relation
	Swap  bool // the head is (right, left)

	i           int
	at          uint32 // row+1 that comes next for left row i-1
	left, right spread
}

// Start makes the join ready to run from its first row. It reports false if
// the join cannot be run so: the index must be dense and hold just the rows
// below hi.
func (j *Join) Start(hi uint32) bool {
	x := j.Index
	if !x.dense || x.count != int(hi) {
		return false
	}
	j.i, j.at, j.left = 0, 0, spread{}
	j.left.take(j.Left)
	j.right = x.rel.spread(j.Right)
	return true
}

// Run adds up to limit tuples to the head. It returns how many it added, and
// whether the join is done.
func (j *Join) Run(limit int) (added int, done bool) {
	r := j.Into
	before := r.rows
	r.reserve(limit)
	a, b := j.left, j.right
	if j.Swap {
		a, b = b, a
	}
	if r.matrix == nil && r.set.count+limit > len(r.set.table)/2 {
		r.tryMatrix(a, b)
	}
	dst := [2][]abi.Term{r.cols[0][:cap(r.cols[0])], r.cols[1][:cap(r.cols[1])]}
	if j.Swap {
		dst[0], dst[1] = dst[1], dst[0]
	}
	if r.matrix != nil && r.admit(a, b) {
		r.rows = j.runMatrix(dst[0], dst[1], r.rows, r.rows+limit)
	} else {
		r.set.extend(r)
		r.set.room(r, r.rows+limit)
		r.rows = j.runSet(dst[0], dst[1], r.rows, r.rows+limit)
		r.set.count = r.rows
	}
	r.cols[0], r.cols[1] = r.cols[0][:r.rows], r.cols[1][:r.rows]
	return r.rows - before, j.i == len(j.Key) && j.at <= j.Lo
}

// runMatrix is Run where the head is a matrix. It returns the head's rows.
func (j *Join) runMatrix(dl, dr []abi.Term, rows, stop int) int {
	x, m := j.Index, j.Into.matrix
	bits, tag, table, next, right := m.bits, x.tag, x.table, x.next, x.rel.cols[j.Right]
	key, left := j.Key, j.Left[:len(j.Key)]
	stepL, stepR := m.dimB, uint64(1)
	if j.Swap {
		stepL, stepR = 1, m.dimB
	}
	i, at, lo := j.i, j.at, j.Lo
	var l abi.Term
	if at > lo {
		l = left[i-1]
	}
	base := uint64(l&abi.PayloadMask) * stepL
	for {
		for at > lo {
			r := right[at-1]
			at = next[at-1]
			p := base + uint64(r&abi.PayloadMask)*stepR
			w, bit := p>>6, uint64(1)<<(p&63)
			if old := bits[w]; old&bit == 0 {
				bits[w] = old | bit
				dl[rows], dr[rows] = l, r
				rows++
				if rows == stop {
					j.i, j.at = i, at
					return rows
				}
			}
		}
		if i == len(key) {
			break
		}
		// Another tag than the index's leaves its bits in k, and k too large.
		k := int(key[i] ^ tag)
		l = left[i]
		base = uint64(l&abi.PayloadMask) * stepL
		i++
		at = 0
		if k < len(table) {
			at = table[k]
		}
	}
	j.i, j.at = i, 0
	return rows
}

// runSet is Run where the head is a hash set.
func (j *Join) runSet(dl, dr []abi.Term, rows, stop int) int {
	x, s := j.Index, &j.Into.set
	set, shift, mask := s.table, s.shift, uint64(len(s.table)-1)
	tag, table, next, right := x.tag, x.table, x.next, x.rel.cols[j.Right]
	key, left := j.Key, j.Left[:len(j.Key)]
	shiftL, shiftR := uint(32), uint(0)
	if j.Swap {
		shiftL, shiftR = 0, 32
	}
	i, at, lo := j.i, j.at, j.Lo
	var l abi.Term
	if at > lo {
		l = left[i-1]
	}
	for {
	matches:
		for at > lo {
			r := right[at-1]
			at = next[at-1]
			p := (uint64(l)<<shiftL | uint64(r)<<shiftR) * mixA >> shift
			for e := set[p]; e != 0; e = set[p] {
				if dl[e-1] == l && dr[e-1] == r {
					continue matches
				}
				p = (p + 1) & mask
			}
			dl[rows], dr[rows] = l, r
			rows++
			set[p] = uint32(rows)
			if rows == stop {
				j.i, j.at = i, at
				return rows
			}
		}
		if i == len(key) {
			break
		}
		k := int(key[i] ^ tag)
		l = left[i]
		i++
		at = 0
		if k < len(table) {
			at = table[k]
		}
	}
	j.i, j.at = i, 0
	return rows
}
