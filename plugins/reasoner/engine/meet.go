package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// meet is the other ways to run a probe whose finds the next steps then test.
// With d giving x and y,
//
//	h(x, y, z) :- d(x, y), p(y, z), q(z, x)
//
// can find z by p and test it by q, or find it by q and test it by p. Which of
// them is less is another question for each x and y: around a node that all
// edges meet at, one way alone looks at a number of rows that grows as the
// square of the answer. So once tests have dropped most of what the probe
// found, each binding is given to the way that finds the fewest rows for it. A
// body in a circle takes no more than its largest possible answer then, but
// for a factor.
type meet struct {
	width int
	tests []*step // behind the probe
	bound slotSet // before the probe
	need  slotSet // behind the tests
	ways  []way   // the other ones; nil until they are needed
	on    bool
	off   bool // for good: the ways do not pay
	at    int  // way that is being run: 0 is the probe itself
	out   *batch

	since int // rows that the probe had found when this was turned on
	asked int // bindings that were given to a way since
	won   int // those of them that were given to another than the probe
}

// way is a probe and the steps that test what it finds.
type way struct {
	steps []*step
	k     int // step that comes next
}

// A probe is met once it has found as many rows as meetAfter batches hold, and
// as would have to be put into indexes for the other ways, of which the tests
// have let through no more than one in meetShare. It is left alone again, for
// good, if after as many rows more other ways have won no more than one binding
// in meetWorth.
const (
	meetAfter = 16
	meetShare = 3
	meetWorth = 16
)

// findMeets finds the probes of a plan that can be met: positive atoms that
// follow test all that the probe binds, and each of them has a place that was
// bound before.
func findMeets(p *plan, before []slotSet, need slotSet) {
	for k, s := range p.steps {
		if s.op != opProbe || s.any {
			continue
		}
		news := atomBinds(s.source, p.width)
		for _, slot := range before[k].list() {
			news.remove(slot)
		}
		tests := 0
		for _, next := range p.steps[k+1:] {
			if next.op != opMember || next.neg || !testsAll(next, news) {
				break
			}
			tests++
		}
		if tests == 0 {
			continue
		}
		behind := need.clone()
		for _, later := range p.steps[k+1+tests:] {
			behind.addAll(atomSlots(later.source, p.width))
		}
		s.meet = &meet{width: p.width, tests: p.steps[k+1 : k+1+tests], bound: before[k], need: behind}
	}
}

// testsAll reports whether the step's atom has each of the slots, and a place
// besides.
func testsAll(s *step, slots slotSet) bool {
	seen, besides := newSlotSet(len(slots)*64), false
	for _, key := range s.keys {
		if key.slot >= 0 && slots.has(key.slot) {
			seen.add(key.slot)
		} else {
			besides = true
		}
	}
	return besides && slots.within(seen)
}

// open makes the other ways. It reports false if there are none.
func (m *meet) open(e *Engine, probe *step) bool {
	all := append([]*step{probe}, m.tests...)
	for i, first := range m.tests {
		order := []*step{first}
		for j, s := range all {
			if j != i+1 {
				order = append(order, s)
			}
		}
		var w way
		bound := m.bound.clone()
		for j, like := range order {
			need := m.need.clone()
			for _, later := range order[j+1:] {
				need.addAll(atomSlots(later.source, m.width))
			}
			s := &step{atom: like.atom, source: like.source, slot: like.slot, rel: -1}
			e.scanStep(s, like.source, bound, need)
			s.flip, s.certain = like.flip, like.certain
			if (j == 0) != (s.op == opProbe && !s.any) || (j > 0) != (s.op == opMember) {
				return false
			}
			keep := bound.clone()
			keep.keepAll(need)
			s.keep = keep.list()
			bound.addAll(atomBinds(like.source, m.width))
			w.steps = append(w.steps, s)
		}
		m.ways = append(m.ways, w)
	}
	return true
}

// prepare prepares the ways for a run, if they are in use.
func (m *meet) prepare(e *Engine, w *window) {
	if m.on {
		for i := range m.ways {
			for _, s := range m.ways[i].steps {
				e.prepare(s, m.width, w)
			}
		}
	}
}

// turn begins to use the ways where the tests drop most of what the probe
// finds, in the middle of a batch, too: one binding may find half of the relation.
func (m *meet) turn(e *Engine, s *step, w *window) {
	if m.on || m.off || s.linear || s.made < meetAfter*e.batch || m.tests[len(m.tests)-1].made*meetShare > s.made {
		return
	}
	if m.ways == nil && !m.open(e, s) {
		m.off = true
		return
	}
	dear := 0
	for i := range m.ways {
		if first := m.ways[i].steps[0]; !e.rels[first.rel].data.Indexed(first.on) {
			dear += e.rels[first.rel].data.Rows()
		}
	}
	if s.made < dear {
		return
	}
	m.on, m.since = true, s.made
	m.prepare(e, w)
	m.divide(e, s, s.probe.Reached())
}

// divide gives the bindings of the probe's batch, from one on, each to the way
// that finds the fewest rows.
func (m *meet) divide(e *Engine, s *step, from int) {
	if s.made-m.since >= meetAfter*e.batch && m.won*meetWorth <= m.asked {
		m.on, m.off = false, true
		return
	}
	others := make([]*relation.Probe, len(m.ways))
	for i := range m.ways {
		w := &m.ways[i]
		w.k = 0
		e.start(w.steps[0], &s.in)
		others[i] = &w.steps[0].probe
	}
	m.asked += s.in.n - from
	m.won += s.probe.Divide(others, from)
}

// advanceMeet is advanceProbe for a probe that may be met.
func (e *Engine) advanceMeet(s *step, w *window) (int, *abi.Failure) {
	m := s.meet
	m.turn(e, s, w)
	if m.at == 0 {
		m.out = nil
		if n := e.advanceProbe(s); n > 0 {
			return n, nil
		}
		m.at = 1
	}
	if !m.on {
		return 0, nil
	}
	for ; m.at <= len(m.ways); m.at++ {
		x := &m.ways[m.at-1]
		n, f := e.advanceWay(x, w)
		if n > 0 || f != nil {
			m.out = &x.steps[len(x.steps)-1].out
			return n, f
		}
	}
	return 0, nil
}

// advanceWay returns how many bindings come next out of a way's last step.
func (e *Engine) advanceWay(x *way, w *window) (int, *abi.Failure) {
	last := len(x.steps) - 1
	for x.k >= 0 {
		n, f := e.advance(x.steps[x.k], w)
		if f == nil {
			f = e.flows(n)
		}
		switch {
		case f != nil:
			return 0, f
		case n == 0:
			x.k--
		case x.k < last:
			x.k++
			e.start(x.steps[x.k], &x.steps[x.k-1].out)
		default:
			return n, nil
		}
	}
	return 0, nil
}
