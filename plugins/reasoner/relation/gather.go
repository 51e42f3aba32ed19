package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Fill sets every term of dst to t.
func Fill(dst []abi.Term, t abi.Term) {
	for i := range dst {
		dst[i] = t
	}
}

// SelectEqual writes the numbers of the rows at which a and b are equal (or,
// with want false, differ), and returns how many.
func SelectEqual(a, b []abi.Term, want bool, rows []uint32) int {
	n := 0
	b = b[:len(a)]
	for i, t := range a {
		if (t == b[i]) == want {
			rows[n] = uint32(i)
			n++
		}
	}
	return n
}

// KeepEqual keeps those pairs of a tuple and a row, written by Probe.Next, for
// which two of the row's columns are equal.
func KeepEqual(a, b []abi.Term, tuples, rows []uint32) int {
	n := 0
	for i, row := range rows {
		if a[row] == b[row] {
			tuples[n], rows[n] = tuples[i], row
			n++
		}
	}
	return n
}

// SelectTerm writes the places at which terms has t, plus from, and returns
// how many. rows is at least as long as terms.
func SelectTerm(terms []abi.Term, t abi.Term, from uint32, rows []uint32) int {
	n := 0
	for i, x := range terms {
		if x == t {
			rows[n] = from + uint32(i)
			n++
		}
	}
	return n
}

// KeepTerm keeps those rows at which the column has t, and returns how many.
func KeepTerm(column []abi.Term, t abi.Term, rows []uint32) int {
	n := 0
	for _, row := range rows {
		if column[row] == t {
			rows[n] = row
			n++
		}
	}
	return n
}
