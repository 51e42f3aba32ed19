package overtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// counted returns ways to make a comparison of a count with a number true: with as
// many more or fewer solutions as are needed.
func (d *Search) counted(ctx context.Context, rule *abi.Rule, cmp *abi.Atom, slots []*abi.Value, depth int) ([]Way, error) {
	for k, x := range cmp.Args {
		if x.Op != abi.ArgSlot || slots[x.Index] == nil {
			continue
		}
		at := slices.IndexFunc(rule.Body, func(a abi.Atom) bool {
			return a.Op == abi.AtomFold && a.Fold == abi.FoldCount && !a.Possible && a.Slot == x.Index
		})
		other := Scanned(d.Program, &abi.Atom{Args: cmp.Args[1-k : 2-k]}, slots)[0]
		if at < 0 || other == nil || other.Kind != abi.KindNum || other.Rat != nil {
			continue
		}
		op := cmp.Cmp
		if k == 1 {
			op = op.Mirrored()
		}
		is := slots[x.Index].Int
		var out []Way
		for _, target := range targets(op, other.Int) {
			ways, err := d.brought(ctx, rule, &rule.Body[at], slots, is, target, depth)
			if err != nil {
				return nil, err
			}
			out = append(out, ways...)
		}
		return leastWays(out), nil
	}
	return nil, nil
}

// brought returns ways to bring a count from one number to another.
func (d *Search) brought(ctx context.Context, rule *abi.Rule, fold *abi.Atom, slots []*abi.Value, is, target int64, depth int) ([]Way, error) {
	switch {
	case target > is:
		return d.filled(ctx, rule, fold, slots, target-is, depth)
	case target >= 0 && target < is:
		return d.fewer(ctx, rule, fold, slots, is-target, depth)
	}
	return nil, nil
}

// exactly returns ways to make a count what its slot has already.
func (d *Search) exactly(ctx context.Context, rule *abi.Rule, fold *abi.Atom, slots []*abi.Value, depth int) ([]Way, error) {
	wanted := slots[fold.Slot]
	if fold.Fold != abi.FoldCount || fold.Possible || wanted == nil || wanted.Kind != abi.KindNum || wanted.Rat != nil || d.asks() {
		return nil, nil
	}
	found, whole, err := d.solutions(ctx, rule.Slots, fold.Body, slots)
	if err != nil || !whole {
		return nil, err
	}
	units := map[string]bool{}
	for _, values := range found {
		units[unitOf(fold, values)] = true
	}
	return d.brought(ctx, rule, fold, slots, int64(len(units)), wanted.Int, depth)
}

// targets are the numbers next to n that compare with it so.
func targets(op abi.CmpOp, n int64) []int64 {
	switch op {
	case abi.CmpLt:
		return []int64{n - 1}
	case abi.CmpGt:
		return []int64{n + 1}
	case abi.CmpNe:
		return []int64{n - 1, n + 1}
	}
	return []int64{n}
}

// filled returns ways to give the body of an atom n solutions more.
func (d *Search) filled(ctx context.Context, rule *abi.Rule, of *abi.Atom, slots []*abi.Value, n int64, depth int) ([]Way, error) {
	if n > int64(d.Most) || depth >= maxDepth {
		return nil, nil
	}
	inner := abi.Rule{Slots: rule.Slots, Body: of.Body}
	var found []solution
	err := d.body(ctx, &inner, 0, slots, Way{}, func(at int, known []*abi.Value) ([]Way, error) {
		return d.premise(ctx, of.Body[at].Rel, known, depth)
	}, func(w Way, values []*abi.Value) {
		found = append(found, solution{w, values})
	})
	if err != nil {
		return nil, err
	}
	units := map[string][]Way{} // by what they count as
	var order []string
	for _, s := range found {
		ways := []Way{s.way}
		for i := range of.Body {
			if a := &of.Body[i]; a.Neg {
				more, err := d.other(ctx, &inner, a, s.slots, depth)
				if err != nil {
					return nil, err
				}
				ways = both(ways, more, d.Most)
			}
		}
		unit := unitOf(of, s.slots)
		if _, known := units[unit]; !known {
			order = append(order, unit)
		}
		units[unit] = append(units[unit], ways...)
	}
	order = slices.DeleteFunc(order, func(unit string) bool {
		// What is a solution already is none more.
		return slices.ContainsFunc(units[unit], func(w Way) bool { return len(w.Changes) == 0 })
	})
	return d.choose(order, units, n), nil
}

// premise returns ways to make a premise with open places hold today: by what
// there is, or, of an operator over time, of days that are missing.
func (d *Search) premise(ctx context.Context, rel int, pattern []*abi.Value, depth int) ([]Way, error) {
	if !slices.Contains(pattern, nil) {
		return d.now(ctx, rel, pattern, nil, -1, depth)
	}
	if _, _, ok := lower.LooksOf(d.Program, rel); ok {
		return d.now(ctx, rel, pattern, nil, -1, depth)
	}
	rows, whole, err := d.rows(ctx, rel, pattern)
	if err != nil || !whole {
		return nil, err
	}
	var out []Way
	for _, row := range rows[:min(len(rows), maxUnits)] {
		out = append(out, Way{tuple: known(row)})
	}
	return out, nil
}

// fewer returns ways to take n solutions from the body of an atom.
func (d *Search) fewer(ctx context.Context, rule *abi.Rule, of *abi.Atom, slots []*abi.Value, n int64, depth int) ([]Way, error) {
	if n > int64(d.Most) || d.asks() {
		return nil, nil
	}
	found, whole, err := d.solutions(ctx, rule.Slots, of.Body, slots)
	if err != nil || !whole {
		return nil, err
	}
	units := map[string][]Way{}
	var order []string
	proofs := map[string][]proof{}
	for _, values := range found {
		unit := unitOf(of, values)
		if proofs[unit] == nil {
			order = append(order, unit)
		}
		proofs[unit] = premises(d.Program, of.Body, values, Days{}, proofs[unit])
	}
	for _, unit := range order[:min(len(order), maxUnits)] {
		if units[unit], err = d.without(proofs[unit], d.fails(ctx, depth)); err != nil {
			return nil, err
		}
	}
	return d.choose(order, units, n), nil
}

// maxUnits is how many solutions of a body are looked at to have more or fewer.
const maxUnits = 16

// unitOf is what a solution of the body of an atom counts as.
func unitOf(of *abi.Atom, values []*abi.Value) string {
	unit := make([]*abi.Value, len(of.Over))
	for i, slot := range of.Over {
		unit[i] = values[slot]
	}
	return Key(0, unit)
}

// choose returns the ways of n of the units.
func (d *Search) choose(order []string, units map[string][]Way, n int64) []Way {
	// By how many units they are of.
	chosen := make([][]Way, n+1)
	chosen[0] = []Way{{}}
	for _, unit := range order {
		ways := leastWays(units[unit])
		for k := n; k > 0; k-- {
			chosen[k] = leastWays(append(chosen[k], both(chosen[k-1], ways, d.Most)...))
		}
	}
	return chosen[n]
}
