package overtime

import (
	"context"
	"iter"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// derive returns the ways of the rules of a relation of days: all that a body
// asks for holds throughout when.
func (d *Search) derive(ctx context.Context, rel int, pattern []*abi.Value, when Days, depth int) (out []Way, err error) {
	for rule, slots := range d.rulesOf(rel, pattern) {
		for _, slots := range [][]*abi.Value{slots, d.passing(rule, slots)} {
			if slots == nil {
				continue
			}
			err := d.body(ctx, rule, 0, slots, Way{}, func(at int, known []*abi.Value) ([]Way, error) {
				return d.want(ctx, rule.Body[at].Rel, known[:len(known)-2], when, depth+1)
			}, func(w Way, slots []*abi.Value) {
				w.tuple = argsOf(d.Program, rule.Args, slots)[:len(pattern)]
				out = append(out, w)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// passing gives the open slots that a rule compares with constants values that
// just pass; nil where it compares none so.
func (d *Search) passing(rule *abi.Rule, slots []*abi.Value) (out []*abi.Value) {
	constants := d.Program.Constants
	for i := range rule.Body {
		a := &rule.Body[i]
		if a.Op != abi.AtomCmp {
			continue
		}
		for k, x := range a.Args {
			y := a.Args[1-k]
			if x.Op != abi.ArgSlot || y.Op != abi.ArgConst || slots[x.Index] != nil {
				continue
			}
			v := constants[y.Index]
			switch {
			case a.Cmp == abi.CmpGe || a.Cmp == abi.CmpLe:
			case v.Kind != abi.KindNum && v.Kind != abi.KindDay || v.Rat != nil:
				continue // what is next to it is not known
			case a.Cmp == abi.CmpGt && k == 0, a.Cmp == abi.CmpLt && k == 1:
				v.Int++
			case a.Cmp == abi.CmpLt, a.Cmp == abi.CmpGt:
				v.Int--
			default:
				continue
			}
			if out == nil {
				out = slices.Clone(slots)
			}
			out[x.Index] = &v
		}
	}
	return out
}

// rulesOf yields the rules that derive a relation and whose heads a pattern fits,
// each with what is known of its slots then.
func (d *Search) rulesOf(rel int, pattern []*abi.Value) iter.Seq2[*abi.Rule, []*abi.Value] {
	return func(yield func(*abi.Rule, []*abi.Value) bool) {
		for i := range d.Program.Rules {
			rule := &d.Program.Rules[i]
			if rule.Head != rel {
				continue
			}
			if slots, ok := d.headOf(rule, pattern); ok && !yield(rule, slots) {
				return
			}
		}
	}
}

// headOf gives a rule's slots the values of a pattern of its head, and those that
// its conditions ask for.
func (d *Search) headOf(rule *abi.Rule, pattern []*abi.Value) ([]*abi.Value, bool) {
	constants := d.Program.Constants
	slots := make([]*abi.Value, len(rule.Slots))
	for i, v := range pattern {
		switch x := rule.Args[i]; {
		case v == nil:
		case x.Op == abi.ArgConst && !abi.Equal(constants[x.Index], *v):
			return nil, false
		case x.Op == abi.ArgSlot && slots[x.Index] != nil && !abi.Equal(*slots[x.Index], *v):
			return nil, false
		case x.Op == abi.ArgSlot:
			slots[x.Index] = v
		}
	}
	for i := range rule.Body {
		a := &rule.Body[i]
		if a.Op != abi.AtomCmp || a.Cmp != abi.CmpEq {
			continue
		}
		for k, x := range a.Args {
			if y := a.Args[1-k]; x.Op == abi.ArgSlot && y.Op == abi.ArgConst && slots[x.Index] == nil {
				slots[x.Index] = &constants[y.Index]
			}
		}
	}
	return slots, true
}

// solution is a way of a body, with what the slots have by it.
type solution struct {
	way   Way
	slots []*abi.Value
}

// body goes through the atoms that look for facts, from the one at a place on,
// and gives to each way of the whole body the slots. waysOf returns the ways of the
// atom at a place, for what is known of its columns. Conditions are left to the
// trial.
func (d *Search) body(ctx context.Context, rule *abi.Rule, at int, slots []*abi.Value, so Way,
	waysOf func(at int, known []*abi.Value) ([]Way, error), each func(Way, []*abi.Value)) error {
	for at < len(rule.Body) && (rule.Body[at].Op != abi.AtomScan || rule.Body[at].Neg) {
		at++
	}
	if at == len(rule.Body) {
		each(so, slots)
		return nil
	}
	a := &rule.Body[at]
	ways, err := waysOf(at, Scanned(d.Program, a, slots))
	if err != nil {
		return err
	}
	for _, w := range ways {
		both, ok := so.and(w, d.Most)
		if !ok {
			continue
		}
		next := slices.Clone(slots)
		for i, v := range w.tuple {
			if x := a.Args[i]; v != nil && x.Op == abi.ArgSlot {
				next[x.Index] = v
			}
		}
		if err := d.body(ctx, rule, at+1, next, both, waysOf, each); err != nil {
			return err
		}
	}
	return nil
}
