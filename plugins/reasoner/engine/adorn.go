package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// magicRule is a rule of a demand.
type magicRule struct {
	*ruleState
	tests []*abi.Atom // as in prefix; nil: there are none
}

// prefix is what is known to hold where an atom of a body is reached: the atoms
// before it, in the order in which they are run, over what is asked.
type prefix struct {
	of    *abi.Rule
	index int
	width int // slots, with those of nested bodies
	atoms []abi.Atom
	tests []*abi.Atom // by atom: the one of the program, if it only tests and could be left out; else nil
}

func (p *prefix) add(a, test *abi.Atom) {
	p.atoms, p.tests = append(p.atoms, *a), append(p.tests, test)
}

func (p *prefix) cut(n int) { p.atoms, p.tests = p.atoms[:n], p.tests[:n] }

// transform makes the rules for the body, and for all that they ask.
func (d *demand) transform(body []abi.Atom, width int) *abi.Failure {
	e := d.e
	d.asked, d.order, d.ways, d.rules = map[adorned]asked{}, nil, map[int]int{}, nil
	columns := make([]abi.Column, len(d.given))
	d.seed = d.relation(abi.Relation{Name: "asked", Columns: columns})
	guard := abi.Atom{Op: abi.AtomScan, Rel: d.seed}
	for _, s := range d.given {
		guard.Args = append(guard.Args, abi.Arg{Op: abi.ArgSlot, Index: s})
	}
	p := &prefix{of: &abi.Rule{}, index: -1, width: width}
	var f *abi.Failure
	if d.body, f = d.question(p, body, guard); f != nil {
		return f
	}
	d.width = p.width
	for at := 0; at < len(d.order); at++ {
		x := d.order[at]
		for _, rs := range e.comps[e.rels[x.rel].comp].rules {
			if rs.rule.Head != x.rel {
				continue
			}
			guard := abi.Atom{Op: abi.AtomScan, Rel: d.asked[x].keys}
			for c, arg := range rs.rule.Args {
				if x.bound>>c&1 == 1 {
					guard.Args = append(guard.Args, arg)
				}
			}
			p := &prefix{of: rs.rule, index: rs.index, width: rs.width}
			body, f := d.question(p, rs.body, guard)
			if f != nil {
				return f
			}
			d.rule(p, d.asked[x].answers, rs.rule.Args, append([]abi.Atom{guard}, body...), nil)
		}
	}
	return nil
}

// question rewrites a body that is run for what is in guard.
func (d *demand) question(p *prefix, body []abi.Atom, guard abi.Atom) ([]abi.Atom, *abi.Failure) {
	p.add(&guard, nil)
	bound := newSlotSet(p.width)
	addArgs(bound, guard.Args)
	return d.rewrite(p, body, bound, 0)
}

// rewrite returns the body over what is asked of its relations, where p is what
// asks it, and makes the rules for the keys.
//
// An atom that only tests by what is asked, as one that denies does, is part of
// what asks after it, unless its answers would be what they rest on (levels.go).
// In a nested body it never is: there it would seldom save more than it asks.
func (d *demand) rewrite(p *prefix, body []abi.Atom, bound slotSet, depth int) ([]abi.Atom, *abi.Failure) {
	order, f := d.e.order(body, p.width, planOptions{bound: bound, first: -1, stable: true})
	if f != nil {
		return nil, f
	}
	out := slices.Clone(body)
	bound = bound.clone()
	for _, i := range order {
		a, asks, tests := &out[i], false, false
		switch a.Op {
		case abi.AtomScan:
			asks, tests = d.scan(p, a, bound), a.Neg
		case abi.AtomExists, abi.AtomFold:
			if asks, f = d.nested(p, a, bound, depth); f != nil {
				return nil, f
			}
			tests = a.Op == abi.AtomExists
		}
		bound.addAll(atomBinds(a, len(bound)*64))
		switch test := &body[i]; {
		case !asks || !tests:
			p.add(a, nil)
		case depth == 0 && !d.untested[test]:
			p.add(a, test)
		}
	}
	return out, nil
}

// scan makes an atom read what is asked of its relation, if that can be.
func (d *demand) scan(p *prefix, a *abi.Atom, bound slotSet) (asks bool) {
	if !d.askable(a.Rel) {
		d.read(a)
		return false
	}
	x := adorned{rel: a.Rel}
	var key []abi.Arg
	for c, arg := range a.Args {
		if arg.Op == abi.ArgConst || arg.Op == abi.ArgSlot && bound.has(arg.Index) {
			x.bound |= 1 << c
			key = append(key, arg)
		}
	}
	if _, known := d.asked[x]; x.bound == 0 || !known && d.ways[x.rel] == maxWays {
		d.read(a)
		return false
	}
	to := d.of(x)
	if first := &p.atoms[0]; len(p.atoms) > 1 || first.Rel != to.keys || !slices.Equal(first.Args, key) {
		d.rule(p, to.keys, key, slices.Clone(p.atoms), slices.Clone(p.tests))
	}
	a.Rel = to.answers
	return true
}

// nested makes the body of an atom read what is asked of its relations, by what
// is bound where the atom is reached. The slots that are the body's own get
// numbers that no other body has, as the rules for the keys have them side by
// side.
func (d *demand) nested(p *prefix, a *abi.Atom, bound slotSet, depth int) (asks bool, f *abi.Failure) {
	if depth >= maxBodyDepth || !d.anyAskable(a.Body) {
		d.read(a)
		return false, nil
	}
	names := map[int]int{}
	for _, s := range atomSlots(a, p.width).list() {
		if !bound.has(s) && (a.Op != abi.AtomFold || s != a.Slot) {
			names[s] = p.width
			p.width++
		}
	}
	own := renameAtom(a, names)
	inner := newSlotSet(p.width)
	copy(inner, bound)
	before := len(p.atoms)
	body, f := d.rewrite(p, own.Body, inner, depth+1)
	p.cut(before)
	if f != nil {
		return false, f
	}
	own.Body = body
	*a = own
	return true, nil
}

// anyAskable reports whether the body reads a relation that may be asked.
func (d *demand) anyAskable(body []abi.Atom) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool {
		return a.Op == abi.AtomScan && d.askable(a.Rel) || d.anyAskable(a.Body)
	})
}

// read notes what an atom reads whole.
func (d *demand) read(a *abi.Atom) {
	if a.Op == abi.AtomScan && d.e.rels[a.Rel].comp >= 0 {
		d.whole[a.Rel] = true
	}
	for i := range a.Body {
		d.read(&a.Body[i])
	}
}

// rule adds a rule. It has the name, the place and the number of the one that it
// is made from, so that a limit that it passes is told as that one's.
func (d *demand) rule(p *prefix, head int, args []abi.Arg, body []abi.Atom, tests []*abi.Atom) {
	r := *p.of
	r.Head, r.Args, r.Body = head, args, body
	r.Slots = make([]abi.Slot, p.width)
	copy(r.Slots, p.of.Slots)
	d.rules = append(d.rules, magicRule{&ruleState{rule: &r, index: p.index}, tests})
}
