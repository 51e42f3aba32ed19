package overtime

import (
	"cmp"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Fact is a fact that a way adds.
type Fact struct {
	Relation int // a base relation
	Tuple    []abi.Value
	When     Days // none: the fact has no date
}

// Dated reports whether the fact is one of days.
func (f *Fact) Dated() bool { return f.When != Days{} }

// Way is a way to make something hold: by facts, of the values of tuple, of
// which nil is any.
type Way struct {
	Facts []Fact
	tuple []*abi.Value
	over  bool // it makes good what an operator over time lacks
	far   int  // days that it passes over which are nearer
}

// and adds what another way adds; ok is false where that is more than most facts.
func (w Way) and(other Way, most int) (Way, bool) {
	out := Way{Facts: slices.Clone(w.Facts), tuple: w.tuple, over: w.over || other.over, far: w.far + other.far}
	for _, f := range other.Facts {
		same := func(g Fact) bool { return g.Relation == f.Relation && slices.EqualFunc(g.Tuple, f.Tuple, abi.Equal) }
		if at := slices.IndexFunc(out.Facts, same); at >= 0 {
			// One fact on the days of both does for both.
			if g := &out.Facts[at]; g.Dated() && f.Dated() {
				g.When = Days{min(g.When.From, f.When.From), max(g.When.To, f.When.To)}
			}
			continue
		}
		out.Facts = append(out.Facts, f)
	}
	return out, len(out.Facts) <= most
}

// compareWays orders ways: fewer facts first, then those that pass over fewer days,
// then fewer days, then by what they are about.
func compareWays(a, b Way) int {
	days := func(w Way) (n int64) {
		for _, f := range w.Facts {
			n += f.When.To - f.When.From
		}
		return n
	}
	return cmp.Or(cmp.Compare(len(a.Facts), len(b.Facts)), cmp.Compare(a.far, b.far), cmp.Compare(days(a), days(b)), slices.CompareFunc(a.Facts, b.Facts, func(f, g Fact) int {
		return cmp.Or(cmp.Compare(f.Relation, g.Relation), slices.CompareFunc(f.Tuple, g.Tuple, abi.Compare), cmp.Compare(f.When.From, g.When.From), cmp.Compare(f.When.To, g.When.To))
	}))
}

// leastWays keeps the ways to go on with.
func leastWays(ways []Way) []Way {
	slices.SortStableFunc(ways, compareWays)
	ways = slices.CompactFunc(ways, func(a, b Way) bool {
		return compareWays(a, b) == 0 && slices.EqualFunc(a.tuple, b.tuple, func(x, y *abi.Value) bool {
			return x == nil && y == nil || x != nil && y != nil && abi.Equal(*x, *y)
		})
	})
	return ways[:min(len(ways), maxWays)]
}
