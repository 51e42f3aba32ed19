package engine

import (
	"maps"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// adorned is a relation of which the tuples with given terms in some columns
// are asked for: bound has a bit for each of these.
type adorned struct {
	rel   int
	bound uint64
}

// asked is what stands for an adorned relation: the tuples that were asked for,
// and the keys that they were asked by.
type asked struct{ answers, keys int }

// demand evaluates of the relations behind a body only what the body asks of
// them, by magic sets (Beeri and Ramakrishnan 1991): for each relation and way
// to be asked, one with the keys that it is asked by, and one with the tuples
// that have them, in a component of their own which is there until close. Rules
// are changed so only where they are positive and have no costs; what they read
// under negation, in a fold or another nested body is evaluated whole, as are
// relations that are asked without a key.
type demand struct {
	e       *Engine
	have    func(*component) bool // what need not be evaluated
	asked   map[adorned]asked
	order   []adorned // in the order in which they were met
	rules   []*ruleState
	seed    int          // relation with the terms that the body is given
	given   []int        // their slots
	whole   map[int]bool // relations that are read whole
	body    []abi.Atom   // the body, over the answers
	comp    int          // of all that
	rels    int          // relations before it
	opened  bool
	derived uint64 // tuples that it has cost
}

// ask plans the demand of a body that is given the slots which are bound, but for
// what is there by have. nil means that there is nothing to be gained: no
// relation that is not there is asked by a key.
func (e *Engine) ask(body []abi.Atom, slots []abi.Term, have func(*component) bool) (*demand, *abi.Failure) {
	d := &demand{e: e, have: have, whole: map[int]bool{}, comp: len(e.comps), rels: len(e.rels)}
	for i, t := range slots {
		if t != unbound {
			d.given = append(d.given, i)
		}
	}
	for {
		before := len(d.whole)
		f := d.transform(body, len(slots))
		if f != nil || len(d.order) == 0 {
			d.drop()
			return nil, f
		}
		d.closeWhole()
		if len(d.whole) == before {
			break
		}
		d.drop() // something that was asked by a key is read whole as well
	}
	if f := d.open(); f != nil {
		d.close()
		return nil, f
	}
	return d, nil
}

// askable reports whether of a relation the tuples asked for can be evaluated
// alone, and need to be.
func (d *demand) askable(rel int) bool {
	e := d.e
	id := e.rels[rel].comp
	if id < 0 || id >= d.comp || d.whole[rel] || len(e.prog.Relations[rel].Columns) > 64 {
		return false
	}
	c := e.comps[id]
	return !c.founded && c.costs == nil && !d.have(c) && !c.copies
}

// transform makes the rules for the body, and for all that they ask.
func (d *demand) transform(body []abi.Atom, width int) *abi.Failure {
	e := d.e
	d.asked, d.order, d.rules = map[adorned]asked{}, nil, nil
	columns := make([]abi.Column, len(d.given))
	d.seed = d.relation(abi.Relation{Name: "asked", Columns: columns})
	guard := abi.Atom{Op: abi.AtomScan, Rel: d.seed}
	for _, s := range d.given {
		guard.Args = append(guard.Args, abi.Arg{Op: abi.ArgSlot, Index: s})
	}
	out, f := d.rewrite(&abi.Rule{}, -1, body, width, guard)
	if f != nil {
		return f
	}
	d.body = out
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
			body, f := d.rewrite(rs.rule, rs.index, rs.body, rs.width, guard)
			if f != nil {
				return f
			}
			d.rule(rs.rule, rs.index, rs.width, d.asked[x].answers, rs.rule.Args, append([]abi.Atom{guard}, body...))
		}
	}
	return nil
}

// rewrite returns the body over what is asked of its relations, where guard is
// what is asked of it, and makes the rules for the keys.
func (d *demand) rewrite(of *abi.Rule, index int, body []abi.Atom, width int, guard abi.Atom) ([]abi.Atom, *abi.Failure) {
	e := d.e
	bound := newSlotSet(width)
	addArgs(bound, guard.Args)
	order, f := e.order(body, width, planOptions{bound: bound, first: -1, stable: true})
	if f != nil {
		return nil, f
	}
	out, before := slices.Clone(body), []abi.Atom{guard}
	for _, i := range order {
		a := &out[i]
		if a.Op == abi.AtomScan && !a.Neg && d.askable(a.Rel) {
			x := adorned{rel: a.Rel}
			var key []abi.Arg
			for c, arg := range a.Args {
				if arg.Op == abi.ArgConst || arg.Op == abi.ArgSlot && bound.has(arg.Index) {
					x.bound |= 1 << c
					key = append(key, arg)
				}
			}
			if x.bound == 0 {
				d.whole[a.Rel] = true
			} else {
				to := d.of(x)
				if first := &before[0]; len(before) > 1 || first.Rel != to.keys || !slices.Equal(first.Args, key) {
					d.rule(of, index, width, to.keys, key, slices.Clone(before))
				}
				a.Rel = to.answers
			}
		} else {
			d.read(a)
		}
		bound.addAll(atomBinds(a, width))
		before = append(before, *a)
	}
	return out, nil
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

// closeWhole adds to what is read whole what that rests on.
func (d *demand) closeWhole() {
	e := d.e
	comps := map[int]bool{}
	var work []int
	add := func(id int) {
		if id >= 0 && !comps[id] {
			comps[id] = true
			work = append(work, id)
		}
	}
	for rel := range d.whole {
		add(e.rels[rel].comp)
	}
	for len(work) > 0 {
		c := e.comps[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, id := range c.reads {
			add(id)
		}
	}
	for _, x := range d.order {
		if comps[e.rels[x.rel].comp] {
			d.whole[x.rel] = true
		}
	}
}

// of returns what stands for an adorned relation.
func (d *demand) of(x adorned) asked {
	to, ok := d.asked[x]
	if ok {
		return to
	}
	r := &d.e.prog.Relations[x.rel]
	keys := abi.Relation{Name: r.Name, Role: abi.Derived}
	for c := range r.Columns {
		if x.bound>>c&1 == 1 {
			keys.Columns = append(keys.Columns, r.Columns[c])
		}
	}
	to = asked{answers: d.relation(abi.Relation{Name: r.Name, Role: abi.Derived, Columns: r.Columns}), keys: d.relation(keys)}
	d.asked[x] = to
	d.order = append(d.order, x)
	return to
}

// relation adds a relation to the program, until close.
func (d *demand) relation(r abi.Relation) int {
	e := d.e
	r.Asserted, r.Refuted = -1, -1
	s := &relationState{data: relation.New(len(r.Columns)), comp: -1}
	if r.Role == abi.Derived {
		s.comp = d.comp
	}
	e.prog.Relations = append(e.prog.Relations, r)
	e.rels = append(e.rels, s)
	return len(e.rels) - 1
}

// rule adds a rule. It has the name, the place and the number of the one that it
// is made from, so that a limit that it passes is told as that one's.
func (d *demand) rule(of *abi.Rule, index, width, head int, args []abi.Arg, body []abi.Atom) {
	r := *of
	r.Head, r.Args, r.Body = head, args, body
	r.Slots = make([]abi.Slot, width)
	copy(r.Slots, of.Slots)
	d.rules = append(d.rules, &ruleState{rule: &r, index: index})
}

// open adds the component.
func (d *demand) open() *abi.Failure {
	e := d.e
	d.opened = true
	c := &component{rules: d.rules, recursive: true}
	for rel := d.rels; rel < len(e.rels); rel++ {
		if rel != d.seed {
			c.rels = append(c.rels, rel)
		}
	}
	reads := e.reads.open(len(e.rels))
	for _, rs := range d.rules {
		if f := e.addRule(rs, d.comp, c, reads); f != nil {
			return f
		}
		c.clock = max(c.clock, e.clockOf(rs.rule))
	}
	e.connect(c, reads)
	return nil
}

// evaluate brings the answers up to date for what the slots are now. sure is
// false where something that they rest on has undefined tuples: then the
// relations must be evaluated whole.
func (d *demand) evaluate(slots []abi.Term) (sure bool, f *abi.Failure) {
	e := d.e
	terms := make([]abi.Term, len(d.given))
	for i, s := range d.given {
		terms[i] = slots[s]
	}
	seed := relation.New(len(terms))
	seed.Insert(terms)
	e.rels[d.seed].data = seed
	c := e.comps[d.comp]
	c.forget()
	c.state, c.failure = stale, nil
	if f := d.ensureWhole(); f != nil {
		return false, f
	}
	for _, s := range c.sources {
		if e.rels[s.rel].maybe != nil {
			return false, nil
		}
	}
	before := e.spent().Derived
	f = e.ensure(c.rels[0])
	d.derived += e.spent().Derived - before
	return true, f
}

// ensureWhole brings up to date what is read whole, in an order that is the
// same each time, as fuel, the numbers of terms and which limit is passed are.
func (d *demand) ensureWhole() *abi.Failure {
	for _, rel := range slices.Sorted(maps.Keys(d.whole)) {
		if f := d.e.ensure(rel); f != nil {
			return f
		}
	}
	return nil
}

// close takes away what open has added.
func (d *demand) close() {
	e := d.e
	if d.opened {
		for _, r := range e.rels[:d.rels] {
			if n := len(r.readers); n > 0 && r.readers[n-1] >= d.comp {
				r.readers = r.readers[:n-1]
			}
		}
		e.comps = e.comps[:min(d.comp, len(e.comps))]
	}
	d.drop()
}

// drop takes away the relations.
func (d *demand) drop() {
	d.e.rels = d.e.rels[:d.rels]
	d.e.prog.Relations = d.e.prog.Relations[:d.rels]
}
