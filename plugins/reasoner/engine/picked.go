package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// picks reports whether the atom takes the least or greatest of something.
func picks(a *abi.Atom) bool {
	return a.Op == abi.AtomFold && (a.Fold == abi.FoldMin || a.Fold == abi.FoldMax)
}

// outdoes reports whether x is better than y to a fold that picks.
func (e *Engine) outdoes(fold *abi.Atom, x, y abi.Term) bool {
	order, fault := e.terms.Order(x, y)
	return fault == term.OK && (order > 0) == (fold.Fold == abi.FoldMax) && order != 0
}

// picked adds what it takes for the value that a least or greatest is asked to be
// to be one of those that it is taken of, and to be the best of them. While there
// is a better one, some fact behind that has to go, whatever else is done; and
// where none is asked for, any other may do.
func (w *candidateWalk) picked(a *abi.Atom, slots []abi.Term) *abi.Failure {
	asked := slots[a.Slot]
	free := slices.Clone(slots)
	free[a.Slot] = unbound
	found, _, f := w.e.bindings([]abi.Atom{*a}, free, nil, nil, 1, 1)
	if f != nil {
		return f
	}
	if len(found) > 0 {
		if best := found[0][a.Slot]; best == asked {
			return nil
		} else if asked == unbound || w.e.outdoes(a, best, asked) {
			if f := w.blocked(&abi.Atom{Op: abi.AtomExists, Neg: true, Body: givesBody(a)}, found[0]); f != nil || asked != unbound {
				return f
			}
		}
	}
	if a.Expr.Op == abi.ExprSlot {
		inside := slices.Clone(slots)
		inside[a.Expr.Index] = asked
		return w.body(a.Body, inside)
	}
	return w.body(append(slices.Clone(a.Body), abi.Atom{Op: abi.AtomLet, Slot: a.Slot, Expr: a.Expr}), slots)
}

// givesBody is the body of a fold that picks, which holds where it gives what the
// fold is.
func givesBody(a *abi.Atom) []abi.Atom {
	is := abi.Expr{Op: abi.ExprEq, Args: []abi.Expr{*a.Expr, {Op: abi.ExprSlot, Index: a.Slot}}}
	return append(slices.Clone(a.Body), abi.Atom{Op: abi.AtomFilter, Expr: &is})
}

// pickedFirst puts the folds that pick, of which the result and all else that they
// share with the rest of the body is given, before the other atoms: what they ask
// for is told by the value that they are to be.
func pickedFirst(atoms []abi.Atom, order []int, slots []abi.Term) []int {
	first := func(i int) bool {
		return picks(&atoms[i]) && slots[atoms[i].Slot] != unbound && settled(atoms, i, slots)
	}
	if !slices.ContainsFunc(order, first) {
		return order
	}
	var out []int
	for _, i := range order {
		if first(i) {
			out = append(out, i)
		}
	}
	return append(out, slices.DeleteFunc(slices.Clone(order), first)...)
}

// betterBody is the body of a fold that picks, which holds where it gives something
// better than what the fold is to be.
func betterBody(a *abi.Atom) []abi.Atom {
	better := abi.Expr{Op: abi.ExprLt, Args: []abi.Expr{*a.Expr, {Op: abi.ExprSlot, Index: a.Slot}}}
	if a.Fold == abi.FoldMax {
		better.Op = abi.ExprGt
	}
	return append(slices.Clone(a.Body), abi.Atom{Op: abi.AtomFilter, Expr: &better})
}
