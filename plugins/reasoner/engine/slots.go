package engine

import "github.com/ox-mcp/ox-mcp/abi"

// slotSet is a set of slot numbers.
type slotSet []uint64

func newSlotSet(width int) slotSet { return make(slotSet, (width+63)/64) }

func (s slotSet) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 == 1 }

func (s slotSet) clone() slotSet { return append(slotSet(nil), s...) }

func (s slotSet) add(i int) { s[i>>6] |= 1 << (i & 63) }

func (s slotSet) remove(i int) { s[i>>6] &^= 1 << (i & 63) }

func (s slotSet) addAll(o slotSet) {
	for i, w := range o {
		s[i] |= w
	}
}

func (s slotSet) keepAll(o slotSet) {
	for i := range s {
		s[i] &= o[i]
	}
}

// within reports whether every slot of s is in o.
func (s slotSet) within(o slotSet) bool {
	for i, w := range s {
		if w&^o[i] != 0 {
			return false
		}
	}
	return true
}

// list returns the slots in ascending order.
func (s slotSet) list() []int {
	var out []int
	for i := range len(s) * 64 {
		if s.has(i) {
			out = append(out, i)
		}
	}
	return out
}

// reader gathers the slots that expressions, patterns and atoms use, and
// those that they bind for themselves.
type reader struct{ uses, binds slotSet }

func newReader(width int) *reader {
	return &reader{uses: newSlotSet(width), binds: newSlotSet(width)}
}

func (r *reader) expr(x *abi.Expr) {
	if x == nil {
		return
	}
	switch x.Op {
	case abi.ExprSlot:
		r.uses.add(x.Index)
	case abi.ExprLet, abi.ExprFor:
		r.binds.add(x.Index)
	case abi.ExprFold:
		if len(x.Args) > 1 {
			r.binds.add(x.Index)
		}
	}
	for i := range x.Args {
		r.expr(&x.Args[i])
	}
	for i := range x.Arms {
		r.pattern(&x.Arms[i].Pattern)
		r.expr(x.Arms[i].Guard)
		r.expr(&x.Arms[i].Body)
	}
	if x.Sub != nil {
		for i := range x.Sub.Body {
			r.atom(&x.Sub.Body[i])
		}
		r.expr(x.Sub.Out)
	}
}

func (r *reader) pattern(p *abi.Pattern) {
	if p.Op == abi.PatBind {
		r.binds.add(p.Slot)
	}
	for i := range p.Items {
		r.pattern(&p.Items[i])
	}
}

// atom adds every slot that the atom mentions to uses.
func (r *reader) atom(a *abi.Atom) {
	for _, x := range a.Args {
		if x.Op == abi.ArgSlot {
			r.uses.add(x.Index)
		}
	}
	switch a.Op {
	case abi.AtomLet, abi.AtomMatch, abi.AtomIn, abi.AtomIs, abi.AtomFold:
		r.uses.add(a.Slot)
	}
	if a.Pattern != nil {
		bound := newReader(len(r.uses) * 64)
		bound.pattern(a.Pattern)
		r.uses.addAll(bound.binds)
	}
	if a.Expr != nil {
		r.uses.addAll(exprSlots(a.Expr, len(r.uses)*64))
	}
	for _, s := range a.Over {
		r.uses.add(s)
	}
	for i := range a.Body {
		r.atom(&a.Body[i])
	}
}

// exprSlots returns the free slots of an expression.
func exprSlots(x *abi.Expr, width int) slotSet {
	r := newReader(width)
	r.expr(x)
	for i := range r.uses {
		r.uses[i] &^= r.binds[i]
	}
	return r.uses
}

// atomSlots returns the slots that the atom mentions.
func atomSlots(a *abi.Atom, width int) slotSet {
	r := newReader(width)
	r.atom(a)
	return r.uses
}

// atomBinds returns the slots that the atom may bind.
func atomBinds(a *abi.Atom, width int) slotSet {
	s := newSlotSet(width)
	switch a.Op {
	case abi.AtomScan:
		if !a.Neg {
			addArgs(s, a.Args)
		}
	case abi.AtomCmp:
		if a.Cmp == abi.CmpEq {
			addArgs(s, a.Args)
		}
	case abi.AtomLet, abi.AtomIn, abi.AtomFold:
		s.add(a.Slot)
	case abi.AtomMatch:
		r := newReader(width)
		r.pattern(a.Pattern)
		s.addAll(r.binds)
	}
	return s
}

func addArgs(s slotSet, args []abi.Arg) {
	for _, x := range args {
		if x.Op == abi.ArgSlot {
			s.add(x.Index)
		}
	}
}

// atomNeeds returns the slots that must be bound before the atom can run,
// given those that something else in the body can bind.
func atomNeeds(a *abi.Atom, width int, bindable slotSet) slotSet {
	s := newSlotSet(width)
	switch a.Op {
	case abi.AtomScan:
		if a.Neg {
			addArgs(s, a.Args)
		}
	case abi.AtomCmp:
		if a.Cmp != abi.CmpEq {
			addArgs(s, a.Args)
		}
	case abi.AtomLet, abi.AtomIn, abi.AtomFilter:
		s.addAll(exprSlots(a.Expr, width))
	case abi.AtomMatch, abi.AtomIs:
		s.add(a.Slot)
	case abi.AtomExists, abi.AtomFold:
		s.addAll(atomSlots(a, width))
		s.keepAll(bindable)
		if a.Op == abi.AtomFold {
			s.remove(a.Slot)
		}
	}
	return s
}

// bodyMentions reports whether an atom of the body mentions the slot.
func bodyMentions(body []abi.Atom, slot, width int) bool {
	for i := range body {
		if atomSlots(&body[i], width).has(slot) {
			return true
		}
	}
	return false
}
