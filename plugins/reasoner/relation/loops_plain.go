//go:build !wasm || plainloops

package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Gather writes src[at[i]] to dst[i]. dst is at least as long as at.
func Gather(dst, src []abi.Term, at []uint32) { plainGather(dst, src, at) }

func extremes(terms []abi.Term, least uint64) (most, or, and uint64) {
	return plainExtremes(terms, least)
}

func findDense(out []uint32, keys []abi.Term, tag abi.Term, table []uint32) {
	plainFindDense(out, keys, tag, table)
}

func follow(heads []uint32, i int, at uint32, next []uint32, lo, hi uint32, once bool, tuples, rows []uint32) (n, stop int, back uint32) {
	return plainFollow(heads, i, at, next, lo, hi, once, tuples, rows)
}

func addTerms(a, ca []abi.Term, rows int, table []uint32, shift uint) int {
	return plainAddTerms(a, ca, rows, table, shift)
}

func addPairs(a, b, ca, cb []abi.Term, rows int, table []uint32, shift uint) int {
	return plainAddPairs(a, b, ca, cb, rows, table, shift)
}

func addTriples(a, b, c, ca, cb, cc []abi.Term, rows int, table []uint32, shift uint) int {
	return plainAddTriples(a, b, c, ca, cb, cc, rows, table, shift)
}

func fillPairs(ca, cb []abi.Term, from, to int, table []uint32, shift uint) {
	plainFillPairs(ca, cb, from, to, table, shift)
}

func fillTriples(ca, cb, cc []abi.Term, from, to int, table []uint32, shift uint) {
	plainFillTriples(ca, cb, cc, from, to, table, shift)
}

func findTerms(out []uint32, a, ca []abi.Term, table []uint32, shift uint) {
	plainFindTerms(out, a, ca, table, shift)
}

func findPairs(out []uint32, a, b, ca, cb []abi.Term, table []uint32, shift uint) {
	plainFindPairs(out, a, b, ca, cb, table, shift)
}

func findTriples(out []uint32, a, b, c, ca, cb, cc []abi.Term, table []uint32, shift uint) {
	plainFindTriples(out, a, b, c, ca, cb, cc, table, shift)
}

func link(key []abi.Term, from, to int, table, next []uint32) (fresh int) {
	return plainLink(key, from, to, table, next)
}

func linkPairs(ka, kb []abi.Term, from, to int, table, next []uint32, shift uint, room int) (stop, left int) {
	return plainLinkPairs(ka, kb, from, to, table, next, shift, room)
}

func matches(key, take []abi.Term, i int, at uint32, table, next []uint32, right []abi.Term, lo uint32, dl, dr []abi.Term) (n, stop int, back uint32) {
	return plainMatches(key, take, i, at, table, next, right, lo, dl, dr)
}

func markPairs(a, b, ca, cb []abi.Term, rows int, bits []uint64, dim uint64) int {
	return plainMarkPairs(a, b, ca, cb, rows, bits, dim)
}
