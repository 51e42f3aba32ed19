//go:build !wasm || plainloops

package relation

// Number writes to every stride-th place of dst, for each row that is given plus
// one, the row shifted to the left, plus code, and NoLiteral where there is 0. It
// returns how many there were of those.
func Number(dst []uint32, stride int, rows []uint32, shift uint, code uint32) (absent int) {
	return plainNumber(dst, stride, rows, shift, code)
}

// Squeeze closes the gaps that NoLiteral leaves from literals[at] on, in the lists
// of len(ends) instances of width literals each. It writes where each list ends
// then, and returns where the last does.
func Squeeze(literals []uint32, at, width int, ends []uint32) int {
	return plainSqueeze(literals, at, width, ends)
}

// Tally adds one to the count of each number that the list has, shifted to the
// right.
func Tally(counts, list []uint32, shift uint) { plainTally(counts, list, shift) }

// Sums makes each count the sum of those up to it.
func Sums(counts []uint32) { plainSums(counts) }

// PlaceUses lists the uses of each atom. useEnds has where each list starts, and
// then where it ends. It writes how many literals each instance has, and returns
// how many have none.
func PlaceUses(literals, ends, useEnds, uses, missing []uint32) (facts int) {
	return plainPlaceUses(literals, ends, useEnds, uses, missing)
}

// NextZero returns the first place from from on that is 0, or the length.
func NextZero(list []uint32, from int) int { return plainNextZero(list, from) }

// Draw draws the consequences of decided[drawn:n], and of what is decided by them,
// which it adds; decided has room for all atoms. It returns how many are decided
// then.
func Draw(c *Consequences, decided []uint32, drawn, n int) int {
	return plainDraw(c, decided, drawn, n)
}
