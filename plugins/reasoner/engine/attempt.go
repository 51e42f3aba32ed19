package engine

import (
	"encoding/binary"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// The bounds of the search for the best binding of an attempt.
const (
	maxAttempted = 1000      // bindings of which the least are taken
	maxCompared  = 16        // of those, how many are held against each other
	maxNearRows  = 1_000_000 // rows looked at for near misses meanwhile
	maxPatience  = 200_000   // bindings that one part of a body may come to, once an atom is left out
	maxLeftOut   = 16        // atoms of a body of which each is left out for a trial
)

// trial is a part of a body that some bindings satisfy.
type trial struct {
	held   []int // atoms, in an order in which they can run
	failed []int // atoms that have no solution beside the first of those
	beside []int // by failed atom: how many those are
	left   []int // atoms that were not tried: they lack what a failed one would bind
	found  [][]abi.Term
}

// trier looks for the parts of a body that can be satisfied. Undefined atoms
// count as satisfied: it is for an atom that is false that a rule does not
// derive a fact.
type trier struct {
	e     *Engine
	x     *excerpts
	asked map[string]bool // lists of atoms of which the last has been asked for
	left  bool            // something that was to be tried was not, or not all that was found was looked at
	body  []abi.Atom      // over the excerpts
	slots []abi.Term
	binds []slotSet // by atom
	needs []slotSet
}

func (e *Engine) newTrier(x *excerpts, body []abi.Atom, slots []abi.Term) *trier {
	t := &trier{e: e, x: x, asked: map[string]bool{}, body: body, slots: slots, binds: make([]slotSet, len(body))}
	for i := range body {
		t.binds[i] = atomBinds(&body[i], len(slots))
	}
	t.needs = needsOf(body, t.binds, boundSlots(slots), len(slots))
	return t
}

// runnable reports whether the atom means under these slots what it means in
// the whole body.
func (t *trier) runnable(i int, bound slotSet) bool {
	a := &t.body[i]
	return t.needs[i].within(bound) && (a.Op != abi.AtomCmp || a.Cmp != abi.CmpEq || anyBound(a.Args, bound))
}

func (t *trier) bound(held []int) slotSet {
	bound := boundSlots(t.slots)
	for _, i := range held {
		bound.addAll(t.binds[i])
	}
	return bound
}

// find returns the least solutions of some atoms. sure is false where it gave
// up before there was one.
func (t *trier) find(atoms []int, patience int) (found [][]abi.Term, sure bool, f *abi.Failure) {
	if over, f := t.ask(atoms, patience > 0); f != nil || over {
		t.left = t.left || over
		return nil, false, f
	}
	p, cols, f := t.e.planBindings(t.body, t.slots, atoms)
	if f != nil {
		return nil, false, f
	}
	p.patience = patience
	found, all, f := t.e.solve(p, cols, t.slots, nil, maxAttempted, maxCompared)
	sure = len(found) > 0 || patience == 0 || p.patience > 0
	t.left = t.left || !sure || all >= maxAttempted
	return found, sure, f
}

// ask sees to it that all is there that the atoms go by, in their order. What is
// not needed for an answer may be given up: over says so.
func (t *trier) ask(atoms []int, aside bool) (over bool, f *abi.Failure) {
	all := func() *abi.Failure {
		var key []byte
		var before []abi.Atom
		for _, i := range atoms {
			key = binary.AppendUvarint(key, uint64(i))
			if a := &t.body[i]; !t.asked[string(key)] {
				if f := t.x.ask(before, a, t.slots); f != nil {
					return f
				}
				t.asked[string(key)] = true
			}
			before = append(before, t.body[i])
		}
		return nil
	}
	if aside {
		return t.x.asides(maxAside, all)
	}
	return false, all()
}

// extend goes on with the atoms of order as far as they can be satisfied beside
// those of from, and past those that cannot.
func (t *trier) extend(from trial, order []int) (trial, *abi.Failure) {
	out := trial{held: slices.Clone(from.held), found: from.found}
	order = slices.Clone(order)
	for {
		bound := t.bound(out.held)
		at := slices.IndexFunc(order, func(i int) bool { return t.runnable(i, bound) })
		if at < 0 {
			out.left = append(out.left, order...)
			return out, nil
		}
		i := order[at]
		order = slices.Delete(order, at, at+1)
		patience := 0
		if len(out.failed)+len(out.left) > 0 {
			patience = maxPatience
		}
		found, sure, f := t.find(append(slices.Clone(out.held), i), patience)
		switch {
		case f != nil:
			return out, f
		case len(found) > 0:
			out.held, out.found = append(out.held, i), found
		case sure:
			out.failed, out.beside = append(out.failed, i), append(out.beside, len(out.held))
		default:
			out.left = append(out.left, i)
		}
	}
}

// without returns the atoms that can run where i is left out, in order.
func (t *trier) without(i int, order []int) (held []int) {
	left := slices.DeleteFunc(slices.Clone(order), func(j int) bool { return j == i })
	for {
		bound := t.bound(held)
		at := slices.IndexFunc(left, func(j int) bool { return t.runnable(j, bound) })
		if at < 0 {
			return held
		}
		held = append(held, left[at])
		left = slices.Delete(left, at, at+1)
	}
}

// best returns the trial that satisfies most atoms: the one that takes them in
// their order, or where it fails at several, one that leaves one out.
func (t *trier) best(order []int) (trial, *abi.Failure) {
	out, f := t.extend(trial{found: [][]abi.Term{t.slots}}, order)
	if f != nil || len(order) > maxLeftOut {
		return out, f
	}
	for _, i := range order {
		if len(out.held)+1 >= len(order) {
			break
		}
		held := t.without(i, order)
		if len(held) <= len(out.held) {
			continue
		}
		found, _, f := t.find(held, maxPatience)
		if f != nil {
			return out, f
		}
		if len(found) == 0 {
			continue
		}
		rest := []int{i}
		for _, j := range order {
			if j != i && !slices.Contains(held, j) {
				rest = append(rest, j)
			}
		}
		other, f := t.extend(trial{held: held, found: found}, rest)
		if f != nil {
			return out, f
		}
		if len(other.failed) > 0 && len(other.held) > len(out.held) {
			out = other
		}
	}
	return out, nil
}

// attempt finds the part of the rule's body that most atoms are in and that
// some binding satisfies.
func (e *Engine) attempt(x *excerpts, rs *ruleState, slots []abi.Term, child func(rel int, tuple []abi.Term) int) (abi.Attempt, *abi.Failure) {
	body := rs.rule.Body
	out := abi.Attempt{Rule: rs.index, Atoms: len(body), Failed: -1, Child: -1, States: make([]abi.AtomState, len(body))}
	order, f := e.order(body, len(slots), planOptions{bound: boundSlots(slots), first: -1, stable: true})
	if f != nil {
		return out, f
	}
	e.upper = true
	t := e.newTrier(x, x.body(rs), slots)
	best, f := t.best(order)
	e.upper = false
	if f != nil {
		return out, f
	}
	if t.left {
		out.BindingsCut = true
	}
	out.Reached = len(best.held)
	for _, i := range best.held {
		out.States[i] = abi.AtomHolds
	}
	for _, i := range best.failed {
		out.States[i] = abi.AtomFails
	}
	if len(best.failed) == 0 {
		// The body holds, so what is missing is a binding of the head that
		// the fact leaves open: nothing failed but the tuple itself.
		out.Reason, out.Bindings = abi.ReasonHead, e.optional(best.found[0])
		return out, nil
	}
	out.Failed = slices.Min(best.failed)
	chosen, all, f := e.nearest(x, &body[out.Failed], best.found)
	if f != nil {
		return out, f
	}
	out.NearCut = !all
	if f := e.tellUndefined(&out, t.body, chosen, best.held); f != nil {
		return out, f
	}
	// What was bound only after the atom had failed, it fails whatever that is.
	told := t.bound(best.held[:best.beside[slices.Index(best.failed, out.Failed)]])
	for i := range chosen {
		if !told.has(i) {
			chosen[i] = unbound
		}
	}
	out.Bindings = e.optional(chosen)
	return out, e.failure(x, &out, &body[out.Failed], chosen, child)
}

// tellUndefined tells of the atoms that hold under the bindings if what is
// undefined does which of them do not without.
func (e *Engine) tellUndefined(out *abi.Attempt, body []abi.Atom, slots []abi.Term, held []int) *abi.Failure {
	for _, i := range held {
		if !e.uncertainBody(body[i : i+1]) {
			continue
		}
		sure, _, f := e.bindings(body, slots, nil, []int{i}, 1, 1)
		if f != nil {
			return f
		}
		if len(sure) == 0 {
			out.States[i] = abi.AtomUndefined
		}
	}
	return nil
}
