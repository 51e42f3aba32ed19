package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// moved are the keys of a rule's fold for which it gives something else than
// before.
type moved struct {
	r    *costRule
	keys *relation.Relation
	was  []abi.Term // by row of keys; unbound: it gave nothing
	is   []abi.Term
}

// byKey returns the rule whose heads are the keys of the fold.
func (r *costRule) byKey() *ruleState {
	if r.keyed == nil {
		s := &r.state
		of := *s.rule
		of.Args = r.keyArgs()
		r.keyed = &ruleState{rule: &of, index: s.index, body: s.body, width: s.width, scans: s.scans, own: s.own}
	}
	return r.keyed
}

func (r *costRule) keyArgs() []abi.Arg {
	args := make([]abi.Arg, len(r.key))
	for i, s := range r.key {
		args[i] = abi.Arg{Op: abi.ArgSlot, Index: s}
	}
	return args
}

// rechoose finds what the folds give now, for the keys that the changes concern.
// The extents of the component's relations are those of the offers.
func (u *costUpkeep) rechoose() (out []moved, f *abi.Failure) {
	gone, come := make([]*relation.Relation, len(u.c.rels)), make([]*relation.Relation, len(u.c.rels))
	for i, r := range u.c.rels {
		data := u.e.rels[r].data
		gone[i] = data.Lost(u.rows[i], u.removed[i])
		if rows := data.Gained(u.rows[i], u.removed[i]); len(rows) > 0 {
			come[i] = data.Pick(rows)
		}
		u.ghosts[r] = gone[i]
	}
	defer func() {
		for _, r := range u.c.rels {
			u.ghosts[r] = nil
		}
	}()
	for i, r := range u.c.costs.rules {
		if r.slot < 0 {
			continue
		}
		keys := relation.New(len(r.key))
		for j, rel := range u.c.rels {
			if f := u.keysFrom(r, rel, gone[j], come[j], keys); f != nil {
				return nil, f
			}
		}
		for _, x := range u.changes {
			if f := u.keysFrom(r, x.rel, x.gone, x.arrived(), keys); f != nil {
				return nil, f
			}
			if f := u.guardedKeys(r, x, keys); f != nil {
				return nil, f
			}
		}
		for _, x := range u.against {
			if f := u.guardedKeys(r, x, keys); f != nil {
				return nil, f
			}
		}
		if keys.Rows() == 0 {
			continue
		}
		m, f := u.chooseAgain(r, u.kept.found[i], keys)
		if f != nil {
			return nil, f
		}
		out = append(out, m)
	}
	return out, nil
}

// keysFrom adds the keys of solutions of the rule with a tuple of the relation
// that has gone or come.
func (u *costUpkeep) keysFrom(r *costRule, rel int, gone, come, keys *relation.Relation) *abi.Failure {
	rule := r.byKey()
	p := u.over(&component{rels: u.c.rels, rules: []*ruleState{rule}}, u.kept.round)
	sink := &headSink{e: u.e, rel: keys, rule: rule.index, args: rule.rule.Args, rows: true}
	for _, w := range []*window{{from: gone, ghosts: u.ghosts}, {from: come}} {
		if w.from == nil {
			continue
		}
		f := p.each(rel, func(rs *ruleState, at int, q *plan) *abi.Failure {
			w.delta = at
			return u.e.run(q, u.e.emptyInput(rs.width), w, sink)
		})
		if f != nil {
			return f
		}
	}
	return nil
}

// guardedKeys adds the keys of solutions that a change under a negation, in a
// fold or in a nested body concerns: those of which the change tells a part.
func (u *costUpkeep) guardedKeys(r *costRule, x change, keys *relation.Relation) *abi.Failure {
	if !x.guarded {
		return nil
	}
	rule, found := r.byKey(), r.found
	p := u.over(&component{rels: u.c.rels, rules: []*ruleState{rule}}, u.kept.round)
	rule.sink = &headSink{e: u.e, rel: keys, rule: rule.index, args: rule.rule.Args, rows: true}
	defer func() { rule.sink = nil }()
	for _, g := range u.e.guards(rule) {
		if g.rel != x.rel {
			continue
		}
		for _, tuples := range []*relation.Relation{x.gone, x.arrived()} {
			if tuples == nil || tuples.Live() == 0 {
				continue
			}
			known, f := p.keys(rule, g, tuples)
			if f != nil {
				return f
			}
			p.groups = append(p.groups, affected{rule, g, known})
			rows := fitting(found.keys, g.known, known)
			if f := u.e.flows(len(rows)); f != nil {
				return f
			}
			keys.InsertTuples(found.keys, rows)
		}
	}
	return p.regain(&window{delta: -1})
}

// fitting returns the rows of a relation that have one of the tuples in the
// columns. None of the rows is marked as removed.
func fitting(data *relation.Relation, on []int, tuples *relation.Relation) (rows []uint32) {
	if len(on) == 0 {
		if tuples.Live() > 0 {
			rows = liveRows(data)
		}
		return rows
	}
	x := data.Index(on)
	x.Cover(data.Rows())
	key := make([]abi.Term, 0, len(on))
	for i := range uint32(tuples.Rows()) {
		key = tuples.Row(key[:0], i)
		for at, ok := x.First(key); ok; at, ok = x.Next(at) {
			rows = append(rows, at)
		}
	}
	return rows
}

// chooseAgain finds what a rule's fold gives for keys, and returns those for which
// it is something else.
func (u *costUpkeep) chooseAgain(r *costRule, found *bests, keys *relation.Relation) (moved, *abi.Failure) {
	was := make([]abi.Term, keys.Rows())
	var key []abi.Term
	for i := range was {
		key = keys.Row(key[:0], uint32(i))
		was[i] = unbound
		if at, ok := found.keys.Find(key); ok {
			was[i], found.best[at] = found.best[at], unbound
		}
	}
	if f := u.runBound(&r.forKey, r, r.keyArgs(), keys, nil, &search{e: u.e, r: r}); f != nil {
		return moved{}, f
	}
	m := moved{r: r, keys: relation.New(keys.Arity())}
	for i := range was {
		key = keys.Row(key[:0], uint32(i))
		is := abi.Term(unbound)
		if at, ok := found.keys.Find(key); ok {
			is = found.best[at]
		}
		if is != was[i] {
			m.keys.Insert(key)
			m.was, m.is = append(m.was, was[i]), append(m.is, is)
		}
	}
	return m, nil
}

// search takes solutions of a rule to find what its fold gives.
type search struct {
	e   *Engine
	r   *costRule
	key []abi.Term
}

func (s *search) take(b *batch) (bool, *abi.Failure) {
	for i := range b.n {
		x, f := s.r.valueAt(s.e, b, i)
		if f != nil {
			return false, f
		}
		s.key = s.r.keyOf(s.key[:0], b, i)
		if _, fault := s.r.found.offer(s.e.terms, s.key, x); fault != term.OK {
			return false, s.r.incomparable()
		}
	}
	return true, nil
}

// headOf returns the tuple that a rule derives for a key for which its fold
// gives x.
func (r *costRule) headOf(e *Engine, key []abi.Term, x abi.Term) (tuple []abi.Term) {
	for _, a := range r.state.rule.Args {
		switch {
		case a.Op == abi.ArgConst:
			tuple = append(tuple, e.consts[a.Index])
		case a.Index == r.slot:
			tuple = append(tuple, x)
		default:
			tuple = append(tuple, key[slices.Index(r.key, a.Index)])
		}
	}
	return tuple
}

// retake brings the component's tuples up to date, where folds give for some keys
// something else than before.
func (u *costUpkeep) retake(moves []moved) *abi.Failure {
	e, c := u.e, u.c
	for _, r := range c.costs.rules {
		if r.slot >= 0 {
			r.whole().choice = &choice{e: e, r: r}
		}
	}
	take := u.over(c.losing(), c.round)
	var key []abi.Term
	for _, m := range moves {
		rel := m.r.state.rule.Head
		for i, x := range m.was {
			if x == unbound {
				continue
			}
			key = m.keys.Row(key[:0], uint32(i))
			if at, ok := e.rels[rel].data.Find(m.r.headOf(e, key, x)); ok {
				take.doubt(rel, at)
			}
		}
	}
	if f := take.take(); f != nil {
		return f
	}
	c.round++
	model := e.choosing(c)
	give := u.over(model, c.round)
	w := &window{comp: u.id, round: c.round}
	for _, o := range take.own {
		data := e.rels[o.rel].data
		f := take.unsupported(o.rel, o.removed, w, nil, func(rs *ruleState, rows []uint32) {
			data.Begin(rs.index, c.round)
			e.work.Derived += uint64(data.InsertTuples(data, rows))
		})
		if f != nil {
			return f
		}
	}
	if f := give.giveChanges(w); f != nil {
		return f
	}
	for _, m := range moves {
		if f := u.runBound(&m.r.forKey, m.r, m.r.keyArgs(), m.keys, w, give.sinkOf(&m.r.state)); f != nil {
			return f
		}
	}
	for i, r := range c.rels {
		u.w.lo[r], u.w.hi[r] = uint32(u.rows[i]), uint32(e.rels[r].data.Rows())
	}
	f := e.rounds(model, u.w)
	c.round = model.round
	return f
}
