package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// remainders asks each atom of a body for the value that an equation of the body
// leaves for it, where that takes what the other atoms give. The order in which a
// body is walked may come to the atom before them, and finds it only with values
// that something names.
func (w *candidateWalk) remainders(atoms []abi.Atom, order []int, slots []abi.Term) *abi.Failure {
	var scans []int
	for _, at := range order {
		if a := &atoms[at]; a.Op == abi.AtomScan && !a.Neg {
			scans = append(scans, at)
		}
	}
	for k, at := range scans {
		if k == len(scans)-1 || !w.leaves(atoms, at, slots) {
			continue // the last one has been asked beside all others
		}
		others := slices.Delete(slices.Clone(scans), k, k+1)
		before, _, f := w.e.bindings(atoms, slots, nil, others, maxAttempted, maxAttempted)
		if f != nil {
			return f
		}
		w.s.work += uint64(len(before))
		for _, b := range before {
			given, ok := w.determined(atoms, b)
			if args := w.e.argTerms(atoms[at].Args, given); ok && w.s.ends(atoms[at].Rel) && open(args) < open(w.e.argTerms(atoms[at].Args, b)) {
				w.add(atoms[at].Rel, args)
			}
		}
	}
	return nil
}

// leaves reports whether an equation holds an open slot of the atom against what
// other atoms give.
func (w *candidateWalk) leaves(atoms []abi.Atom, at int, slots []abi.Term) bool {
	own := atomBinds(&atoms[at], len(slots))
	for i := range atoms {
		a := &atoms[i]
		if a.Op != abi.AtomLet && a.Op != abi.AtomCmp && a.Op != abi.AtomFilter {
			continue
		}
		left, _, cmp := sidesOf(a)
		if left == nil || cmp != abi.CmpEq {
			continue
		}
		mine, theirs := 0, 0
		for _, s := range atomSlots(a, len(slots)).list() {
			switch {
			case slots[s] != unbound:
			case own.has(s):
				mine++
			default:
				theirs++
			}
		}
		if mine == 1 && theirs > 0 {
			return true
		}
	}
	return false
}
