package relation

import "github.com/ox-mcp/ox-mcp/abi"

// Range is a coarse test of terms by order, for one pass over a long column:
// it drops what is known to lie outside and lets pass what is not. Inline
// integers are held against the bounds, table terms against the excluded ones.
type Range struct {
	Least, Most int64 // inline integers outside are dropped
	excluded    []uint64
}

// Everything returns the range that drops nothing.
func Everything() Range { return Range{Least: abi.MinInline, Most: abi.MaxInline} }

// Exclude drops a term from now on, if it is one of a table.
func (g *Range) Exclude(t abi.Term) {
	if t.Tag() != abi.TagTable {
		return
	}
	i := int(t.Index() >> 6)
	if i >= len(g.excluded) {
		grown := make([]uint64, max(i+1, 2*len(g.excluded)))
		copy(grown, g.excluded)
		g.excluded = grown
	}
	g.excluded[i] |= 1 << (t.Index() & 63)
}

// Select writes the places of the terms that pass, plus from, and returns how
// many. rows is at least as long as terms.
func (g *Range) Select(terms []abi.Term, from uint32, rows []uint32) int {
	n := 0
	least, most, excluded := int32(g.Least), int32(g.Most), g.excluded
	for i, t := range terms {
		switch t & abi.TagMask {
		case abi.TagInt:
			if v := int32(t<<2) >> 2; v < least || v > most {
				continue
			}
		case abi.TagTable:
			if w := int(t >> 6); w < len(excluded) && excluded[w]>>(t&63)&1 == 1 {
				continue
			}
		}
		rows[n] = from + uint32(i)
		n++
	}
	return n
}
