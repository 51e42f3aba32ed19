package engine

import (
	"math"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// costUpkeep brings a component with costs up to date: the offers (offers.go),
// then what its folds give for the keys that the changes concern, and then its
// tuples, which follow from that as in any other component (rechoose.go).
type costUpkeep struct {
	e       *Engine
	c       *component
	id      int
	w       *window
	kept    *offers
	changes []change
	against []change // what negated atoms see of them, if that is something else
	ghosts  []*relation.Relation
	rows    []int // by place in c.rels: rows at the start
	removed []int // and those of them that were marked as removed
}

// recost brings a component with costs up to date by what its sources have gained
// and lost. done is false, and the component in any state, if it is better or
// necessary to start from scratch.
func (e *Engine) recost(c *component, w *window, changes []change) (done bool) {
	if c.offers == nil {
		return false
	}
	c.canonical = false
	u := &costUpkeep{e: e, c: c, id: e.rels[c.rels[0]].comp, w: w, kept: c.offers, changes: changes}
	if !e.sure(c, changes) {
		// What holds is all that is computed of such a component.
		u.changes, _ = divide(changes, func(x *change) diff { return x.diff })
		_, u.against = divide(changes, func(x *change) diff { return x.can })
	}
	if len(e.ghosts) < len(e.rels) {
		e.ghosts = make([]*relation.Relation, len(e.rels))
	}
	u.ghosts = e.ghosts
	for _, x := range changes {
		u.ghosts[x.rel] = x.gone
		if !x.sure {
			u.ghosts[x.rel] = union(x.gone, x.can.gone)
		}
	}
	before := e.work
	e.flow, e.most = 0, u.budget()
	defer func() {
		e.most = math.MaxInt
		for _, x := range changes {
			u.ghosts[x.rel] = nil
		}
		for _, r := range c.costs.rules {
			r.found, r.state.sink, r.whole().choice = nil, nil, nil
			r.release(e)
		}
	}()
	if f := u.run(); f != nil {
		// What fails here may be what the rules alone would never try.
		e.work, c.offers = before, nil
		return false
	}
	return true
}

func (u *costUpkeep) run() *abi.Failure {
	e := u.e
	derived := e.work.Derived
	var held []*relation.Relation
	swap := func(to []*relation.Relation) {
		held = held[:0:0]
		u.rows, u.removed = nil, nil
		for i, r := range u.c.rels {
			held = append(held, e.rels[r].data)
			if to != nil {
				e.rels[r].data = to[i]
			}
			u.rows = append(u.rows, e.rels[r].data.Rows())
			u.removed = append(u.removed, len(e.rels[r].data.Removed()))
		}
	}
	swap(u.kept.extents)
	model := held
	f := u.reoffer()
	var moves []moved
	if f == nil {
		for i, r := range u.c.costs.rules {
			r.found = u.kept.found[i]
		}
		moves, f = u.rechoose()
	}
	swap(model)
	if f != nil {
		return f
	}
	for _, r := range held {
		if n := len(r.Removed()); n > e.few && n*holeShare > r.Rows() {
			r.Compact()
		}
	}
	e.work.Derived = derived
	return u.retake(moves)
}

// over returns an upkeep of the component's relations by other rules.
func (u *costUpkeep) over(c *component, round uint32) *upkeep {
	c.round = round
	out := &upkeep{e: u.e, c: c, id: u.id, changes: u.changes, against: u.against, ghosts: u.ghosts}
	for _, r := range c.rels {
		out.own = append(out.own, ownUpkeep{rel: r})
	}
	return out
}

// giveChanges hands what the changes make follow to the sinks of the rules.
func (u *upkeep) giveChanges(w *window) *abi.Failure {
	if f := u.affectAll(); f != nil {
		return f
	}
	for _, x := range u.changes {
		if come := x.arrived(); come != nil {
			if f := u.gain(x.rel, come, w); f != nil {
				return f
			}
		}
	}
	return u.regain(w)
}

// budget is how many bindings may be looked at: see upkeep.
func (u *costUpkeep) budget() int {
	n := (&upkeep{e: u.e, c: u.c}).budget()
	for _, r := range u.kept.extents {
		n += r.Rows() / 2
	}
	return n
}

// release gives the buffers of the rule's plans back.
func (r *costRule) release(e *Engine) {
	rules := []*ruleState{&r.state, r.whole()}
	if r.keyed != nil {
		rules = append(rules, r.keyed)
	}
	(&upkeep{e: e, c: &component{rules: rules}}).release()
	for _, p := range append([]*plan{r.forHead, r.forKey}, r.state.plans...) {
		if p != nil {
			e.release(p)
		}
	}
}
