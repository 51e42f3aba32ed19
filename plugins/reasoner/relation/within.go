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
	for i := 0; i < len(terms); {
		i += g.skip(terms[i:])
		for end := min(i+skipped, len(terms)); i < end; i++ {
			t := terms[i]
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
	}
	return n
}

// skipped is how many terms skip takes at a time.
const skipped = 4

// skip returns how many terms at the start are inline integers outside the
// bounds, as far as it sees at a glance: in a long column most are.
func (g *Range) skip(terms []abi.Term) int {
	// The tag shifted out, what is left is compared as a distance from the
	// least, so that one test does for both bounds.
	least, span := uint32(g.Least)<<2, uint32(g.Most-g.Least)<<2
	i := 0
	for ; i+skipped <= len(terms) && g.Least <= g.Most; i += skipped {
		a, b, c, d := terms[i], terms[i+1], terms[i+2], terms[i+3]
		if (a|b|c|d)&abi.TagMask != abi.TagInt || a&b&c&d&abi.TagInt == 0 ||
			min(uint32(a)<<2-least, uint32(b)<<2-least, uint32(c)<<2-least, uint32(d)<<2-least) <= span {
			break
		}
	}
	return i
}
