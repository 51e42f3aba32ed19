package overtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// lacked returns ways to make good what the rules of a why-not node lack, each by
// the binding that gets furthest.
func (d *Search) lacked(ctx context.Context, nodes []abi.WhyNotNode, i, depth int) (out []Way, err error) {
	if i < 0 || i >= len(nodes) || depth >= maxDepth {
		return nil, nil
	}
	for j := range nodes[i].Attempts {
		a := &nodes[i].Attempts[j]
		rule := d.rule(a.Rule)
		if rule == nil || a.Failed < 0 || a.Failed >= len(rule.Body) || a.Reason == abi.ReasonUndefined {
			continue
		}
		ways, err := d.mended(ctx, rule, a, nodes, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, ways...)
	}
	return leastWays(out), nil
}

// mended returns ways to make good what a rule lacks under the bindings of an
// attempt.
func (d *Search) mended(ctx context.Context, rule *abi.Rule, a *abi.Attempt, nodes []abi.WhyNotNode, depth int) (out []Way, err error) {
	fails := func(at int) bool { return at == a.Failed || at < len(a.States) && a.States[at] == abi.AtomFails }
	var found []solution
	err = d.body(ctx, rule, 0, slices.Clone(a.Bindings), Way{}, func(at int, known []*abi.Value) ([]Way, error) {
		if !fails(at) {
			return []Way{{tuple: known}}, nil
		}
		child := -1
		if at == a.Failed {
			child = a.Child
		}
		return d.now(ctx, rule.Body[at].Rel, known, nodes, child, depth)
	}, func(w Way, slots []*abi.Value) { found = append(found, solution{w, slots}) })
	for _, m := range found {
		ways := []Way{m.way}
		for at := range rule.Body {
			x := &rule.Body[at]
			if !fails(at) || x.Op == abi.AtomScan && !x.Neg {
				continue
			}
			more, err := d.other(ctx, rule, x, m.slots, depth)
			if err != nil {
				return nil, err
			}
			ways = both(ways, more, d.Most)
		}
		out = append(out, ways...)
	}
	return out, err
}

// other returns ways to make good an atom of a rule that looks for no fact itself:
// one that denies some, or goes by how many there are. Of others there are none.
func (d *Search) other(ctx context.Context, rule *abi.Rule, a *abi.Atom, slots []*abi.Value, depth int) ([]Way, error) {
	switch {
	case a.Op == abi.AtomScan && a.Neg:
		return d.barred(ctx, a.Rel, Scanned(d.Program, a, slots), depth+1)
	case a.Op == abi.AtomExists && a.Neg:
		return d.emptied(ctx, rule.Slots, a.Body, slots, depth+1)
	case a.Op == abi.AtomExists:
		return d.filled(ctx, rule, a, slots, 1, depth+1)
	case a.Op == abi.AtomFold:
		return d.exactly(ctx, rule, a, slots, depth+1)
	case a.Op == abi.AtomCmp:
		return d.counted(ctx, rule, a, slots, depth+1)
	}
	return nil, nil
}

// rule returns a rule, or nil where there is none.
func (d *Search) rule(i int) *abi.Rule {
	if i < 0 || i >= len(d.Program.Rules) {
		return nil
	}
	return &d.Program.Rules[i]
}

// now returns ways to make a premise hold on the day of the read; child is its
// node among nodes, if it has one.
func (d *Search) now(ctx context.Context, rel int, pattern []*abi.Value, nodes []abi.WhyNotNode, child, depth int) ([]Way, error) {
	r := &d.Program.Relations[rel]
	bound := !slices.Contains(pattern, nil)
	if _, days, ok := lower.LooksOf(d.Program, rel); ok {
		ways, err := d.want(ctx, days, pattern, Days{d.today(), d.today() + 1}, depth+1)
		for i := range ways {
			ways[i].over = true
		}
		return ways, err
	}
	if r.Role == abi.Base {
		if twin, ok := d.Twins[rel]; ok {
			return d.want(ctx, twin, pattern, Days{d.today(), lower.Always}, depth+1)
		}
		if !bound || r.Origin != abi.OriginField && r.Origin != abi.OriginRelation {
			return nil, nil
		}
		fact := Change{Relation: rel}
		for _, v := range pattern {
			fact.Tuple = append(fact.Tuple, *v)
		}
		return []Way{{Changes: []Change{fact}, tuple: pattern}}, nil
	}
	if child < 0 {
		if !bound || d.asks() {
			return nil, nil
		}
		tuple := make([]abi.Value, len(pattern))
		for i, v := range pattern {
			tuple[i] = *v
		}
		ask := abi.ExplainRequest{Call: d.Call, Relation: rel, Tuple: tuple, MaxDepth: maxDepth - uint32(depth), MaxNodes: 50}
		resp, err := d.State.Explain(ctx, &ask)
		if err != nil {
			return nil, err
		}
		if resp.Derived {
			return []Way{{tuple: pattern}}, nil
		}
		nodes, child = resp.WhyNot, 0
	}
	ways, err := d.lacked(ctx, nodes, child, depth+1)
	for i := range ways {
		ways[i].tuple = pattern
	}
	return ways, err
}
