package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// guard is a place in a rule's body that reads a relation otherwise than as a
// positive atom of the rule: under a negation, in an exists or in a fold. Its
// body finds the instances of the rule that a change there may concern: it is
// the rule's without what is no plain atom, and with the place as one, and so
// are the bodies that the place stands in. known are the columns of the head
// that it binds: all that is known of the tuples that may come or go.
type guard struct {
	rel   int
	body  []abi.Atom // the place comes first
	width int
	known []int
	args  []abi.Arg // the head's, of the known columns
	both  bool      // more may mean more or less: a fold
	neg   bool      // more means less
	plan  *plan
	again *plan // the rule, with the known columns bound
}

// guards returns the guards of a rule.
func (e *Engine) guards(rs *ruleState) []*guard {
	if rs.guarded == nil {
		b := &guardBuilder{rs: rs, width: rs.width}
		b.walk(rs.body, nil, false, false, 0)
		for _, g := range b.out {
			g.width = b.width
			e.bindGuard(rs, g)
		}
		rs.guarded = b.out
		if rs.guarded == nil {
			rs.guarded = []*guard{}
		}
	}
	return rs.guarded
}

type guardBuilder struct {
	rs    *ruleState
	width int
	out   []*guard
}

// walk goes through a body; outer are the plain atoms of those around it.
func (b *guardBuilder) walk(body, outer []abi.Atom, neg, fold bool, depth int) {
	for i := range body {
		a := &body[i]
		switch a.Op {
		case abi.AtomScan:
			if a.Neg || depth > 0 {
				at := *a
				at.Neg = false
				b.out = append(b.out, &guard{
					rel: a.Rel, both: fold, neg: neg != a.Neg,
					body: plainAtoms([]abi.Atom{at}, outer, body, i),
				})
			}
		case abi.AtomExists, abi.AtomFold:
			inner := b.own(a, body, outer, i)
			b.walk(inner, plainAtoms(nil, outer, body, i), neg != a.Neg, fold || a.Op == abi.AtomFold, depth+1)
		}
	}
}

// plainAtoms returns first, outer, and the atoms of body but number at that are
// no guards.
func plainAtoms(first, outer, body []abi.Atom, at int) []abi.Atom {
	out := append(first, outer...)
	for i := range body {
		switch a := &body[i]; {
		case i == at, a.Op == abi.AtomExists, a.Op == abi.AtomFold, a.Op == abi.AtomScan && a.Neg:
		default:
			out = append(out, *a)
		}
	}
	return out
}

// own returns the body of atom number at of body, with numbers of their own for
// the slots that nothing outside binds.
func (b *guardBuilder) own(a *abi.Atom, body, outer []abi.Atom, at int) []abi.Atom {
	shared := newSlotSet(b.width)
	for i := range outer {
		shared.addAll(atomSlots(&outer[i], b.width))
	}
	for i := range body {
		if i != at {
			shared.addAll(atomBinds(&body[i], b.width))
		}
	}
	names := map[int]int{}
	width := b.width
	for i := range a.Body {
		for _, s := range atomSlots(&a.Body[i], width).list() {
			if _, named := names[s]; !named && !shared.has(s) {
				names[s] = b.width
				b.width++
			}
		}
	}
	out := make([]abi.Atom, len(a.Body))
	for i := range a.Body {
		out[i] = renameAtom(&a.Body[i], names)
	}
	return out
}

// bindGuard drops from a guard's body what it leaves without its slots, and
// notes which columns of the head it binds.
func (e *Engine) bindGuard(rs *ruleState, g *guard) {
	bound := newSlotSet(g.width)
	var body, left []abi.Atom
	for i := range g.body {
		if g.body[i].Op == abi.AtomScan {
			body = append(body, g.body[i])
			bound.addAll(atomBinds(&g.body[i], g.width))
		} else {
			left = append(left, g.body[i])
		}
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(left); i++ {
			a := &left[i]
			if !atomNeeds(a, g.width, bound).within(bound) ||
				a.Op == abi.AtomCmp && a.Cmp == abi.CmpEq && !anyBound(a.Args, bound) {
				continue
			}
			body, again = append(body, *a), true
			bound.addAll(atomBinds(a, g.width))
			left = slices.Delete(left, i, i+1)
			i--
		}
	}
	g.body = body
	for c, x := range rs.rule.Args {
		if x.Op == abi.ArgConst || bound.has(x.Index) {
			g.known, g.args = append(g.known, c), append(g.args, x)
		}
	}
}

// affected are the tuples of a head that a change may have brought or taken:
// those with one of the keys in the guard's known columns.
type affected struct {
	rs   *ruleState
	g    *guard
	keys *relation.Relation
}

// affect finds what a change concerns through guards. What may have gone is put
// in doubt, what may have come is noted. Only guards that the change is seen
// through count.
func (u *upkeep) affect(x change, through func(*guard) bool) *abi.Failure {
	if !x.guarded {
		return nil
	}
	come := x.arrived()
	for _, rs := range u.c.usesOf(x.rel).guards {
		for _, g := range u.e.guards(rs) {
			if g.rel != x.rel || !through(g) {
				continue
			}
			for _, side := range []struct {
				tuples *relation.Relation
				more   bool // there are more of the rule's instances, if anything
			}{{x.gone, g.neg}, {come, !g.neg}} {
				if side.tuples == nil || side.tuples.Live() == 0 {
					continue
				}
				keys, f := u.keys(rs, g, side.tuples)
				if f != nil {
					return f
				}
				if keys.Live() == 0 {
					continue
				}
				if g.both || side.more {
					u.groups = append(u.groups, affected{rs, g, keys})
				}
				if g.both || !side.more {
					if f := u.doubtKeys(rs.rule.Head, g, keys); f != nil {
						return f
					}
				}
			}
		}
	}
	return nil
}

// affectAll finds what the changes concern through guards, each through those that
// see it.
func (u *upkeep) affectAll() *abi.Failure {
	through := anyGuard
	if u.against != nil {
		through = (*guard).unturned
	}
	for _, x := range u.changes {
		if f := u.affect(x, through); f != nil {
			return f
		}
	}
	for _, x := range u.against {
		if f := u.affect(x, (*guard).turned); f != nil {
			return f
		}
	}
	return nil
}

// anyGuard is what a change is seen through that is the same to all of them.
func anyGuard(*guard) bool { return true }

// turned reports whether the guard sees of a source the other bound than a
// positive atom of the rule does, and unturned whether it sees the same. A fold
// may see both.
func (g *guard) turned() bool   { return g.both || g.neg }
func (g *guard) unturned() bool { return g.both || !g.neg }

// keys returns the keys of what the tuples concern at the guard. They are looked
// for in what may be, which is more than what the rule reads where that is what
// holds.
func (u *upkeep) keys(rs *ruleState, g *guard, tuples *relation.Relation) (*relation.Relation, *abi.Failure) {
	e := u.e
	need := newSlotSet(g.width)
	addArgs(need, g.args)
	p, f := e.kept(&g.plan, g.body, g.width, planOptions{bound: newSlotSet(g.width), need: need, first: 0})
	if f != nil {
		return nil, f
	}
	sink := &headSink{e: e, rel: relation.New(len(g.args)), rule: rs.index, args: g.args, rows: true}
	upper := e.upper
	e.upper = true
	f = e.run(p, e.emptyInput(g.width), &window{from: tuples, delta: 0, ghosts: u.ghosts}, sink)
	e.upper = upper
	return sink.rel, f
}

// doubtKeys puts in doubt the rows of the relation that have one of the keys.
func (u *upkeep) doubtKeys(rel int, g *guard, keys *relation.Relation) *abi.Failure {
	data := u.e.rels[rel].data
	switch len(g.known) {
	case data.Arity():
		u.doubtTuples(rel, keys, 0)
		return nil
	case 0:
		for at := range uint32(data.Rows()) {
			if !data.Dead(at) {
				u.doubt(rel, at)
			}
		}
		return u.e.flows(data.Rows())
	}
	x := data.Index(g.known)
	x.Cover(data.Rows())
	key := make([]abi.Term, 0, len(g.known))
	for i := range uint32(keys.Rows()) {
		key = keys.Row(key[:0], i)
		n := 0
		for at, ok := x.First(key); ok; at, ok = x.Next(at) {
			n++
			if !data.Dead(at) {
				u.doubt(rel, at)
			}
		}
		if f := u.e.flows(n); f != nil {
			return f
		}
	}
	return nil
}

// regain adds what the affected rules derive now.
func (u *upkeep) regain(w *window) *abi.Failure {
	e := u.e
	for _, a := range u.groups {
		rs, g := a.rs, a.g
		bound := newSlotSet(rs.width)
		addArgs(bound, g.args)
		p, f := e.kept(&g.again, rs.body, rs.width, planOptions{bound: bound, need: rs.needs(), first: -1})
		if f != nil {
			return f
		}
		sink := u.sinkOf(rs)
		for from := 0; from < a.keys.Rows(); from += e.batch {
			in := &batch{n: min(e.batch, a.keys.Rows()-from), cols: make([][]abi.Term, rs.width)}
			for i, x := range g.args {
				if x.Op == abi.ArgSlot {
					in.cols[x.Index] = a.keys.Column(i)[from : from+in.n]
				}
			}
			if f := e.run(p, in, w, sink); f != nil {
				return f
			}
		}
	}
	return nil
}
