package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// maxBarred is how many rules are looked at, one below another, for what bars a
// goal.
const maxBarred = 8

// barrier is what keeps a goal from holding: of each rule that may derive it,
// what the rule asks to be absent under the terms that the goal gives it. Only
// what rests on facts plainly is taken: while a proof of it stands, no other
// fact undoes it, and whatever makes the goal hold takes a fact of it away.
type barrier struct{ rules []*barredRule }

type barredRule struct {
	rs    *ruleState
	slots []abi.Term // that the head binds
	bars  []*bar
	below []*barrier // of premises all of whose own rules are barred
	rest  []int      // atoms that are neither, in an order in which they can run
}

// bar is something that a rule asks to be absent.
type bar struct {
	body   []abi.Atom // holds while the rule is barred
	slots  []abi.Term
	asked  bool
	demand *demand // nil: what it reads is evaluated whole
	found  *proving
	proofs []evidence // that were found, in whatever state
	absent int        // state in which there is none; 0: not known
}

// evidence is the base facts of a proof, and of these the ones that a change may
// take away.
type evidence struct{ facts, loose []baseFact }

// barrierOf returns the barrier of a goal; nil where some rule is not barred.
func (s *repairing) barrierOf(goal baseFact, depth int) *barrier {
	e := s.e
	id := e.rels[goal.rel].comp
	if id < 0 || depth == maxBarred {
		return nil
	}
	b := &barrier{}
	for _, rs := range e.comps[id].rules {
		if rs.rule.Head != goal.rel {
			continue
		}
		slots, ok := e.headSlots(rs.rule, goal.tuple)
		if !ok {
			continue
		}
		r := s.barredRule(rs, slots, depth)
		if r == nil {
			return nil
		}
		b.rules = append(b.rules, r)
	}
	if len(b.rules) == 0 {
		return nil
	}
	return b
}

func (s *repairing) barredRule(rs *ruleState, slots []abi.Term, depth int) *barredRule {
	e, body := s.e, rs.rule.Body
	order, f := e.order(body, len(slots), planOptions{bound: boundSlots(slots), first: -1, stable: true})
	if f != nil {
		return nil
	}
	r := &barredRule{rs: rs, slots: slots}
	for _, i := range order {
		a := &body[i]
		switch {
		case (a.Op == abi.AtomScan || a.Op == abi.AtomExists && !isCondition(a)) && a.Neg && s.settled(rs, i, slots):
			x := *a
			x.Neg = false
			held := []abi.Atom{x}
			if a.Op == abi.AtomExists {
				held = a.Body
			}
			if e.rests(held) {
				r.bars = append(r.bars, &bar{body: held, slots: slots})
				continue
			}
		case a.Op == abi.AtomScan && !a.Neg:
			if tuple := e.argTerms(a.Args, slots); !slices.Contains(tuple, unbound) {
				if below := s.barrierOf(baseFact{a.Rel, tuple}, depth+1); below != nil {
					r.below = append(r.below, below)
					continue
				}
			}
		}
		r.rest = append(r.rest, i)
	}
	if len(r.bars)+len(r.below) == 0 {
		return nil
	}
	return r
}

// settled reports whether the head's slots are all that an atom shares with the
// rest of its rule.
func (s *repairing) settled(rs *ruleState, at int, slots []abi.Term) bool {
	body := rs.rule.Body
	mine := atomSlots(&body[at], len(slots))
	for i := range body {
		if i == at {
			continue
		}
		for _, slot := range atomSlots(&body[i], len(slots)).list() {
			if slots[slot] == unbound && mine.has(slot) {
				return false
			}
		}
	}
	return true
}

// rests reports whether what the body reads follows from facts without anything
// that must be absent, folds, or undefined tuples.
func (e *Engine) rests(body []abi.Atom) bool {
	var goals []int
	var plain func(body []abi.Atom) bool
	plain = func(body []abi.Atom) bool {
		for i := range body {
			switch a := &body[i]; a.Op {
			case abi.AtomScan:
				goals = append(goals, a.Rel)
				if a.Neg {
					return false
				}
			case abi.AtomExists:
				if a.Neg || !plain(a.Body) {
					return false
				}
			case abi.AtomFold:
				return false
			}
		}
		return true
	}
	if !plain(body) || len(goals) == 0 {
		return false
	}
	for rel, how := range e.reaches(goals) {
		if how&^reachedPlainly != 0 || how != 0 && e.rels[rel].maybe != nil {
			return false
		}
	}
	return true
}

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
	for _, b := range r.below {
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
		for _, b := range r.below {
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
	found, _, f := e.solve(x.found.plan, x.found.cols, slots, nil, maxAttempted, 1)
	if f != nil {
		return nil, false, f
	}
	if len(found) == 0 {
		x.absent = s.at
		return nil, true, nil
	}
	premises, f := e.premises(body, found[0], nil)
	if f != nil {
		return nil, false, f
	}
	facts, ok, f := s.rest(x.demand, premises)
	if f != nil || !ok {
		return nil, false, f
	}
	proof := evidence{facts: facts}
	for _, fact := range facts {
		if e.removable(fact.rel) || e.addable(fact.rel) && e.rels[fact.rel].key != nil {
			proof.loose = append(proof.loose, fact)
		}
	}
	x.proofs = append(x.proofs, proof)
	return &proof, true, nil
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

// rest returns the base facts that some premises rest on. Of the relations of
// the demand these are what its rules were given. ok is false where that is not
// known.
func (s *repairing) rest(d *demand, premises []*proof) (out []baseFact, ok bool, f *abi.Failure) {
	e := s.e
	var facts []baseFact
	add := func(premises []*proof) {
		for _, p := range premises {
			if d == nil || p.rel < d.rels || d.answers(p.rel) {
				facts = append(facts, baseFact{p.rel, p.tuple})
			}
		}
	}
	add(premises)
	seen := map[string]bool{}
	for at := 0; at < len(facts); at++ {
		x := facts[at]
		key := keyOf([]baseFact{x})
		if seen[key] {
			continue
		}
		seen[key] = true
		if e.rels[x.rel].comp < 0 {
			out = append(out, x)
			continue
		}
		premises, known, f := e.reasons(x)
		if f != nil || !known || len(seen) > s.bounds.goals {
			return nil, false, f
		}
		add(premises)
	}
	return out, true, nil
}

// reasons returns the facts of the canonical derivation of a derived one; known
// is false where it has none of its own.
func (e *Engine) reasons(x baseFact) (premises []*proof, known bool, f *abi.Failure) {
	if e.holding == 0 { // under an assumption what is there is as good
		if f := e.exact(x.rel); f != nil {
			return nil, false, f
		}
	}
	data := e.rels[x.rel].data
	row, ok := data.Find(x.tuple)
	if !ok {
		return nil, false, nil
	}
	id := e.rels[x.rel].comp
	rule, round := data.Tag(row)
	at := slices.IndexFunc(e.comps[id].rules, func(rs *ruleState) bool { return rs.rule.Head == x.rel && rs.index == rule })
	if at < 0 {
		return nil, false, nil
	}
	rs, within := e.comps[id].rules[at], &window{comp: id, round: round}
	slots, ok, f := e.leastDerivation(rs, x.tuple, within)
	if f != nil || !ok {
		return nil, false, f
	}
	premises, f = e.premises(rs.rule.Body, slots, within)
	return premises, f == nil, f
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

// passes reports whether the goal holds in a state in which nothing bars some of
// its rules. decided is false where that takes more than what the rules read of
// facts.
func (s *repairing) passes(b *barrier) (ok, decided bool, f *abi.Failure) {
	decided = true
	for _, r := range b.rules {
		holds, sure, f := s.passesRule(r)
		if f != nil || holds {
			return holds, holds, f
		}
		decided = decided && sure
	}
	return false, decided, nil
}

func (s *repairing) passesRule(r *barredRule) (ok, decided bool, f *abi.Failure) {
	e := s.e
	_, closed, known, f := s.standingOf(r, true)
	if f != nil || closed || !known {
		return false, closed, f
	}
	body := r.rs.rule.Body
	if len(r.rest) > 0 {
		given := make([]abi.Atom, len(r.rest))
		for i, at := range r.rest {
			given[i] = body[at]
		}
		if !s.gathered(given) {
			return false, false, nil
		}
		found, _, f := e.bindings(body, r.slots, nil, r.rest, 1, 1)
		if f != nil || len(found) == 0 {
			return false, true, f
		}
	}
	// What the premises bind besides is not theirs to share: they are whole.
	for _, below := range r.below {
		holds, sure, f := s.passes(below)
		if f != nil || !holds {
			return false, sure, f
		}
	}
	return true, true, nil
}

// gathered brings up to date what a body reads, if that only gathers facts.
func (s *repairing) gathered(body []abi.Atom) bool {
	e := s.e
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && e.rels[a.Rel].comp >= 0 {
			c := e.comps[e.rels[a.Rel].comp]
			if c.state != fresh && (!c.copies || e.ensure(a.Rel) != nil) || e.rels[a.Rel].maybe != nil {
				return false
			}
		}
		if !s.gathered(a.Body) {
			return false
		}
	}
	return true
}
