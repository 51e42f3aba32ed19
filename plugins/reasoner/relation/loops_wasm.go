//go:build wasm && !plainloops

package relation

import (
	"unsafe"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Loops in the machine's own instructions. Go's compiler makes every turn of a
// loop a jump through a table, as a function must be able to go on where it
// was stopped; these need not, since they call nothing. They do what their
// namesakes in loops.go do.

//go:noescape
func gather(dst, src *abi.Term, at *uint32, n int)

//go:noescape
func maxima(terms *abi.Term, n int, least uint64) (most, or, and uint64)

//go:noescape
func lookupDense(out *uint32, keys *abi.Term, n int, tag abi.Term, table *uint32, last uint64)

//go:noescape
func chase(heads *uint32, i, end int, at uint32, next *uint32, lo, hi uint32, once bool, tuples, rows *uint32, room int) (n, stop int, back uint32)

//go:noescape
func insert1(a *abi.Term, n int, ca *abi.Term, rows int, table *uint32, shift, mask uint64) int

//go:noescape
func insert2(a, b *abi.Term, n int, ca, cb *abi.Term, rows int, table *uint32, shift, mask uint64) int

//go:noescape
func insert3(a, b, c *abi.Term, n int, ca, cb, cc *abi.Term, rows int, table *uint32, shift, mask uint64) int

//go:noescape
func fill2(ca, cb *abi.Term, from, to int, table *uint32, shift, mask uint64)

//go:noescape
func fill3(ca, cb, cc *abi.Term, from, to int, table *uint32, shift, mask uint64)

//go:noescape
func lookup1(out *uint32, a *abi.Term, n int, ca *abi.Term, table *uint32, shift, mask uint64)

//go:noescape
func lookup2(out *uint32, a, b *abi.Term, n int, ca, cb *abi.Term, table *uint32, shift, mask uint64)

//go:noescape
func lookup3(out *uint32, a, b, c *abi.Term, n int, ca, cb, cc *abi.Term, table *uint32, shift, mask uint64)

//go:noescape
func linkDense(key *abi.Term, from, to int, table, next *uint32) (fresh int)

//go:noescape
func linkHashed2(ka, kb *abi.Term, from, to int, table, next *uint32, shift, mask uint64, room int) (stop, left int)

//go:noescape
func join(key, take *abi.Term, i, end int, at uint64, table, next *uint32, right *abi.Term, lo uint64, dl, dr *abi.Term, room int) (n, stop int, back uint64)

//go:noescape
func insertBits(a, b *abi.Term, n int, ca, cb *abi.Term, rows int, bits *uint64, dim uint64) int

// at0 is where a slice's elements are.
func at0[T any](s []T) *T { return unsafe.SliceData(s) }

// Gather writes src[at[i]] to dst[i]. dst is at least as long as at.
func Gather(dst, src []abi.Term, at []uint32) { gather(at0(dst), at0(src), at0(at), len(at)) }

func extremes(terms []abi.Term, least uint64) (most, or, and uint64) {
	return maxima(at0(terms), len(terms), least)
}

func findDense(out []uint32, keys []abi.Term, tag abi.Term, table []uint32) {
	lookupDense(at0(out), at0(keys), len(keys), tag, at0(table), uint64(len(table)-1))
}

func follow(heads []uint32, i int, at uint32, next []uint32, lo, hi uint32, once bool, tuples, rows []uint32) (n, stop int, back uint32) {
	return chase(at0(heads), i, len(heads), at, at0(next), lo, hi, once, at0(tuples), at0(rows), len(tuples))
}

func addTerms(a, ca []abi.Term, rows int, table []uint32, shift uint) int {
	return insert1(at0(a), len(a), at0(ca), rows, at0(table), uint64(shift), uint64(len(table)-1))
}

func addPairs(a, b, ca, cb []abi.Term, rows int, table []uint32, shift uint) int {
	return insert2(at0(a), at0(b), len(a), at0(ca), at0(cb), rows, at0(table), uint64(shift), uint64(len(table)-1))
}

func addTriples(a, b, c, ca, cb, cc []abi.Term, rows int, table []uint32, shift uint) int {
	return insert3(at0(a), at0(b), at0(c), len(a), at0(ca), at0(cb), at0(cc), rows, at0(table), uint64(shift), uint64(len(table)-1))
}

func fillPairs(ca, cb []abi.Term, from, to int, table []uint32, shift uint) {
	fill2(at0(ca), at0(cb), from, to, at0(table), uint64(shift), uint64(len(table)-1))
}

func fillTriples(ca, cb, cc []abi.Term, from, to int, table []uint32, shift uint) {
	fill3(at0(ca), at0(cb), at0(cc), from, to, at0(table), uint64(shift), uint64(len(table)-1))
}

func findTerms(out []uint32, a, ca []abi.Term, table []uint32, shift uint) {
	lookup1(at0(out), at0(a), len(a), at0(ca), at0(table), uint64(shift), uint64(len(table)-1))
}

func findPairs(out []uint32, a, b, ca, cb []abi.Term, table []uint32, shift uint) {
	lookup2(at0(out), at0(a), at0(b), len(a), at0(ca), at0(cb), at0(table), uint64(shift), uint64(len(table)-1))
}

func findTriples(out []uint32, a, b, c, ca, cb, cc []abi.Term, table []uint32, shift uint) {
	lookup3(at0(out), at0(a), at0(b), at0(c), len(a), at0(ca), at0(cb), at0(cc), at0(table), uint64(shift), uint64(len(table)-1))
}

func link(key []abi.Term, from, to int, table, next []uint32) (fresh int) {
	return linkDense(at0(key), from, to, at0(table), at0(next))
}

func linkPairs(ka, kb []abi.Term, from, to int, table, next []uint32, shift uint, room int) (stop, left int) {
	return linkHashed2(at0(ka), at0(kb), from, to, at0(table), at0(next), uint64(shift), uint64(len(table)-1), room)
}

func matches(key, take []abi.Term, i int, at uint32, table, next []uint32, right []abi.Term, lo uint32, dl, dr []abi.Term) (n, stop int, back uint32) {
	n, stop, from := join(at0(key), at0(take), i, len(key), uint64(at), at0(table), at0(next), at0(right), uint64(lo), at0(dl), at0(dr), len(dl))
	return n, stop, uint32(from)
}

func markPairs(a, b, ca, cb []abi.Term, rows int, bits []uint64, dim uint64) int {
	return insertBits(at0(a), at0(b), len(a), at0(ca), at0(cb), rows, at0(bits), dim)
}
