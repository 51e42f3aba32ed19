package overtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// barred returns ways to make a premise not hold on the day of the read, for any
// value where the pattern says nothing.
func (d *Search) barred(ctx context.Context, rel int, pattern []*abi.Value, depth int) ([]Way, error) {
	if depth >= maxDepth {
		return nil, nil
	}
	if _, days, ok := lower.LooksOf(d.Program, rel); ok {
		ways, err := d.absent(ctx, days, pattern, Days{d.today(), d.today() + 1}, depth+1)
		for i := range ways {
			ways[i].over = true
		}
		return ways, err
	}
	if d.Program.Relations[rel].Role == abi.Base {
		if twin, ok := d.Twins[rel]; ok {
			return d.absent(ctx, twin, pattern, Days{d.today(), lower.Always}, depth+1)
		}
		return d.taken(ctx, rel, pattern)
	}
	if !d.restsOnDays(rel) {
		return nil, nil // the reasoner looks for what makes it fail
	}
	var list []proof
	for rule, slots := range d.rulesOf(rel, pattern) {
		var ok bool
		var err error
		if list, ok, err = d.proofs(ctx, rule.Slots, rule.Body, slots, list); err != nil || !ok {
			return nil, err
		}
	}
	return d.without(list, d.fails(ctx, depth))
}

func (d *Search) restsOnDays(rel int) bool {
	rests, known := d.rests[rel]
	if !known {
		rests = d.Rests(rel)
		d.rests[rel] = rests
	}
	return rests
}

// taken takes the facts of a base relation without days away. An individual keeps
// its concept.
func (d *Search) taken(ctx context.Context, rel int, pattern []*abi.Value) ([]Way, error) {
	r := &d.Program.Relations[rel]
	if r.Origin != abi.OriginField && r.Origin != abi.OriginRelation {
		return nil, nil
	}
	rows, whole, err := d.rows(ctx, rel, pattern)
	if err != nil || !whole || len(rows) > d.Most {
		return nil, err
	}
	way := Way{}
	for _, row := range rows {
		way.Changes = append(way.Changes, Change{Relation: rel, Tuple: row, Remove: true})
	}
	return []Way{way}, nil
}

// fails returns the ways for one premise of a proof of today to fail.
func (d *Search) fails(ctx context.Context, depth int) func(*premise, Days) ([]Way, error) {
	return func(p *premise, _ Days) ([]Way, error) {
		if !p.negated {
			return d.barred(ctx, p.relation, p.pattern, depth+1)
		}
		if slices.Contains(p.pattern, nil) {
			return nil, nil
		}
		return d.now(ctx, p.relation, p.pattern, nil, -1, depth+1)
	}
}

// proofs adds to a list those of a body of today, of whose slots some are known.
// ok is false where there are too many.
func (d *Search) proofs(ctx context.Context, slots []abi.Slot, body []abi.Atom, known []*abi.Value, list []proof) ([]proof, bool, error) {
	if d.asks() {
		return list, false, nil
	}
	found, whole, err := d.solutions(ctx, slots, body, known)
	if err != nil || !whole {
		return list, false, err
	}
	for _, values := range found {
		list = premises(d.Program, body, values, Days{}, list)
	}
	return list, len(list) <= maxProofs, nil
}

// emptied returns ways for a nested body to have no solution.
func (d *Search) emptied(ctx context.Context, slots []abi.Slot, body []abi.Atom, known []*abi.Value, depth int) ([]Way, error) {
	list, ok, err := d.proofs(ctx, slots, body, known, nil)
	if err != nil || !ok {
		return nil, err
	}
	return d.without(list, d.fails(ctx, depth))
}
