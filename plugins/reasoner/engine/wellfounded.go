package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// loose is a rule of a well-founded component without the negated atoms that
// read the component: what it derives is all that the rule ever could.
type loose struct {
	state    ruleState
	literals []abi.Atom // the atoms of the rule that read the component

	// Of the upkeep, made when they are needed.
	again   *plan   // the instances of given heads
	denials []*plan // the heads of instances with given negated literals
	sink    *instanceSink
}

// loosen makes the loose form of a rule.
func (e *Engine) loosen(rs *ruleState, comp int) *loose {
	l := &loose{state: ruleState{rule: rs.rule, index: rs.index, width: rs.width}}
	s := &l.state
	for i := range rs.body {
		a := rs.body[i]
		if a.Op != abi.AtomScan || e.rels[a.Rel].comp != comp {
			s.body = append(s.body, a)
			continue
		}
		if !a.Neg {
			// An instance of the rule names its atoms, so all places have slots.
			args := make([]abi.Arg, len(a.Args))
			for j, x := range a.Args {
				if x.Op == abi.ArgWild {
					x = abi.Arg{Op: abi.ArgSlot, Index: s.width}
					s.width++
				}
				args[j] = x
			}
			a.Args, s.own = args, true
			s.body = append(s.body, a)
		}
		l.literals = append(l.literals, a)
	}
	for i := range s.body {
		if a := &s.body[i]; a.Op == abi.AtomScan && !a.Neg {
			s.scans = append(s.scans, i)
		}
	}
	s.plans = make([]*plan, len(s.body)+1)
	return l
}

// wellFounded computes the well-founded model of a component: first all that
// its rules could derive if nothing of it were in the way, and which instances of
// the rules that leaves, then what follows from these (ground.go).
func (e *Engine) wellFounded(c *component, w *window) *abi.Failure {
	derived := e.work.Derived
	g, f := e.ground(c, w)
	if f != nil {
		return f
	}
	if f := g.solve(c); f != nil {
		return f
	}
	if f := e.countRound(c); f != nil {
		return f
	}
	e.work.Derived = derived
	g.fill(c)
	c.ground = g
	if e.exactly {
		return e.byRounds(c, w)
	}
	return nil
}

// byRounds gives the true tuples of a component with the well-founded model their
// rules and rounds: with what is possible known, what is true is an ordinary least
// fixpoint, and has proofs like any other.
func (e *Engine) byRounds(c *component, w *window) *abi.Failure {
	derived, want, possible := e.work.Derived, 0, make([]*relation.Relation, len(c.rels))
	for i, r := range c.rels {
		s := e.rels[r]
		want += s.data.Live()
		possible[i] = s.possible()
	}
	if f := e.within(c, w, possible); f != nil {
		return f
	}
	e.work.Derived = derived
	// That the fixpoint has the tuples which the instances gave is what makes
	// the model the well-founded one.
	have := 0
	for _, r := range c.rels {
		have += e.rels[r].data.Live()
	}
	if have != want {
		return internal("the well-founded model does not close: %d tuples are true, of %d", have, want)
	}
	return nil
}

// ground makes the instances of the component's rules over all that they could
// derive.
func (e *Engine) ground(c *component, w *window) (*ground, *abi.Failure) {
	if e.uncertain(c) {
		return e.groundTwice(c, w)
	}
	all := c.looseForm()
	sinks := make([]*gathering, len(c.rules))
	for i, rs := range c.rules {
		sinks[i] = e.gathering(rs, sinks[:i])
		s := &rs.loose.state
		s.sink, s.reads = sinks[i], rs.loose.needs()
	}
	f := e.scratch(all, w)
	for _, rs := range all.rules {
		rs.sink, rs.reads = nil, nil
	}
	e.dropPlans(all)
	if f != nil {
		return nil, f
	}
	g := newGround(e, c)
	instances, literals := 0, 0
	for _, s := range sinks {
		instances += len(s.heads)
		literals += len(s.heads) * len(s.literals)
	}
	g.heads, g.ends, g.literals = make([]uint32, 0, instances), make([]uint32, 0, instances), make([]uint32, 0, literals)
	for i, rs := range c.rules {
		sinks[i].assemble(g, g.sink(rs))
	}
	g.firing = len(g.heads)
	g.project()
	return g, nil
}

// groundTwice makes the instances where something undefined outside is read: of
// those that hold of what is true outside, which may fire, and of those that need
// something undefined, which may not, but keep their heads from being false.
func (e *Engine) groundTwice(c *component, w *window) (*ground, *abi.Failure) {
	all := c.looseForm()
	defer e.dropPlans(all)
	e.upper = true
	f := e.scratch(all, w)
	e.upper = false
	if f != nil {
		return nil, f
	}
	g := newGround(e, c)
	if f := g.instances(c); f != nil {
		return nil, f
	}
	g.firing = len(g.heads)
	e.upper = true
	f = g.instances(c)
	e.upper = false
	if f != nil {
		return nil, f
	}
	g.project()
	return g, nil
}

// needs are the slots that an instance is made of.
func (l *loose) needs() slotSet {
	need := newSlotSet(l.state.width)
	addArgs(need, l.state.rule.Args)
	for i := range l.literals {
		addArgs(need, l.literals[i].Args)
	}
	return need
}

// projection stands for "some tuple of rel has these values in these columns":
// what a negated atom with wildcards denies.
type projection struct {
	rel   int
	cols  []int
	place *place
	rows  int // of the relation that it has looked at
}

// place is where the atoms of a relation or a projection have their numbers.
type place struct {
	rel   int // -1: a projection
	at    int // place of rel in the ground program's
	data  *relation.Relation
	first uint32   // number of the first row
	base  uint32   // rows that were there at first, numbered in order
	extra []uint32 // numbers of the others
}

// number returns the number of the atom in a row.
func (p *place) number(row uint32) uint32 {
	if row < p.base {
		return p.first + row
	}
	return p.extra[row-p.base]
}

// literal is an atom of a rule that reads the component, or its head: where its
// atoms have their numbers, and where their terms come from.
type literal struct {
	place *place
	args  []operand
	neg   bool
	rows  []uint32     // of a batch's atoms, plus one
	fixed [][]abi.Term // constant columns, by argument
}

// instances adds an instance for each solution of each rule.
func (g *ground) instances(c *component) *abi.Failure {
	for _, rs := range c.rules {
		l := rs.loose
		s := &l.state
		p, f := g.e.plan(s.body, s.width, planOptions{bound: newSlotSet(s.width), need: l.needs(), first: -1})
		if f != nil {
			return f
		}
		sink := g.sink(rs)
		*g.e.running = uint32(rs.index) + 1
		f = g.e.run(p, g.e.emptyInput(s.width), nil, sink)
		g.e.release(p)
		if f != nil {
			if f.Rule < 0 {
				f.Rule = rs.index
			}
			return f
		}
	}
	return nil
}

// instanceSink turns the solutions of a rule into instances.
type instanceSink struct {
	g    *ground
	rule int
	head literal
	body []literal
	cols [][]abi.Term
}

func (g *ground) sink(rs *ruleState) *instanceSink {
	s := &instanceSink{g: g, rule: rs.index, head: g.literal(g.places[rs.rule.Head], rs.rule.Args, false)}
	for i := range rs.loose.literals {
		a := &rs.loose.literals[i]
		at, args := g.places[a.Rel], a.Args
		if bound := boundArgs(a.Args); len(bound) < len(args) {
			at = g.projected(a.Rel, bound)
			args = nil
			for _, c := range bound {
				args = append(args, a.Args[c])
			}
		}
		s.body = append(s.body, g.literal(at, args, a.Neg))
	}
	return s
}

func (g *ground) literal(at *place, args []abi.Arg, neg bool) literal {
	l := literal{place: at, args: g.e.operands(args), neg: neg, rows: make([]uint32, g.e.batch)}
	l.fixed = make([][]abi.Term, len(args))
	for i, o := range l.args {
		if o.slot < 0 {
			l.fixed[i] = make([]abi.Term, g.e.batch)
			relation.Fill(l.fixed[i], o.term)
		}
	}
	return l
}

// boundArgs returns the columns whose arguments are no wildcards.
func boundArgs(args []abi.Arg) []int {
	var out []int
	for c, x := range args {
		if x.Op != abi.ArgWild {
			out = append(out, c)
		}
	}
	return out
}

func (e *Engine) operands(args []abi.Arg) []operand {
	out := make([]operand, len(args))
	for i, x := range args {
		out[i] = e.operand(x)
	}
	return out
}

// find finds the rows of the literal's atoms for b.
func (s *instanceSink) find(l *literal, b *batch) {
	s.cols = s.cols[:0]
	for i, o := range l.args {
		if o.slot >= 0 {
			s.cols = append(s.cols, b.cols[o.slot])
		} else {
			s.cols = append(s.cols, l.fixed[i])
		}
	}
	l.place.data.Locate(s.cols, b.n, l.rows)
}

func (s *instanceSink) take(b *batch) (bool, *abi.Failure) {
	g := s.g
	s.find(&s.head, b)
	for j := range s.body {
		s.find(&s.body[j], b)
	}
	if !s.add(b.n) {
		return false, internal("an instance of rule %d has an atom that its rules cannot derive", s.rule)
	}
	if l := g.e.call.Limits.Derived; l > 0 && g.e.work.Derived+uint64(len(g.heads)) > l {
		return false, g.e.breach(abi.LimitDerived, l, g.e.work.Derived+uint64(len(g.heads)), s.rule)
	}
	return true, nil
}

// add adds n instances of which the rows of the atoms are known, plus one, 0
// where an atom cannot be. ok is false where that is not one of a negated literal.
func (s *instanceSink) add(n int) (ok bool) {
	if s.grown() {
		return s.addGrown(n)
	}
	g, width := s.g, len(s.body)
	at, first := len(g.literals), len(g.heads)
	g.heads, g.ends = slices.Grow(g.heads, n)[:first+n], slices.Grow(g.ends, n)[:first+n]
	g.literals = slices.Grow(g.literals, n*width)[:at+n*width]
	if relation.Number(g.heads[first:], 1, s.head.rows[:n], 0, s.head.place.first-1) > 0 {
		return false
	}
	gaps := 0
	for j := range s.body {
		l := &s.body[j]
		if l.neg {
			gaps += relation.Number(g.literals[at+j:], width, l.rows[:n], 1, 2*l.place.first-1)
			continue
		}
		g.positive = g.positive || n > 0
		if relation.Number(g.literals[at+j:], width, l.rows[:n], 1, 2*l.place.first-2) > 0 {
			return false
		}
	}
	g.literals = g.literals[:relation.Squeeze(g.literals, at, width, g.ends[first:])]
	return true
}

// grown reports whether some atoms have their numbers out of order.
func (s *instanceSink) grown() bool {
	if len(s.head.place.extra) > 0 {
		return true
	}
	for j := range s.body {
		if len(s.body[j].place.extra) > 0 {
			return true
		}
	}
	return false
}

// addGrown is add where there are such atoms.
func (s *instanceSink) addGrown(n int) (ok bool) {
	g := s.g
	for i, row := range s.head.rows[:n] {
		if row == 0 {
			return false
		}
		for j := range s.body {
			l := &s.body[j]
			at := l.rows[i]
			if at == 0 {
				if !l.neg {
					return false
				}
				continue
			}
			at = l.place.number(at - 1)
			if l.neg {
				g.literals = append(g.literals, at<<1|1)
			} else {
				g.literals, g.positive = append(g.literals, at<<1), true
			}
		}
		g.heads = append(g.heads, s.head.place.number(row-1))
		g.ends = append(g.ends, uint32(len(g.literals)))
	}
	return true
}
