package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// derivation is one way to derive a fact.
type derivation struct {
	rule  int
	slots []abi.Term
}

// headSlots returns the slots that a head binds when it is the tuple; ok is
// false if it cannot be. Unbound terms of the tuple fit anything.
func (e *Engine) headSlots(r *abi.Rule, tuple []abi.Term) (slots []abi.Term, ok bool) {
	slots = unboundSlots(len(r.Slots))
	for i, x := range r.Args {
		t := tuple[i]
		if t == unbound {
			continue
		}
		have := abi.Term(unbound)
		switch x.Op {
		case abi.ArgConst:
			have = e.consts[x.Index]
		case abi.ArgSlot:
			have = slots[x.Index]
			if have == unbound {
				slots[x.Index] = t
				continue
			}
		}
		if have != t {
			return nil, false
		}
	}
	return slots, true
}

// bindings returns the least show solutions of a body that continue slots, each
// with every slot that it binds, in term order, and how many there are in all
// among the first limit that were found. If given is not nil, only those atoms
// count, in that order.
func (e *Engine) bindings(body []abi.Atom, slots []abi.Term, w *window, given []int, limit, show int) (least [][]abi.Term, all int, f *abi.Failure) {
	p, cols, f := e.planBindings(body, slots, given)
	if f != nil {
		return nil, 0, f
	}
	return e.solve(p, cols, slots, w, limit, show)
}

// solve runs a plan of planBindings.
func (e *Engine) solve(p *plan, cols []int, slots []abi.Term, w *window, limit, show int) (least [][]abi.Term, all int, f *abi.Failure) {
	sink := &bindingSink{rel: relation.New(len(cols)), slots: cols, limit: limit}
	f = e.run(p, presets(slots), w, sink)
	e.release(p)
	rel := sink.rel
	if f != nil || rel.Rows() == 0 {
		return nil, 0, f
	}
	rows, _, f := e.page(rel, &abi.Page{Limit: uint64(show)})
	for _, at := range rows {
		s := slices.Clone(slots)
		for i, c := range cols {
			s[c] = rel.Column(i)[at]
		}
		least = append(least, s)
	}
	return least, rel.Rows(), f
}

// planBindings plans a body, or the atoms given in that order, for solve, which
// gathers a column for each slot of cols.
func (e *Engine) planBindings(body []abi.Atom, slots []abi.Term, given []int) (*plan, []int, *abi.Failure) {
	width := len(slots)
	bound := boundSlots(slots)
	need := newSlotSet(width)
	for i := range body {
		if given == nil || slices.Contains(given, i) {
			need.addAll(atomBinds(&body[i], width))
		}
	}
	for i := range need {
		need[i] &^= bound[i]
	}
	p, f := e.plan(body, width, planOptions{bound: bound, need: need, first: -1, stable: true, given: given, once: true})
	return p, need.list(), f
}

// proving is a plan of a rule's body under a given head. A proof, with what is
// looked at to count the others, needs it some hundred times.
type proving struct {
	plan *plan
	cols []int
}

// derivations returns the least show derivations by a rule under the preset
// slots, which its head binds, and how many there are among the first limit.
func (e *Engine) derivations(rs *ruleState, preset []abi.Term, w *window, limit, show int) (least [][]abi.Term, all int, f *abi.Failure) {
	if rs.proving == nil {
		p, cols, f := e.planBindings(rs.rule.Body, preset, nil)
		if f != nil {
			return nil, 0, f
		}
		rs.proving = &proving{p, cols}
	}
	return e.solve(rs.proving.plan, rs.proving.cols, preset, w, limit, show)
}

// bindingSink gathers distinct bindings of some slots.
type bindingSink struct {
	rel   *relation.Relation
	slots []int
	cols  [][]abi.Term
	limit int
}

func (s *bindingSink) take(b *batch) (bool, *abi.Failure) {
	s.cols = s.cols[:0]
	for _, c := range s.slots {
		s.cols = append(s.cols, b.cols[c][:b.n])
	}
	s.rel.InsertBatch(s.cols, b.n)
	return s.rel.Rows() < s.limit, nil
}

// leastDerivation returns the bindings of the least derivation of a tuple by a
// rule within the window.
func (e *Engine) leastDerivation(rs *ruleState, tuple []abi.Term, w *window) (slots []abi.Term, ok bool, f *abi.Failure) {
	preset, ok := e.headSlots(rs.rule, tuple)
	if !ok {
		return nil, false, nil
	}
	found, _, f := e.derivations(rs, preset, w, maxSolutions, 1)
	if f != nil || len(found) == 0 {
		return nil, false, f
	}
	return found[0], true, nil
}

// alternatives returns the derivations of a fact other than the canonical one,
// by rule and then in term order. Only those count that rest on facts which do
// not in turn rest on this one; what cannot be told within the bound is left
// out.
func (e *Engine) alternatives(p *proof, founded *int) ([]derivation, *abi.Failure) {
	w := &window{comp: e.rels[p.rel].comp, round: ^uint32(0)}
	canonical, ok, f := e.leastDerivation(e.rules[e.storedRule(p)], p.tuple, &window{comp: w.comp, round: p.round})
	if f != nil || !ok {
		return nil, f
	}
	var out []derivation
	for _, rs := range e.comps[w.comp].rules {
		if rs.rule.Head != p.rel || e.ownFold(rs.rule, w.comp) >= 0 {
			continue // a fold over its own component is given once
		}
		preset, ok := e.headSlots(rs.rule, p.tuple)
		if !ok {
			continue
		}
		// One more than is counted, as the canonical one may be among them; the
		// least of as many as leastDerivation looks at, so that up to there the
		// order of rows does not show.
		found, _, f := e.derivations(rs, preset, w, maxSolutions, maxDerivations+1)
		if f != nil {
			return nil, f
		}
		most := len(out) + maxDerivations
		for _, slots := range found {
			if len(out) == most {
				break
			}
			if rs.index == e.storedRule(p) && slices.Equal(slots, canonical) {
				continue
			}
			ok, f := e.foundedWithout(rs, slots, p, founded)
			if f != nil {
				return nil, f
			}
			if ok {
				out = append(out, derivation{rule: rs.index, slots: slots})
			}
		}
	}
	return out, nil
}

// storedRule returns the rule of the canonical derivation of a fact.
func (e *Engine) storedRule(p *proof) int {
	data := e.rels[p.rel].data
	at, _ := data.Find(p.tuple)
	rule, _ := data.Tag(at)
	return rule
}

// foundedWithout reports whether the facts that a derivation of goal rests on
// have canonical proofs in which goal does not occur. Only facts of a later
// round than goal's can have it there, for a canonical proof descends in
// rounds.
func (e *Engine) foundedWithout(rs *ruleState, slots []abi.Term, goal *proof, budget *int) (bool, *abi.Failure) {
	w := &window{comp: e.rels[goal.rel].comp, round: ^uint32(0)}
	type item struct {
		rule  int
		slots []abi.Term
		w     *window
	}
	type seenFact struct {
		rel int
		at  uint32
	}
	seen := map[seenFact]bool{}
	stack := []item{{rs.index, slots, w}}
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		facts, f := e.premises(e.rules[d.rule].rule.Body, d.slots, d.w)
		if f != nil {
			return false, f
		}
		for _, c := range facts {
			if e.rels[c.rel].comp != w.comp || c.round < goal.round {
				continue
			}
			if c.rel == goal.rel && slices.Equal(c.tuple, goal.tuple) {
				return false, nil
			}
			at, _ := e.rels[c.rel].data.Find(c.tuple)
			if c.round == goal.round || seen[seenFact{c.rel, at}] {
				continue
			}
			seen[seenFact{c.rel, at}] = true
			if *budget--; *budget < 0 {
				return false, nil
			}
			cw := &window{comp: w.comp, round: c.round}
			slots, ok, f := e.leastDerivation(e.rules[c.rule], c.tuple, cw)
			if f != nil || !ok {
				return false, f
			}
			stack = append(stack, item{c.rule, slots, cw})
		}
	}
	return true, nil
}

// premises returns the facts that a solution of a body stands on, those of
// positive nested bodies included, and of what a fold over the window's own
// component counts. Without a window no component is the proof's own.
func (e *Engine) premises(body []abi.Atom, slots []abi.Term, w *window) ([]*proof, *abi.Failure) {
	var out []*proof
	for i := range body {
		a := &body[i]
		switch {
		case a.Op == abi.AtomScan && !a.Neg:
			c, f := e.condition(a, i, slots, w)
			if f != nil {
				return nil, f
			}
			out = append(out, c)
		case a.Op == abi.AtomExists && !a.Neg:
			inner, f := e.witnesses(a, slots, w, 1)
			if f != nil {
				return nil, f
			}
			out = append(out, inner...)
		case a.Op == abi.AtomFold && w != nil && e.readsOwn(a.Body, w.comp):
			inner, f := e.witnesses(a, slots, w, maxWitnesses)
			if f != nil {
				return nil, f
			}
			out = append(out, slices.DeleteFunc(inner, func(p *proof) bool { return p.kind == abi.ProofFolded })...)
		}
	}
	return out, nil
}
