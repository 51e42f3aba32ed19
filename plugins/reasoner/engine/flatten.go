package engine

import "github.com/ox-mcp/ox-mcp/abi"

// flatten returns the rule's body as it is evaluated, and its slots. An
// exists that reads the rule's own component is replaced by its body, under
// slots of its own: so all recursive atoms stand at the top, where semi-naive
// evaluation can confine them to the last round.
func (e *Engine) flatten(r *abi.Rule, comp int) ([]abi.Atom, int) {
	width := len(r.Slots)
	if !e.nestsOwn(r.Body, comp) {
		return r.Body, width
	}
	outer := newSlotSet(width)
	addArgs(outer, r.Args)
	return e.flattenBody(r.Body, comp, width, outer)
}

func (e *Engine) flattenBody(body []abi.Atom, comp, width int, outer slotSet) ([]abi.Atom, int) {
	var out []abi.Atom
	for i := range body {
		a := body[i]
		if a.Op != abi.AtomExists || a.Neg || !e.readsOwn(a.Body, comp) {
			out = append(out, a)
			continue
		}
		// Slots that only this exists mentions are its own.
		shared := outer.clone()
		for j := range body {
			if j == i {
				continue
			}
			s := newReader(len(shared) * 64)
			s.atom(&body[j])
			if body[j].Op == abi.AtomExists || body[j].Op == abi.AtomFold {
				s.uses.keepAll(atomBinds(&body[j], len(shared)*64))
			}
			shared.addAll(s.uses)
		}
		names := map[int]int{}
		for _, s := range atomSlots(&a, len(shared)*64).list() {
			if !shared.has(s) {
				names[s] = width
				width++
			}
		}
		inner := make([]abi.Atom, len(a.Body))
		for j := range a.Body {
			inner[j] = renameAtom(&a.Body[j], names)
		}
		grown := newSlotSet(width)
		copy(grown, shared)
		inner, width = e.flattenBody(inner, comp, width, grown)
		grown = newSlotSet(width)
		copy(grown, outer)
		outer = grown
		out = append(out, inner...)
	}
	return out, width
}

// nestsOwn reports whether the body has an exists that flatten replaces.
func (e *Engine) nestsOwn(body []abi.Atom, comp int) bool {
	for i := range body {
		if a := &body[i]; a.Op == abi.AtomExists && !a.Neg && e.readsOwn(a.Body, comp) {
			return true
		}
	}
	return false
}

// readsOwn reports whether the body scans a relation of the component.
func (e *Engine) readsOwn(body []abi.Atom, comp int) bool {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && e.rels[a.Rel].comp == comp || e.readsOwn(a.Body, comp) {
			return true
		}
	}
	return false
}

func renamed(names map[int]int, slot int) int {
	if to, ok := names[slot]; ok {
		return to
	}
	return slot
}

func renameAtom(a *abi.Atom, names map[int]int) abi.Atom {
	out := *a
	out.Slot = renamed(names, a.Slot)
	out.Args = make([]abi.Arg, len(a.Args))
	for i, x := range a.Args {
		if x.Op == abi.ArgSlot {
			x.Index = renamed(names, x.Index)
		}
		out.Args[i] = x
	}
	if a.Expr != nil {
		x := renameExpr(a.Expr, names)
		out.Expr = &x
	}
	if a.Pattern != nil {
		p := renamePattern(a.Pattern, names)
		out.Pattern = &p
	}
	out.Over = make([]int, len(a.Over))
	for i, s := range a.Over {
		out.Over[i] = renamed(names, s)
	}
	out.Body = make([]abi.Atom, len(a.Body))
	for i := range a.Body {
		out.Body[i] = renameAtom(&a.Body[i], names)
	}
	return out
}

func renameExpr(x *abi.Expr, names map[int]int) abi.Expr {
	out := *x
	switch x.Op {
	case abi.ExprSlot, abi.ExprLet, abi.ExprFor, abi.ExprFold:
		out.Index = renamed(names, x.Index)
	}
	out.Args = make([]abi.Expr, len(x.Args))
	for i := range x.Args {
		out.Args[i] = renameExpr(&x.Args[i], names)
	}
	out.Arms = make([]abi.Arm, len(x.Arms))
	for i, arm := range x.Arms {
		arm.Pattern = renamePattern(&x.Arms[i].Pattern, names)
		arm.Body = renameExpr(&x.Arms[i].Body, names)
		if arm.Guard != nil {
			g := renameExpr(arm.Guard, names)
			arm.Guard = &g
		}
		out.Arms[i] = arm
	}
	return out
}

func renamePattern(p *abi.Pattern, names map[int]int) abi.Pattern {
	out := *p
	if p.Op == abi.PatBind {
		out.Slot = renamed(names, p.Slot)
	}
	out.Items = make([]abi.Pattern, len(p.Items))
	for i := range p.Items {
		out.Items[i] = renamePattern(&p.Items[i], names)
	}
	return out
}
