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

// maxWays is in how many ways a relation is asked. Rules may ask one of many
// columns in as many as there are sets of these, each with rules of its own; from
// there on to evaluate it whole is less.
const maxWays = 16

// asked is what stands for an adorned relation: the tuples that were asked for,
// and the keys that they were asked by.
type asked struct{ answers, keys int }

// demand evaluates of the relations behind a body only what the body asks of
// them, by magic sets (Beeri and Ramakrishnan 1991): for each relation and way
// to be asked, one with the keys that it is asked by, and one with the tuples
// that have them, in components of their own which are there until close. What is
// denied, folded or in another nested body is asked by what is bound where it is
// reached. Relations that are asked without a key are evaluated whole, and so are
// those of circles through negation, min or max, and what cannot be complete
// before it is denied or folded (levels.go).
type demand struct {
	e        *Engine
	have     func(*component) bool // what need not be evaluated
	asked    map[adorned]asked
	order    []adorned   // in the order in which they were met
	ways     map[int]int // by relation: how many of these it has
	rules    []magicRule
	seed     int                // relation with the terms that the body is given
	given    []int              // their slots
	whole    map[int]bool       // relations that are read whole
	untested map[*abi.Atom]bool // tests of the program that are no part of what asks (levels.go)
	body     []abi.Atom         // the body, over the answers
	width    int                // its slots
	levels   []int              // of the relations
	comp     int                // of the lowest level
	rels     int                // relations before it
	opened   bool
	derived  uint64 // tuples that it has cost
}

// ask plans the demand of a body that is given the slots which are bound, but for
// what is there by have. nil means that there is nothing to be gained: no
// relation that is not there is asked by a key.
func (e *Engine) ask(body []abi.Atom, slots []abi.Term, have func(*component) bool) (*demand, *abi.Failure) {
	d := &demand{e: e, have: have, whole: map[int]bool{}, untested: map[*abi.Atom]bool{}, comp: len(e.comps), rels: len(e.rels)}
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
		if len(d.whole) == before && d.level() {
			break
		}
		d.drop() // something that was asked by a key is read whole as well
	}
	if slices.Max(d.levels) >= maxLevels {
		d.drop()
		return nil, nil
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
	d.ways[x.rel]++
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

// open adds the components.
func (d *demand) open() *abi.Failure {
	e := d.e
	d.opened = true
	var levels []*component
	for i, level := range d.levels {
		rel := d.rels + i
		if rel == d.seed {
			continue
		}
		for level >= len(levels) {
			levels = append(levels, &component{recursive: true})
		}
		c := levels[level]
		c.rels = append(c.rels, rel)
		e.rels[rel].comp = d.comp + level
	}
	for level, c := range levels {
		reads := e.reads.open(len(e.rels))
		for _, r := range d.rules {
			if d.levels[r.rule.Head-d.rels] != level {
				continue
			}
			if f := e.addRule(r.ruleState, d.comp+level, c, reads); f != nil {
				return f
			}
			c.rules = append(c.rules, r.ruleState)
			c.clock = max(c.clock, e.clockOf(r.rule))
		}
		e.connect(c, reads)
	}
	return nil
}

// evaluate brings the answers up to date for what the slots are now. sure is
// false where something that they rest on has undefined tuples: then the
// relations must be evaluated whole.
func (d *demand) evaluate(slots []abi.Term) (sure bool, f *abi.Failure) {
	terms := make([]abi.Term, len(d.given))
	for i, s := range d.given {
		terms[i] = slots[s]
	}
	seed := relation.New(len(terms))
	seed.Insert(terms)
	return d.evaluateFor(seed)
}

// evaluateFor is evaluate for several values of the slots that are given.
func (d *demand) evaluateFor(seed *relation.Relation) (sure bool, f *abi.Failure) {
	e := d.e
	e.rels[d.seed].data = seed
	if f := d.ensureWhole(); f != nil {
		return false, f
	}
	for _, c := range d.components() {
		c.forget()
		c.state, c.failure = stale, nil
		for _, s := range c.sources {
			if s.rel < d.rels && e.rels[s.rel].maybe != nil {
				return false, nil
			}
		}
	}
	before := e.spent().Derived
	for _, c := range d.components() {
		if f = e.ensure(c.rels[0]); f != nil {
			break
		}
	}
	d.derived += e.spent().Derived - before
	return true, f
}

// components returns those of the levels, the lowest first.
func (d *demand) components() []*component {
	return d.e.comps[d.comp : d.comp+1+slices.Max(d.levels)]
}

// slots returns what the slots of the body are, given those of the question.
func (d *demand) slots(given []abi.Term) []abi.Term {
	out := unboundSlots(d.width)
	copy(out, given)
	return out
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
			for n := len(r.readers); n > 0 && r.readers[n-1] >= d.comp; n-- {
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
