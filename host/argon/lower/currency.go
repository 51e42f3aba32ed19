package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A fold over amounts of different currencies has no value, so that the rule or
// query that asks for it has no row. That nobody sees, so each such fold has a guard
// which says where it happens (OW0158).

var foldWords = map[abi.FoldOp]string{abi.FoldSum: "sum", abi.FoldAvg: "avg", abi.FoldMin: "min", abi.FoldMax: "max"}

// currencies adds the guards of the folds over money.
func (b *builder) currencies(p *abi.Program) {
	seen := map[abi.Span]bool{}
	guard := func(r abi.Rule) {
		for j := range r.Body {
			a := &r.Body[j]
			if !moneyFold(a, r.Slots) || seen[a.Span] {
				continue
			}
			if rule, ok := mixed(&r, j); ok {
				seen[a.Span] = true
				word := foldWords[a.Fold]
				rule.Name = fmt.Sprintf("%s: %s", r.Name, word)
				if n := len(seen); n > 1 {
					rule.Name += fmt.Sprintf("#%d", n)
				}
				p.Checks = append(p.Checks, b.foldGuard(rule, word))
			}
		}
	}
	for i := range b.rules {
		guard(b.rules[i])
	}
	for i := range p.Queries {
		q := &p.Queries[i]
		if !foldsMoney(q.Body, q.Slots) {
			continue
		}
		if b.moneyQueries == nil {
			b.moneyQueries = map[int]bool{}
		}
		b.moneyQueries[i] = true
		if q.AsOf == nil {
			guard(unasked(q))
		}
	}
}

func moneyFold(a *abi.Atom, slots []abi.Slot) bool {
	if a.Op != abi.AtomFold || foldWords[a.Fold] == "" || a.Slot >= len(slots) {
		return false
	}
	return slots[a.Slot].Type.Op == abi.TypeMoney || a.Expr != nil && amounts(a.Expr, slots)
}

// amounts reports whether the values of x are surely amounts of money. A fold
// inside a comparison does not say what its own are.
func amounts(x *abi.Expr, slots []abi.Slot) bool {
	switch x.Op {
	case abi.ExprSlot:
		return x.Index < len(slots) && slots[x.Index].Type.Op == abi.TypeMoney
	case abi.ExprNeg:
		return amounts(&x.Args[0], slots)
	case abi.ExprAdd, abi.ExprSub, abi.ExprMul:
		return amounts(&x.Args[0], slots) || amounts(&x.Args[1], slots)
	case abi.ExprDiv:
		return amounts(&x.Args[0], slots) && !amounts(&x.Args[1], slots)
	}
	return false
}

func foldsMoney(body []abi.Atom, slots []abi.Slot) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool { return moneyFold(&a, slots) })
}

// unasked is what a query asks whatever its arguments are, as a rule: without
// the atoms that go by a parameter which no atom binds.
func unasked(q *abi.Query) abi.Rule {
	free := map[int]bool{}
	for i := range q.Params {
		free[i] = true
	}
	for i := range q.Body {
		if a := &q.Body[i]; a.Op == abi.AtomScan && !a.Neg {
			for _, arg := range a.Args {
				if arg.Op == abi.ArgSlot {
					delete(free, arg.Index)
				}
			}
		}
	}
	body := q.Body
	for before := -1; before != len(body); {
		before = len(body)
		body = slices.DeleteFunc(slices.Clone(body), func(a abi.Atom) bool {
			for s := range open(func(w slotWalk) { w.atoms([]abi.Atom{a}) }) {
				if !free[s] {
					continue
				}
				if a.Op == abi.AtomLet || a.Op == abi.AtomIn || a.Op == abi.AtomFold {
					free[a.Slot] = true
				}
				return true
			}
			return false
		})
	}
	return abi.Rule{Name: q.Name, Slots: q.Slots, Body: body, Args: q.Out, Span: q.Span}
}

// mixed makes the rule that holds where the fold at r.Body[j] has something to
// fold and no value. ok is false where that cannot be asked.
func mixed(r *abi.Rule, j int) (rule abi.Rule, ok bool) {
	fold := r.Body[j]
	inside := open(func(w slotWalk) { w.atoms([]abi.Atom{fold}) })
	later := besides(r, j, inside) // what follows from the value, or from one of another fold
	later[fold.Slot] = true
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

// besides returns the slots of the folds over money that the one at r.Body[j],
// with the slots inside, does not read. Two such folds without a value would
// hide each other, and each guard with all of them would make as many folds as
// the square of theirs.
func besides(r *abi.Rule, j int, inside map[int]bool) map[int]bool {
	needed := maps.Clone(inside)
	delete(needed, r.Body[j].Slot)
	for before := -1; before != len(needed); {
		before = len(needed)
		for k := range r.Body {
			a := &r.Body[k]
			if k != j && (a.Op == abi.AtomLet || a.Op == abi.AtomIn || a.Op == abi.AtomFold) && needed[a.Slot] {
				maps.Copy(needed, open(func(w slotWalk) { w.atom(a) }))
			}
		}
	}
	out := map[int]bool{}
	for k := range r.Body {
		if a := &r.Body[k]; k != j && moneyFold(a, r.Slots) && !needed[a.Slot] {
			out[a.Slot] = true
		}
	}
	return out
}

func (b *builder) foldGuard(rule abi.Rule, word string) abi.Check {
	pieces := []any{"the amounts of this " + word + " are not of one currency, so that it has no value"}
	for i, a := range rule.Args {
		before := ", "
		if i == 0 {
			before = " for "
		}
		if rule.Slots[a.Index].Name != "" {
			pieces = append(pieces, before, i)
		}
	}
	return b.guard(rule, "OW0158", abi.SeverityWarning, pieces...)
}
