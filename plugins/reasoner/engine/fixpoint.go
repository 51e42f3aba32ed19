package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// resetRelations gives the component's relations new, empty extents. Whoever
// holds an old one keeps it as it was.
func (e *Engine) resetRelations(c *component) {
	for _, r := range c.rels {
		e.resetRelation(r)
	}
}

func (e *Engine) resetRelation(rel int) {
	e.rels[rel].data = relation.New(len(e.prog.Relations[rel].Columns))
	e.rels[rel].maybe = nil
}

// compute brings a component up to date whose sources are: by what its sources
// have gained and lost, if that can be told and is not too much, else from
// scratch.
func (e *Engine) compute(c *component) *abi.Failure {
	w := e.openWindow()
	defer e.closeWindow(c)
	for _, r := range c.rels {
		w.active[r] = true
	}
	if done, f := e.keepUp(c, w); done || f != nil {
		return f
	}
	c.ground, c.offers, c.upper = nil, nil, nil
	e.tidySources(c)
	switch {
	case c.founded:
		return e.wellFounded(c, w)
	case c.costs != nil:
		return e.cheapest(c, w)
	case e.uncertain(c):
		return e.bounds(c, w)
	}
	return e.plain(c, w)
}

// keepUp brings a component up to date by what its sources have gained and lost.
// done is false, and the component in any state, if it has to be evaluated from
// scratch.
func (e *Engine) keepUp(c *component, w *window) (done bool, f *abi.Failure) {
	changes, told := e.changes(c)
	switch {
	case !told:
		return false, nil
	case len(changes) == 0:
		done = true
	case c.founded:
		done = e.refound(c, changes)
	case c.costs != nil:
		done = e.recost(c, w, changes)
	case e.sure(c, changes):
		done, f = e.maintain(c, w, changes, nil)
	default:
		done, f = e.maintainBounds(c, w, changes)
	}
	if done && f == nil && c.founded && e.exactly && !c.canonical {
		return true, e.byRounds(c, w)
	}
	if !done {
		e.closeWindow(c)
		for _, r := range c.rels {
			w.active[r] = true
		}
	}
	return done, f
}

// plain is scratch for a component that reads no undefined tuples. One that was
// never evaluated fills the extents that it has: nobody remembers them.
func (e *Engine) plain(c *component, w *window) *abi.Failure {
	if e.barren(c) {
		return e.nothing(c)
	}
	if c.held && c.mirrors >= 0 {
		// It goes with the assumption, and nobody asks it for rounds: groundsOf.
		e.rels[c.rels[0]].data, e.rels[c.rels[0]].maybe = e.rels[c.mirrors].data, nil
		return e.nothing(c)
	}
	for _, r := range c.rels {
		if s := e.rels[r]; c.evaluated || e.holding > 0 || s.data.Rows() > 0 || s.maybe != nil {
			e.resetRelation(r)
		}
	}
	return e.fixpoint(c, w)
}

// nothing is the evaluation of a component none of whose rules can start.
func (e *Engine) nothing(c *component) *abi.Failure {
	c.canonical, c.round = true, 1
	return e.countRound(c)
}

// scratch computes the component's extents anew.
func (e *Engine) scratch(c *component, w *window) *abi.Failure {
	if e.barren(c) {
		return e.nothing(c)
	}
	e.resetRelations(c)
	return e.fixpoint(c, w)
}

// starved reports whether the rule needs a tuple of a relation that has none,
// so that it need not even be planned. A package has many rules, and few facts
// of its own.
func (e *Engine) starved(rs *ruleState) bool {
	for _, at := range rs.scans {
		if e.rels[rs.body[at].Rel].possible().Live() == 0 {
			return true
		}
	}
	return false
}

// barren reports whether the component is empty and stays so: none of its
// rules can start.
func (e *Engine) barren(c *component) bool {
	for _, r := range c.rels {
		if e.rels[r].possible().Rows() > 0 {
			return false
		}
	}
	for _, rs := range c.rules {
		if !e.starved(rs) {
			return false
		}
	}
	return true
}

// fixpoint runs the component's rules from empty extents on.
func (e *Engine) fixpoint(c *component, w *window) *abi.Failure {
	for _, r := range c.rels {
		w.lo[r], w.hi[r] = 0, 0
	}
	c.canonical, c.round = true, 1
	if f := e.firstRound(c, w); f != nil || !c.recursive || !e.advanceWindow(c, w) {
		return f
	}
	return e.rounds(c, w)
}

// openWindow returns the engine's window, with room for all relations and none
// of them active. Components are computed one at a time, so one is enough.
func (e *Engine) openWindow() *window {
	w := &e.window
	if n := len(e.rels); len(w.active) < n {
		w.active, w.lo, w.hi = make([]bool, n), make([]uint32, n), make([]uint32, n)
	}
	return w
}

func (e *Engine) closeWindow(c *component) {
	w := &e.window
	for _, r := range c.rels {
		w.active[r], w.lo[r], w.hi[r] = false, 0, 0
	}
	for _, s := range c.sources {
		w.active[s.rel], w.lo[s.rel], w.hi[s.rel] = false, 0, 0
	}
}

// firstRound runs the rules that do not read the component.
func (e *Engine) firstRound(c *component, w *window) *abi.Failure {
	if f := e.countRound(c); f != nil {
		return f
	}
	w.delta = -1
	for _, rs := range c.rules {
		if rs.own || e.starved(rs) {
			continue
		}
		if f := e.runFirst(c, rs, w); f != nil {
			return f
		}
	}
	return nil
}

// runFirst runs a rule that does not read its component.
func (e *Engine) runFirst(c *component, rs *ruleState, w *window) *abi.Failure {
	*e.running = uint32(rs.index) + 1
	if done, f := e.byHand(c, rs, w); done {
		return f
	}
	return e.runVariant(rs, len(rs.body), -1, w, c.round)
}

// rounds runs semi-naive rounds until nothing is new: in each, a rule runs
// once for each atom that reads a relation with new rows, with that atom
// confined to them.
func (e *Engine) rounds(c *component, w *window) *abi.Failure {
	for {
		c.round++
		if f := e.countRound(c); f != nil {
			return f
		}
		for _, rs := range c.rules {
			for _, at := range rs.scans {
				r := rs.body[at].Rel
				if !w.active[r] || w.hi[r] == w.lo[r] {
					continue
				}
				w.delta = at
				if f := e.runVariant(rs, at, at, w, c.round); f != nil {
					return f
				}
			}
		}
		for _, s := range c.sources {
			w.lo[s.rel] = w.hi[s.rel]
		}
		if !e.advanceWindow(c, w) {
			return nil
		}
	}
}

// advanceWindow makes the rows of the round just done the next delta, and
// reports whether there are any.
func (e *Engine) advanceWindow(c *component, w *window) bool {
	if c.settle != nil {
		c.settle()
	}
	any := false
	for _, r := range c.rels {
		w.lo[r], w.hi[r] = w.hi[r], uint32(e.rels[r].data.Rows())
		any = any || w.hi[r] > w.lo[r]
	}
	return any
}

func (e *Engine) countRound(c *component) *abi.Failure {
	e.work.Rounds++
	if l := e.call.Limits.Rounds; l > 0 && e.work.Rounds > l {
		rule := -1
		for _, rs := range c.rules {
			if rule < 0 || rs.own && !e.rules[rule].own {
				rule = rs.index
			}
		}
		return e.breach(abi.LimitRounds, l, e.work.Rounds, rule)
	}
	return nil
}

func (e *Engine) breach(limit string, allowed, used uint64, rule int) *abi.Failure {
	name := "the call"
	if rule >= 0 {
		name = "rule " + e.prog.Rules[rule].Name
	}
	return &abi.Failure{
		Code:    abi.FailureLimit,
		Message: phrase.Of("%s passed the limit of %d %s", name, allowed, limit),
		Span:    e.ruleSpan(rule),
		Limit:   &abi.Breach{Limit: limit, Allowed: allowed, Used: used},
		Rule:    rule,
	}
}

func (e *Engine) ruleSpan(rule int) abi.Span {
	if rule < 0 {
		return abi.Span{}
	}
	return e.prog.Rules[rule].Span
}

// replan is the growth of what a plan reads after which its order is chosen
// anew.
const replan = 8

// runVariant runs a rule with the atom first, or any if it is -1, in front.
func (e *Engine) runVariant(rs *ruleState, variant, first int, w *window, round uint32) *abi.Failure {
	*e.running = uint32(rs.index) + 1
	f := e.insertVariant(rs, variant, first, w, round)
	if f != nil && f.Rule < 0 {
		f.Rule = rs.index
	}
	return f
}

func (e *Engine) insertVariant(rs *ruleState, variant, first int, w *window, round uint32) *abi.Failure {
	var p *plan
	if rs.plans != nil {
		p = rs.plans[variant]
	}
	made := 0
	if p != nil && len(p.steps) > 2 && e.bodySize(rs.body) > replan*(p.size+minPlanned) {
		e.release(p)
		made = p.made
		p = nil
	}
	if p == nil {
		need := newSlotSet(rs.width)
		addArgs(need, rs.rule.Args)
		if rs.reads != nil {
			need = rs.reads.clone()
		}
		var f *abi.Failure
		p, f = e.plan(rs.body, rs.width, planOptions{bound: newSlotSet(rs.width), need: need, first: first})
		if f != nil {
			return f
		}
		p.made = made
		p.out = &headSink{e: e, rule: rs.index, args: rs.rule.Args}
		if rs.sink == nil {
			p.fused = fuse(p, rs.rule.Args)
			findPartners(p)
		}
		if rs.plans == nil {
			rs.plans = make([]*plan, len(rs.body)+1)
		}
		rs.plans[variant] = p
	}
	head := e.rels[rs.rule.Head].data
	head.Begin(rs.index, round)
	if rs.sink != nil {
		return e.run(p, e.emptyInput(rs.width), w, rs.sink)
	}
	p.out.rel = head
	if done, f := e.runKernel(p, w, p.out); done || f != nil {
		return f
	}
	if p.fused != nil {
		if done, f := e.runFused(p.fused, p, w, p.out); done {
			return f
		}
	}
	return e.run(p, e.emptyInput(rs.width), w, p.out)
}

// minPlanned keeps small relations from being planned for again and again.
const minPlanned = 64

// emptyInput returns a batch of one row that binds nothing.
func (e *Engine) emptyInput(width int) *batch {
	for len(e.unit.cols) < width {
		e.unit.cols = append(e.unit.cols, nil)
	}
	return e.unit
}

// headSink inserts the head's tuples.
type headSink struct {
	e     *Engine
	rel   *relation.Relation
	rule  int
	args  []abi.Arg
	rows  bool // the tuples are a result, not derived facts
	cols  [][]abi.Term
	fixed [][]abi.Term
}

func (h *headSink) take(b *batch) (bool, *abi.Failure) {
	e := h.e
	if h.cols == nil {
		h.cols, h.fixed = make([][]abi.Term, len(h.args)), make([][]abi.Term, len(h.args))
		for i, x := range h.args {
			if x.Op == abi.ArgConst {
				h.fixed[i] = make([]abi.Term, e.batch)
				relation.Fill(h.fixed[i], e.consts[x.Index])
			}
		}
	}
	for i, x := range h.args {
		if x.Op == abi.ArgConst {
			h.cols[i] = h.fixed[i][:b.n]
		} else {
			h.cols[i] = b.cols[x.Index][:b.n]
		}
	}
	f := h.count(h.rel.InsertBatch(h.cols, b.n))
	return f == nil, f
}

// count takes note of tuples that were added.
func (h *headSink) count(added int) *abi.Failure {
	e, used := h.e, uint64(h.rel.Rows())
	if f := e.spend(effortOfTuple * added); f != nil {
		return f
	}
	if !h.rows {
		e.work.Derived += uint64(added)
		used = e.work.Derived
	}
	if l := e.call.Limits.Derived; l > 0 && used > l {
		return e.breach(abi.LimitDerived, l, used, h.rule)
	}
	return nil
}
