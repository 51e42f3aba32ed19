package overtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// state returns the facts of a base relation that would hold throughout when: of
// those that the pattern leaves open the ones that hold on other days, or else
// such as have values that others have.
func (d *Search) state(ctx context.Context, base int, pattern []*abi.Value, rows [][]abi.Value, tuples [][]*abi.Value, when Days) (out []Way, err error) {
	r := &d.Program.Relations[base]
	if r.Origin != abi.OriginConcept && r.Origin != abi.OriginField && r.Origin != abi.OriginRelation {
		return nil, nil
	}
	if len(tuples) == 0 && r.Origin != abi.OriginConcept { // an individual keeps its concept
		if tuples, err = d.fillings(ctx, base, pattern); err != nil {
			return nil, err
		}
	}
	for _, tuple := range tuples {
		fact := Fact{Relation: base}
		for _, v := range tuple {
			fact.Tuple = append(fact.Tuple, *v)
		}
		if missing := when.without(held(rows, tuple)); missing != nil {
			fact.When = Days{missing[0].From, missing[len(missing)-1].To}
			out = append(out, Way{Facts: []Fact{fact}, tuple: tuple})
		}
	}
	return out, nil
}

// fillings gives the open places of a pattern values that facts of the relation
// have there.
func (d *Search) fillings(ctx context.Context, base int, pattern []*abi.Value) ([][]*abi.Value, error) {
	out := [][]*abi.Value{pattern}
	for i, v := range pattern {
		if v != nil {
			continue
		}
		rows, whole, err := d.rows(ctx, d.Twins[base], make([]*abi.Value, len(pattern)))
		if err != nil || !whole {
			return nil, err
		}
		var values []*abi.Value
		for _, row := range rows {
			if !slices.ContainsFunc(values, func(v *abi.Value) bool { return abi.Equal(*v, row[i]) }) {
				values = append(values, &row[i])
			}
		}
		var filled [][]*abi.Value
		for _, tuple := range out {
			for _, v := range values[:min(len(values), maxWays)] {
				tuple = slices.Clone(tuple)
				tuple[i] = v
				filled = append(filled, tuple)
			}
		}
		out = filled[:min(len(filled), maxWays*maxWays)]
	}
	return out, nil
}
