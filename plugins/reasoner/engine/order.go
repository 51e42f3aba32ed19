package engine

import (
	"math/bits"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// fewToOrder is the number of rows up to which to compare them is as good as any
// way to order them.
const fewToOrder = 256

// orderRows puts rows of a relation in the order of their values. Many are ordered
// a column at a time, from the last to the first, by the places of the column's
// terms among each other: there are mostly far fewer of these than rows.
func (e *Engine) orderRows(cols [][]abi.Term, rows []uint32) {
	ranges := make([]termRange, len(cols))
	compare := len(rows) <= fewToOrder
	for c := range cols {
		compare = compare || !ranges[c].cover(cols[c], rows)
	}
	if compare {
		slices.SortFunc(rows, e.compareRowsOf(cols))
		return
	}
	from, to := rows, make([]uint32, len(rows))
	for c := len(cols) - 1; c >= 0; c-- {
		g := &ranges[c]
		switch wide := bits.Len32(g.most - g.least); {
		case g.least == g.most:
			continue
		case g.table:
			e.spreadTerms(g, cols[c], from, to)
		case wide <= bucketBits:
			spreadDigit(g.least, 0, cols[c], from, to, make([]uint32, g.most-g.least+1))
		default:
			counts := make([]uint32, 1<<digitBits)
			for shift := 0; shift < wide; shift += digitBits {
				if shift > 0 {
					from, to = to, from
					clear(counts)
				}
				spreadDigit(g.least, shift, cols[c], from, to, counts)
			}
		}
		from, to = to, from
	}
	if &from[0] != &rows[0] {
		copy(rows, from)
	}
}

// Integers whose range has no more than bucketBits bits are ordered at once, others
// by digits of digitBits.
const (
	bucketBits = 16
	digitBits  = 11
)

// inlinePlace is a number that inline integers, and days, have in their order. Of terms
// of a table it is no more than another one for each.
func inlinePlace(t abi.Term) uint32 { return uint32(t<<2) ^ 1<<31 }

// termRange is between which places the terms of a column lie.
type termRange struct {
	least, most uint32 // of the places, without the two bits that none has
	table       bool   // the terms are of a table
}

// sparse is how many terms a table may have between the least and the greatest of
// a column, for each row, before to count them all costs more than to compare rows.
const sparse = 16

// cover finds the range. It gives up where the terms are of several kinds, or far
// apart.
func (g *termRange) cover(col []abi.Term, rows []uint32) bool {
	all, some := ^abi.Term(0), abi.Term(0)
	least, most := ^uint32(0), uint32(0)
	for _, at := range rows {
		t := col[at]
		all, some = all&t, some|t
		p := inlinePlace(t)
		least, most = min(least, p), max(most, p)
	}
	g.least, g.most, g.table = least>>2, most>>2, some.Tag() == abi.TagTable
	return all.Tag() == some.Tag() && (!g.table || int(g.most-g.least) <= sparse*len(rows))
}

// spreadTerms orders rows by the terms of a table that they have in a column, and
// leaves those with the same in their order.
func (e *Engine) spreadTerms(g *termRange, col []abi.Term, from, to []uint32) {
	least := g.least
	counts := make([]uint32, g.most-least+1)
	var terms []abi.Term
	for _, at := range from {
		n := &counts[inlinePlace(col[at])>>2-least]
		if *n == 0 {
			terms = append(terms, col[at])
		}
		*n++
	}
	slices.SortFunc(terms, e.terms.Compare)
	sum := uint32(0)
	for _, t := range terms {
		n := &counts[inlinePlace(t)>>2-least]
		sum, *n = sum+*n, sum
	}
	for _, at := range from {
		n := &counts[inlinePlace(col[at])>>2-least]
		to[*n] = at
		*n++
	}
}

// spreadDigit is spreadTerms by some bits of the places of inline terms, as many as
// counts, which are all 0, has room for.
func spreadDigit(least uint32, shift int, col []abi.Term, from, to, counts []uint32) {
	mask := ^uint32(0)
	if n := len(counts); n == 1<<digitBits {
		mask = uint32(n - 1)
	}
	for _, at := range from {
		counts[(inlinePlace(col[at])>>2-least)>>shift&mask]++
	}
	sum := uint32(0)
	for i, n := range counts {
		counts[i] = sum
		sum += n
	}
	for _, at := range from {
		n := &counts[(inlinePlace(col[at])>>2-least)>>shift&mask]
		to[*n] = at
		*n++
	}
}
