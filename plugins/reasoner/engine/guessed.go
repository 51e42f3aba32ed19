package engine

import "github.com/ox-mcp/ox-mcp/abi"

// guess says how rules look at the values of a group of places, beyond whether
// they are equal to others: as a set of ways.
type guess uint8

const (
	guessedOrder guess = 1 << iota // whether they come before a value that is known, or are another
	guessedAny                     // by a function, or whether they come before one that is not known
)

// reading is what the rules do with the slots that stand in places.
type reading struct {
	e       *Engine
	width   int
	groups  map[int]int      // by slot: a group it is in
	known   map[int]abi.Term // by slot: what it is whatever the facts say
	against func(g int, value abi.Term)
	guess   func(g int, how guess)
}

// fixed returns the value of an expression without slots.
func (r *reading) fixed(x *abi.Expr) (value abi.Term, ok bool) {
	if x.Op == abi.ExprSlot {
		value, ok = r.known[x.Index]
		return value, ok
	}
	if x.Sub != nil || len(exprSlots(x, r.width).list()) > 0 {
		return 0, false
	}
	value, ok, f := r.e.valueOf(x, nil)
	return value, ok && f == nil
}

// test notes what an expression asks of the slots in it.
func (r *reading) test(x *abi.Expr) {
	switch {
	case x.Op == abi.ExprSlot:
		return
	case x.Op == abi.ExprAnd || x.Op == abi.ExprOr || x.Op == abi.ExprNot:
		for i := range x.Args {
			r.test(&x.Args[i])
		}
		return
	case x.Op == abi.ExprIn && len(x.Args) == 2 && x.Args[0].Op == abi.ExprSlot && x.Args[1].Op == abi.ExprList && len(exprSlots(&x.Args[1], r.width).list()) == 0:
		return // what is in it are constants
	case x.Op >= abi.ExprEq && x.Op <= abi.ExprGe && len(x.Args) == 2:
		for i := range x.Args {
			if x.Args[i].Op == abi.ExprSlot && r.compare(x.Args[i].Index, &x.Args[1-i], x.Op == abi.ExprEq) {
				return
			}
		}
	}
	r.any(x)
}

// compare notes that a slot is compared with an expression; ok is false where
// the value of that rests on facts.
func (r *reading) compare(slot int, with *abi.Expr, equal bool) (ok bool) {
	g, placed := r.groups[slot]
	value, ok := r.fixed(with)
	if !ok || !placed {
		return false
	}
	r.against(g, value)
	if !equal {
		r.guess(g, guessedOrder)
	}
	return true
}

// any notes that there is no telling what an expression makes of its slots.
func (r *reading) any(x *abi.Expr) {
	for _, s := range exprSlots(x, r.width).list() {
		if g, ok := r.groups[s]; ok {
			r.guess(g, guessedAny)
		}
	}
}

// atom notes what an atom asks of slots.
func (r *reading) atom(a *abi.Atom) {
	switch {
	case a.Op == abi.AtomCmp:
		var sides [2]abi.Expr
		for i, x := range a.Args {
			sides[i] = abi.Expr{Op: abi.ExprSlot, Index: x.Index}
			if x.Op == abi.ArgConst {
				sides[i].Op = abi.ExprConst
			}
		}
		for i := range sides {
			if sides[i].Op == abi.ExprSlot && r.compare(sides[i].Index, &sides[1-i], a.Cmp == abi.CmpEq) {
				return
			}
		}
		if a.Cmp != abi.CmpEq {
			r.any(&sides[0])
			r.any(&sides[1])
		}
	case a.Op == abi.AtomMatch:
		if g, ok := r.groups[a.Slot]; ok {
			r.guess(g, guessedAny)
		}
	case a.Expr == nil:
	case a.Op == abi.AtomFold && a.Fold != abi.FoldMin && a.Fold != abi.FoldMax:
		r.any(a.Expr)
	default:
		r.test(a.Expr)
	}
}

// guesses notes that the values of a place were taken from a list that may lack
// one which the rules tell from all in it.
func (s *repairing) guesses(rel, column int) {
	how := s.placing().guessed[s.places.group(columnRef{rel, column})]
	switch s.e.prog.Relations[rel].Columns[column].Type.Op {
	case abi.TypeBool:
		return
	case abi.TypeNat, abi.TypeInt, abi.TypeReal, abi.TypeDecimal, abi.TypeDate, abi.TypeDateTime, abi.TypeMoney:
		how &^= guessedOrder // the neighbours of what they are compared with are in it
	}
	if how != 0 {
		s.guessed = true
	}
}
