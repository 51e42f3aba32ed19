package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// offers is what a component with costs keeps for changes: what was offered, and
// the best of it.
//
// The extents have each value that was better than those before it, under the
// round in which it was. It follows from offers of earlier rounds, so that offers
// lose their support as tuples do elsewhere (upkeep): also those that have been
// outdone stay, as what was offered in consequence may still rest on them.
type offers struct {
	extents []*relation.Relation // by place in the component's relations
	stores  map[int]*bests       // of relations with costs
	found   []*bests             // by rule; nil: it has no fold
	round   uint32
}

// whole returns the rule with the value of its fold as an atom of the body: all
// its instances are those of a rule without a fold.
func (r *costRule) whole() *ruleState {
	if r.full == nil {
		r.full = &r.state
		if r.slot >= 0 {
			s := &r.state
			body := append(slices.Clone(s.body), abi.Atom{Op: abi.AtomLet, Slot: r.slot, Expr: r.value})
			r.full = &ruleState{rule: s.rule, index: s.index, body: body, width: s.width, scans: s.scans, own: s.own, checks: newSlotSet(s.width)}
			for _, slot := range append(slices.Clone(r.key), r.slot) {
				r.full.checks.add(slot)
			}
		}
	}
	return r.full
}

// losing is the component of the rules with all their instances.
func (c *component) losing() *component {
	out := &component{rels: c.rels, sources: c.sources, recursive: true}
	for _, r := range c.costs.rules {
		out.rules = append(out.rules, r.whole())
	}
	return out
}

// reoffer brings the offers up to date: those that have lost their support go,
// for what they were the best of all offers are looked at anew, and what has come
// is offered. The extents of the component's relations are those of the offers.
func (u *costUpkeep) reoffer() *abi.Failure {
	e, c, k := u.e, u.c, u.kept
	lose := u.over(c.losing(), k.round)
	if f := lose.take(); f != nil {
		return f
	}
	k.round++
	offering := e.offering(c, k.stores)
	offering.round = k.round
	give := u.over(offering, k.round)
	w := &window{comp: u.id, round: k.round}
	for _, o := range lose.own {
		if len(o.removed) == 0 {
			continue
		}
		if f := u.offerAgain(lose, give, &o, w); f != nil {
			return f
		}
	}
	if f := give.giveChanges(w); f != nil {
		return f
	}
	for i, r := range c.rels {
		u.w.lo[r] = uint32(u.rows[i])
		e.rels[r].data.Begin(c.costs.rules[0].state.index, k.round)
	}
	e.better(c, k.stores)
	for _, r := range c.rels {
		u.w.hi[r] = uint32(e.rels[r].data.Rows())
	}
	f := e.rounds(offering, u.w)
	k.round = offering.round
	return f
}

// offerAgain looks at all offers for what has lost one. A tuple without a cost
// comes back if it still follows.
func (u *costUpkeep) offerAgain(lose, give *upkeep, o *ownUpkeep, w *window) *abi.Failure {
	e := u.e
	data, store := e.rels[o.rel].data, u.kept.stores[o.rel]
	if store == nil {
		return lose.unsupported(o.rel, o.removed, w, nil, func(rs *ruleState, rows []uint32) {
			data.Begin(rs.index, w.round)
			data.InsertTuples(data, rows)
		})
	}
	column := u.c.costs.columns[o.rel]
	keys := relation.New(data.Arity() - 1)
	var key []abi.Term
	for _, at := range o.removed {
		key = data.Row(key[:0], at)
		keys.Insert(slices.Delete(key, column, column+1))
	}
	if f := u.best(data, store, keys, column); f != nil {
		return f
	}
	for _, r := range u.c.costs.rules {
		if r.state.rule.Head != o.rel {
			continue
		}
		args := slices.Delete(slices.Clone(r.state.rule.Args), column, column+1)
		if f := u.runBound(&r.forHead, r, args, keys, w, give.sinkOf(&r.state)); f != nil {
			return f
		}
	}
	return nil
}

// best makes the store say the best of the offers that are left for the keys.
func (u *costUpkeep) best(data *relation.Relation, store *bests, keys *relation.Relation, column int) *abi.Failure {
	on := make([]int, 0, data.Arity()-1)
	for c := range data.Arity() {
		if c != column {
			on = append(on, c)
		}
	}
	var key []abi.Term
	for i := range uint32(keys.Rows()) {
		key = keys.Row(key[:0], i)
		at, ok := store.keys.Find(key)
		if !ok {
			return internal("an offer was lost that the store has not seen")
		}
		store.best[at] = unbound
		n := 0
		each := func(row uint32) *abi.Failure {
			n++
			if data.Dead(row) {
				return nil
			}
			x := data.Column(column)[row]
			if best := store.best[at]; best != unbound {
				order, fault := u.e.terms.Order(x, best)
				if fault != term.OK {
					return errTooMuch
				}
				if order > 0 != store.most {
					return nil
				}
			}
			store.best[at] = x
			return nil
		}
		if len(on) == 0 {
			for row := range uint32(data.Rows()) {
				if f := each(row); f != nil {
					return f
				}
			}
		} else {
			x := data.Index(on)
			x.Cover(data.Rows())
			for row, ok := x.First(key); ok; row, ok = x.Next(row) {
				if f := each(row); f != nil {
					return f
				}
			}
		}
		if f := u.e.flows(n); f != nil {
			return f
		}
	}
	return nil
}

// runBound runs a rule with arguments bound to each of the tuples.
func (u *costUpkeep) runBound(at **plan, r *costRule, args []abi.Arg, tuples *relation.Relation, w *window, out sink) *abi.Failure {
	e, s := u.e, &r.state
	bound := newSlotSet(s.width)
	addArgs(bound, args)
	p, f := e.kept(at, s.body, s.width, planOptions{bound: bound, need: s.needs(), first: -1})
	if f != nil {
		return f
	}
	rows := make([]uint32, tuples.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	for len(rows) > 0 {
		n := min(len(rows), e.batch)
		in := &batch{cols: make([][]abi.Term, s.width)}
		fit, _ := e.fit(args, tuples, rows[:n], in)
		rows = rows[n:]
		if in.n = len(fit); in.n == 0 {
			continue
		}
		if f := e.run(p, in, w, out); f != nil {
			return f
		}
	}
	return nil
}
