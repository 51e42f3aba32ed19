package overtime

import (
	"context"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// absent returns ways to make a relation of days hold on no day of when, of what
// the pattern says: for any value where that says nothing.
func (d *Search) absent(ctx context.Context, rel int, pattern []*abi.Value, when Days, depth int) ([]Way, error) {
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
	var there [][]*abi.Value
	for _, tuple := range tuplesOf(rows) {
		if when.hull(held(rows, tuple)) != (Days{}) {
			there = append(there, tuple)
		}
	}
	if there == nil {
		return []Way{{tuple: pattern}}, nil
	}
	looks, _, operator := lower.LooksOf(d.Program, rel)
	base, stated := d.bases[rel]
	switch {
	case stated:
		return d.cut(base, rows, there, when), nil
	case !operator:
		return d.unproved(ctx, rel, pattern, when, depth)
	}
	out := []Way{{tuple: pattern}}
	for _, tuple := range there {
		var ways []Way
		during := when.hull(held(rows, tuple))
		switch {
		case looks.Held != nil || looks.Word == "since" || looks.Word == "until":
			ways, err = d.parted(ctx, &looks, tuple, during, depth)
		case strings.HasPrefix(looks.Word, "diamond"):
			window := Days{windowOf(&looks, during.From).From, windowOf(&looks, during.To-1).To}
			ways, err = d.absent(ctx, looks.At.Rel, operandOf(&looks.At, tuple), window, depth+1)
		default:
			ways, err = d.gap(ctx, &looks, tuple, during, depth)
		}
		if err != nil {
			return nil, err
		}
		if out = both(out, ways, d.Most); out == nil {
			return nil, nil
		}
	}
	return out, nil
}

// cut takes the stated facts of the tuples away on the days of when. An individual
// keeps the concept that it always has.
func (d *Search) cut(base int, rows [][]abi.Value, tuples [][]*abi.Value, when Days) []Way {
	r := &d.Program.Relations[base]
	if r.Origin != abi.OriginConcept && r.Origin != abi.OriginField && r.Origin != abi.OriginRelation || len(tuples) > d.Most {
		return nil
	}
	way := Way{}
	for _, tuple := range tuples {
		days := held(rows, tuple)
		if r.Origin == abi.OriginConcept && slices.Contains(days, Days{-lower.Always, lower.Always}) {
			return nil
		}
		way.Changes = append(way.Changes, Change{Relation: base, Tuple: valuesOf(tuple), When: when.hull(days), Remove: true})
	}
	return []Way{way}
}

// unproved returns ways to leave each proof of a relation of days, on the days of
// when, without one of its premises.
func (d *Search) unproved(ctx context.Context, rel int, pattern []*abi.Value, when Days, depth int) ([]Way, error) {
	var list []proof
	for rule, slots := range d.rulesOf(rel, pattern) {
		if d.asks() {
			return nil, nil
		}
		found, whole, err := d.solutions(ctx, rule.Slots, rule.Body, slots)
		if err != nil || !whole {
			return nil, err
		}
		for _, values := range found {
			head := argsOf(d.Program, rule.Args, values)
			n := len(pattern)
			if head[n] == nil || head[n+1] == nil {
				return nil, nil
			}
			if days := when.hull([]Days{{head[n].Int, head[n+1].Int}}); days != (Days{}) {
				list = premises(d.Program, rule.Body, values, days, list)
			}
		}
	}
	return d.without(list, func(p *premise, during Days) ([]Way, error) {
		return d.absent(ctx, p.relation, p.pattern[:len(p.pattern)-2], during, depth+1)
	})
}

// gap returns ways for a box not to hold on the days of when: on one of the days
// that it looks at from each of them what it asks for does not hold. That is the
// nearest such day or the farthest.
func (d *Search) gap(ctx context.Context, looks *lower.Looks, tuple []*abi.Value, when Days, depth int) (out []Way, err error) {
	first, last := windowOf(looks, when.From), windowOf(looks, when.To-1)
	common := Days{last.From, first.To}
	days := []Days{{first.From, last.To}} // no day is looked at from all
	if common.From < common.To {
		near, far := Days{common.From, common.From + 1}, Days{common.To - 1, common.To}
		if looks.Back() {
			near, far = far, near
		}
		days = []Days{near, far}
	}
	for i, day := range days {
		ways, err := d.absent(ctx, looks.At.Rel, operandOf(&looks.At, tuple), day, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, farther(ways, i)...)
	}
	return leastWays(out), nil
}

// farther are ways that pass over others.
func farther(ways []Way, by int) []Way {
	out := slices.Clone(ways)
	for i := range out {
		out[i].far += by
	}
	return out
}

// parted returns ways for since or until not to hold on the days of when: what it
// looks for holds on none of the days that it looks at, or, from one day, on those
// alone after which what must hold meanwhile does not.
func (d *Search) parted(ctx context.Context, looks *lower.Looks, tuple []*abi.Value, when Days, depth int) ([]Way, error) {
	window := Days{windowOf(looks, when.From).From, windowOf(looks, when.To-1).To}
	out, err := d.absent(ctx, looks.At.Rel, operandOf(&looks.At, tuple), window, depth+1)
	if err != nil || looks.Held == nil || when.To != when.From+1 {
		return out, err
	}
	rows, whole, err := d.rows(ctx, looks.At.Rel, operandOf(&looks.At, tuple))
	if err != nil || !whole {
		return out, err
	}
	for _, r := range held(rows, operandOf(&looks.At, tuple)) {
		day := nearestOf(looks, Days{max(r.From, window.From), min(r.To, window.To)})
		if day == (Days{}) {
			continue
		}
		// The days next to the one that it is asked of lie between for all that are
		// no nearer than day.
		nearer, broken := Days{day.To, window.To}, Days{when.From - 1, when.From}
		if !looks.Back() {
			nearer, broken = Days{window.From, day.From}, Days{when.To, when.To + 1}
		}
		if looks.Back() && day.From >= broken.From || !looks.Back() && day.From <= broken.From {
			continue // there is no day between
		}
		spared, err := d.absent(ctx, looks.At.Rel, operandOf(&looks.At, tuple), nearer, depth+1)
		if err != nil {
			return nil, err
		}
		if spared == nil {
			continue
		}
		ways, err := d.absent(ctx, looks.Held.Rel, operandOf(looks.Held, tuple), broken, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, both(spared, ways, d.Most)...)
	}
	return leastWays(out), nil
}
