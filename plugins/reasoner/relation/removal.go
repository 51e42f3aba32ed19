package relation

import "github.com/ox-mcp/ox-mcp/abi"

// removals are the rows of a relation that are marked as removed. A marked row
// keeps its place and its terms, so that row numbers and what an index knows
// stay good, and whoever remembers how many rows and removals there were can
// tell what has changed since. It is no longer in the set: the same tuple, if
// it comes again, is a new row.
type removals struct {
	bits        []uint64 // bit a row; nil while none is marked
	log         []uint32 // the marked rows, in the order in which they were
	least, most uint32   // of the marked rows
}

// Live returns the number of tuples.
func (r *Relation) Live() int { return r.rows - len(r.gone.log) }

// Removed returns the rows that are marked as removed, in the order in which
// they were. The caller does not change it.
func (r *Relation) Removed() []uint32 { return r.gone.log }

// Dead reports whether row at is marked as removed.
func (r *Relation) Dead(at uint32) bool {
	return int(at>>6) < len(r.gone.bits) && r.gone.bits[at>>6]>>(at&63)&1 == 1
}

// Remove marks row at as removed.
func (r *Relation) Remove(at uint32) {
	if r.Dead(at) {
		return
	}
	g := &r.gone
	if need := int(at>>6) + 1; need > len(g.bits) {
		grown := make([]uint64, max(need, (r.rows+63)/64))
		copy(grown, g.bits)
		g.bits = grown
	}
	r.set.remove(r, at)
	if r.matrix != nil {
		r.matrix.clear(r.cols[0][at], r.cols[1][at])
	}
	g.bits[at>>6] |= 1 << (at & 63)
	if len(g.log) == 0 {
		g.least, g.most = at, at
	}
	g.least, g.most = min(g.least, at), max(g.most, at)
	g.log = append(g.log, at)
}

// Holes reports whether some of the rows [lo, hi) may be marked as removed: it
// knows only between which rows the marked ones lie.
func (r *Relation) Holes(lo, hi uint32) bool {
	g := &r.gone
	return len(g.log) > 0 && g.least < hi && g.most >= lo
}

// AllDead reports whether all of the rows [lo, hi) are marked as removed.
func (r *Relation) AllDead(lo, hi uint32) bool {
	for at := lo; at < hi; at++ {
		if !r.Dead(at) {
			return false
		}
	}
	return true
}

// remove takes row at out of the set, if it is in: what follows it closes the
// gap.
func (s *rowSet) remove(r *Relation, at uint32) {
	if r.arity == 0 || int(at) >= s.count {
		return
	}
	table, shift, mask := s.table, s.shift, uint64(len(s.table)-1)
	i := hashRow(r.cols, int(at)) >> shift
	for table[i] != at+1 {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; table[j] != 0; j = (j + 1) & mask {
		// The entry at j may move to i unless its own place lies behind i.
		home := hashRow(r.cols, int(table[j]-1)) >> shift
		if (j-home)&mask >= (j-i)&mask {
			table[i], i = table[j], j
		}
	}
	table[i] = 0
}

// clear takes a pair out of the matrix.
func (m *matrix) clear(a, b abi.Term) {
	at := payload(a)*m.dimB + payload(b)
	m.bits[at>>6] &^= 1 << (at & 63)
}

// KeepLivePairs keeps those pairs of a tuple and a row, written by Probe.Next,
// whose row is not marked as removed, and returns how many.
func (r *Relation) KeepLivePairs(tuples, rows []uint32) int {
	n := 0
	for i, row := range rows {
		if !r.Dead(row) {
			tuples[n], rows[n] = tuples[i], row
			n++
		}
	}
	return n
}

// Compact drops the rows that are marked as removed, and with them the
// indexes. Row numbers change: the nth of the rows that are left is row n.
func (r *Relation) Compact() {
	if len(r.gone.log) == 0 {
		return
	}
	kept, tags := 0, r.tags
	r.tags = r.tags[:0]
	for at := range r.rows {
		for len(tags) > 0 && int(tags[0].start) <= at {
			r.retag(tags[0], kept)
			tags = tags[1:]
		}
		if r.Dead(uint32(at)) {
			continue
		}
		for _, c := range r.cols {
			c[kept] = c[at]
		}
		kept++
	}
	for _, t := range tags {
		r.retag(t, kept)
	}
	for i := range r.cols {
		r.cols[i] = r.cols[i][:kept:cap(r.cols[i])]
	}
	r.rows, r.gone, r.indexes, r.semijoins, r.spreads, r.matrix, r.estimates = kept, removals{}, nil, nil, nil, nil, nil
	r.set, r.lanes, r.passes = rowSet{}, lanes{}, 0
	r.set.extend(r)
}

// retag notes a segment with another start, in place of one that has become
// empty.
func (r *Relation) retag(t segment, start int) {
	t.start = uint32(start)
	if n := len(r.tags); n > 0 && r.tags[n-1].start == t.start {
		r.tags[n-1] = t
		return
	}
	r.tags = append(r.tags, t)
}

// LiveBefore returns how many of the first rows rows are not marked as removed.
func (r *Relation) LiveBefore(rows int) int {
	n := rows
	for _, at := range r.gone.log {
		if int(at) < rows {
			n--
		}
	}
	return n
}

// Lost returns the tuples that were among the first rows rows when removed of
// them had been marked, and are not there now; nil if there are none.
func (r *Relation) Lost(rows, removed int) *Relation {
	gone := r.since(rows, removed)
	if gone == nil {
		return nil
	}
	each := make([]uint32, gone.rows)
	each = each[:r.Members(gone.cols, gone.rows, 0, uint32(r.rows), false, each)]
	switch len(each) {
	case 0:
		return nil
	case gone.rows:
		return gone
	}
	return gone.Pick(each)
}

// Gained returns the rows from row rows on that are there now and whose tuples
// were not when there were so many rows and removed of them had been marked.
func (r *Relation) Gained(rows, removed int) []uint32 {
	var out []uint32
	for at := uint32(rows); int(at) < r.rows; at++ {
		if !r.Dead(at) {
			out = append(out, at)
		}
	}
	gone := r.since(rows, removed)
	if gone == nil || len(out) == 0 {
		return out
	}
	fresh := make([]uint32, len(out))
	fresh = fresh[:gone.Members(r.gather(out), len(out), 0, uint32(gone.rows), false, fresh)]
	for i, n := range fresh {
		fresh[i] = out[n]
	}
	return fresh
}

// since returns the tuples of those of the first rows rows that were marked
// when removed had been; nil if there are none.
func (r *Relation) since(rows, removed int) *Relation {
	old := r.lostRows(rows, removed)
	if len(old) == 0 {
		return nil
	}
	return r.Pick(old)
}

// lostRows returns those of the first rows rows that were marked when removed had
// been.
func (r *Relation) lostRows(rows, removed int) (old []uint32) {
	for _, at := range r.gone.log[removed:] {
		if int(at) < rows {
			old = append(old, at)
		}
	}
	return old
}

// Clone returns a relation with r's tuples, in the order of their rows, and their
// rules and rounds.
func (r *Relation) Clone() *Relation {
	out := New(r.arity)
	for c := range r.cols {
		out.cols[c] = append(out.cols[c], r.cols[c]...)
	}
	out.rows, out.tags = r.rows, append(out.tags, r.tags...)
	g := &r.gone
	out.gone = removals{bits: append([]uint64(nil), g.bits...), log: append([]uint32(nil), g.log...), least: g.least, most: g.most}
	out.Compact()
	return out
}

// Tuples returns a relation of the tuples of rows, be they marked as removed or
// not.
func (r *Relation) Tuples(rows []uint32) *Relation {
	out := New(r.arity)
	out.InsertBatch(r.gather(rows), len(rows))
	return out
}

// Pick returns a relation of the tuples of rows, no two of which have the same,
// be they marked as removed or not.
func (r *Relation) Pick(rows []uint32) *Relation {
	out := New(r.arity)
	out.cols, out.rows = r.gather(rows), len(rows)
	return out
}

// InsertTuples adds the tuples that o has in rows, be they marked as removed or
// not, and returns how many of them were absent. o has r's arity, and may be r.
func (r *Relation) InsertTuples(o *Relation, rows []uint32) (added int) {
	return r.InsertBatch(o.gather(rows), len(rows))
}

// gather returns the columns of the rows alone.
func (r *Relation) gather(rows []uint32) [][]abi.Term {
	cols := make([][]abi.Term, r.arity)
	for c := range cols {
		cols[c] = make([]abi.Term, len(rows))
		Gather(cols[c], r.cols[c], rows)
	}
	return cols
}

// At returns the relation as it was when it had rows rows and removed of them
// had been marked: itself, if nothing has changed since.
func (r *Relation) At(rows, removed int) *Relation {
	if rows == r.rows && removed == len(r.gone.log) {
		return r
	}
	at := append(make([]uint32, 0, rows), r.lostRows(rows, removed)...)
	for row := range uint32(rows) {
		if !r.Dead(row) {
			at = append(at, row)
		}
	}
	return r.Pick(at)
}

// Within returns those of r's tuples that o has; nil if there are none. r has no
// rows that are marked as removed.
func (r *Relation) Within(o *Relation) *Relation {
	rows := make([]uint32, r.rows)
	rows = rows[:o.Members(r.cols, r.rows, 0, uint32(o.rows), true, rows)]
	switch len(rows) {
	case 0:
		return nil
	case r.rows:
		return r
	}
	return r.Pick(rows)
}
