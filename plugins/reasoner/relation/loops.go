package relation

import "github.com/ox-mcp/ox-mcp/abi"

// The loops that take the time, in Go. A guest runs the same ones in the
// machine's own instructions (loops_wasm.go), and a test holds those to these.

func plainGather(dst, src []abi.Term, at []uint32) {
	dst = dst[:len(at)]
	for i, a := range at {
		dst[i] = src[a]
	}
}

// plainExtremes returns the largest payload, at least least, and the bits that
// some term and that all terms have.
func plainExtremes(terms []abi.Term, least uint64) (most, or, and uint64) {
	top, some, all := abi.Term(least), abi.Term(0), ^abi.Term(0)
	for _, t := range terms {
		some |= t
		all &= t
		top = max(top, t&abi.PayloadMask)
	}
	return uint64(top), uint64(some), uint64(all)
}

// plainFindDense writes the table's entry for each key, and that of the last
// place, which is free, for one of another tag or too large for the table.
func plainFindDense(out []uint32, keys []abi.Term, tag abi.Term, table []uint32) {
	out, last := out[:len(keys)], uint64(len(table)-1)
	for i, k := range keys {
		// Another tag leaves its bits, and so a large number.
		out[i] = table[min(uint64(k^tag), last)]
	}
}

// plainFollow writes, for the tuples from i on, the pairs of a tuple and a row
// of the chain that starts with row heads[tuple]-1, as many as there are or as
// tuples has room for; only rows of [lo, hi) count, and of each chain the
// first if once. It goes on with at for tuple i-1, and returns where it
// stopped.
func plainFollow(heads []uint32, i int, at uint32, next []uint32, lo, hi uint32, once bool, tuples, rows []uint32) (n, stop int, back uint32) {
	for {
		for at > lo {
			if at <= hi {
				if n == len(tuples) {
					return n, i, at
				}
				tuples[n], rows[n] = uint32(i-1), at-1
				n++
				if once {
					break
				}
			}
			at = next[at-1]
		}
		if i == len(heads) {
			return n, i, 0
		}
		at = heads[i]
		i++
	}
}

// plainAddTerms adds those of the terms that the table does not have behind
// the column's first rows, and returns how many rows there are then. The table
// has room for all of them.
func plainAddTerms(a, ca []abi.Term, rows int, table []uint32, shift uint) int {
	mask := uint64(len(table) - 1)
next:
	for _, x := range a {
		i := uint64(x) * mixA >> shift
		for e := table[i]; e != 0; e = table[i] {
			if ca[e-1] == x {
				continue next
			}
			i = (i + 1) & mask
		}
		ca[rows] = x
		rows++
		table[i] = uint32(rows)
	}
	return rows
}

// plainAddPairs is plainAddTerms of pairs, which may lie where the new rows
// go.
func plainAddPairs(a, b, ca, cb []abi.Term, rows int, table []uint32, shift uint) int {
	mask := uint64(len(table) - 1)
next:
	for j, x := range a {
		y := b[j]
		i := (uint64(x)<<32 | uint64(y)) * mixA >> shift
		for e := table[i]; e != 0; e = table[i] {
			if ca[e-1] == x && cb[e-1] == y {
				continue next
			}
			i = (i + 1) & mask
		}
		ca[rows], cb[rows] = x, y
		rows++
		table[i] = uint32(rows)
	}
	return rows
}

// plainAddTriples is plainAddTerms of triples.
func plainAddTriples(a, b, c, ca, cb, cc []abi.Term, rows int, table []uint32, shift uint) int {
	mask := uint64(len(table) - 1)
next:
	for j, x := range a {
		y, z := b[j], c[j]
		i := hashTriple(x, y, z) >> shift
		for e := table[i]; e != 0; e = table[i] {
			if ca[e-1] == x && cb[e-1] == y && cc[e-1] == z {
				continue next
			}
			i = (i + 1) & mask
		}
		ca[rows], cb[rows], cc[rows] = x, y, z
		rows++
		table[i] = uint32(rows)
	}
	return rows
}

// plainFillPairs puts rows [from, to), which the table does not have and has
// room for, in the table.
func plainFillPairs(ca, cb []abi.Term, from, to int, table []uint32, shift uint) {
	mask := uint64(len(table) - 1)
	for row := from; row < to; row++ {
		i := hashPair(ca[row], cb[row]) >> shift
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i] = uint32(row) + 1
	}
}

// plainFillTriples is plainFillPairs of triples.
func plainFillTriples(ca, cb, cc []abi.Term, from, to int, table []uint32, shift uint) {
	mask := uint64(len(table) - 1)
	for row := from; row < to; row++ {
		i := hashTriple(ca[row], cb[row], cc[row]) >> shift
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i] = uint32(row) + 1
	}
}

// plainFindTerms writes the table's entry for each term, 0 where there is
// none.
func plainFindTerms(out []uint32, a, ca []abi.Term, table []uint32, shift uint) {
	mask := uint64(len(table) - 1)
	for j, x := range a {
		i := uint64(x) * mixA >> shift
		e := table[i]
		for e != 0 && ca[e-1] != x {
			i = (i + 1) & mask
			e = table[i]
		}
		out[j] = e
	}
}

// plainFindPairs is plainFindTerms of pairs.
func plainFindPairs(out []uint32, a, b, ca, cb []abi.Term, table []uint32, shift uint) {
	mask := uint64(len(table) - 1)
	for j, x := range a {
		y := b[j]
		i := hashPair(x, y) >> shift
		e := table[i]
		for e != 0 && (ca[e-1] != x || cb[e-1] != y) {
			i = (i + 1) & mask
			e = table[i]
		}
		out[j] = e
	}
}

// plainFindTriples is plainFindTerms of triples. out may be one of the
// columns' words.
func plainFindTriples(out []uint32, a, b, c, ca, cb, cc []abi.Term, table []uint32, shift uint) {
	mask := uint64(len(table) - 1)
	for j, x := range a {
		y, z := b[j], c[j]
		i := hashTriple(x, y, z) >> shift
		e := table[i]
		for e != 0 && (ca[e-1] != x || cb[e-1] != y || cc[e-1] != z) {
			i = (i + 1) & mask
			e = table[i]
		}
		out[j] = e
	}
}

// plainLink puts rows [from, to) in a dense index's table and chains, and
// returns how many keys are new.
func plainLink(key []abi.Term, from, to int, table, next []uint32) (fresh int) {
	for row := from; row < to; row++ {
		i := key[row] & abi.PayloadMask
		e := table[i]
		if e == 0 {
			fresh++
		}
		next[row] = e
		table[i] = uint32(row) + 1
	}
	return fresh
}

// plainLinkPairs puts rows from from on, below to, in the table and chains of a
// hashed index on two columns, until the table's room for new keys is used up.
// It returns the row where it stopped, and the room that is left.
func plainLinkPairs(ka, kb []abi.Term, from, to int, table, next []uint32, shift uint, room int) (stop, left int) {
	mask := uint64(len(table) - 1)
	for row := from; row < to; row++ {
		if room == 0 {
			return row, 0
		}
		i := hashPair(ka[row], kb[row]) >> shift
		e := table[i]
		for e != 0 && (ka[e-1] != ka[row] || kb[e-1] != kb[row]) {
			i = (i + 1) & mask
			e = table[i]
		}
		if e == 0 {
			room--
		}
		next[row] = e
		table[i] = uint32(row) + 1
	}
	return to, room
}

// plainMatches writes, for left's rows from i on, the pairs of what they take
// and right's term of each row of the chain of their key, as many as there are
// or as dl has room for; only rows from lo on count. It goes on with at for
// row i-1, and returns where it stopped.
func plainMatches(key, take []abi.Term, i int, at uint32, table, next []uint32, right []abi.Term, lo uint32, dl, dr []abi.Term) (n, stop int, back uint32) {
	dr = dr[:len(dl)]
	for {
		for at > lo {
			if n == len(dl) {
				return n, i, at
			}
			dl[n], dr[n] = take[i-1], right[at-1]
			n++
			at = next[at-1]
		}
		end := min(len(key), i+len(dl)-n)
		if i == end {
			return n, i, 0
		}
		// The rows that match once, as most do, in a loop of their own.
		for i < end {
			at = table[payload(key[i])]
			i++
			if at <= lo {
				continue
			}
			dl[n], dr[n] = take[i-1], right[at-1]
			n++
			at = next[at-1]
			if at > lo {
				break
			}
		}
	}
}

// plainMarkPairs writes the pairs whose bits are not set behind the columns'
// first rows, sets the bits, and returns how many rows there are then.
func plainMarkPairs(a, b, ca, cb []abi.Term, rows int, bits []uint64, dim uint64) int {
	b = b[:len(a)]
	// Each pair is written where the next row goes, and stays if it is new: a
	// branch would cost more.
	for j, x := range a {
		y := b[j]
		ca[rows], cb[rows] = x, y
		rows += mark(bits, payload(x)*dim+payload(y))
	}
	return rows
}

// mark sets a bit, and returns 1 if it was not set.
func mark(bits []uint64, at uint64) int {
	old := bits[at>>6]
	bits[at>>6] = old | 1<<(at&63)
	return int(^old >> (at & 63) & 1)
}
