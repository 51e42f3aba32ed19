package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// spared returns when a default that holds in the period p counts: in the parts
// of p in which none of the facts holds, that say something else of the field.
// A nil period is all of time.
func spared(p *types.Period, facts []types.Fact) []*types.Period {
	parts := []*types.Period{p}
	for _, f := range facts {
		var left []*types.Period
		for _, part := range parts {
			left = append(left, outside(part, f.Period)...)
		}
		parts = left
	}
	return parts
}

// outside returns the parts of p that lie before and after q.
func outside(p, q *types.Period) []*types.Period {
	switch {
	case q == nil:
		return nil
	case !q.Meets(p):
		return []*types.Period{p}
	case p == nil:
		p = &types.Period{}
	}
	var out []*types.Period
	if q.From != nil && types.Instants(p.From, q.From) < 0 {
		out = append(out, &types.Period{From: p.From, To: q.From})
	}
	if q.To != nil && (p.To == nil || types.Instants(q.To, p.To) < 0) {
		out = append(out, &types.Period{From: q.To, To: p.To})
	}
	return out
}

// timedFacts are the facts with a period, by base relation, layer and key.
type timedFacts map[layered]map[string][]types.Fact

func (b *builder) timedByKey(timed []types.Fact) timedFacts {
	out := timedFacts{}
	for _, f := range timed {
		at := layered{f.Relation, f.Layer}
		if out[at] == nil {
			out[at] = map[string][]types.Fact{}
		}
		key := tupleKey(f.Tuple, b.env.Relations[f.Relation].Key)
		out[at][key] = append(out[at][key], f)
	}
	return out
}

// overruling returns the facts that a default gives way to: what the layers
// above say of its key, and what its own says that is no default.
func overruling(f types.Fact, key string, above []string, timed timedFacts, always map[layered]*factRows) []types.Fact {
	var out []types.Fact
	for _, layer := range append(slices.Clip(above), f.Layer) {
		at := layered{f.Relation, layer}
		all := timed[at][key]
		if s := always[at]; s != nil {
			if i, ok := s.index[key]; ok {
				all = append(slices.Clip(all), s.rows[i])
			}
		}
		for _, o := range all {
			if layer != f.Layer || !o.Default {
				out = append(out, o)
			}
		}
	}
	return out
}
