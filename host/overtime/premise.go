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
		fails := func(at int) bool { return at == a.Failed || at < len(a.States) && a.States[at] == abi.AtomFails }
		lost := false // no fact makes it good
		for at := range rule.Body {
			x := &rule.Body[at]
			lost = lost || fails(at) && (x.Op != abi.AtomScan || x.Neg)
		}
		if lost {
			continue
		}
		slots := slices.Clone(a.Bindings)
		err := d.body(ctx, rule, 0, slots, Way{}, func(at int, known []*abi.Value) ([]Way, error) {
			if !fails(at) {
				return []Way{{tuple: known}}, nil
			}
			child := -1
			if at == a.Failed {
				child = a.Child
			}
			return d.now(ctx, rule.Body[at].Rel, known, nodes, child, depth)
		}, func(w Way, slots []*abi.Value) { out = append(out, w) })
		if err != nil {
			return nil, err
		}
	}
	return leastWays(out), nil
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
		fact := Fact{Relation: rel}
		for _, v := range pattern {
			fact.Tuple = append(fact.Tuple, *v)
		}
		return []Way{{Facts: []Fact{fact}, tuple: pattern}}, nil
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
