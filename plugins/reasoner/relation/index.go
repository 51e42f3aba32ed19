package relation

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Index finds the rows that have given terms in some columns: a table of the
// newest row a key, and from each row the next older one of the same key.
// Keys of one column whose payloads are small address the table directly.
type Index struct {
	rel   *Relation
	on    []int
	keys  [][]abi.Term // the columns on
	next  []uint32     // row+1 of the next older row with the same key
	table []uint32     // row+1 of the newest row of a key; 0 is free, as a dense index's last place is
	shift uint
	count int // rows that are in: the first count rows
	used  int // distinct keys
	dense bool
	tag   abi.Term // of a dense index's keys

	semijoin *semijoin // if not nil: only some rows are in
}

// denseSlack is how many table entries a dense index may spend a row, and
// denseFloor how many it may spend in any case.
const (
	denseSlack = 8
	denseFloor = 1024
)

// Indexed reports whether there is an index on the columns that holds most of
// the rows.
func (r *Relation) Indexed(on []int) bool {
	for _, x := range r.indexes {
		if slices.Equal(x.on, on) {
			return x.count > r.rows/2
		}
	}
	return false
}

// freePasses is how many passes over a relation's rows are made before an index
// is thought to pay.
const freePasses = 4

// Pass reports whether one more look for rows should pass over all of them,
// rather than make an index.
func (r *Relation) Pass() bool {
	r.passes++
	return r.passes <= freePasses
}

// Index returns the index on the columns, which are ascending and not empty.
// It holds no rows until Cover is called.
func (r *Relation) Index(on []int) *Index {
	for _, x := range r.indexes {
		if slices.Equal(x.on, on) {
			return x
		}
	}
	x := newIndex(r, on)
	r.indexes = append(r.indexes, x)
	return x
}

func newIndex(r *Relation, on []int) *Index {
	return &Index{rel: r, on: slices.Clone(on), keys: make([][]abi.Term, len(on)), dense: len(on) == 1}
}

// Covers reports whether the first rows rows are in the index.
func (x *Index) Covers(rows int) bool { return x.count >= rows }

// Cover puts the first rows rows in the index.
func (x *Index) Cover(rows int) {
	if rows <= x.count {
		return
	}
	for i, c := range x.on {
		x.keys[i] = x.rel.cols[c]
	}
	if cap(x.next) < rows {
		grown := make([]uint32, x.count, max(rows, 2*cap(x.next), minCapacity))
		copy(grown, x.next)
		x.next = grown
	}
	x.next = x.next[:rows]
	if x.dense && !x.coverDense(rows) {
		x.dense, x.table, x.count, x.used = false, nil, 0, 0
	}
	if !x.dense {
		x.coverHash(rows)
	}
	x.count = rows
}

func (x *Index) coverDense(rows int) bool {
	key := x.keys[0]
	if x.count == 0 {
		x.tag = key[0].Tag()
	}
	top, ok := maxPayload(key[x.count:rows], x.tag, 0)
	if !ok || top >= uint64(max(denseFloor, denseSlack*rows)) {
		return false
	}
	if top+1 >= uint64(len(x.table)) { // the last place stays free
		grown := make([]uint32, max(int(top)+2, min(2*len(x.table), denseSlack*rows)))
		copy(grown, x.table)
		x.table = grown
	}
	if x.semijoin != nil {
		x.coverChosen(rows)
	} else {
		x.used += link(key, x.count, rows, x.table, x.next)
	}
	return true
}

func (x *Index) coverHash(rows int) {
	switch {
	case x.semijoin != nil:
		x.coverChosen(rows)
	case len(x.keys) == 2:
		x.coverPairs(rows)
	default:
		for row := x.count; row < rows; row++ {
			x.put(row)
		}
	}
}

// put puts a row in a hashed index.
func (x *Index) put(row int) {
	if 2*(x.used+1) > len(x.table) {
		x.rehash()
	}
	i, ok := x.slot(x.keys, row)
	if ok {
		x.next[row] = x.table[i]
	} else {
		x.next[row] = 0
		x.used++
	}
	x.table[i] = uint32(row) + 1
}

func (x *Index) coverPairs(rows int) {
	for row := x.count; row < rows; {
		room := len(x.table)/2 - x.used
		if room <= 0 {
			x.rehash()
			continue
		}
		stop, left := linkPairs(x.keys[0], x.keys[1], row, rows, x.table, x.next, x.shift, room)
		row, x.used = stop, x.used+room-left
	}
}

// slot returns the place of the key that the columns have at row i.
func (x *Index) slot(cols [][]abi.Term, i int) (at uint64, ok bool) {
	mask := uint64(len(x.table) - 1)
probe:
	for at = hashRow(cols, i) >> x.shift; ; at = (at + 1) & mask {
		e := x.table[at]
		if e == 0 {
			return at, false
		}
		for c, k := range x.keys {
			if k[e-1] != cols[c][i] {
				continue probe
			}
		}
		return at, true
	}
}

// rehash doubles the table.
func (x *Index) rehash() {
	size, bits := minTable, uint(5)
	for size < 2*len(x.table) || size < 4*x.used {
		size, bits = size*2, bits+1
	}
	old := x.table
	x.table, x.shift = make([]uint32, size), 64-bits
	mask := uint64(size - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		at := hashRow(x.keys, int(e-1)) >> x.shift
		for x.table[at] != 0 {
			at = (at + 1) & mask
		}
		x.table[at] = e
	}
}

// First returns the newest covered row that has the key's terms in the
// index's columns, and Next the next older one. Both include rows that are
// marked as removed.
func (x *Index) First(key []abi.Term) (row uint32, ok bool) {
	if x.count == 0 {
		return 0, false
	}
	if x.dense {
		i := key[0] & abi.PayloadMask
		if key[0].Tag() != x.tag || int(i) >= len(x.table) || x.table[i] == 0 {
			return 0, false
		}
		return x.table[i] - 1, true
	}
	mask := uint64(len(x.table) - 1)
probe:
	for at := hashTuple(key) >> x.shift; ; at = (at + 1) & mask {
		e := x.table[at]
		if e == 0 {
			return 0, false
		}
		for c, k := range x.keys {
			if k[e-1] != key[c] {
				continue probe
			}
		}
		return e - 1, true
	}
}

// Next returns the next older row with the same key as row.
func (x *Index) Next(row uint32) (older uint32, ok bool) {
	e := x.next[row]
	return e - 1, e != 0
}
