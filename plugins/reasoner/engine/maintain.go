package engine

import (
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// upkeep brings a component up to date by what its sources have gained and
// lost.
//
// Each tuple of a component has, and keeps, this support: a rule derives it from
// tuples of the component of lower rounds. So a tuple is in doubt only if a
// change may have taken away an instance of a rule that derives it, and of
// tuples of the component only one of a lower round counts for that. Doubtful
// tuples are looked at in the order of their rounds. Those that still have their
// support stay, and nothing that rests on them is looked at; the others are
// removed, and put in doubt what they derive in later rounds (take). Then those
// come back that follow from what is left after all, with what is new, under
// later rounds (give), and what follows from these is evaluated as ever.
//
// So a tuple is removed for nothing only if its least proof has become longer,
// and circles of tuples that derive one another cannot hold one another up.
type upkeep struct {
	e       *Engine
	c       *component
	id      int
	w       *window
	changes []change
	against []change             // what negated atoms see of the changes, if it is something else
	ghosts  []*relation.Relation // by relation: what is gone
	own     []ownUpkeep          // by place in c.rels
	waiting []int                // places in own of those where rows wait
	groups  []affected
	marks   marks
}

// ownUpkeep is the upkeep of one relation of the component.
type ownUpkeep struct {
	rel     int
	doubted doubts // those that wait are still to be looked at
	removed []uint32
}

// errTooMuch ends an upkeep that would cost more than to start anew.
var errTooMuch = &abi.Failure{Code: abi.FailureInternal, Message: "the upkeep of a component was not given up in time", Rule: -1}

// leastBudget is how many bindings an upkeep may look at in any case.
const leastBudget = 4096

// maintain brings the component up to date. done is false, and the component in
// any state, if it is better or necessary to start from scratch. against are the
// changes as negated atoms see them, where that differs; nil: it does not.
func (e *Engine) maintain(c *component, w *window, changes, against []change) (done bool, f *abi.Failure) {
	c.canonical = false
	u := &upkeep{e: e, c: c, id: e.rels[c.rels[0]].comp, w: w, changes: changes, against: against}
	plain := len(against) == 0
	for _, x := range changes {
		if x.lo < x.hi {
			w.active[x.rel] = true
			w.lo[x.rel], w.hi[x.rel] = x.lo, x.hi
		}
		plain = plain && x.gone == nil && x.come == nil && !x.guarded
	}
	for _, r := range c.rels {
		rows := uint32(e.rels[r].data.Rows())
		w.lo[r], w.hi[r] = rows, rows
	}
	if plain {
		return true, e.rounds(c, w)
	}
	before := e.work
	defer u.release()
	if f := u.run(); f != nil {
		// What fails here may be what the rules alone would never try.
		e.work = before
		return false, nil
	}
	for _, r := range c.rels {
		w.hi[r] = uint32(e.rels[r].data.Rows())
	}
	return true, e.rounds(c, w)
}

// run takes what has lost its support, and gives what has found one.
func (u *upkeep) run() *abi.Failure {
	e := u.e
	for _, r := range u.c.rels {
		u.own = append(u.own, ownUpkeep{rel: r})
	}
	if len(e.ghosts) < len(e.rels) {
		e.ghosts = make([]*relation.Relation, len(e.rels))
	}
	u.ghosts = e.ghosts
	for _, x := range u.changes {
		u.ghosts[x.rel] = x.gone
	}
	for _, x := range u.against {
		// Guards are looked for in what may be, whatever is computed.
		u.ghosts[x.rel] = union(u.ghosts[x.rel], x.gone)
	}
	e.flow, e.most = 0, e.least+u.rows()/plainShare
	defer func() {
		e.most = math.MaxInt
		for _, x := range slices.Concat(u.changes, u.against) {
			u.ghosts[x.rel] = nil
		}
	}()
	if f := u.take(); f != nil {
		return f
	}
	u.c.round++
	return u.give()
}

// plainShare and share are of how many rows that a component reads or has an upkeep
// may look at one again. To start anew is to look at each of them at least once, and
// of a plain component takes a third of what it takes to look at one again: to give
// up then has cost no more than what comes after.
const (
	plainShare = 3
	share      = 2
)

// budget is how many bindings may be looked at where the model is not plain.
func (u *upkeep) budget() int { return u.e.least + u.rows()/share }

// rows counts what the component reads and has.
func (u *upkeep) rows() (n int) {
	for _, s := range u.c.sources {
		n += u.e.rels[s.rel].data.Rows()
	}
	for _, r := range u.c.rels {
		n += u.e.rels[r].data.Rows()
	}
	return n
}

// flows counts bindings that were looked at.
func (e *Engine) flows(n int) *abi.Failure {
	if e.flow += n; e.flow > e.most {
		return errTooMuch
	}
	return e.spend(n)
}

// take removes what has lost its support.
func (u *upkeep) take() *abi.Failure {
	for _, x := range u.changes {
		if x.gone != nil {
			if f := u.doubtHeads(x.rel, &window{from: x.gone, ghosts: u.ghosts}, 0); f != nil {
				return f
			}
		}
	}
	if f := u.affectAll(); f != nil {
		return f
	}
	for {
		round, any := u.firstRound()
		if !any {
			return nil
		}
		if f := u.takeRound(round); f != nil {
			return f
		}
	}
}

// firstRound returns the least round of a tuple in doubt.
func (u *upkeep) firstRound() (round uint32, any bool) {
	u.waiting = slices.DeleteFunc(u.waiting, func(i int) bool { return u.own[i].doubted.wait == 0 })
	for _, i := range u.waiting {
		o := &u.own[i]
		if _, r := u.e.rels[o.rel].data.Tag(o.doubted.first()); !any || r < round {
			round, any = r, true
		}
	}
	return round, any
}

// takeRound looks at the doubtful tuples of a round, and removes those without
// support.
func (u *upkeep) takeRound(round uint32) *abi.Failure {
	e := u.e
	places := slices.Clone(u.waiting)
	slices.Sort(places)
	taken := make([][]uint32, len(places))
	for k, i := range places {
		o := &u.own[i]
		data := e.rels[o.rel].data
		end := uint32(data.Before(round + 1))
		var rows []uint32
		for o.doubted.wait > 0 && o.doubted.first() < end {
			rows = append(rows, o.doubted.take())
		}
		f := u.unsupported(o.rel, rows, &window{comp: u.id, round: round}, func(_ *ruleState, left []uint32) {
			taken[k] = append(taken[k], left...)
		}, nil)
		if f != nil {
			return f
		}
	}
	u.waiting = slices.DeleteFunc(u.waiting, func(i int) bool { return u.own[i].doubted.wait == 0 })
	// All that the round loses is there until it is known what rests on it: an
	// instance may need two of them.
	for k, rows := range taken {
		if len(rows) == 0 {
			continue
		}
		rel := u.own[places[k]].rel
		if f := u.doubtHeads(rel, &window{from: e.rels[rel].data.Pick(rows)}, round); f != nil {
			return f
		}
	}
	for k, rows := range taken {
		o := &u.own[places[k]]
		for _, at := range rows {
			e.erase(o.rel, at)
		}
		o.removed = append(o.removed, rows...)
	}
	return nil
}

// doubtHeads puts in doubt what rules derive from tuples of the relation that
// the window gives, if it is of a later round than after.
func (u *upkeep) doubtHeads(rel int, w *window, after uint32) *abi.Failure {
	e := u.e
	return u.each(rel, func(rs *ruleState, at int, p *plan) *abi.Failure {
		heads := &headSink{e: e, rel: relation.New(len(rs.rule.Args)), rule: rs.index, args: rs.rule.Args, rows: true}
		w.delta = at
		if f := e.run(p, e.emptyInput(rs.width), w, heads); f != nil {
			return f
		}
		u.doubtTuples(rs.rule.Head, heads.rel, after)
		return nil
	})
}

// each does something for each scan of the relation in the component's rules,
// with the plan that has it in front.
func (u *upkeep) each(rel int, do func(rs *ruleState, at int, p *plan) *abi.Failure) *abi.Failure {
	for _, rs := range u.c.usesOf(rel).scans {
		for _, at := range rs.scans {
			if rs.body[at].Rel != rel {
				continue
			}
			p, f := u.loss(rs, at)
			if f != nil {
				return f
			}
			if f := do(rs, at, p); f != nil {
				return f
			}
		}
	}
	return nil
}

// loss returns the plan of the rule with a scan in front, of which the window
// gives the tuples.
func (u *upkeep) loss(rs *ruleState, at int) (*plan, *abi.Failure) {
	if rs.losses == nil {
		rs.losses = make([]*plan, len(rs.body))
	}
	return u.e.kept(&rs.losses[at], rs.body, rs.width, planOptions{bound: newSlotSet(rs.width), need: rs.needs(), first: at})
}

// needs are the slots that take what a rule's solutions are needed for.
func (rs *ruleState) needs() slotSet {
	if rs.reads != nil {
		return rs.reads.clone()
	}
	need := newSlotSet(rs.width)
	addArgs(need, rs.rule.Args)
	return need
}

// sinkOf returns what takes a rule's solutions: its own, or one that derives
// their heads in the round.
func (u *upkeep) sinkOf(rs *ruleState) sink {
	data := u.e.rels[rs.rule.Head].data
	data.Begin(rs.index, u.c.round)
	if rs.sink != nil {
		return rs.sink
	}
	return &headSink{e: u.e, rel: data, rule: rs.index, args: rs.rule.Args}
}

func (u *upkeep) doubtTuples(rel int, tuples *relation.Relation, after uint32) {
	data := u.e.rels[rel].data
	first, rows := uint32(data.Before(after+1)), make([]uint32, tuples.Rows())
	data.Locate(columnsOf(tuples), len(rows), rows)
	for _, n := range rows {
		if n > first {
			u.doubt(rel, n-1)
		}
	}
}

// doubt puts a row that is there in doubt, unless it has been.
func (u *upkeep) doubt(rel int, at uint32) {
	place := u.c.placeOf(rel)
	if u.own[place].doubted.add(at, u.e.rels[rel].data.Rows()) {
		u.waiting = append(u.waiting, place)
	}
}

// give adds what was removed and yet follows from what is left, and what the
// changes under negations, in folds and in nested bodies make follow.
func (u *upkeep) give() *abi.Failure {
	e := u.e
	// Only what was there before the round counts, so that nothing supports
	// itself.
	w := &window{comp: u.id, round: u.c.round}
	for i := range u.own {
		o := &u.own[i]
		data := e.rels[o.rel].data
		f := u.unsupported(o.rel, o.removed, w, nil, func(rs *ruleState, rows []uint32) {
			data.Begin(rs.index, u.c.round)
			e.work.Derived += uint64(data.InsertTuples(data, rows))
		})
		if f != nil {
			return f
		}
	}
	for _, x := range u.changes {
		if x.come != nil {
			if f := u.gain(x.rel, x.come, w); f != nil {
				return f
			}
		}
	}
	return u.regain(w)
}

// gain adds what rules derive from tuples of a relation that have come.
func (u *upkeep) gain(rel int, come *relation.Relation, w *window) *abi.Failure {
	e := u.e
	return u.each(rel, func(rs *ruleState, at int, p *plan) *abi.Failure {
		from := &window{comp: w.comp, round: w.round, from: come, delta: at}
		return e.run(p, e.emptyInput(rs.width), from, u.sinkOf(rs))
	})
}

// release gives the buffers of the upkeep's plans back; the plans are kept.
func (u *upkeep) release() {
	release := func(p *plan) {
		if p != nil {
			u.e.release(p)
		}
	}
	for _, rs := range u.c.rules {
		release(rs.check)
		for _, p := range rs.losses {
			release(p)
		}
		for _, g := range rs.guarded {
			release(g.plan)
			release(g.again)
		}
	}
}

// kept returns a plan that outlives an evaluation: it is made anew only where
// what it reads has grown much.
func (e *Engine) kept(at **plan, body []abi.Atom, width int, o planOptions) (*plan, *abi.Failure) {
	p := *at
	if p != nil && e.bodySize(body) <= replan*(p.size+minPlanned) {
		return p, nil
	}
	if p != nil {
		e.release(p)
	}
	p, f := e.plan(body, width, o)
	*at = p
	return p, f
}
