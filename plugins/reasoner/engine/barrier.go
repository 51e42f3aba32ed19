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
	rs      *ruleState
	slots   []abi.Term // that the head binds
	bars    []*bar
	below   []*barrier // of premises all of whose own rules are barred
	bounded []*barrier // of premises in which one place is compared: they hold or not, but what else is not told
	rest    []int      // atoms that are neither, in an order in which they can run
	dark    bool       // some of these depend on a fact in a way of which there is no telling
}

// bar is something that a rule asks to be absent.
type bar struct {
	body   []abi.Atom // holds while the rule is barred
	slots  []abi.Term
	asked  bool    // demand was looked for
	demand *demand // nil: what it reads is evaluated whole
	crowd  *crowd  // if not nil: it holds only while there are so many
	found  *proving
	proofs []evidence // that were found, in whatever state
	absent int        // state in which there is none; 0: not known
}

// atMost says that a column that is not given is to have no more than a number.
type atMost struct{ column, number int }

// barrierOf returns the barrier of a goal; nil where some rule is not barred. Of a
// place that is not given there may be a bound.
func (s *repairing) barrierOf(goal baseFact, bound *atMost, depth int) *barrier {
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
		slot, most := -1, -1
		if bound != nil && rs.rule.Args[bound.column].Op == abi.ArgSlot {
			slot, most = rs.rule.Args[bound.column].Index, bound.number
		}
		r := s.barredRule(rs, slots, slot, most, depth)
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

func (s *repairing) barredRule(rs *ruleState, slots []abi.Term, slot, most, depth int) *barredRule {
	e, body := s.e, rs.rule.Body
	order, f := e.order(body, len(slots), planOptions{bound: boundSlots(slots), first: -1, stable: true})
	if f != nil {
		return nil
	}
	r := &barredRule{rs: rs, slots: slots}
	for _, i := range order {
		a := &body[i]
		switch {
		case (a.Op == abi.AtomScan || a.Op == abi.AtomExists && !isCondition(a)) && a.Neg && settled(body, i, slots):
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
		case picks(a) && slots[a.Slot] != unbound && settled(body, i, slots) && e.outdone(a, rs):
			// Once nothing does better it is not told whether it is what is asked for.
			r.bars = append(r.bars, &bar{body: betterBody(a), slots: slots})
		case counts(a) && settled(body, i, withSlot(slots, a.Slot)):
			if !e.rests(a.Body) || len(a.Over) == 0 {
				break
			}
			n := e.mostOf(body, a.Slot, slots)
			if a.Slot == slot && (n < 0 || most < n) {
				n = most
			}
			if n >= 0 {
				r.bars = append(r.bars, &bar{body: a.Body, slots: slots, crowd: &crowd{n, a.Over}})
			}
		case a.Op == abi.AtomScan && !a.Neg:
			if tuple := e.argTerms(a.Args, slots); !slices.Contains(tuple, unbound) {
				if below := s.barrierOf(baseFact{a.Rel, tuple}, nil, depth+1); below != nil {
					r.below = append(r.below, below)
					continue
				}
			} else if below := s.boundBarrier(body, i, tuple, slots, depth); below != nil {
				r.bounded = append(r.bounded, below)
			}
		}
		r.rest = append(r.rest, i)
		r.dark = r.dark || readsSome(a.Body) || a.Op == abi.AtomScan && e.dark(a.Rel, a.Neg)
	}
	if len(r.bars)+len(r.below)+len(r.bounded) == 0 {
		return nil
	}
	return r
}

// boundBarrier returns the barrier of a premise one place of which is not given, but
// is to be no more than a number; nil where there is none.
func (s *repairing) boundBarrier(body []abi.Atom, at int, tuple, slots []abi.Term, depth int) *barrier {
	column := slices.Index(tuple, unbound)
	x := body[at].Args[column]
	if slices.Contains(tuple[column+1:], unbound) || x.Op != abi.ArgSlot {
		return nil
	}
	if n := s.e.mostOf(body, x.Index, slots); n >= 0 {
		return s.barrierOf(baseFact{body[at].Rel, tuple}, &atMost{column, n}, depth+1)
	}
	return nil
}

// dark reports whether there is a fact of which it cannot be told whether it helps
// or hinders that a relation has a tuple, or, with denied, that it has not.
func (e *Engine) dark(rel int, denied bool) bool {
	for _, how := range e.reaches([]int{rel}) {
		if how&reachedAnyhow != 0 || denied && how&reachedDenied != 0 {
			return true
		}
	}
	return false
}

// settled reports whether the slots that are given are all that an atom shares
// with the rest of its body.
func settled(body []abi.Atom, at int, slots []abi.Term) bool {
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

// withSlot returns the slots as if one more of them were given.
func withSlot(slots []abi.Term, slot int) []abi.Term {
	if slots[slot] != unbound {
		return slots
	}
	out := slices.Clone(slots)
	out[slot] = 0
	return out
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

// outdone reports whether, while some facts give a fold that picks a value, no others
// make it worse.
func (e *Engine) outdone(a *abi.Atom, rs *ruleState) bool {
	comp := e.rels[rs.rule.Head].comp
	if e.mayBeUndefined(a.Body) {
		return false
	}
	if e.comps[comp].costs == nil || !e.readsOwn(a.Body, comp) {
		return e.rests(a.Body)
	}
	return !e.dark(rs.rule.Head, false)
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
