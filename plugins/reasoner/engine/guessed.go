package engine

import "github.com/ox-mcp/ox-mcp/abi"

// guess says how rules look at the values of a group of places, beyond whether
// they are equal to others: as a set of ways.
type guess uint8

const (
	guessedOrder guess = 1 << iota // whether they come before a value that is known
	guessedTold                    // whether they are another than some: by a denial, an inequality or a fold
	guessedAny                     // by a function, or whether they come before one that is not known
)

// reading is what the rules do with the slots that stand in places.
type reading struct {
	e       *Engine
	width   int
	groups  map[int]int      // by slot: a group it is in
	known   map[int]abi.Term // by slot: what it is whatever the facts say
	against func(g int, value abi.Term, ordered bool)
	guess   func(g int, how guess)
	is      func(g int, t *abi.Type)
	within  bool // what is read stands under a denial, or in a fold
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

// test notes what a condition asks of the slots in it. denied says that it is
// under a not.
func (r *reading) test(x *abi.Expr, denied bool) {
	switch {
	case x.Op == abi.ExprAnd || x.Op == abi.ExprOr || x.Op == abi.ExprNot:
		for i := range x.Args {
			r.test(&x.Args[i], denied || x.Op == abi.ExprNot)
		}
		return
	case x.Op == abi.ExprIn && len(x.Args) == 2 && x.Args[0].Op == abi.ExprSlot:
		// What is in a list are constants.
		if _, ok := r.fixed(&x.Args[1]); ok && x.Args[1].Op == abi.ExprList {
			if denied || r.within {
				r.slot(x.Args[0].Index, guessedTold)
			}
			return
		}
	case x.Op >= abi.ExprEq && x.Op <= abi.ExprGe && len(x.Args) == 2:
		cmp := abi.CmpOp(x.Op - abi.ExprEq)
		for i := range x.Args {
			if x.Args[i].Op == abi.ExprSlot && r.compare(x.Args[i].Index, &x.Args[1-i], cmp, denied) {
				return
			}
		}
	}
	r.any(x)
}

// compare notes that a slot is compared with an expression; ok is false where
// the value of that rests on facts.
func (r *reading) compare(slot int, with *abi.Expr, cmp abi.CmpOp, denied bool) (ok bool) {
	g, placed := r.groups[slot]
	value, ok := r.fixed(with)
	if !ok || !placed {
		return false
	}
	ordered := cmp != abi.CmpEq && cmp != abi.CmpNe
	r.against(g, value, ordered)
	if ordered {
		r.guess(g, guessedOrder)
	}
	if cmp == abi.CmpNe || denied || r.within {
		r.guess(g, guessedTold)
	}
	return true
}

// slot notes how a slot is looked at.
func (r *reading) slot(slot int, how guess) {
	if g, ok := r.groups[slot]; ok {
		r.guess(g, how)
	}
}

// any notes that there is no telling what an expression makes of its slots.
func (r *reading) any(x *abi.Expr) {
	for _, s := range exprSlots(x, r.width).list() {
		r.slot(s, guessedAny)
	}
}

// atom notes what an atom asks of slots.
func (r *reading) atom(a *abi.Atom) {
	switch a.Op {
	case abi.AtomCmp:
		r.compared(a)
	case abi.AtomMatch:
		for _, s := range atomSlots(a, r.width).list() {
			r.slot(s, guessedAny)
		}
	case abi.AtomIs:
		if g, ok := r.groups[a.Slot]; ok {
			r.is(g, a.Type)
		}
	case abi.AtomFilter:
		r.test(a.Expr, false)
	case abi.AtomIn:
		list, ok := r.fixed(a.Expr)
		if !ok {
			r.any(a.Expr)
			r.slot(a.Slot, guessedAny)
		} else if g, placed := r.groups[a.Slot]; placed {
			for _, x := range r.e.terms.Items(list) {
				r.against(g, x, false)
			}
			if r.within {
				r.guess(g, guessedTold)
			}
		}
	case abi.AtomLet:
		if _, ok := r.fixed(a.Expr); !ok && a.Expr.Op != abi.ExprSlot {
			r.any(a.Expr)
			r.slot(a.Slot, guessedAny)
		}
	case abi.AtomFold:
		if a.Expr != nil {
			r.any(a.Expr)
		}
		r.slot(a.Slot, guessedAny)
	}
}

// compared notes what a comparison of arguments asks of them. Two slots that are
// equal are in one group.
func (r *reading) compared(a *abi.Atom) {
	sides := [2]abi.Expr{a.Args[0].Expr(), a.Args[1].Expr()}
	for i := range sides {
		if sides[i].Op == abi.ExprSlot && r.compare(sides[i].Index, &sides[1-i], a.Cmp, false) {
			return
		}
	}
	how := guessedAny
	switch a.Cmp {
	case abi.CmpEq:
		if !r.within {
			return
		}
		how = guessedTold
	case abi.CmpNe:
		how = guessedTold
	}
	for i := range sides {
		if sides[i].Op == abi.ExprSlot {
			r.slot(sides[i].Index, how)
		}
	}
}

// told calls each with the columns that a body reads where it matters that a
// value is none of others: under a denial, or in a fold. within says that the
// whole body is there.
func told(body []abi.Atom, within bool, each func(columnRef)) {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && (within || a.Neg) {
			for c, x := range a.Args {
				if x.Op != abi.ArgWild {
					each(columnRef{a.Rel, c})
				}
			}
		}
		told(a.Body, within || a.Neg || a.Op == abi.AtomFold, each)
	}
}
