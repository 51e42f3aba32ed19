package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// A query that demand answers is answered anew each time; relations that are
// evaluated whole are there from then on. So once demand has cost as much as that
// might, a relation is evaluated whole, within as many tuples, and if it takes
// more, when demand has cost several times that.
const (
	askCost    = 200     // tuples that the planning of a demand stands for
	firstTry   = 4000    // tuples that demand may cost before the first try
	laterTries = 4       // times as many before the next
	maxAsked   = 200_000 // tuples that one demand may cost where the whole may take less
)

// spending is what demand has cost that asked for relations of a component.
type spending struct {
	tuples uint64
	next   uint64 // when the component is tried whole; 0: firstTry
}

// asksOf answers a query's body by demand. done is false where the relations are
// to be evaluated whole instead.
func (e *Engine) asksOf(q *abi.Query, slots []abi.Term) (rel *relation.Relation, done bool, f *abi.Failure) {
	reads := e.derivedIn(q.Body, nil)
	stale := false
	for _, rel := range reads {
		c := e.comps[e.rels[rel].comp]
		// What has been evaluated whole costs what has changed since.
		if c.state == fresh || c.round > 0 && e.ensure(rel) == nil {
			continue
		}
		if stale = true; e.tryWhole(rel, c) {
			return nil, false, nil
		}
	}
	if !stale {
		return nil, false, nil
	}
	d, f := e.ask(q.Body, slots, (*component).current)
	if f != nil || d == nil {
		return nil, false, f
	}
	defer d.close()
	sure, within, f := d.evaluateWithin(slots, maxAsked)
	if f == nil && !within {
		// Asked from most sides, a relation costs more than whole: its rules
		// are longer. Only where the whole passes a limit it is asked after all.
		if whole := e.ensureBody(q.Body); whole == nil || whole.Limit == nil {
			return nil, false, whole
		}
		sure, f = d.evaluate(slots)
	}
	if f != nil || !sure {
		return nil, false, f
	}
	for _, rel := range reads {
		e.comps[e.rels[rel].comp].spending.tuples += askCost + d.derived
	}
	// The rest of the body may read what is not asked by a key.
	if f := e.ensureBody(d.body); f != nil {
		return nil, false, f
	}
	if e.uncertainBody(d.body) {
		return nil, false, nil // what may hold is not what does
	}
	if rel, f = e.solutions(d.body, d.slots(slots), q.Out, true); f != nil {
		return nil, false, f
	}
	e.work.ByDemand++
	return rel, true, nil
}

// derivedIn adds to out the derived relations that a body reads, each once.
func (e *Engine) derivedIn(body []abi.Atom, out []int) []int {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && e.rels[a.Rel].comp >= 0 && !slices.Contains(out, a.Rel) {
			out = append(out, a.Rel)
		}
		out = e.derivedIn(a.Body, out)
	}
	return out
}

// tryWhole evaluates a relation whole if it is time for that, and reports whether
// it is up to date now.
func (e *Engine) tryWhole(rel int, c *component) bool {
	s := &c.spending
	if s.next == 0 {
		s.next = firstTry
	}
	if s.tuples < s.next {
		return false
	}
	f, _ := e.capped(2*s.tuples, func() *abi.Failure { return e.ensure(rel) })
	if f == nil {
		s.tuples, s.next = 0, 0
		return true
	}
	s.next = laterTries * s.tuples
	for _, id := range e.stale(e.rels[rel].comp) {
		if x := e.comps[id]; x.state == failed && x.failedIn == e.calls {
			x.state, x.failure = stale, nil
		}
	}
	return false
}

// capped does something that may derive so many tuples, if the call does not
// allow fewer anyway. over says that it failed because of that number.
func (e *Engine) capped(tuples uint64, do func() *abi.Failure) (f *abi.Failure, over bool) {
	allowed := e.call.Limits.Derived
	if limit := e.work.Derived + tuples; allowed == 0 || limit < allowed {
		e.call.Limits.Derived, over = limit, true
	}
	f = do()
	e.call.Limits.Derived = allowed
	return f, over && f != nil && f.Limit != nil && f.Limit.Limit == abi.LimitDerived
}

// evaluateWithin is evaluate, but gives up where that would cost more than so
// many tuples beside what is read whole in any case.
func (d *demand) evaluateWithin(slots []abi.Term, tuples uint64) (sure, within bool, f *abi.Failure) {
	if f := d.ensureWhole(); f != nil {
		return false, true, f
	}
	f, over := d.e.capped(tuples, func() (f *abi.Failure) {
		sure, f = d.evaluate(slots)
		return f
	})
	if over {
		return false, false, nil
	}
	return sure, true, f
}
