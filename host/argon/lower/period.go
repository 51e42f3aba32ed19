package lower

import (
	"cmp"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// periods gathers the facts with a period, those of each layer in the order in
// which one displaces another: the later it begins the more it counts. A default
// counts only when nothing else is said. It reports those that exclude each
// other, or one of always.
func (b *builder) periods(timed []types.Fact, byKey timedFacts, always map[layered]*factRows, refutes map[int]*abi.Relation, layers []Standpoint, text map[string]*lineIndex) []FactSet {
	rank := map[string]int{}
	for i, l := range layers {
		rank[l.Name] = i
	}
	slices.SortStableFunc(timed, func(x, y types.Fact) int {
		return cmp.Or(cmp.Compare(rank[x.Layer], rank[y.Layer]), types.Instants(x.Period.From, y.Period.From),
			defaults(x)-defaults(y), cmp.Compare(x.Relation, y.Relation))
	})
	lattice := Lattice(layers)
	said := func(at layered, key string) []types.Fact {
		out := byKey[at][key]
		if s := always[at]; s != nil {
			if i, ok := s.index[key]; ok {
				out = append(slices.Clone(out), s.rows[i])
			}
		}
		return out
	}
	refutable := map[int]*abi.Relation{} // by the relation of what is asserted
	for _, r := range refutes {
		refutable[r.Asserted] = r
	}
	var out []FactSet
	var frame *abi.FrameBuilder
	flush := func() {
		if frame != nil {
			out[len(out)-1].Frame = frame.Frame()
		}
	}
	for _, f := range timed {
		r := &b.env.Relations[f.Relation]
		at := layered{f.Relation, f.Layer}
		key := tupleKey(f.Tuple, r.Key)
		parts := []*types.Period{f.Period}
		if f.Default {
			parts = spared(f.Period, overruling(f, key, aboveOf(f.Layer, lattice), byKey, always))
		}
		b.twoValues(r, f, byKey[at][key])
		if of := refutes[f.Relation]; of != nil {
			b.refutedMeanwhile(of, f, said(layered{of.Asserted, f.Layer}, key), true)
		} else if of := refutable[f.Relation]; of != nil {
			if s := always[layered{of.Refuted, f.Layer}]; s != nil {
				if i, ok := s.index[key]; ok {
					b.refutedMeanwhile(of, f, s.rows[i:i+1], false)
				}
			}
		}
		for _, part := range parts {
			if n := len(out); n == 0 || out[n-1].Layer != f.Layer || out[n-1].Relation != f.Relation || !samePeriod(&out[n-1].Period, part) {
				flush()
				out = append(out, FactSet{Relation: f.Relation, Layer: f.Layer, Period: *part})
				frame = &abi.FrameBuilder{Arity: len(r.Columns)}
			}
			frame.Add(f.Tuple)
			set := &out[len(out)-1]
			set.Places = append(set.Places, b.linePlace(text, f.Place))
		}
	}
	flush()
	return out
}

func defaults(f types.Fact) int {
	if f.Default {
		return 0
	}
	return 1
}

func samePeriod(p, q *types.Period) bool {
	return types.Instants(p.From, q.From) == 0 && types.Instants(p.To, q.To) == 0
}

// twoValues reports the first of the others that gives the key of f another
// value from the same instant on.
func (b *builder) twoValues(r *abi.Relation, f types.Fact, others []types.Fact) {
	if f.Default || len(r.Key) == 0 {
		return
	}
	for _, o := range others {
		if o.Place == f.Place && tupleKey(o.Tuple, nil) == tupleKey(f.Tuple, nil) {
			return // those before it
		}
		if !o.Default && types.Instants(o.Period.From, f.Period.From) == 0 && tupleKey(o.Tuple, nil) != tupleKey(f.Tuple, nil) {
			b.diags.Add(diag.Diagnostic{
				Code: "OE0271", Place: f.Place, Help: "keep one of the two, or let one begin later",
				Message: r.Name + " of " + keyText(f.Tuple, r.Key) + " has two values from the same day on",
				Related: []diag.Related{{Place: o.Place, Message: "the other value"}},
			})
			return
		}
	}
}

// refutedMeanwhile reports that f and one of the others, of which one side
// asserts and the other refutes the same, hold at one time.
func (b *builder) refutedMeanwhile(r *abi.Relation, f types.Fact, others []types.Fact, refutes bool) {
	word := "refuted here"
	if refutes {
		word = "asserted here"
	}
	for _, o := range others {
		if f.Period.Meets(o.Period) {
			b.diags.Add(diag.Diagnostic{
				Code: "OE0255", Place: f.Place, Help: "give them periods that do not meet, or each a standpoint of its own",
				Message: r.Name + " of " + keyText(f.Tuple, nil) + " is asserted and refuted at one time",
				Related: []diag.Related{{Place: o.Place, Message: word}},
			})
			return
		}
	}
}
