package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// costs are those of a component: see abi.Cost.
type costs struct {
	columns map[int]int // by relation
	most    bool
	rules   []*costRule
}

// costRule is a rule of a component with costs where the fold that reads the
// component, if it has one, is replaced by its body: each solution of that
// offers a value.
type costRule struct {
	state ruleState
	slot  int       // of the fold; -1: there is none
	value *abi.Expr // what the fold ranges over
	key   []int     // slots: solutions that are equal in them compete for one result
	code  *code
	found *bests // what the fold gives, by key; nil while nobody asks

	// Of the upkeep, made when they are needed.
	full    *ruleState // the rule with the value as an atom of the body; of a rule without a fold: it
	keyed   *ruleState // the rule whose heads are the keys
	deep    bool       // a nested body reads the component
	forHead *plan      // with the head but for its cost bound
	forKey  *plan      // with the key bound
}

func (e *Engine) costsOf(c *abi.Component) *costs {
	if len(c.Costs) == 0 {
		return nil
	}
	k := &costs{columns: map[int]int{}, most: c.Costs[0].Most}
	for _, x := range c.Costs {
		k.columns[x.Relation] = x.Column
	}
	return k
}

// ownFold returns the place of the fold in the rule's body that reads the
// component, or -1.
func (e *Engine) ownFold(r *abi.Rule, comp int) int {
	return slices.IndexFunc(r.Body, func(a abi.Atom) bool { return a.Op == abi.AtomFold && e.readsOwn(a.Body, comp) })
}

// addCostRule makes the form of a rule that offers values.
func (e *Engine) addCostRule(k *costs, rs *ruleState, comp int) *abi.Failure {
	r := &costRule{slot: -1, state: ruleState{rule: rs.rule, index: rs.index, body: rs.body, width: rs.width}}
	if at := e.ownFold(rs.rule, comp); at >= 0 {
		rs.own = true
		if f := e.openFold(r, at, comp); f != nil {
			return f
		}
	}
	s := &r.state
	for i := range s.body {
		if a := &s.body[i]; a.Op == abi.AtomScan && !a.Neg {
			s.scans = append(s.scans, i)
			s.own = s.own || e.rels[a.Rel].comp == comp
		}
	}
	s.plans = make([]*plan, len(s.body)+1)
	for i := range s.body {
		r.deep = r.deep || s.body[i].Op != abi.AtomScan && e.readsOwn(s.body[i].Body, comp)
	}
	k.rules = append(k.rules, r)
	return nil
}

// openFold puts the body of the fold at a place of the rule's body in its place.
func (e *Engine) openFold(r *costRule, at, comp int) *abi.Failure {
	rule := r.state.rule
	fold := rule.Body[at]
	width := len(rule.Slots)
	body := slices.Delete(slices.Clone(rule.Body), at, at+1)
	outside := newSlotSet(width)
	for i := range body {
		outside.addAll(atomBinds(&body[i], width))
	}
	if outside.has(fold.Slot) {
		return badRequest("the result of a fold over its own component is bound elsewhere")
	}
	key := newSlotSet(width)
	addArgs(key, rule.Args)
	seen := atomSlots(&fold, width)
	seen.keepAll(outside)
	key.addAll(seen)
	key.remove(fold.Slot)
	r.slot, r.key = fold.Slot, key.list()
	// What only the fold mentions is its own.
	names := map[int]int{}
	for _, s := range atomSlots(&fold, width).list() {
		if s != fold.Slot && !outside.has(s) {
			names[s] = width + len(names)
		}
	}
	inner := renameAtom(&fold, names)
	r.value = inner.Expr
	width += len(names)
	read := exprSlots(r.value, width)
	key = newSlotSet(width)
	for _, s := range r.key {
		key.add(s)
	}
	read.addAll(key)
	r.state.body, r.state.width = e.flattenBody(append(body, inner.Body...), comp, width, read)
	r.state.reads = newSlotSet(r.state.width)
	copy(r.state.reads, read)
	return nil
}

// bests are the best values that were offered, by key.
type bests struct {
	keys    *relation.Relation
	best    []abi.Term
	most    bool
	reached []bool   // by key: the best is derived in the model
	changed []uint32 // keys with a better value than before, without repetition
	marked  []bool   // by key: it is in changed
}

func newBests(arity int, most bool) *bests { return &bests{keys: relation.New(arity), most: most} }

// offer takes note of a value, and reports whether it is better than any before.
func (b *bests) offer(t *term.Table, key []abi.Term, x abi.Term) (better bool, fault term.Fault) {
	at, added := b.keys.Insert(key)
	if added {
		b.best, b.reached, b.marked = append(b.best, x), append(b.reached, false), append(b.marked, false)
	} else if b.best[at] == unbound {
		b.best[at] = x
	} else if b.best[at] != x {
		order, fault := t.Order(x, b.best[at])
		if fault != term.OK || order == 0 || order > 0 != b.most {
			return false, fault
		}
		b.best[at] = x
	} else {
		return false, term.OK
	}
	if !b.marked[at] {
		b.marked[at] = true
		b.changed = append(b.changed, at)
	}
	return true, term.OK
}

// cheapest computes a component that has costs. First each rule runs over the
// best that its atoms have come to so far, until nothing gets better: that gives
// what the folds give. Then the component's tuples follow from it in rounds as
// they do elsewhere, and have proofs.
func (e *Engine) cheapest(c *component, w *window) *abi.Failure {
	derived := e.work.Derived
	stores := map[int]*bests{}
	for r := range c.costs.columns {
		stores[r] = newBests(len(e.prog.Relations[r].Columns)-1, c.costs.most)
	}
	for _, r := range c.costs.rules {
		if r.slot >= 0 {
			r.found = newBests(len(r.key), c.costs.most)
		}
	}
	offering := e.offering(c, stores)
	f := e.scratch(offering, w)
	e.restPlans(offering)
	if f != nil {
		return f
	}
	kept := &offers{extents: e.takeExtents(c), stores: stores, round: offering.round}
	e.work.Derived = derived
	model := e.choosing(c)
	f = e.scratch(model, w)
	e.restPlans(model)
	if f != nil {
		return f
	}
	for _, r := range c.costs.rules {
		if r.slot >= 0 && slices.Contains(r.found.reached, false) {
			return internal("the best value that rule %d came to does not follow from the best of what it reads", r.state.index)
		}
		kept.found = append(kept.found, r.found)
		r.found = nil
	}
	c.canonical, c.round = true, model.round
	if !slices.ContainsFunc(c.costs.rules, func(r *costRule) bool { return r.deep }) {
		c.offers = kept
	}
	return nil
}

// offering is the component of the rules that offer values.
func (e *Engine) offering(c *component, stores map[int]*bests) *component {
	out := &component{rels: c.rels, sources: c.sources, recursive: true, settle: func() { e.better(c, stores) }}
	for _, r := range c.costs.rules {
		head := r.state.rule.Head
		r.state.sink = &offer{e: e, r: r, head: e.rels[head], store: stores[head], column: c.costs.columns[head]}
		out.rules = append(out.rules, &r.state)
	}
	return out
}

// choosing is the component of the rules that take of the values the best.
func (e *Engine) choosing(c *component) *component {
	out := &component{rels: c.rels, sources: c.sources, recursive: true}
	for _, r := range c.costs.rules {
		r.state.sink = nil
		if r.slot >= 0 {
			r.state.sink = &choice{e: e, r: r}
		}
		out.rules = append(out.rules, &r.state)
	}
	return out
}

func (e *Engine) dropPlans(c *component) {
	for _, rs := range c.rules {
		for i, p := range rs.plans {
			if p != nil {
				e.release(p)
				rs.plans[i] = nil
			}
		}
	}
}

// restPlans is dropPlans for a component whose plans are all for the same slots:
// where it has been evaluated for a while only, they are wanted again soon.
func (e *Engine) restPlans(c *component) {
	if e.holding == 0 {
		e.dropPlans(c)
		return
	}
	for _, rs := range c.rules {
		for _, p := range rs.plans {
			if p != nil {
				e.release(p)
			}
		}
	}
}

// better adds to the relations with costs what the round has made better.
func (e *Engine) better(c *component, stores map[int]*bests) {
	var tuple []abi.Term
	for _, rel := range c.rels {
		s := stores[rel]
		if s == nil {
			continue
		}
		at := c.costs.columns[rel]
		for _, k := range s.changed {
			tuple = slices.Insert(s.keys.Row(tuple[:0], k), at, s.best[k])
			e.rels[rel].data.Insert(tuple)
			s.marked[k] = false
		}
		s.changed = s.changed[:0]
	}
}

// valueAt evaluates what the rule's fold ranges over. That it has no value would
// take the fold's result away again, which a circle cannot bear.
func (r *costRule) valueAt(e *Engine, b *batch, i int) (abi.Term, *abi.Failure) {
	if r.code == nil {
		var f *abi.Failure
		if r.code, f = e.compile(r.value, r.state.width); f != nil {
			return 0, f
		}
	}
	x, ok, f := r.code.at(e, b, i)
	if f == nil && !ok {
		f = r.incomparable()
	}
	return x, f
}

func (r *costRule) incomparable() *abi.Failure {
	return &abi.Failure{Code: abi.FailureEval, Span: r.state.rule.Span, Rule: r.state.index,
		Message: "the best of these values cannot be found: they cannot all be computed and compared, as amounts in several currencies cannot"}
}

func (r *costRule) keyOf(dst []abi.Term, b *batch, i int) []abi.Term {
	for _, s := range r.key {
		dst = append(dst, b.cols[s][i])
	}
	return dst
}

// tuple appends the head's tuple; x is the fold's result.
func (r *costRule) tuple(e *Engine, dst []abi.Term, b *batch, i int, x abi.Term) []abi.Term {
	for _, a := range r.state.rule.Args {
		switch {
		case a.Op == abi.ArgConst:
			dst = append(dst, e.consts[a.Index])
		case a.Index == r.slot:
			dst = append(dst, x)
		default:
			dst = append(dst, b.cols[a.Index][i])
		}
	}
	return dst
}

// chosen reports whether the fold gives x for the key.
func (r *costRule) chosen(key []abi.Term, x abi.Term) bool {
	at, ok := r.found.keys.Find(key)
	if !ok || r.found.best[at] != x {
		return false
	}
	r.found.reached[at] = true
	return true
}

// counted takes note of one tuple of a rule.
func (e *Engine) counted(rule int) *abi.Failure {
	e.work.Derived++
	if l := e.call.Limits.Derived; l > 0 && e.work.Derived > l {
		return e.breach(abi.LimitDerived, l, e.work.Derived, rule)
	}
	return nil
}

// offer takes the solutions of a rule while the best is looked for.
type offer struct {
	e      *Engine
	r      *costRule
	head   *relationState
	store  *bests // of the head; nil if it has no cost
	column int
	key    []abi.Term
	row    []abi.Term
}

func (o *offer) take(b *batch) (bool, *abi.Failure) {
	e, r := o.e, o.r
	for i := range b.n {
		var x abi.Term
		if r.slot >= 0 {
			var f *abi.Failure
			if x, f = r.valueAt(e, b, i); f != nil {
				return false, f
			}
			if r.found != nil {
				o.key = r.keyOf(o.key[:0], b, i)
				if _, fault := r.found.offer(e.terms, o.key, x); fault != term.OK {
					return false, r.incomparable()
				}
			}
		}
		o.row = r.tuple(e, o.row[:0], b, i, x)
		var added bool
		if o.store == nil {
			_, added = o.head.data.Insert(o.row)
		} else {
			x := o.row[o.column]
			var fault term.Fault
			if added, fault = o.store.offer(e.terms, slices.Delete(o.row, o.column, o.column+1), x); fault != term.OK {
				return false, r.incomparable()
			}
		}
		if added {
			if f := e.counted(r.state.index); f != nil {
				return false, f
			}
		}
	}
	return true, nil
}

// choice takes the solutions of a rule with a fold once it is known what the
// fold gives: those that give it.
type choice struct {
	e   *Engine
	r   *costRule
	key []abi.Term
	row []abi.Term
}

// has reports whether it would take a solution in which the fold's result is bound.
func (s *choice) has(b *batch, i int) bool {
	s.key = s.r.keyOf(s.key[:0], b, i)
	return s.r.chosen(s.key, b.cols[s.r.slot][i])
}

func (s *choice) take(b *batch) (bool, *abi.Failure) {
	e, r := s.e, s.r
	head := e.rels[r.state.rule.Head].data
	for i := range b.n {
		x, f := r.valueAt(e, b, i)
		if f != nil {
			return false, f
		}
		s.key = r.keyOf(s.key[:0], b, i)
		if !r.chosen(s.key, x) {
			continue
		}
		s.row = r.tuple(e, s.row[:0], b, i, x)
		if _, added := head.Insert(s.row); added {
			if f := e.counted(r.state.index); f != nil {
				return false, f
			}
		}
	}
	return true, nil
}
