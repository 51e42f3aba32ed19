package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// What a why-not may cost by demand, in the units of spend.
const (
	maxExcerpted = 1_000_000 // from there on the relation is evaluated whole, if that can be
	maxAside     = 200_000   // of these, what looks for near misses, and for bindings that leave an atom out
	maxNear      = 50_000    // of these, one look for near misses
)

// errWhole ends what goes by excerpts where they do not do. It names a rule so
// that nobody writes one into it.
var errWhole = &abi.Failure{Code: abi.FailureInternal, Message: "an excerpt was not given up in time", Rule: 0}

// excerpts are, of the relations that a why-not looks at and that have not been
// evaluated, the tuples that it has asked for, by demand. What is there is true,
// and of each key that was asked by all of it is there: so a body that asks before
// it is run has the solutions that it would have over the whole relations.
type excerpts struct {
	e      *Engine
	of     map[int]*excerpt // by relation
	origin map[int]int      // the relation, by the one that its excerpt is in
	bodies map[int][]abi.Atom
	undo   []func()
	spent  uint64 // tuples that the demands have cost
	aside  int    // effort that is left of maxAside

	last    baseFact // what a near miss was looked for last of
	near    []abi.Value
	nearAll bool
}

// excerpt is that of one relation.
type excerpt struct {
	in      int // the relation that it is in
	whole   bool
	known   []askedKeys
	demands map[uint64]*demand // by the columns that are bound; nil: it is of no use
	dear    map[uint64]bool    // a look for near misses by these columns was given up
}

// askedKeys are the values of some columns by which all tuples were asked for.
type askedKeys struct {
	columns uint64
	keys    *relation.Relation
}

func (e *Engine) openExcerpts() *excerpts {
	return &excerpts{e: e, of: map[int]*excerpt{}, origin: map[int]int{}, bodies: map[int][]abi.Atom{}, aside: maxAside}
}

// close takes all of it away again.
func (x *excerpts) close() {
	for _, undo := range slices.Backward(x.undo) {
		undo()
	}
}

// in returns the relation to read in place of one: itself, where it has been
// evaluated.
func (x *excerpts) in(rel int) int {
	if p := x.excerpt(rel); p != nil {
		return p.in
	}
	return rel
}

// excerpt returns that of a relation, nil where it needs none.
func (x *excerpts) excerpt(rel int) *excerpt {
	e := x.e
	if p := x.of[rel]; p != nil {
		return p
	}
	id := e.rels[rel].comp
	if id < 0 || e.comps[id].state == fresh {
		return nil
	}
	// What has been evaluated whole costs what has changed since.
	if e.comps[id].round > 0 && e.ensure(rel) == nil {
		return nil
	}
	before := len(e.rels)
	r := e.prog.Relations[rel]
	e.prog.Relations = append(e.prog.Relations, abi.Relation{Name: r.Name, Columns: r.Columns, Key: r.Key, Asserted: -1, Refuted: -1})
	e.rels = append(e.rels, &relationState{data: relation.New(len(r.Columns)), comp: -1})
	x.undo = append(x.undo, func() { e.rels, e.prog.Relations = e.rels[:before], e.prog.Relations[:before] })
	p := &excerpt{in: before, demands: map[uint64]*demand{}, dear: map[uint64]bool{}}
	x.of[rel], x.origin[before] = p, rel
	return p
}

// body returns a rule's body over the excerpts.
func (x *excerpts) body(rs *ruleState) []abi.Atom {
	out, ok := x.bodies[rs.index]
	if !ok {
		out = x.over(rs.rule.Body)
		x.bodies[rs.index] = out
	}
	return out
}

func (x *excerpts) over(body []abi.Atom) []abi.Atom {
	out := slices.Clone(body)
	for i := range out {
		a := &out[i]
		if a.Op == abi.AtomScan {
			a.Rel = x.in(a.Rel)
		}
		if len(a.Body) > 0 {
			a.Body = x.over(a.Body)
		}
	}
	return out
}

// want sees to it that all tuples are there that have one of the keys, which are
// values of some columns.
func (x *excerpts) want(rel int, columns uint64, keys *relation.Relation) *abi.Failure {
	p := x.of[rel]
	if p == nil || p.whole {
		return nil
	}
	if columns == 0 {
		return x.take(rel, p)
	}
	if keys = p.unknown(columns, keys); keys.Rows() == 0 {
		return nil
	}
	d, f := x.demand(rel, p, columns)
	if f != nil {
		return f
	}
	if d == nil {
		return x.take(rel, p)
	}
	before := d.derived
	sure, f := d.evaluateFor(keys)
	x.spent += d.derived - before
	if f == nil && !sure {
		f = errWhole
	}
	if f == nil {
		x.keep(d)
	}
	return f
}

// take evaluates a relation whole.
func (x *excerpts) take(rel int, p *excerpt) *abi.Failure {
	e := x.e
	if f := e.ensure(rel); f != nil {
		return f
	}
	if e.rels[rel].maybe != nil {
		return errWhole
	}
	e.rels[p.in].data, p.whole = e.rels[rel].data, true
	return nil
}

// demand returns the one that asks a relation by some columns.
func (x *excerpts) demand(rel int, p *excerpt, columns uint64) (*demand, *abi.Failure) {
	if d, ok := p.demands[columns]; ok {
		return d, nil
	}
	e := x.e
	pattern := unboundSlots(len(e.prog.Relations[rel].Columns))
	for c := range pattern {
		if columns>>c&1 == 1 {
			pattern[c] = 0
		}
	}
	d, f := e.ask(wholeTuple(rel, len(pattern)), pattern, (*component).current)
	if f != nil {
		return nil, f
	}
	if p.demands[columns] = d; d != nil {
		x.undo = append(x.undo, d.close)
	}
	return d, nil
}

// keep takes what a demand has found into the excerpts: of the relation that was
// asked, and of all that were on the way.
func (x *excerpts) keep(d *demand) {
	e := x.e
	for _, a := range d.order {
		p := x.excerpt(a.rel)
		if p == nil || p.whole {
			continue
		}
		to := d.asked[a]
		if data := e.rels[to.answers].data; data.Rows() > 0 {
			e.rels[p.in].data.InsertBatch(columnsOf(data), data.Rows())
		}
		at := slices.IndexFunc(p.known, func(k askedKeys) bool { return k.columns == a.bound })
		keys := e.rels[to.keys].data
		if at < 0 {
			at = len(p.known)
			p.known = append(p.known, askedKeys{a.bound, relation.New(keys.Arity())})
		}
		if keys.Rows() > 0 {
			p.known[at].keys.InsertBatch(columnsOf(keys), keys.Rows())
		}
	}
}

// unknown returns the keys by which the tuples have not been asked for, nor by a
// part of them.
func (p *excerpt) unknown(columns uint64, keys *relation.Relation) *relation.Relation {
	out := relation.New(keys.Arity())
	var key, part []abi.Term
next:
	for at := range uint32(keys.Rows()) {
		key = keys.Row(key[:0], at)
		for i := range p.known {
			k := &p.known[i]
			if k.columns&^columns != 0 {
				continue
			}
			part = part[:0]
			n := 0
			for c := range 64 {
				if columns>>c&1 == 0 {
					continue
				}
				if k.columns>>c&1 == 1 {
					part = append(part, key[n])
				}
				n++
			}
			if _, ok := k.keys.Find(part); ok {
				continue next
			}
		}
		out.Insert(key)
	}
	return out
}

// wantTuple is want for the tuples that equal one where it is bound.
func (x *excerpts) wantTuple(rel int, tuple []abi.Term) *abi.Failure {
	if x.excerpt(rel) == nil {
		return nil
	}
	var columns uint64
	var key []abi.Term
	for c, t := range tuple {
		if t != unbound && c < 64 {
			columns |= 1 << c
			key = append(key, t)
		}
	}
	keys := relation.New(len(key))
	keys.Insert(key)
	return x.want(rel, columns, keys)
}

// asides does what an answer can do without, within what is left for that; over
// says that it was given up.
func (x *excerpts) asides(most int, do func() *abi.Failure) (over bool, f *abi.Failure) {
	e := x.e
	effort, derived := e.effort, e.work.Derived
	over, f = e.allow(min(most, x.aside), do)
	x.aside = max(0, x.aside-(e.effort-effort))
	if f != nil && f.Limit != nil {
		over, f = true, nil
	}
	if over {
		e.wasted.Derived += e.work.Derived - derived
		e.work.Derived = derived
	}
	return over, f
}
