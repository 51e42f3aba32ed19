package overtime

import (
	"context"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Fold returns what a fold of a rule's body gives for what is known of the slots,
// or nil where it gives nothing. ok is false where that cannot be said: what it
// groups by is not known.
func (d *Reader) Fold(ctx context.Context, rule *abi.Rule, at int, known []*abi.Value) (v *abi.Value, ok bool, err error) {
	fold := rule.Body[at]
	inside, outside := map[int]bool{}, map[int]bool{}
	mention(fold.Body, inside)
	mentionExpr(fold.Expr, inside)
	mention(rule.Body[:at], outside)
	mention(rule.Body[at+1:], outside)
	for _, x := range rule.Args {
		outside[x.Index] = outside[x.Index] || x.Op == abi.ArgSlot
	}
	q := abi.Query{Truth: -1, Slots: rule.Slots, Out: []abi.Arg{{Op: abi.ArgSlot, Index: fold.Slot}}}
	q.Columns = []abi.Column{{Name: "value", Type: rule.Slots[fold.Slot].Type}}
	var constants []abi.Value
	for i := range rule.Slots {
		switch {
		case i == fold.Slot || !inside[i]:
		case i < len(known) && known[i] != nil:
			arg := abi.Arg{Op: abi.ArgSlot, Index: i}
			q.Body = append(q.Body, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{arg, d.constant(len(constants))}})
			constants = append(constants, *known[i])
		case outside[i]:
			return nil, false, nil
		}
	}
	q.Body = append(q.Body, fold)
	found, err := d.ask(ctx, q, constants)
	if err != nil || found.More || found.Frame.Rows > 1 {
		return nil, false, err
	}
	if found.Frame.Rows == 0 {
		return nil, true, nil
	}
	return &found.Frame.Row(nil, 0)[0], true, nil
}

// mention notes the slots that a body speaks of.
func mention(body []abi.Atom, in map[int]bool) {
	for i := range body {
		a := &body[i]
		for _, x := range a.Args {
			if x.Op == abi.ArgSlot {
				in[x.Index] = true
			}
		}
		switch a.Op {
		case abi.AtomLet, abi.AtomIn, abi.AtomFold, abi.AtomMatch:
			in[a.Slot] = true
		}
		mentionExpr(a.Expr, in)
		mention(a.Body, in)
	}
}

func mentionExpr(x *abi.Expr, in map[int]bool) {
	if x == nil {
		return
	}
	if x.Op == abi.ExprSlot {
		in[x.Index] = true
	}
	for i := range x.Args {
		mentionExpr(&x.Args[i], in)
	}
	for i := range x.Arms {
		mentionExpr(x.Arms[i].Guard, in)
		mentionExpr(&x.Arms[i].Body, in)
	}
}
