package lower

import "github.com/ox-mcp/ox-mcp/abi"

// Compared returns, of the sides of an atom that compares values which may be
// intervals, the slots of their ends: the least and the most. It is nil for other
// atoms. A side that is certain has one slot, or none.
func Compared(a *abi.Atom) (sides [][2]int) {
	both := deniedBody(a)
	if len(both) == 1 {
		both = deniedBody(&both[0]) // of a comparison that is to fail
	}
	if len(both) != 2 {
		return nil
	}
	hard, soft := deniedBody(&both[0]), deniedBody(&both[1])
	if len(hard) == 0 || len(soft) == 0 {
		return nil
	}
	sure, may := comparedEnds(&hard[0]), comparedEnds(&soft[0])
	if sure == nil || may == nil || sure.Op != may.Op {
		return nil
	}
	for i := range sure.Args {
		least, most := &sure.Args[i], &may.Args[i]
		if (sure.Op == abi.ExprLe || sure.Op == abi.ExprLt) != (i == 1) {
			least, most = most, least
		}
		if least.Op == abi.ExprSlot && most.Op == abi.ExprSlot {
			sides = append(sides, [2]int{least.Index, most.Index})
		}
	}
	return sides
}

// deniedBody is the body that a negation is of, or nil.
func deniedBody(a *abi.Atom) []abi.Atom {
	if a.Op != abi.AtomExists || !a.Neg {
		return nil
	}
	return a.Body
}

// comparedEnds is the comparison of a condition that also asks whether the ends
// are there, or nil.
func comparedEnds(a *abi.Atom) *abi.Expr {
	if a.Op != abi.AtomFilter {
		return nil
	}
	x := a.Expr
	for (x.Op == abi.ExprAnd || x.Op == abi.ExprOr) && len(x.Args) == 2 {
		x = &x.Args[1]
	}
	switch x.Op {
	case abi.ExprGe, abi.ExprGt, abi.ExprLe, abi.ExprLt:
		return x
	}
	return nil
}
