package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// ruleState is a rule as it is evaluated.
type ruleState struct {
	rule    *abi.Rule
	index   int
	body    []abi.Atom // as evaluated: see flatten
	width   int
	scans   []int    // atoms of body that are positive scans
	own     bool     // one of them reads the rule's own component
	plans   []*plan  // by the atom that comes first; the last: by none
	loose   *loose   // in a well-founded component
	proving *proving // for proofs; nil until there is one
	sink    sink     // takes the solutions; nil: they are the head's tuples
	reads   slotSet  // slots that sink needs beside the head's; nil: none

	// Of the upkeep, made when they are needed.
	losses  []*plan // by the atom that comes first
	check   *plan   // whether the head can be derived
	checks  slotSet // slots that choice looks at; nil: none
	choice  *choice // what it derives is only what this takes; nil: all
	guarded []*guard
}

// component is a strongly connected set of derived relations.
type component struct {
	rels      []int
	rules     []*ruleState
	recursive bool
	copies    bool // it only gathers what base relations say: see copiesOf
	mirrors   int  // base relation whose tuples those of its only relation are; -1: it is not so
	founded   bool // has the well-founded model: reads itself through negation
	costs     *costs
	settle    func() // before the next round begins; nil: nothing to do
	reads     []int  // earlier components that it reads
	sources   []source
	ground    *ground // of a well-founded model that can be kept up to date; nil: it cannot
	offers    *offers // of a component with costs that can be kept up to date; nil: it cannot
	upper     *upper  // of one that reads what is undefined, kept up to date in the same way; nil: there is none
	state     componentState
	uses      map[int]*uses // nil until they are needed
	every     *uses         // see usesOf; nil until it is needed
	loosened  *component    // see looseForm; nil until it is needed
	clock     clock
	round     uint32 // last round of the evaluation
	evaluated bool   // it has been, however that ended
	held      bool   // its extents are those of an assumption, and go with it
	canonical bool   // rules and rounds of its tuples are those of an evaluation from scratch
	failure   *abi.Failure
	failedIn  uint64 // call in which it failed
	whole     bool   // the failed evaluation had its call's budget to itself
	spending  spending
}

type componentState uint8

const (
	stale componentState = iota
	fresh
	failed
)

func (c *component) current() bool { return c.state == fresh }

// addComponent takes the next component of the program into s and verifies
// that it may be evaluated after those before it.
func (e *Engine) addComponent(c *abi.Component, s *component) *abi.Failure {
	id := len(e.comps)
	s.rels, s.founded, s.costs = c.Relations, c.WellFounded, e.costsOf(c)
	for _, r := range c.Relations {
		if e.rels[r].comp >= 0 {
			return badRequest("relation %s is in two components", e.prog.Relations[r].Name)
		}
		e.rels[r].comp = id
	}
	reads := e.reads.open(len(e.rels))
	s.rules = carve(&e.carved.rules, len(c.Rules))
	for i, rule := range c.Rules {
		rs := e.rules[rule]
		if e.rels[rs.rule.Head].comp != id {
			return badRequest("rule %d is in a component that does not derive its head", rule)
		}
		if f := e.addRule(rs, id, s, reads); f != nil {
			f.Rule = rule
			return f
		}
		s.rules[i] = rs
		s.clock = max(s.clock, e.clockOf(rs.rule))
		s.recursive = s.recursive || rs.own
	}
	e.connect(s, reads)
	return nil
}

// connect makes s, whose rules read what is given, the next component.
func (e *Engine) connect(s *component, reads *readSet) {
	id := len(e.comps)
	s.sources = carve(&e.carved.sources, len(reads.list))[:0]
	s.reads = carve(&e.carved.numbers, len(reads.list))[:0]
	for _, r := range reads.list {
		if e.rels[r].readers == nil { // most have one
			e.rels[r].readers = carve(&e.carved.numbers, 1)[:0]
		}
		e.rels[r].readers = append(e.rels[r].readers, id)
		if e.rels[r].comp != id {
			s.sources = append(s.sources, source{rel: r, guarded: reads.marks[r] == guardedRead})
		}
		if d := e.rels[r].comp; d >= 0 && d != id && !slices.Contains(s.reads, d) {
			s.reads = append(s.reads, d)
		}
	}
	slices.Sort(s.reads)
	s.copies, s.mirrors = e.copiesOf(s), -1
	if s.copies {
		s.mirrors = e.mirroredBy(s)
	}
	// Rules run in the order of the program, which proofs rely on.
	slices.SortFunc(s.rules, func(a, b *ruleState) int { return a.index - b.index })
	e.comps = append(e.comps, s)
}

// copiesOf reports whether a component does no more than gather what base
// relations say, as the members of a concept are. All of that takes less than to
// ask for parts of it.
func (e *Engine) copiesOf(c *component) bool {
	if c.recursive {
		return false
	}
	for _, rs := range c.rules {
		if len(rs.body) != 1 || len(rs.scans) != 1 {
			return false
		}
	}
	return !slices.ContainsFunc(c.reads, func(id int) bool { return !e.comps[id].copies })
}

// mirroredBy returns the base relation whose tuples are those of the component's
// only relation, or -1.
func (e *Engine) mirroredBy(c *component) int {
	if len(c.rels) != 1 || len(c.rules) != 1 {
		return -1
	}
	from, head := &c.rules[0].body[0], c.rules[0].rule.Args
	if e.rels[from.Rel].comp >= 0 || len(from.Args) != len(head) {
		return -1
	}
	for i, x := range head {
		if x.Op != abi.ArgSlot || from.Args[i].Op != abi.ArgSlot || from.Args[i].Index != x.Index || slices.ContainsFunc(head[:i], func(y abi.Arg) bool { return y.Index == x.Index }) {
			return -1
		}
	}
	return from.Rel
}

func (e *Engine) addRule(rs *ruleState, comp int, c *component, reads *readSet) *abi.Failure {
	for _, x := range rs.rule.Args {
		if x.Op == abi.ArgWild {
			return badRequest("the head of a rule has a wildcard")
		}
	}
	if f := e.verify(rs.rule.Body, len(rs.rule.Slots), comp, verifying{founded: c.founded, costs: c.costs}, reads); f != nil {
		return f
	}
	rs.body, rs.width = e.flatten(rs.rule, comp)
	rs.scans = carve(&e.carved.numbers, len(rs.body))[:0]
	for i := range rs.body {
		if a := &rs.body[i]; a.Op == abi.AtomScan && !a.Neg {
			rs.scans = append(rs.scans, i)
			rs.own = rs.own || e.rels[a.Rel].comp == comp
		}
	}
	if c.founded {
		rs.loose = e.loosen(rs, comp)
	}
	if c.costs != nil {
		return e.addCostRule(c.costs, rs, comp)
	}
	return nil
}

// verifying is where verify stands in a rule.
type verifying struct {
	founded bool   // negated scans may read the component
	costs   *costs // not nil: a fold at the top may
	guarded bool   // under a negation or in a fold
	depth   int
}

// verify checks that the body reads only what is evaluated before it, or with
// it: without negation in between, or in a well-founded component through a
// negated scan.
func (e *Engine) verify(body []abi.Atom, slots, comp int, v verifying, reads *readSet) *abi.Failure {
	if v.depth > maxBodyDepth {
		return badRequest("bodies are nested more than %d deep", maxBodyDepth)
	}
	for i := range body {
		a := &body[i]
		switch a.Op {
		case abi.AtomScan:
			reads.add(a.Rel, a.Neg || v.depth > 0)
			r := e.rels[a.Rel]
			derived := e.prog.Relations[a.Rel].Role == abi.Derived
			if derived && r.comp < 0 {
				return badRequest("relation %s is read before its component", e.prog.Relations[a.Rel].Name)
			}
			if r.comp == comp && (v.guarded || a.Neg && !v.founded) {
				return badRequest("relation %s depends on itself through negation or a fold", e.prog.Relations[a.Rel].Name)
			}
		case abi.AtomExists, abi.AtomFold:
			if a.Op == abi.AtomFold && bodyMentions(a.Body, a.Slot, slots) {
				return badRequest("the body of a fold mentions the slot of its result")
			}
			guards := a.Neg || a.Op == abi.AtomFold && (v.costs == nil || v.depth > 0)
			inner := verifying{founded: v.founded, guarded: v.guarded || guards, depth: v.depth + 1}
			if f := e.verify(a.Body, slots, comp, inner, reads); f != nil {
				return f
			}
		}
	}
	return nil
}

// ensure brings the relation up to date.
func (e *Engine) ensure(rel int) *abi.Failure {
	c := e.rels[rel].comp
	if c < 0 || e.comps[c].state == fresh {
		return nil
	}
	for _, i := range e.stale(c) {
		if e.comps[i].state == fresh {
			continue
		}
		if f := e.evaluate(i); f != nil {
			return f
		}
	}
	return nil
}

// stale lists the components that are not up to date and that c needs, c among
// them, in the order in which they are evaluated. It looks at nothing else: a
// program has a component for nearly every predicate, and a call of all its
// checks comes here for each of them.
func (e *Engine) stale(c int) []int {
	if len(e.listed) < len(e.comps) {
		e.listed = make([]bool, len(e.comps))
	}
	list := []int{c}
	e.listed[c] = true
	for at := 0; at < len(list); at++ {
		for _, d := range e.comps[list[at]].reads {
			if !e.listed[d] && e.comps[d].state != fresh {
				e.listed[d] = true
				list = append(list, d)
			}
		}
	}
	for _, i := range list {
		e.listed[i] = false
	}
	slices.Sort(list)
	return list
}

// ensureBody brings up to date what the body reads.
func (e *Engine) ensureBody(body []abi.Atom) *abi.Failure {
	for i := range body {
		if body[i].Op == abi.AtomScan {
			if f := e.ensure(body[i].Rel); f != nil {
				return f
			}
		}
		if f := e.ensureBody(body[i].Body); f != nil {
			return f
		}
	}
	return nil
}

// evaluate computes a component whose reads are up to date. A failure is kept
// with the component, so that within the same limits it is not tried again.
func (e *Engine) evaluate(id int) *abi.Failure {
	c := e.comps[id]
	if c.state == failed && (c.failedIn == e.calls || c.whole && !e.wider(c.failure)) {
		return c.failure
	}
	before := e.work
	reader, upper := e.vm.Reader, e.upper
	e.vm.Reader = nil // a rule reads its body's relations and nothing else
	e.upper = false
	old := e.heldBy(c)
	f := e.compute(c)
	c.evaluated = true
	defer clear(old)
	e.vm.Reader, e.upper = reader, upper
	*e.running = 0
	for _, rs := range c.rules {
		for i, p := range rs.plans {
			if p == nil {
				continue
			}
			e.release(p)
			if c.canonical && (e.holding == 0 || c.founded) || f != nil {
				rs.plans[i] = nil // an upkeep's, or a trial's, will be wanted again
			}
		}
	}
	if f != nil {
		c.state, c.failure, c.failedIn, c.whole = failed, f, e.calls, before == abi.Work{}
		e.resetRelations(c)
		c.forget()
		e.wasted.Rounds += e.work.Rounds - before.Rounds
		e.wasted.Derived += e.work.Derived - before.Derived
		e.work = before
		return f
	}
	c.state, c.failure = fresh, nil
	e.remember(c)
	e.settle(c, old)
	return nil
}

// wider reports whether the call allows more than the failure did.
func (e *Engine) wider(f *abi.Failure) bool {
	if f.Limit == nil {
		return false
	}
	var now uint64
	switch f.Limit.Limit {
	case abi.LimitRounds:
		now = e.call.Limits.Rounds
	case abi.LimitDerived:
		now = e.call.Limits.Derived
	case abi.LimitCalls:
		now = e.call.Limits.Calls
	case abi.LimitValue:
		return false
	default:
		return true
	}
	return now == 0 || now > f.Limit.Allowed
}

// dirty says that a base relation has changed: what depends on it is stale.
func (e *Engine) dirty(rel int) {
	e.changed++
	work := []int{rel}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		for _, id := range e.rels[r].readers {
			c := e.comps[id]
			if c.state == stale && (e.touched == nil || e.touched[id]) {
				continue
			}
			if e.touched != nil {
				e.touched[id] = true
			}
			c.state, c.failure = stale, nil
			work = append(work, c.rels...)
		}
	}
}
