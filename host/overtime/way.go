package overtime

import (
	"cmp"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Change is a fact that a way adds, or takes away.
type Change struct {
	Relation int // a base relation
	Tuple    []abi.Value
	When     Days // none: the fact has no date
	Remove   bool // on these days it is not to hold
}

// Dated reports whether the fact is one of days.
func (f *Change) Dated() bool { return f.When != Days{} }

// Way is a way to make something hold: by facts, of the values of tuple, of
// which nil is any.
type Way struct {
	Changes []Change
	Written bool // they do as writes alone, and not in the source
	tuple   []*abi.Value
	over    bool // it makes good what an operator over time lacks
	far     int  // days that it passes over which are nearer
}

// and makes the changes of another way, too; ok is false where these are more than
// most, or one undoes another.
func (w Way) and(other Way, most int) (Way, bool) {
	out := Way{Changes: slices.Clone(w.Changes), tuple: w.tuple, over: w.over || other.over, far: w.far + other.far}
	for _, f := range other.Changes {
		same := func(g Change) bool { return g.Relation == f.Relation && slices.EqualFunc(g.Tuple, f.Tuple, abi.Equal) }
		if at := slices.IndexFunc(out.Changes, same); at >= 0 {
			if out.Changes[at].Remove != f.Remove {
				return out, false
			}
			// One fact on the days of both does for both.
			if g := &out.Changes[at]; g.Dated() && f.Dated() {
				g.When = Days{min(g.When.From, f.When.From), max(g.When.To, f.When.To)}
			}
			continue
		}
		out.Changes = append(out.Changes, f)
	}
	return out, len(out.Changes) <= most
}

// compareWays orders ways: fewer changes first, then those that pass over fewer days,
// then fewer days, then by what they are about.
func compareWays(a, b Way) int {
	days := func(w Way) (n int64) {
		for _, f := range w.Changes {
			n += f.When.To - f.When.From
		}
		return n
	}
	return cmp.Or(cmp.Compare(len(a.Changes), len(b.Changes)), cmp.Compare(a.far, b.far), cmp.Compare(days(a), days(b)), slices.CompareFunc(a.Changes, b.Changes, func(f, g Change) int {
		return cmp.Or(cmp.Compare(f.Relation, g.Relation), slices.CompareFunc(f.Tuple, g.Tuple, abi.Compare), cmp.Compare(f.When.From, g.When.From), cmp.Compare(f.When.To, g.When.To), removes(f)-removes(g))
	}))
}

func removes(c Change) int {
	if c.Remove {
		return 1
	}
	return 0
}

// both returns the ways that make the changes of one of each list.
func both(a, b []Way, most int) (out []Way) {
	for _, x := range a {
		for _, y := range b {
			if w, ok := x.and(y, most); ok {
				out = append(out, w)
			}
		}
	}
	return leastWays(out)
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
