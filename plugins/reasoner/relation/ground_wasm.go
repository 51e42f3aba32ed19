//go:build wasm && !plainloops

package relation

//go:noescape
func numberAtoms(dst *uint32, stride int, rows *uint32, n int, shift uint64, code uint32) (absent int)

//go:noescape
func squeeze(literals *uint32, at, width int, ends *uint32, n int) int

//go:noescape
func tally(counts, list *uint32, n int, shift uint64)

//go:noescape
func sums(counts *uint32, n int)

//go:noescape
func placeUses(literals, ends *uint32, n int, useEnds, uses, missing *uint32) (facts int)

//go:noescape
func nextZero(list *uint32, from, n int) int

//go:noescape
func draw(truth *Truth, support, missing *uint32, dead *bool, heads, uses, useEnds, decided *uint32, drawn, n int) int

// Number writes to every stride-th place of dst, for each row that is given plus
// one, the row shifted to the left, plus code, and NoLiteral where there is 0. It
// returns how many there were of those.
func Number(dst []uint32, stride int, rows []uint32, shift uint, code uint32) (absent int) {
	return numberAtoms(at0(dst), stride, at0(rows), len(rows), uint64(shift), code)
}

// Squeeze closes the gaps that NoLiteral leaves from literals[at] on, in the lists
// of len(ends) instances of width literals each. It writes where each list ends
// then, and returns where the last does.
func Squeeze(literals []uint32, at, width int, ends []uint32) int {
	return squeeze(at0(literals), at, width, at0(ends), len(ends))
}

// Tally adds one to the count of each number that the list has, shifted to the
// right.
func Tally(counts, list []uint32, shift uint) {
	tally(at0(counts), at0(list), len(list), uint64(shift))
}

// Sums makes each count the sum of those up to it.
func Sums(counts []uint32) { sums(at0(counts), len(counts)) }

// PlaceUses lists the uses of each atom. useEnds has where each list starts, and
// then where it ends. It writes how many literals each instance has, and returns
// how many have none.
func PlaceUses(literals, ends, useEnds, uses, missing []uint32) (facts int) {
	return placeUses(at0(literals), at0(ends), len(ends), at0(useEnds), at0(uses), at0(missing))
}

// NextZero returns the first place from from on that is 0, or the length.
func NextZero(list []uint32, from int) int { return nextZero(at0(list), from, len(list)) }

// Draw draws the consequences of decided[drawn:n], and of what is decided by them,
// which it adds; decided has room for all atoms. It returns how many are decided
// then.
func Draw(c *Consequences, decided []uint32, drawn, n int) int {
	return draw(at0(c.Truth), at0(c.Support), at0(c.Missing), at0(c.Dead), at0(c.Heads), at0(c.Uses), at0(c.UseEnds), at0(decided), drawn, n)
}
