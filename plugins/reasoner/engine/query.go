package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// Query runs a query over the relations that its body reads. It brings them up
// to date first, or evaluates of them what the body asks for.
func (e *Engine) Query(r *abi.QueryRequest) (*abi.Rows, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	if _, f := e.attach(r.Extension); f != nil {
		return nil, f
	}
	if r.Query < 0 || r.Query >= len(e.prog.Queries) {
		return nil, badRequest("query %d is out of range: the program has %d", r.Query, len(e.prog.Queries))
	}
	q := &e.prog.Queries[r.Query]
	if len(r.Args) != len(q.Params) {
		return nil, badRequest("query %s has %d parameters, %d arguments were given", q.Name, len(q.Params), len(r.Args))
	}
	slots := unboundSlots(len(q.Slots))
	copy(slots, e.internOptional(r.Args))
	binds := newSlotSet(len(q.Slots))
	for i := range q.Body {
		binds.addAll(atomBinds(&q.Body[i], len(q.Slots)))
	}
	for i, p := range q.Params {
		if slots[i] == unbound && !binds.has(i) {
			return nil, &abi.Failure{Code: abi.FailureUnbound, Span: q.Span, Rule: -1,
				Message: "query " + q.Name + " does not bind its parameter " + p.Name + ": give it an argument"}
		}
	}
	for _, x := range q.Out {
		if x.Op == abi.ArgWild {
			return nil, badRequest("query %s has a result column without value", q.Name)
		}
	}
	if a := e.answered(r.Query, slots[:len(q.Params)]); a != nil && r.Extension == nil {
		out, _, f := e.result(a, &r.Page)
		return out, f
	}
	is, can, f := e.rowsOf(q, slots)
	if f != nil {
		return nil, f
	}
	a := e.newAnswer(is, can, q.Truth)
	a.query, a.args, a.once = r.Query, slices.Clone(slots[:len(q.Params)]), r.Extension != nil
	if e.bodyClock(q.Body, &visited{}) != timeless {
		now := e.call.Now
		a.now = &now
	}
	out, _, f := e.result(a, &r.Page)
	return out, f
}

// rowsOf evaluates what a query asks: what is true, and what is true or undefined.
func (e *Engine) rowsOf(q *abi.Query, slots []abi.Term) (is, can *relation.Relation, f *abi.Failure) {
	if rel, done, f := e.asksOf(q, slots); f != nil || done {
		return rel, rel, f
	}
	if f := e.ensureBody(q.Body); f != nil {
		return nil, nil, f
	}
	if q.Truth >= 0 {
		if f := e.ensure(q.Truth); f != nil {
			return nil, nil, f
		}
	}
	is, f = e.solutions(q.Body, slots, q.Out, true)
	if f != nil {
		return nil, nil, f
	}
	can = is
	if e.uncertainBody(q.Body) {
		e.upper = true
		can, f = e.solutions(q.Body, slots, q.Out, true)
		e.upper = false
		if f != nil {
			return nil, nil, f
		}
	}
	return is, can, nil
}

// solutions returns the distinct tuples of out over the body's solutions that
// continue slots. What the body reads must be up to date. once says that no
// more of the kind is to come, so that indexes for it would not pay.
func (e *Engine) solutions(body []abi.Atom, slots []abi.Term, out []abi.Arg, once bool) (*relation.Relation, *abi.Failure) {
	need := newSlotSet(len(slots))
	addArgs(need, out)
	p, f := e.plan(body, len(slots), planOptions{bound: boundSlots(slots), need: need, first: -1, stable: e.stable, once: once})
	if f != nil {
		return nil, f
	}
	sink := &headSink{e: e, rel: relation.New(len(out)), rule: -1, args: out, rows: true}
	f = e.run(p, presets(slots), nil, sink)
	e.release(p)
	return sink.rel, f
}

// Derive reads the extent of a relation.
func (e *Engine) Derive(r *abi.DeriveRequest) (*abi.Rows, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	if r.Relation < 0 || r.Relation >= len(e.rels) {
		return nil, badRequest("relation %d is out of range: the program has %d", r.Relation, len(e.rels))
	}
	bring := e.ensure
	if r.Tags {
		bring = e.exact
	}
	if f := bring(r.Relation); f != nil {
		return nil, f
	}
	a := e.extentOf(r.Relation)
	data, possible := a.is, a.can
	out, rows, f := e.result(a, &r.Page)
	if f != nil || !r.Tags {
		return out, f
	}
	var tuple []abi.Term
	for _, at := range rows {
		tuple = possible.Row(tuple[:0], at)
		row, ok := data.Find(tuple)
		if !ok {
			out.Tags = append(out.Tags, abi.Tag{Rule: -1})
			continue
		}
		rule, round := data.Tag(row)
		out.Tags = append(out.Tags, abi.Tag{Rule: rule, Round: round})
	}
	return out, nil
}
