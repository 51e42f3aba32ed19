package engine

import "github.com/ox-mcp/ox-mcp/abi"

// maxSides is how many bindings of a comparison are looked at for the values
// that would make it hold.
const maxSides = 50

// compared notes, for a comparison that is false under the bindings, the facts
// that would make it true: where one side is the value of a field, that field
// with the value of the other side.
func (w *candidateWalk) compared(body []abi.Atom, a *abi.Atom, slots []abi.Term) *abi.Failure {
	var sides [2]*abi.Expr
	switch {
	case a.Op == abi.AtomCmp:
		x, y := a.Args[0].Expr(), a.Args[1].Expr()
		sides[0], sides[1] = &x, &y
	case a.Expr.Op >= abi.ExprEq && a.Expr.Op <= abi.ExprGe && len(a.Expr.Args) == 2:
		sides[0], sides[1] = &a.Expr.Args[0], &a.Expr.Args[1]
	default:
		return nil
	}
	for i, x := range sides {
		if x.Op != abi.ExprSlot {
			continue
		}
		read := w.readBy(body, x.Index)
		if read == nil {
			continue
		}
		if w.sides++; w.sides > maxSides {
			return nil
		}
		value, ok, f := w.e.valueOf(sides[1-i], slots)
		if f != nil || !ok {
			return f
		}
		tuple := w.e.argTerms(read.Args, slots)
		column := len(tuple) - 1
		t := &w.e.prog.Relations[read.Rel].Columns[column].Type
		for _, v := range w.e.neighbours(value) {
			if w.e.takes(t, v) {
				tuple[column] = v
				w.add(read.Rel, append([]abi.Term(nil), tuple...))
			}
		}
	}
	return nil
}

// readBy returns the atom that reads a slot from a field, or nil.
func (w *candidateWalk) readBy(body []abi.Atom, slot int) *abi.Atom {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && !a.Neg && w.e.prog.Relations[a.Rel].Origin == abi.OriginField {
			if last := a.Args[len(a.Args)-1]; last.Op == abi.ArgSlot && last.Index == slot {
				return a
			}
		}
	}
	return nil
}

// valueOf evaluates an expression over slots; ok is false where it has no value.
func (e *Engine) valueOf(x *abi.Expr, slots []abi.Term) (value abi.Term, ok bool, f *abi.Failure) {
	for _, s := range exprSlots(x, len(slots)).list() {
		if slots[s] == unbound {
			return 0, false, nil
		}
	}
	c, f := e.vm.Compile(x, len(slots))
	if f != nil {
		return 0, false, f
	}
	reader := e.vm.Reader
	e.vm.Reader = nil
	value, ok, f = e.vm.Eval(c, slots)
	e.vm.Reader = reader
	return value, ok, f
}
