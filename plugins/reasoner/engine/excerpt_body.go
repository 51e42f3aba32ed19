package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// ask asks for the tuples that an atom goes by under the slots, where the atoms
// before it hold, in their order.
func (x *excerpts) ask(before []abi.Atom, a *abi.Atom, slots []abi.Term) *abi.Failure {
	if !x.reads(a) {
		return nil
	}
	width := len(slots)
	bound := boundSlots(slots)
	for i := range before {
		bound.addAll(atomBinds(&before[i], width))
	}
	if a.Op == abi.AtomScan {
		return x.askScan(before, a, slots, bound)
	}
	// As in demand, the slots of a nested body get numbers of their own.
	names := map[int]int{}
	for _, s := range atomSlots(a, width).list() {
		if !bound.has(s) && (a.Op != abi.AtomFold || s != a.Slot) {
			names[s] = width + len(names)
		}
	}
	own := renameAtom(a, names)
	slots = append(slices.Clone(slots), unboundSlots(len(names))...)
	inner := newSlotSet(len(slots))
	copy(inner, bound)
	order, f := x.e.order(own.Body, len(slots), planOptions{bound: inner, first: -1, stable: true})
	if f != nil {
		return f
	}
	before = slices.Clone(before)
	for _, i := range order {
		b := &own.Body[i]
		if f := x.ask(before, b, slots); f != nil {
			return f
		}
		// What only tests would seldom save more than it takes.
		if b.Op != abi.AtomExists && (b.Op != abi.AtomScan || !b.Neg) {
			before = append(before, *b)
		}
	}
	return nil
}

// reads reports whether an atom reads an excerpt.
func (x *excerpts) reads(a *abi.Atom) bool {
	if _, ok := x.origin[a.Rel]; ok && a.Op == abi.AtomScan {
		return true
	}
	for i := range a.Body {
		if x.reads(&a.Body[i]) {
			return true
		}
	}
	return false
}

func (x *excerpts) askScan(before []abi.Atom, a *abi.Atom, slots []abi.Term, bound slotSet) *abi.Failure {
	var columns uint64
	var key []abi.Arg
	for c, arg := range a.Args {
		if c < 64 && (arg.Op == abi.ArgConst || arg.Op == abi.ArgSlot && bound.has(arg.Index)) {
			columns |= 1 << c
			key = append(key, arg)
		}
	}
	keys := relation.New(len(key))
	if columns != 0 {
		var f *abi.Failure
		if keys, f = x.keys(before, slots, key); f != nil {
			return f
		}
		if keys.Rows() == 0 {
			return nil
		}
	}
	return x.want(x.origin[a.Rel], columns, keys)
}

// keys returns what the arguments are under the slots, where the atoms hold in
// their order.
func (x *excerpts) keys(atoms []abi.Atom, slots []abi.Term, args []abi.Arg) (*relation.Relation, *abi.Failure) {
	e := x.e
	need := newSlotSet(len(slots))
	addArgs(need, args)
	given := make([]int, len(atoms))
	for i := range given {
		given[i] = i
	}
	p, f := e.plan(atoms, len(slots), planOptions{bound: boundSlots(slots), need: need, first: -1, stable: true, given: given, once: true})
	if f != nil {
		return nil, f
	}
	sink := &headSink{e: e, rel: relation.New(len(args)), rule: -1, args: args, rows: true}
	f = e.run(p, presets(slots), nil, sink)
	e.release(p)
	return sink.rel, f
}
