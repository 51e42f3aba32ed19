package engine

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// window restricts which rows a run sees of some relations. While a component
// is computed, those are its own relations, and those that have grown since it
// was last: lo and hi bound their newest rows, and the body's atom delta reads
// just these. When a proof is looked for, they are the component's relations,
// of which only the rows of rounds before round count.
type window struct {
	active []bool   // by relation
	lo, hi []uint32 // by relation
	delta  int      // atom that reads [lo, hi); those before it read [0, lo), those after it [0, hi)
	comp   int
	round  uint32 // if not 0: rows before this round, whatever the atom

	from   *relation.Relation   // if not nil: atom delta reads this
	ghosts []*relation.Relation // if not nil: to positive atoms removed rows count; by relation, those removed of late
}

// nested returns the window of bodies inside atoms. Their atoms have numbers of
// their own; those of a proof's are restricted, too, and while a component is
// computed none of them reads it.
func (w *window) nested() *window {
	if w == nil || w.round == 0 || w.from != nil {
		return nil
	}
	return w
}

// span returns the rows, of rows in all, of relation rel that atom at may see.
// What is read under negation is never restricted.
func (w *window) span(e *Engine, rel, at int, rows uint32) (lo, hi uint32) {
	r := e.rels[rel]
	switch {
	case w == nil || w.round > 0 && r.comp != w.comp || w.round == 0 && (w.active == nil || !w.active[rel]):
		return 0, rows
	case w.round > 0:
		return 0, uint32(r.data.Before(w.round))
	case at == w.delta:
		return w.lo[rel], w.hi[rel]
	case at < w.delta:
		return 0, w.lo[rel]
	}
	return 0, w.hi[rel]
}

// run hands every binding of the plan that continues one of in to out. in
// must hold the slots that the plan was told are bound, one or more rows, at
// most e.batch of them.
func (e *Engine) run(p *plan, in *batch, w *window, out sink) *abi.Failure {
	if p.busy {
		return internal("a plan was entered again while it runs")
	}
	if len(p.steps) == 0 {
		_, f := out.take(in)
		return f
	}
	e.effort += effortOfRun
	p.busy = true
	f := e.loop(p, in, w, out)
	p.busy = false
	return f
}

func (e *Engine) loop(p *plan, in *batch, w *window, out sink) *abi.Failure {
	for _, s := range p.steps {
		e.prepare(s, p.width, w)
		if s.meet != nil {
			s.meet.prepare(e, w)
		}
	}
	k, last := 0, len(p.steps)-1
	p.steps[0].back = -1
	e.start(p.steps[0], in)
	for k >= 0 {
		s := p.steps[k]
		n, f := e.advance(s, w)
		s.made += n
		p.made += n
		if f == nil {
			f = e.flows(n)
		}
		if f != nil {
			return f
		}
		if p.patience != 0 {
			if p.patience -= n + 1; p.patience <= 0 {
				p.patience = -1
				return nil
			}
		}
		if n == 0 {
			k = s.back
			continue
		}
		next, found := k+1, &s.out
		if m := s.meet; m != nil && m.out != nil {
			next, found = next+len(m.tests), m.out
		}
		if next <= last {
			p.steps[next].back = k
			k = next
			e.start(p.steps[k], found)
			continue
		}
		if more, f := out.take(found); f != nil || !more {
			return f
		}
	}
	return nil
}

// prepare finds the step's relation, its rows and its buffers for a run.
func (e *Engine) prepare(s *step, width int, w *window) {
	if !s.ready {
		s.tuples, s.rows, s.ready = e.pool.selection(), e.pool.selection(), true
	}
	if s.out.cols == nil {
		s.out.cols, s.own = make([][]abi.Term, width), make([][]abi.Term, width)
		s.fixed, s.keyCols = make([][]abi.Term, max(2, len(s.keys))), make([][]abi.Term, len(s.keys))
	}
	if s.rel < 0 {
		return
	}
	s.target, s.lost = e.rels[s.rel].data, nil
	if s.flip != (e.upper && !s.certain) {
		s.target = e.rels[s.rel].possible()
	}
	s.lo, s.hi = 0, uint32(s.target.Rows())
	switch {
	case w != nil && w.from != nil && s.atom == w.delta:
		s.target = w.from
		s.hi = uint32(s.target.Rows())
	case !s.flip:
		s.lo, s.hi = w.span(e, s.rel, s.atom, s.hi)
	}
	if s.holes = s.target.Holes(s.lo, s.hi); s.holes && !s.neg && w != nil && w.ghosts != nil {
		s.holes, s.lost = false, w.ghosts[s.rel]
	}
	s.probe.Once, s.probe.Holes = s.any && !s.holes, s.holes
	if s.linear = s.once && s.op == opProbe && !s.target.Indexed(s.on) && s.target.Pass(); s.linear {
		return
	}
	if s.op == opProbe || s.op == opAbsent {
		if s.probe.Index = e.chosen(s, w); s.probe.Index == nil {
			s.probe.Index = s.target.Index(s.on)
		}
		s.probe.Index.Cover(int(s.hi))
		s.probe.Lo, s.probe.Hi = s.lo, s.hi
	}
}

// start gives the step a batch to work on.
func (e *Engine) start(s *step, in *batch) {
	s.in, s.at, s.row, s.items = *in, 0, 0, nil
	switch s.op {
	case opScan:
		s.at = int(s.lo)
	case opProbe, opAbsent, opMember:
		for i, k := range s.keys {
			s.keyCols[i] = e.column(s, i, k)
		}
		if s.linear {
			s.at = int(s.lo)
		} else if s.op != opMember {
			s.probe.Start(s.keyCols, in.n)
			if m := s.meet; m != nil {
				m.at, m.out = 0, nil
				if m.on {
					m.divide(e, s, 0)
				}
			}
		}
	}
}

// column returns the terms of an operand for every row of in; i tells the
// step's constants apart.
func (e *Engine) column(s *step, i int, o operand) []abi.Term {
	if o.slot >= 0 {
		return s.in.cols[o.slot][:s.in.n]
	}
	if s.fixed[i] == nil {
		s.fixed[i] = e.pool.column()
		relation.Fill(s.fixed[i], o.term)
	}
	return s.fixed[i][:s.in.n]
}

// advance fills out with the step's next bindings and returns how many there
// are; 0 is the end of the batch.
func (e *Engine) advance(s *step, w *window) (int, *abi.Failure) {
	switch s.op {
	case opScan:
		return e.advanceScan(s), nil
	case opProbe:
		if s.meet != nil {
			return e.advanceMeet(s, w)
		}
		return e.advanceProbe(s), nil
	case opIn:
		return e.advanceIn(s)
	}
	if s.at > 0 { // the others work on a whole batch at once
		return 0, nil
	}
	s.at = 1
	switch s.op {
	case opMember:
		return e.passSome(s, e.members(s)), nil
	case opAbsent:
		return e.passSome(s, s.probe.Absent(s.tuples)), nil
	case opSome:
		if (s.hi > s.lo && !(s.holes && s.target.AllDead(s.lo, s.hi))) == s.neg {
			return 0, nil
		}
		return s.passAll(), nil
	case opCompare:
		return e.passSome(s, e.compareRows(s)), nil
	case opAlias:
		s.out.cols[s.slot] = e.column(s, 0, s.a)
		return s.passAll(), nil
	case opLet:
		return e.advanceLet(s)
	case opFilter:
		return e.advanceFilter(s)
	case opMatch:
		return e.advanceMatch(s)
	case opExists:
		return e.advanceExists(s, w)
	case opFold:
		return e.advanceFold(s, w)
	}
	return 0, internal("unknown step")
}

func (e *Engine) advanceScan(s *step) int {
	if s.hi <= s.lo {
		return 0
	}
	if s.in.n > int(s.hi-s.lo) && len(s.same) == 0 {
		return e.scanByRow(s)
	}
	for s.row < s.in.n {
		m := min(e.batch, int(s.hi)-s.at)
		if m == 0 {
			s.row, s.at = s.row+1, int(s.lo)
			continue
		}
		from := s.at
		s.at += m
		if len(s.same) == 0 && !s.holes {
			for _, b := range s.binds {
				s.out.cols[b.slot] = s.target.Column(b.col)[from : from+m]
			}
		} else {
			for i := range m {
				s.rows[i] = uint32(from + i)
			}
			if m = e.keepSame(s, m); m == 0 {
				continue
			}
			e.gatherBinds(s, m)
		}
		e.spread(s, s.row, m)
		return m
	}
	return 0
}

// scanByRow joins all of in with one row of the relation a time: better where
// the relation is smaller than the batch.
func (e *Engine) scanByRow(s *step) int {
	for s.holes && s.at < int(s.hi) && s.target.Dead(uint32(s.at)) {
		s.at++
	}
	if s.at == int(s.hi) {
		return 0
	}
	for _, b := range s.binds {
		dst := e.buffer(s, b.slot)
		relation.Fill(dst[:s.in.n], s.target.Column(b.col)[s.at])
		s.out.cols[b.slot] = dst
	}
	s.at++
	return s.passAll()
}

// keepSame keeps of the first m pairs of a tuple and a row those whose row is
// there and has equal terms where it must.
func (e *Engine) keepSame(s *step, m int) int {
	if s.holes {
		m = s.target.KeepLivePairs(s.tuples[:m], s.rows[:m])
	}
	for _, p := range s.same {
		m = relation.KeepEqual(s.target.Column(p[0]), s.target.Column(p[1]), s.tuples[:m], s.rows[:m])
	}
	return m
}

func (e *Engine) gatherBinds(s *step, m int) {
	for _, b := range s.binds {
		dst := e.buffer(s, b.slot)
		relation.Gather(dst, s.target.Column(b.col), s.rows[:m])
		s.out.cols[b.slot] = dst
	}
}

func (e *Engine) advanceProbe(s *step) int {
	if s.linear {
		return e.advanceLinear(s)
	}
	for {
		m := s.probe.Next(s.tuples, s.rows)
		if m == 0 {
			return 0
		}
		if m = e.keepSame(s, m); m == 0 {
			continue
		}
		e.gatherBinds(s, m)
		e.gather(s, m)
		return m
	}
}

// members selects the rows of in whose tuple is (or, with neg, is not) there.
func (e *Engine) members(s *step) int {
	m := s.target.Members(s.keyCols, s.in.n, s.lo, s.hi, !s.neg, s.tuples)
	if s.lost == nil {
		return m
	}
	there := make([]bool, s.in.n)
	for _, i := range s.tuples[:m] {
		there[i] = true
	}
	for _, i := range s.rows[:s.lost.Members(s.keyCols, s.in.n, 0, uint32(s.lost.Rows()), true, s.rows)] {
		there[i] = true
	}
	m = 0
	for i, is := range there {
		if is {
			s.tuples[m] = uint32(i)
			m++
		}
	}
	return m
}

// advanceLinear finds the rows that fit the only row of in by looking at all.
func (e *Engine) advanceLinear(s *step) int {
	for s.at < int(s.hi) {
		from, to := s.at, min(s.at+e.batch, int(s.hi))
		s.at = to
		m := relation.SelectTerm(s.target.Column(s.on[0])[from:to], s.keyCols[0][0], uint32(from), s.rows)
		for i, c := range s.on[1:] {
			m = relation.KeepTerm(s.target.Column(c), s.keyCols[i+1][0], s.rows[:m])
		}
		if m = e.keepSame(s, m); m == 0 {
			continue
		}
		if s.any {
			s.at, m = int(s.hi), 1
		}
		e.gatherBinds(s, m)
		e.spread(s, 0, m)
		return m
	}
	return 0
}

// compareRows selects the rows of in for which the comparison holds.
func (e *Engine) compareRows(s *step) int {
	a, b := e.column(s, 0, s.a), e.column(s, 1, s.b)
	switch s.cmp {
	case abi.CmpEq, abi.CmpNe:
		return relation.SelectEqual(a, b, s.cmp == abi.CmpEq, s.tuples)
	}
	n := 0
	for i := range a {
		if e.holds(s.cmp, a[i], b[i]) {
			s.tuples[n] = uint32(i)
			n++
		}
	}
	return n
}
