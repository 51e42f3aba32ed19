package overtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// state returns the facts of a base relation that would hold throughout when: of
// those that the pattern leaves open the ones that hold on other days, or else
// such as have values that others have.
func (d *Search) state(ctx context.Context, base int, pattern []*abi.Value, rows [][]abi.Value, tuples [][]*abi.Value, when Days) ([]Way, error) {
	r := &d.Program.Relations[base]
	if r.Origin != abi.OriginConcept && r.Origin != abi.OriginField && r.Origin != abi.OriginRelation {
		return nil, nil
	}
	out := throughout(base, rows, tuples, when)
	if out != nil || r.Origin == abi.OriginConcept { // an individual keeps its concept
		return out, nil
	}
	tuples, err := d.fillings(ctx, base, pattern)
	return throughout(base, rows, tuples, when), err
}

// throughout are the facts of tuples on those days of when on which they do not
// hold.
func throughout(base int, rows [][]abi.Value, tuples [][]*abi.Value, when Days) (out []Way) {
	for _, tuple := range tuples {
		if missing := when.without(held(rows, tuple)); missing != nil {
			days := Days{missing[0].From, missing[len(missing)-1].To}
			out = append(out, Way{Changes: []Change{{Relation: base, Tuple: valuesOf(tuple), When: days}}, tuple: tuple})
		}
	}
	return out
}

// members returns the individuals of a type that is a concept.
func (d *Search) members(ctx context.Context, of abi.Type) ([][]abi.Value, error) {
	for i := range d.Program.Types {
		t := &d.Program.Types[i]
		if of.Op != abi.TypeConcept || t.Op != abi.TypeConcept || t.Name != of.Name || t.Extent < 0 {
			continue
		}
		rows, _, err := d.rows(ctx, t.Extent, make([]*abi.Value, 1))
		return rows, err
	}
	return nil, nil
}

// fillings gives the open places of a pattern values that facts of the relation
// have there, and others that are of the type.
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
		add := func(v *abi.Value) {
			if !slices.ContainsFunc(values, func(o *abi.Value) bool { return abi.Equal(*o, *v) }) {
				values = append(values, v)
			}
		}
		for _, row := range rows {
			add(&row[i])
		}
		members, err := d.members(ctx, d.Program.Relations[base].Columns[i].Type)
		if err != nil {
			return nil, err
		}
		for _, row := range members {
			add(&row[0])
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
