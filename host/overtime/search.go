package overtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// The bounds of a search for repairs with days. They are counted, not timed, so
// that the answer is the same everywhere.
const (
	maxAsks  = 300 // questions to the reasoner
	maxDepth = 16  // relations on the way down
	maxWays  = 8   // ways to make one thing hold that are gone on with
	maxTries = 24  // sets that are tried
	maxFound = 10  // repairs that are told
)

// Tried is a set of changes as they were tried.
type Tried struct {
	Changes []Change
	Written bool // as writes, since as declarations they do not do
}

// Search looks for what would make a fact hold that operators over time keep
// from it.
type Search struct {
	*Reader
	Twins map[int]int // base relation, to that of its days
	Most  int         // changes of a set
	// Rests reports whether what a relation holds goes by days.
	Rests func(rel int) bool
	// Try returns nil where the fact does not hold once the changes are made, and
	// else the changes as they were tried.
	Try func(ctx context.Context, changes []Change) (*Tried, error)

	rests  map[int]bool
	bases  map[int]int // the other way round of Twins
	asked  int
	before uint64 // fuel that the call had cost until then
}

// Ways looks for sets of up to Most changes of facts with days that would make the
// fact hold that nodes explain, and keeps the smallest that do. After an error of a
// question it returns what it had found until then, too.
func (d *Search) Ways(ctx context.Context, nodes []abi.WhyNotNode) ([]Way, error) {
	d.bases, d.rests = map[int]int{}, map[int]bool{}
	for base, twin := range d.Twins {
		d.bases[twin] = base
	}
	ways, err := d.lacked(ctx, nodes, 0, 0)
	if err != nil {
		return nil, err
	}
	return d.tried(ctx, slices.DeleteFunc(ways, func(w Way) bool { return !w.over || len(w.Changes) == 0 }))
}

// asks counts a question, and reports whether it is one too many: together they
// cost no more than one call may.
func (d *Search) asks() (over bool) {
	if d.asked == 0 {
		d.before = d.State.Fuel()
	}
	d.asked++
	return d.asked > maxAsks || d.State.Fuel()-d.before > d.Call.Limits.Fuel
}

// rows is that of the reader, up to the bound of the search.
func (d *Search) rows(ctx context.Context, rel int, pattern []*abi.Value) ([][]abi.Value, bool, error) {
	if d.asks() {
		return nil, false, nil
	}
	return d.Rows(ctx, rel, pattern)
}

// tried returns the smallest of the ways with which the fact holds.
func (d *Search) tried(ctx context.Context, ways []Way) (found []Way, err error) {
	slices.SortStableFunc(ways, compareWays)
	ways = slices.CompactFunc(ways, func(a, b Way) bool { return compareWays(a, b) == 0 })
	for _, w := range ways[:min(len(ways), maxTries)] {
		if len(found) > 0 && (len(w.Changes) > len(found[0].Changes) || w.far > found[0].far) || len(found) >= maxFound || d.asks() {
			break
		}
		tried, err := d.Try(ctx, w.Changes)
		if err != nil {
			return found, err
		}
		if tried != nil {
			w.Changes, w.Written = tried.Changes, tried.Written
			found = append(found, w)
		}
	}
	return found, nil
}

// want returns ways to make a relation of days hold throughout when, of what the
// pattern says.
func (d *Search) want(ctx context.Context, rel int, pattern []*abi.Value, when Days, depth int) ([]Way, error) {
	if when.From >= when.To {
		return []Way{{tuple: pattern}}, nil
	}
	if depth >= maxDepth {
		return nil, nil
	}
	rows, whole, err := d.rows(ctx, rel, pattern)
	if err != nil || !whole {
		return nil, err
	}
	var out []Way
	tuples := tuplesOf(rows)
	for _, tuple := range tuples {
		if when.without(held(rows, tuple)) == nil {
			out = append(out, Way{tuple: tuple})
		}
	}
	if !slices.Contains(pattern, nil) {
		if len(out) > 0 {
			return out[:1], nil
		}
		// On the other days it holds already, by whatever facts.
		missing := when.without(held(rows, pattern))
		when = Days{missing[0].From, missing[len(missing)-1].To}
	}
	var more []Way
	looks, _, operator := lower.LooksOf(d.Program, rel)
	base, stated := d.bases[rel]
	switch {
	case stated:
		more, err = d.state(ctx, base, pattern, rows, tuples, when)
	case !operator:
		more, err = d.derive(ctx, rel, pattern, when, depth)
	case looks.Held != nil || looks.Word == "since" || looks.Word == "until":
		more, err = d.meanwhile(ctx, &looks, pattern, when, depth)
	default:
		more, err = d.within(ctx, &looks, pattern, when, depth)
	}
	return leastWays(append(out, more...)), err
}
