package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/overtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// copied is an instance that answers questions which add to its program.
type copied struct {
	ses *session
	in  *sandbox.Instance
}

// Query answers a query, and bills it.
func (c copied) Query(ctx context.Context, ask *abi.QueryRequest) (*abi.Rows, error) {
	out := &abi.Rows{}
	if err := c.ses.ask(ctx, c.in, abi.ExportQuery, ask, out); err != nil {
		return nil, err
	}
	c.ses.bill(sandbox.Usage{}, out.Work)
	return out, nil
}

// Explain explains a fact, and bills it.
func (c copied) Explain(ctx context.Context, ask *abi.ExplainRequest) (*abi.Explanation, error) {
	out := &abi.Explanation{}
	if err := c.ses.ask(ctx, c.in, abi.ExportExplain, ask, out); err != nil {
		return nil, err
	}
	c.ses.bill(sandbox.Usage{}, out.Work)
	return out, nil
}

// Fuel is what the call has cost so far.
func (c copied) Fuel() uint64 { return c.ses.usage.Fuel }

// reader asks in, which is the reader's own.
func (ses *session) reader(in *sandbox.Instance, call abi.Call) overtime.Reader {
	return overtime.Reader{Program: ses.m.program, State: copied{ses, in}, Call: call}
}

// dayRepairs looks for sets of up to most facts with days that would make the
// fact of msg hold, which nodes explain, and keeps the smallest that do: it tries
// them on a clone of in.
func (ses *session) dayRepairs(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, nodes []abi.WhyNotNode, most int) ([]overtime.Way, error) {
	if len(ses.m.twins) == 0 || len(nodes) == 0 {
		return nil, nil
	}
	clone, err := in.Clone(ctx)
	if err != nil {
		return nil, ctx.Err()
	}
	defer drop(ctx, &clone)
	reader := ses.reader(clone, msg.Call)
	trial := &dayTrial{ses: ses, in: clone, msg: msg, reader: &reader}
	search := overtime.Search{Reader: &reader, Twins: ses.m.twins, Most: most, Try: trial.try}
	found, err := search.Ways(ctx, nodes)
	if dead(err) {
		return found, ctx.Err() // it was the clone that ended
	}
	return found, nil // a question may have been refused: what was found until then is good
}

// most is how many changes a repair may have beside those that were found.
func (f *foundRepairs) most(asked int) int {
	if len(f.search.Repairs) > 0 {
		return int(f.search.MaxSize)
	}
	return asked
}

// dayTrial tries facts with days on an instance of its own.
type dayTrial struct {
	ses    *session
	in     *sandbox.Instance
	msg    *abi.ExplainRequest // the fact that is to hold
	reader *overtime.Reader
	events []store.Event // of the log and the declared facts with a period; nil: not read yet
}

// try reports whether the fact holds once the others are written. The instance is
// as before afterwards, but after an error.
func (t *dayTrial) try(ctx context.Context, facts []overtime.Fact) (bool, error) {
	m, view, now := t.ses.m, t.ses.point.view, store.MomentOf(t.msg.Call.Now)
	if t.events == nil {
		recorded, err := t.ses.history(ctx)
		if err != nil {
			return false, err
		}
		t.events = m.withDeclared(recorded)
	}
	// Days are kept by key, so those of other facts stay as they are.
	concerned := func(e store.Event) bool {
		rel, ok := m.relations[e.Relation]
		return ok && slices.ContainsFunc(facts, func(f overtime.Fact) bool {
			return f.Relation == rel && len(e.Tuple) == len(f.Tuple) && m.keyOf(rel, e.Tuple) == m.keyOf(rel, f.Tuple)
		})
	}
	var before []store.Event
	for _, e := range t.events {
		if concerned(e) {
			before = append(before, e)
		}
	}
	after := slices.Clone(before)
	var removed, added []abi.RepairFact
	for i := range facts {
		f := &facts[i]
		e := eventOf(f, m.program.Relations[f.Relation].Name, view)
		if f.Dated() {
			after = append(after, e)
		}
		if !e.Valid(now) {
			continue
		}
		old, err := t.replaced(ctx, f)
		if err != nil {
			return false, err
		}
		if len(old) == 1 && slices.EqualFunc(old[0].Tuple, f.Tuple, abi.Equal) {
			continue // it holds now, and on other days it does not
		}
		removed, added = append(removed, old...), append(added, abi.RepairFact{Relation: f.Relation, Tuple: f.Tuple})
	}
	was, will := m.days(view, before), m.days(view, after)
	if err := t.tell(ctx, append(turned(was), will...), removed, added); err != nil {
		return false, err
	}
	var resp abi.Explanation
	ask := abi.ExplainRequest{Call: t.msg.Call, Relation: t.msg.Relation, Tuple: t.msg.Tuple, MaxDepth: 1, MaxNodes: 1}
	asked := t.ses.ask(ctx, t.in, abi.ExportExplain, &ask, &resp)
	if dead(asked) {
		return false, asked
	}
	t.ses.bill(sandbox.Usage{}, resp.Work)
	return asked == nil && resp.Derived, t.tell(ctx, append(turned(will), was...), added, removed)
}

// eventOf is a fact as a write of it.
func eventOf(f *overtime.Fact, relation, view string) store.Event {
	e := store.Event{Relation: relation, Tuple: f.Tuple, Layer: view, ValidFrom: store.Moment{Seconds: -lower.Always * abi.SecondsPerDay}}
	if !f.Dated() {
		return e
	}
	if f.Begins() {
		e.ValidFrom.Seconds = f.When.From * abi.SecondsPerDay
	}
	if f.Ends() {
		e.ValidTo = &store.Moment{Seconds: f.When.To * abi.SecondsPerDay}
	}
	return e
}

// replaced returns the facts that hold now with the key of a fact.
func (t *dayTrial) replaced(ctx context.Context, f *overtime.Fact) (out []abi.RepairFact, err error) {
	pattern := pointers(f.Tuple)
	if key := t.ses.m.program.Relations[f.Relation].Key; len(key) > 0 {
		for i := range pattern {
			if !slices.Contains(key, i) {
				pattern[i] = nil
			}
		}
	}
	rows, _, err := t.reader.Rows(ctx, f.Relation, pattern)
	for _, row := range rows {
		out = append(out, abi.RepairFact{Relation: f.Relation, Tuple: row})
	}
	return out, err
}

// turned undoes deltas.
func turned(deltas []abi.Delta) (out []abi.Delta) {
	for _, x := range slices.Backward(deltas) {
		x.Remove = !x.Remove
		out = append(out, x)
	}
	return out
}

// tell changes the days of facts, and what holds now.
func (t *dayTrial) tell(ctx context.Context, days []abi.Delta, removed, added []abi.RepairFact) error {
	if len(days) > 0 {
		if err := t.ses.ask(ctx, t.in, abi.ExportAssert, &abi.AssertRequest{Call: t.msg.Call, Deltas: days}, &abi.AssertResponse{}); err != nil {
			return err
		}
	}
	if len(removed)+len(added) == 0 {
		return nil
	}
	return t.ses.assert(ctx, t.in, t.msg.Call, removed, added)
}

// overTime adds repairs with days to those that a why-not answer has, if they are
// not larger.
func (p *prover) overTime(n *WhyNotNode, found []overtime.Way) {
	if len(found) == 0 || n.Searched == nil {
		return
	}
	size := len(found[0].Facts)
	if len(n.Repairs) > 0 && n.Searched.MaxSize < size {
		return
	}
	if len(n.Repairs) > 0 && n.Searched.MaxSize > size {
		n.Repairs = nil
	}
	for _, w := range found {
		shown := Repair{Facts: []string{}, Verified: true}
		for i := range w.Facts {
			f := &w.Facts[i]
			shown.Facts = append(shown.Facts, p.fact(f.Relation, pointers(f.Tuple))+f.Period())
			shown.Fixed = append(shown.Fixed, p.fixed(&abi.RepairFact{Relation: f.Relation, Tuple: f.Tuple})...)
		}
		n.Repairs = append(n.Repairs, shown)
	}
	n.Searched.MaxSize, n.Searched.Complete = size, false
}
