package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// picks reports whether the atom takes the least or greatest of what a variable
// of its body is.
func picks(a *abi.Atom) bool {
	return a.Op == abi.AtomFold && (a.Fold == abi.FoldMin || a.Fold == abi.FoldMax) && a.Expr.Op == abi.ExprSlot
}

// picked adds what it takes for the value that a least or greatest is asked to be
// to be one of those it is taken of. There is no telling what else a change does
// to a fold, so that all facts that it reads are tried as well, but later.
func (w *candidateWalk) picked(a *abi.Atom, slots []abi.Term) *abi.Failure {
	if slots[a.Slot] == unbound {
		return nil
	}
	inside := slices.Clone(slots)
	inside[a.Expr.Index] = slots[a.Slot]
	return w.body(a.Body, inside)
}
