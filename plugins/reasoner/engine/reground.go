package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// regrounding brings the instances of a component with the well-founded model up
// to date. A change concerns heads: those of instances that may have come or
// gone. All instances of these are made anew, and nothing else is looked at.
//
// While it goes on, the extents of the component's relations are all the atoms
// that have numbers, and its rules are the loose ones. Atoms only come: one that
// nothing derives any more is false.
type regrounding struct {
	*upkeep
	g        *ground
	doubtful bool       // something undefined is read, or was
	marked   [][]uint64 // by place in rels, bit a row: it is concerned
	heads    [][]uint32 // the rows that are, in the order in which they were found
	covered  []int      // by place in rels: rows whose coming has been looked at
	grown    []int      // places in rels of relations that may have more
}

// looseForm is the component with its rules' loose forms.
func (c *component) looseForm() *component {
	if c.loosened == nil {
		l := &component{rels: c.rels, sources: c.sources, recursive: c.recursive}
		for _, rs := range c.rules {
			l.rules = append(l.rules, &rs.loose.state)
		}
		c.loosened = l
	}
	return c.loosened
}

// circular reports whether atoms of the component may rest on one another, or on
// those of a projection.
func (g *ground) circular(c *component) bool {
	for _, rs := range c.rules {
		for i := range rs.loose.literals {
			if !rs.loose.literals[i].Neg {
				return true
			}
		}
	}
	return len(g.projections) > 0
}

// run finds the heads that the changes concern, and makes their instances anew.
// It returns their atoms.
func (u *regrounding) run(c *component) ([]uint32, *abi.Failure) {
	e, g := u.e, u.g
	u.marked, u.heads, u.covered = make([][]uint64, len(c.rels)), make([][]uint32, len(c.rels)), make([]int, len(c.rels))
	for i, r := range c.rels {
		u.covered[i] = e.rels[r].data.Rows()
		e.rels[r].data.Begin(-1, u.c.round)
	}
	if f := u.concernAll(); f != nil {
		return nil, f
	}
	e.upper = u.doubtful
	f := u.closeHeads(c)
	e.upper = false
	if f != nil {
		return nil, f
	}
	for _, r := range c.rels {
		g.grow(g.places[r])
	}
	from := len(g.heads)
	g.growProjections()
	atoms := append([]uint32(nil), g.heads[from:]...)
	for i, r := range c.rels {
		p := g.places[r]
		for _, row := range u.heads[i] {
			atom := p.number(row)
			atoms = append(atoms, atom)
			g.remove(atom)
		}
	}
	if f := u.instancesOf(c); f != nil {
		return nil, f
	}
	g.admit(from, false)
	if !u.doubtful {
		return atoms, nil
	}
	// Those that need something undefined keep their heads from being false.
	from = len(g.heads)
	e.upper = true
	f = u.instancesOf(c)
	e.upper = false
	if f != nil {
		return nil, f
	}
	g.admit(from, true)
	return atoms, nil
}

// instancesOf adds the instances of the heads that are concerned.
func (u *regrounding) instancesOf(c *component) *abi.Failure {
	for i, r := range c.rels {
		if len(u.heads[i]) == 0 {
			continue
		}
		for _, rs := range c.usesOf(r).heads {
			if rs.rule.Head == r {
				if f := u.instances(rs, u.heads[i]); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// concernAll finds the heads that the changes concern. Where something undefined is
// read these are the heads of instances that need it, and of those that do not.
func (u *regrounding) concernAll() *abi.Failure {
	if !u.doubtful {
		for _, x := range u.changes {
			if f := u.concern(x, anyGuard); f != nil {
				return f
			}
		}
		return nil
	}
	e := u.e
	defer func() { e.upper = false }()
	is, isNot := divide(u.changes, func(x *change) diff { return x.diff })
	can, cannot := divide(u.changes, func(x *change) diff { return x.can })
	for _, side := range []struct {
		upper            bool
		changes, against []change
	}{{true, can, isNot}, {false, is, cannot}} {
		e.upper = side.upper
		for _, x := range side.changes {
			if f := u.concern(x, (*guard).unturned); f != nil {
				return f
			}
		}
		for _, x := range side.against {
			if f := u.concernGuards(x, (*guard).turned); f != nil {
				return f
			}
		}
	}
	return nil
}

// concern finds the heads that a change of a source concerns.
func (u *regrounding) concern(x change, through func(*guard) bool) *abi.Failure {
	if x.gone != nil {
		if f := u.headsFrom(x.rel, &window{from: x.gone, ghosts: u.ghosts}); f != nil {
			return f
		}
	}
	if come := x.arrived(); come != nil {
		if f := u.headsFrom(x.rel, &window{from: come}); f != nil {
			return f
		}
	}
	return u.concernGuards(x, through)
}

// concernGuards finds those that it concerns through guards.
func (u *regrounding) concernGuards(x change, through func(*guard) bool) *abi.Failure {
	u.groups = u.groups[:0]
	if f := u.affect(x, through); f != nil {
		return f
	}
	if f := u.regain(&window{delta: -1}); f != nil {
		return f
	}
	u.drain()
	// What has come by a guard may concern more than the rows that were there.
	for _, a := range u.groups {
		if f := u.doubtKeys(a.rs.rule.Head, a.g, a.keys); f != nil {
			return f
		}
	}
	u.drain()
	return nil
}

// drain marks the rows that are in doubt.
func (u *regrounding) drain() {
	for i := range u.own {
		o := &u.own[i]
		for o.doubted.wait > 0 {
			u.mark(i, o.doubted.take())
		}
		o.doubted = doubts{} // there may be more rows the next time
	}
}

// headsFrom marks what the rules derive from tuples of the relation that the
// window gives, and adds those heads that are new.
func (u *regrounding) headsFrom(rel int, w *window) *abi.Failure {
	e := u.e
	return u.each(rel, func(rs *ruleState, at int, p *plan) *abi.Failure {
		w.delta = at
		return u.markHeads(rs, p, w, e.rels[rs.rule.Head].data)
	})
}

// markHeads runs a plan of a rule and marks the heads that it gives.
func (u *regrounding) markHeads(rs *ruleState, p *plan, w *window, data *relation.Relation) *abi.Failure {
	e := u.e
	heads := &headSink{e: e, rel: relation.New(len(rs.rule.Args)), rule: rs.index, args: rs.rule.Args, rows: true}
	if f := e.run(p, e.emptyInput(p.width), w, heads); f != nil {
		return f
	}
	n := heads.rel.Rows()
	if n == 0 {
		return nil
	}
	if data.InsertBatch(columnsOf(heads.rel), n) > 0 {
		u.grown = append(u.grown, u.g.places[rs.rule.Head].at)
	}
	rows := make([]uint32, n)
	data.Locate(columnsOf(heads.rel), n, rows)
	at := u.g.places[rs.rule.Head].at
	for _, row := range rows {
		u.mark(at, row-1)
	}
	return nil
}

func (u *regrounding) mark(at int, row uint32) {
	for int(row>>6) >= len(u.marked[at]) {
		u.marked[at] = append(u.marked[at], make([]uint64, max(16, len(u.marked[at])))...)
	}
	if bit := uint64(1) << (row & 63); u.marked[at][row>>6]&bit == 0 {
		u.marked[at][row>>6] |= bit
		u.heads[at] = append(u.heads[at], row)
	}
}

// closeHeads follows new atoms to the heads that they concern: of rules that
// read them, and of those that deny them, whose instances left them out while
// they could not be.
func (u *regrounding) closeHeads(c *component) *abi.Failure {
	e := u.e
	for i, r := range c.rels {
		if e.rels[r].data.Rows() > u.covered[i] {
			u.grown = append(u.grown, i)
		}
	}
	for len(u.grown) > 0 {
		i := u.grown[0]
		u.grown = u.grown[1:]
		r := c.rels[i]
		data := e.rels[r].data
		from, to := u.covered[i], data.Rows()
		if from == to {
			continue
		}
		u.covered[i] = to
		rows := make([]uint32, 0, to-from)
		for row := from; row < to; row++ {
			rows = append(rows, uint32(row))
			u.mark(i, uint32(row))
		}
		come := data.Tuples(rows)
		if f := u.headsFrom(r, &window{from: come}); f != nil {
			return f
		}
		for _, rs := range c.usesOf(r).denies {
			if f := u.denied(rs, r, come); f != nil {
				return f
			}
		}
	}
	return nil
}

// denied marks the heads of instances that have one of the tuples negated.
func (u *regrounding) denied(rs *ruleState, rel int, come *relation.Relation) *abi.Failure {
	e, l := u.e, rs.loose
	if l.denials == nil {
		l.denials = make([]*plan, len(l.literals))
	}
	for i := range l.literals {
		a := l.literals[i]
		if !a.Neg || a.Rel != rel {
			continue
		}
		a.Neg = false
		s := &l.state
		body := append(append(make([]abi.Atom, 0, len(s.body)+1), s.body...), a)
		need := newSlotSet(s.width)
		addArgs(need, s.rule.Args)
		p, f := e.kept(&l.denials[i], body, s.width, planOptions{bound: newSlotSet(s.width), need: need, first: len(s.body)})
		if f != nil {
			return f
		}
		if f := u.markHeads(s, p, &window{from: come, delta: len(s.body)}, e.rels[s.rule.Head].data); f != nil {
			return f
		}
	}
	return nil
}

// instances adds the instances of a rule whose heads are the rows.
func (u *regrounding) instances(rs *ruleState, rows []uint32) *abi.Failure {
	e, l := u.e, rs.loose
	s := &l.state
	bound := newSlotSet(s.width)
	addArgs(bound, s.rule.Args)
	p, f := e.kept(&l.again, s.body, s.width, planOptions{bound: bound, need: l.needs(), first: -1})
	if f != nil {
		return f
	}
	if l.sink == nil || l.sink.g != u.g {
		l.sink = u.g.sink(rs)
	}
	for len(rows) > 0 {
		n := min(len(rows), e.batch)
		in := &batch{cols: make([][]abi.Term, s.width)}
		fit, _ := u.fit(s, rows[:n], in)
		rows = rows[n:]
		if in.n = len(fit); in.n == 0 {
			continue
		}
		if f := e.run(p, in, nil, l.sink); f != nil {
			return f
		}
	}
	return nil
}

// growProjections adds to the projections what new atoms stand for.
func (g *ground) growProjections() {
	for i := range g.projections {
		p := &g.projections[i]
		from := g.places[p.rel]
		tuple := make([]abi.Term, len(p.cols))
		for ; p.rows < from.data.Rows(); p.rows++ {
			for i, c := range p.cols {
				tuple[i] = from.data.Column(c)[p.rows]
			}
			p.place.data.Insert(tuple)
			g.grow(p.place)
			at, _ := p.place.data.Find(tuple)
			g.heads = append(g.heads, p.place.number(at))
			g.literals = append(g.literals, from.number(uint32(p.rows))<<1)
			g.ends = append(g.ends, uint32(len(g.literals)))
		}
	}
}
