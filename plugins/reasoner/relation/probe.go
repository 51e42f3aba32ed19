package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Probe joins a batch of tuples with the rows of an index, a buffer of
// matches at a time.
type Probe struct {
	Index *Index
	Lo    uint32 // only rows of [Lo, Hi) match
	Hi    uint32
	Once  bool // at most one match a tuple
	Holes bool // of Absent: rows that are marked as removed do not count

	heads []uint32 // by tuple: row+1 of the newest row with its key, 0 if none
	i     int      // tuple whose rows are being handed out
	at    uint32   // row+1 that comes next for tuple i-1; 0: go to the next tuple
}

// Start begins with a batch of n tuples. keys are their key columns, in the
// order of the index's columns.
func (p *Probe) Start(keys [][]abi.Term, n int) {
	p.i, p.at = 0, 0
	if cap(p.heads) < n {
		p.heads = make([]uint32, n)
	}
	p.heads = p.heads[:n]
	x := p.Index
	switch {
	case len(x.table) == 0 || p.Hi <= p.Lo:
		p.heads = p.heads[:0]
		for range n {
			p.heads = append(p.heads, 0)
		}
	case x.dense:
		findDense(p.heads, keys[0][:n], x.tag, x.table)
	default:
		find(p.heads, keys, n, x.keys, x.table, x.shift)
	}
}

// Next writes up to len(tuples) further matches as pairs of a tuple's number
// and a row, and returns how many; 0 is the end. The buffers are of equal
// length.
func (p *Probe) Next(tuples, rows []uint32) (n int) {
	n, p.i, p.at = follow(p.heads, p.i, p.at, p.Index.next, p.Lo, p.Hi, p.Once, tuples, rows)
	return n
}

// Reached returns the number of the first tuple whose rows Next has not begun
// to hand out.
func (p *Probe) Reached() int { return p.i }

// Divide gives each tuple, from number from on, to one of several probes that
// have been started with the same batch: to p, unless one of the others is
// through its rows in half as many, and then to that. The tuple matches nothing
// in any but its own. It returns how many tuples were given to others, and
// takes no longer than the probes that they are given to will.
func (p *Probe) Divide(others []*Probe, from int) (won int) {
	at := make([]uint32, len(others))
	for _, o := range others {
		clear(o.heads[:from])
	}
	for i := from; i < len(p.heads); i++ {
		own, owner := p.heads[i], -1
		for k, o := range others {
			at[k] = o.heads[i]
		}
	walk:
		for {
			for range 2 {
				if own <= p.Lo {
					break walk
				}
				own = p.Index.next[own-1]
			}
			for k, o := range others {
				if at[k] <= o.Lo {
					owner = k
					break walk
				}
				at[k] = o.Index.next[at[k]-1]
			}
		}
		if owner >= 0 {
			p.heads[i] = 0
			won++
		}
		for k, o := range others {
			if k != owner {
				o.heads[i] = 0
			}
		}
	}
	return won
}

// Absent writes the numbers of the tuples that match no row that is left, and
// returns how many. len(tuples) must be at least the size of the batch.
func (p *Probe) Absent(tuples []uint32) int {
	n := 0
	for i, e := range p.heads {
		for e > p.Hi || p.Holes && e > p.Lo && p.Index.rel.Dead(e-1) {
			e = p.Index.next[e-1]
		}
		tuples[n] = uint32(i)
		if e <= p.Lo {
			n++
		}
	}
	return n
}

// fewMembers is up to how many tuples lanes are asked for rather than the set.
const fewMembers = 64

// Members writes the numbers of those of the n tuples whose row is (or, with
// want false, is not) one of [lo, hi) and not marked as removed, and returns how
// many.
func (r *Relation) Members(cols [][]abi.Term, n int, lo, hi uint32, want bool, tuples []uint32) int {
	out := 0
	if r.arity == 0 {
		if at, ok := r.Find(nil); (ok && lo <= at && at < hi) == want {
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
	find(tuples, cols, n, r.cols, r.set.table, r.set.shift)
	for j, e := range tuples[:n] {
		tuples[out] = uint32(j)
		if (e > lo && e <= hi) == want {
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
// have. o has r's arity.
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
