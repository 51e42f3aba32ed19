package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// evidence is the base facts of a proof, and of these the ones that a change may
// take away.
type evidence struct{ facts, loose []baseFact }

// standing returns, of each of the barrier's rules, a proof of what bars it: of
// those found before, one whose facts are all there, or where there is none, one
// of the state as it stands. closed is false where some rule is not barred, known
// where it cannot be told.
func (s *repairing) standing(b *barrier, ask bool) (out []evidence, closed, known bool, f *abi.Failure) {
	for _, r := range b.rules {
		p, closed, known, f := s.standingOf(r, false)
		if f == nil && !closed && ask {
			p, closed, known, f = s.standingOf(r, true)
		}
		if f != nil || !closed {
			return nil, false, known, f
		}
		out = append(out, p...)
	}
	return out, true, true, nil
}

func (s *repairing) standingOf(r *barredRule, ask bool) (out []evidence, closed, known bool, f *abi.Failure) {
	known = true
	for _, x := range r.bars {
		p, sure, f := s.evidence(x, ask)
		switch {
		case f != nil:
			return nil, false, false, f
		case p != nil:
			return []evidence{*p}, true, true, nil
		}
		known = known && sure
	}
	for _, b := range slices.Concat(r.below, r.bounded) {
		out, closed, sure, f := s.standing(b, ask)
		if f != nil || closed {
			return out, closed, true, f
		}
		known = known && sure
	}
	return nil, false, known, nil
}

// evidence returns a proof of the bar that stands.
func (s *repairing) evidence(x *bar, ask bool) (p *evidence, known bool, f *abi.Failure) {
	for i := range x.proofs {
		if s.stands(&x.proofs[i]) {
			return &x.proofs[i], true, nil
		}
	}
	if !ask {
		return nil, true, nil
	}
	return s.prove(x)
}

func (s *repairing) stands(p *evidence) bool {
	s.work += uint64(len(p.facts)) / 8
	return !slices.ContainsFunc(p.facts, func(x baseFact) bool {
		_, there := s.e.rels[x.rel].data.Find(x.tuple)
		return !there || s.gone != nil && s.gone.rel == x.rel && slices.Equal(s.gone.tuple, x.tuple)
	})
}

// disjoint counts proofs of the barrier's bars that stand and have no fact in
// common that can be taken away, and looks for more of them up to most: as many
// changes are needed at least.
func (s *repairing) disjoint(b *barrier, most int) (least int, f *abi.Failure) {
	least = most
	for _, r := range b.rules {
		n := 0
		for _, x := range r.bars {
			k, f := s.disjointProofs(x, most)
			if f != nil {
				return 0, f
			}
			n = max(n, k)
		}
		for _, b := range slices.Concat(r.below, r.bounded) {
			k, f := s.disjoint(b, most)
			if f != nil {
				return 0, f
			}
			n = max(n, k)
		}
		least = min(least, n)
	}
	return least, nil
}

func (s *repairing) disjointProofs(x *bar, most int) (n int, f *abi.Failure) {
	var hit []baseFact
	seen := map[string]bool{}
	take := func(p *evidence) bool {
		for _, fact := range p.loose {
			if seen[keyOf([]baseFact{fact})] {
				return false
			}
		}
		for _, fact := range p.loose {
			seen[keyOf([]baseFact{fact})] = true
		}
		hit = append(hit, p.loose...)
		n++
		return true
	}
	for i := range x.proofs {
		if p := &x.proofs[i]; s.stands(p) {
			if len(p.loose) == 0 {
				return most, nil
			}
			take(p)
		}
	}
	for n < most {
		undo := s.enter(s.e.assumeGone(hit))
		p, _, f := s.prove(x)
		undo()
		if f != nil || p == nil {
			return n, f
		}
		if len(p.loose) == 0 {
			return most, nil
		}
		if !take(p) {
			return n, internal("a proof rests on a fact that was taken away")
		}
	}
	return n, nil
}

// prove looks for a proof of the bar in the state as it stands, and keeps it.
func (s *repairing) prove(x *bar) (p *evidence, known bool, f *abi.Failure) {
	e := s.e
	if x.absent == s.at {
		return nil, true, nil
	}
	if !x.asked {
		x.asked = true
		// What is up to date now is not once another fact is assumed.
		none := func(*component) bool { return false }
		if x.demand, f = e.ask(x.body, x.slots, none); f != nil {
			x.demand, f = nil, nil
		}
		if x.demand != nil {
			s.opened = append(s.opened, x.demand)
		}
	}
	body, slots, sure := x.body, x.slots, true
	within, f := s.within(func() (f *abi.Failure) {
		if x.demand == nil {
			return e.ensureBody(body)
		}
		body = x.demand.body
		sure, f = x.demand.evaluate(x.slots)
		return f
	})
	if f != nil || !within || !sure {
		return nil, false, f
	}
	if n := widthOf(body, len(slots)); n > len(slots) {
		slots = unboundSlots(n)
		copy(slots, x.slots)
	}
	if x.found == nil {
		plan, cols, f := e.planBindings(body, slots, nil)
		if f != nil {
			return nil, false, f
		}
		x.found = &proving{plan, cols}
	}
	facts, ok, known, f := s.behind(x, body, slots)
	if f != nil || !known {
		return nil, false, f
	}
	if !ok {
		x.absent = s.at
		return nil, true, nil
	}
	proof := evidence{facts: facts}
	for _, fact := range facts {
		if e.removable(fact.rel) || s.stays(fact) || e.addable(fact.rel) && e.rels[fact.rel].key != nil {
			proof.loose = append(proof.loose, fact)
		}
	}
	x.proofs = append(x.proofs, proof)
	return &proof, true, nil
}

// behind returns the base facts of a proof of the bar. ok is false where it does not
// hold; known, where that, or what its proof rests on, is not known.
func (s *repairing) behind(x *bar, body []abi.Atom, slots []abi.Term) (facts []baseFact, ok, known bool, f *abi.Failure) {
	if x.crowd != nil {
		return s.crowding(x, body, slots)
	}
	found, _, f := s.e.solve(x.found.plan, x.found.cols, slots, nil, maxAttempted, 1)
	if f != nil || len(found) == 0 {
		return nil, false, f == nil, f
	}
	if facts, f = s.e.grounds(body, found[0], nil); f == nil {
		facts, known, f = s.e.restOn(facts, x.demand, s.bounds.goals)
	}
	return facts, known, known, f
}

// widthOf returns how many slots a body has, at least so many: that of a demand
// may have others for what stands in nested bodies.
func widthOf(body []abi.Atom, least int) int {
	for i := range body {
		a := &body[i]
		least = max(least, a.Slot+1)
		for _, x := range a.Args {
			if x.Op == abi.ArgSlot {
				least = max(least, x.Index+1)
			}
		}
		for _, s := range a.Over {
			least = max(least, s+1)
		}
		if a.Expr != nil {
			least = a.Expr.Slots(least)
		}
		least = widthOf(a.Body, least)
	}
	return least
}

// answers reports whether a relation of the demand's own has answers, not keys.
func (d *demand) answers(rel int) bool {
	for _, to := range d.asked {
		if to.answers == rel {
			return true
		}
	}
	return false
}
