package engine

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// partly brings in place, of the extents that the proofs of a tuple go through,
// as much as they need, with the rules and rounds that the whole would have. It
// does so in two steps: demand tells which tuples these are, and then the rules
// are run as they are, confined to them. A derivation of a tuple that was asked
// for rests on tuples that were asked for, so that no proof is lost, and each
// tuple comes in the round in which it would. undo takes the extents away again.
// It is nil where demand is of no use, or takes more than most tuples, and where
// the tuple does not hold: then absent is what has told so, still open.
func (e *Engine) partly(rel int, tuple []abi.Term, most uint64) (undo func(), absent *demand, f *abi.Failure) {
	exact := func(c *component) bool { return c.state == fresh && c.canonical }
	id := e.rels[rel].comp
	if id < 0 || exact(e.comps[id]) {
		return nil, nil, nil
	}
	d, f := e.ask(wholeTuple(rel, len(tuple)), tuple, exact)
	if d == nil {
		return nil, nil, f
	}
	held := []func(){d.close}
	back := func() {
		for i := len(held) - 1; i >= 0; i-- {
			held[i]()
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(d.whole)) { // as in ensureWhole
		if f := e.ensure(rel); f != nil {
			back()
			return nil, nil, f
		}
	}
	sure, within, f := d.evaluateWithin(tuple, most)
	if f != nil || !within || !sure {
		back()
		return nil, nil, f
	}
	if _, holds := e.rels[d.body[0].Rel].data.Find(tuple); !holds {
		return nil, d, nil
	}
	confined := d.confined()
	var comps []int
	for rel := range confined {
		if id := e.rels[rel].comp; !slices.Contains(comps, id) {
			comps = append(comps, id)
		}
	}
	slices.Sort(comps)
	for _, id := range comps {
		held = append(held, e.holdComponent(e.comps[id]))
		if f := e.confine(id, confined); f != nil {
			back()
			return nil, nil, f
		}
	}
	return func() {
		back()
		for _, id := range comps {
			e.rejoin(e.comps[id])
		}
	}, nil, nil
}

// rejoin lets a component that has been held go on with the extents of what it
// reads where the proof has put others in their place.
func (e *Engine) rejoin(c *component) {
	for i := range c.sources {
		s := &c.sources[i]
		r := e.rels[s.rel]
		if s.is.data == nil || s.is.data == r.data || s.is != s.can || r.maybe != nil {
			continue
		}
		d := bridge{e: e, rel: s.rel, old: s.is.data, now: r.data}
		d.lead(&s.is)
		s.can = s.is
	}
}

// confined returns, by relation that was asked, one with all tuples that it gave
// for some key.
func (d *demand) confined() map[int]int {
	e := d.e
	out := map[int]int{}
	for _, x := range d.order {
		to, ok := out[x.rel]
		if !ok {
			to = d.relation(abi.Relation{Name: e.prog.Relations[x.rel].Name, Columns: e.prog.Relations[x.rel].Columns})
			out[x.rel] = to
		}
		data := e.rels[d.asked[x].answers].data
		if n := data.Rows(); n > 0 {
			e.rels[to].data.InsertBatch(columnsOf(data), n)
		}
	}
	return out
}

// confine evaluates a component's rules for the tuples of the relations to which
// its own are confined.
func (e *Engine) confine(id int, confined map[int]int) *abi.Failure {
	c := e.comps[id]
	var rules []*ruleState
	none := &component{}
	for _, rs := range c.rules {
		to, ok := confined[rs.rule.Head]
		if !ok {
			continue
		}
		r := *rs.rule
		r.Body = append(slices.Clone(r.Body), abi.Atom{Op: abi.AtomScan, Rel: to, Args: r.Args})
		confinedRule := &ruleState{rule: &r, index: rs.index}
		if f := e.addRule(confinedRule, id, none, e.reads.open(len(e.rels))); f != nil {
			return f
		}
		rules = append(rules, confinedRule)
	}
	c.rules, c.uses, c.every, c.loosened = rules, nil, nil, nil
	reader, upper := e.vm.Reader, e.upper
	e.vm.Reader, e.upper = nil, false
	w := e.openWindow()
	for _, r := range c.rels {
		w.active[r] = true
	}
	e.resetRelations(c)
	f := e.fixpoint(c, w)
	e.closeWindow(c)
	e.vm.Reader, e.upper = reader, upper
	if f == nil {
		c.state = fresh
	}
	return f
}
