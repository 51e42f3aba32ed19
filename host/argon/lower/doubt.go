package lower

import (
	"maps"

	"github.com/ox-mcp/ox-mcp/abi"
)

// An expression that asks whether a body has a solution takes the answer for a
// value, true or false, and may make anything of it. Where the body reads
// something open, and neither has a solution nor could not have one, there is
// no such value: whatever goes by it is undefined, in a negation too.

// asksWhether reports whether a counts the solutions of a body as one or none:
// what is made of exists, and of an atom, in an expression.
func asksWhether(a *abi.Atom) bool {
	return a.Op == abi.AtomFold && a.Fold == abi.FoldCount && len(a.Over) == 0
}

// undecided are the atoms that hold where the answer to a is not known: its
// body has no solution, and second, which says that it could not have one, does
// not hold.
func undecided(a *abi.Atom, second abi.Atom) []abi.Atom {
	none := abi.Atom{Op: abi.AtomExists, Neg: true, Body: copyAtoms(a.Body), Span: a.Span}
	possible := abi.Atom{Op: abi.AtomExists, Body: copyAtoms(second.Body), Span: a.Span}
	return []abi.Atom{none, possible}
}

// certain is the condition that nothing is in doubt.
func certain(doubt []abi.Atom, span abi.Span) abi.Atom {
	return abi.Atom{Op: abi.AtomExists, Neg: true, Body: copyAtoms(doubt), Span: span}
}

// without returns the atoms of body that do not go by atom i: not those that
// read what it gives, nor those that read what these give.
func without(body []abi.Atom, i int) []abi.Atom {
	gone := map[int]bool{i: true}
	lost := map[int]bool{}
	lose := func(a *abi.Atom) {
		switch a.Op {
		case abi.AtomFold, abi.AtomLet, abi.AtomIn:
			lost[a.Slot] = true
		case abi.AtomMatch:
			slotWalk{}.pattern(a.Pattern, func(s *int) { lost[*s] = true })
		}
	}
	lose(&body[i])
	for changed := true; changed; {
		changed = false
		for j := range body {
			if gone[j] {
				continue
			}
			for s := range maps.Keys(open(func(w slotWalk) { w.atom(&body[j]) })) {
				if lost[s] {
					gone[j], changed = true, true
					lose(&body[j])
					break
				}
			}
		}
	}
	var rest []abi.Atom
	for j := range body {
		if !gone[j] {
			rest = append(rest, body[j])
		}
	}
	return copyAtoms(rest)
}
