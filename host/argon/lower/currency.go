package lower

import (
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A fold over amounts of different currencies has no value, so that the rule
// that asks for it has no row. That nobody sees, so each such fold has a guard
// which says where it happens (OW0158).

var foldWords = map[abi.FoldOp]string{abi.FoldSum: "sum", abi.FoldAvg: "avg", abi.FoldMin: "min", abi.FoldMax: "max"}

// currencies adds the guards of the folds over money.
func (b *builder) currencies(p *abi.Program) {
	seen := map[abi.Span]bool{}
	for i := range b.rules {
		r := b.rules[i]
		for j := range r.Body {
			a := &r.Body[j]
			word := foldWords[a.Fold]
			if a.Op != abi.AtomFold || word == "" || a.Slot >= len(r.Slots) || r.Slots[a.Slot].Type.Op != abi.TypeMoney || seen[a.Span] {
				continue
			}
			if rule, ok := mixed(&r, j); ok {
				seen[a.Span] = true
				rule.Name = fmt.Sprintf("%s: %s", r.Name, word)
				if n := len(seen); n > 1 {
					rule.Name += fmt.Sprintf("#%d", n)
				}
				p.Checks = append(p.Checks, b.foldGuard(rule, word))
			}
		}
	}
}

// mixed makes the rule that holds where the fold at r.Body[j] has something to
// fold and no value. ok is false where that cannot be asked.
func mixed(r *abi.Rule, j int) (rule abi.Rule, ok bool) {
	fold := r.Body[j]
	inside := open(func(w slotWalk) { w.atoms([]abi.Atom{fold}) })
	later := map[int]bool{fold.Slot: true} // what follows from the value
	var around []abi.Atom
	for again := true; again; {
		again, around = false, nil
		for k := range r.Body {
			a := r.Body[k]
			uses := open(func(w slotWalk) { w.atoms([]abi.Atom{a}) })
			depends := false
			for s := range uses {
				depends = depends || later[s]
			}
			switch {
			case k == j:
			case !depends:
				around = append(around, a)
			case (a.Op == abi.AtomLet || a.Op == abi.AtomIn || a.Op == abi.AtomFold) && !later[a.Slot]:
				later[a.Slot], again = true, true
			}
		}
	}
	bound := open(func(w slotWalk) {
		for k := range around {
			switch a := &around[k]; a.Op {
			case abi.AtomScan:
				if !a.Neg {
					w.args(a.Args)
				}
			case abi.AtomLet, abi.AtomIn, abi.AtomFold:
				w.args([]abi.Arg{slotArg(a.Slot)})
			}
		}
	})
	outside := open(func(w slotWalk) { w.atoms(around) })
	for _, a := range r.Args {
		if a.Op == abi.ArgSlot {
			outside[a.Index] = true
		}
	}
	var shared []int
	for _, s := range sorted(inside) {
		if s == fold.Slot || !outside[s] {
			continue
		}
		if !bound[s] {
			return rule, false
		}
		shared = append(shared, s)
	}
	rule = abi.Rule{Slots: slices.Clone(r.Slots), Body: copyAtoms(around), Span: fold.Span}
	for _, s := range shared {
		rule.Args = append(rule.Args, slotArg(s))
	}
	rule.Body = append(rule.Body,
		abi.Atom{Op: abi.AtomExists, Body: copyAtoms(fold.Body), Span: fold.Span},
		abi.Atom{Op: abi.AtomExists, Neg: true, Body: copyAtoms([]abi.Atom{fold}), Span: fold.Span})
	return rule, true
}

func (b *builder) foldGuard(rule abi.Rule, word string) abi.Check {
	pieces := []any{"the amounts of this " + word + " are not of one currency, so that it has no value"}
	for i, a := range rule.Args {
		before := ", "
		if i == 0 {
			before = " for "
		}
		if rule.Slots[a.Index].Name != "" {
			pieces = append(pieces, before, a.Index)
		}
	}
	return b.guard(rule, "OW0158", abi.SeverityWarning, pieces...)
}
