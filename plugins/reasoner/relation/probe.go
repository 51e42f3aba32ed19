package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Probe joins a batch of tuples with the rows of an index, a buffer of
// matches at a time.
type Probe struct {
	Index *Index
	Lo    uint32 // only rows of [Lo, Hi) match
	Hi    uint32
	Once  bool // at most one match a tuple

	keys [][]abi.Term
	n    int
	i    int    // tuple whose rows are being handed out
	at   uint32 // row+1 that comes next for tuple i-1; 0: go to the next tuple
}

// Start begins with a batch of n tuples. keys are their key columns, in the
// order of the index's columns.
func (p *Probe) Start(keys [][]abi.Term, n int) {
	p.keys, p.n, p.i, p.at = keys, n, 0, 0
}

// Next writes up to len(tuples) further matches as pairs of a tuple's number
// and a row, and returns how many; 0 is the end. The buffers are of equal
// length.
func (p *Probe) Next(tuples, rows []uint32) int {
	x := p.Index
	if x.count == 0 || p.Hi <= p.Lo {
		return 0
	}
	n, room := 0, len(tuples)
	next, lo, hi, once := x.next, p.Lo, p.Hi, p.Once
	i, at, end := p.i, p.at, p.n
	for {
		for at > lo {
			row := at - 1
			if row < hi {
				if n == room {
					p.i, p.at = i, at
					return n
				}
				tuples[n], rows[n] = uint32(i-1), row
				n++
				if once {
					break
				}
			}
			at = next[row]
		}
		at = 0
		if i == end {
			p.i, p.at = i, 0
			return n
		}
		if x.dense {
			tag, table, key := x.tag, x.table, p.keys[0]
			for i < end {
				k := key[i]
				i++
				if k&abi.TagMask != tag {
					continue
				}
				k &= abi.PayloadMask
				if int(k) < len(table) && table[k] != 0 {
					at = table[k]
					break
				}
			}
			continue
		}
		if len(x.keys) == 2 {
			i, at = x.nextPair(p.keys[0][:end], p.keys[1], i)
			continue
		}
		if s, ok := x.slot(p.keys, i); ok {
			at = x.table[s]
		}
		i++
	}
}

// nextPair finds the first tuple from i on whose key of two terms is in the
// index, and gives the number of the one after it and the place of its newest
// row; at is 0 where there is none. It is slot, with two columns and in one
// loop.
func (x *Index) nextPair(a, b []abi.Term, i int) (next int, at uint32) {
	keyA, keyB, table, shift := x.keys[0], x.keys[1], x.table, x.shift
	mask := uint64(len(table) - 1)
	for i < len(a) {
		p, q := a[i], b[i]
		i++
		h := hashPair(p, q) >> shift
		for e := table[h]; e != 0; e = table[h] {
			if keyA[e-1] == p && keyB[e-1] == q {
				return i, e
			}
			h = (h + 1) & mask
		}
	}
	return i, 0
}

// Absent writes the numbers of the tuples that match no row, and returns how
// many. len(tuples) must be at least the size of the batch.
func (p *Probe) Absent(tuples []uint32) int {
	x, n := p.Index, 0
	for i := range p.n {
		if p.any(x, i) {
			continue
		}
		tuples[n] = uint32(i)
		n++
	}
	return n
}

func (p *Probe) any(x *Index, i int) bool {
	if x.count == 0 {
		return false
	}
	var e uint32
	if x.dense {
		k := p.keys[0][i]
		if k&abi.TagMask != x.tag || int(k&abi.PayloadMask) >= len(x.table) {
			return false
		}
		e = x.table[k&abi.PayloadMask]
	} else {
		s, ok := x.slot(p.keys, i)
		if !ok {
			return false
		}
		e = x.table[s]
	}
	for e > p.Lo {
		if e-1 < p.Hi {
			return true
		}
		e = x.next[e-1]
	}
	return false
}

// fewMembers is up to how many tuples lanes are asked for rather than the set.
const fewMembers = 64

// Members writes the numbers of those of the n tuples whose row is (or, with
// want false, is not) one of [lo, hi), and returns how many.
func (r *Relation) Members(cols [][]abi.Term, n int, lo, hi uint32, want bool, tuples []uint32) int {
	out := 0
	if r.arity == 0 {
		if (r.rows > 0 && lo == 0 && hi > 0) == want {
			for i := range n {
				tuples[i] = uint32(i)
			}
			return n
		}
		return 0
	}
	if r.matrix != nil && lo == 0 && int(hi) == r.rows {
		return r.matrix.members(cols[0][:n], cols[1][:n], want, tuples)
	}
	if n <= fewMembers && r.useLanes() {
		for j := range n {
			at, found := r.locate(cols[0][j], cols[1][j])
			if (found && at >= lo && at < hi) == want {
				tuples[out] = uint32(j)
				out++
			}
		}
		return out
	}
	r.set.extend(r)
	table, shift, mask := r.set.table, r.set.shift, uint64(len(r.set.table)-1)
	for j := range n {
		i := hashRow(cols, j) >> shift
		found := false
	probe:
		for e := table[i]; e != 0; e = table[i] {
			for c, col := range cols {
				if r.cols[c][e-1] != col[j] {
					i = (i + 1) & mask
					continue probe
				}
			}
			found = e-1 >= lo && e-1 < hi
			break
		}
		if found == want {
			tuples[out] = uint32(j)
			out++
		}
	}
	return out
}

// members is Members over all rows.
func (m *matrix) members(a, b []abi.Term, want bool, tuples []uint32) int {
	out := 0
	bits, dimA, dimB, tagA, tagB := m.bits, m.dimA, m.dimB, m.tagA, m.tagB
	for i, x := range a {
		// Another tag than the matrix's leaves its bits, and so a large number.
		p, q := uint64(x^tagA), uint64(b[i]^tagB)
		found := false
		if p < dimA && q < dimB {
			at := p*dimB + q
			found = bits[at>>6]>>(at&63)&1 == 1
		}
		if found == want {
			tuples[out] = uint32(i)
			out++
		}
	}
	return out
}

// Minus returns the rows of r, not marked as removed, whose tuples o does not
// have. o has no rows marked as removed, and r's arity.
func (r *Relation) Minus(o *Relation) []uint32 {
	const chunk = 1024
	var out []uint32
	cols, tuples := make([][]abi.Term, r.arity), make([]uint32, chunk)
	for from := 0; from < r.rows; from += chunk {
		n := min(chunk, r.rows-from)
		for c := range cols {
			cols[c] = r.cols[c][from : from+n]
		}
		for _, i := range tuples[:o.Members(cols, n, 0, uint32(o.rows), false, tuples)] {
			if at := uint32(from) + i; !r.Dead(at) {
				out = append(out, at)
			}
		}
	}
	return out
}
