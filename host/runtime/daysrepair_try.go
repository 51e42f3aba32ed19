package runtime

import (
	"context"
	"slices"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// dayRepairs looks for sets of up to most facts with days that would make the
// fact of msg hold, which nodes explain, and keeps the smallest that do: it tries
// them on a clone of in.
func (ses *session) dayRepairs(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, nodes []abi.WhyNotNode, most int) (found []dayWay, err error) {
	if len(ses.m.twins) == 0 || len(nodes) == 0 {
		return nil, nil
	}
	clone, err := in.Clone(ctx)
	if err != nil {
		return nil, ctx.Err()
	}
	defer drop(ctx, &clone)
	d := &daySearch{keyedReader: keyedReader{ses: ses, in: clone, call: msg.Call}, most: most, bases: map[int]int{}}
	for base, twin := range ses.m.twins {
		d.bases[twin] = base
	}
	ways, err := d.lacked(ctx, nodes, 0, 0)
	if err == nil {
		ways = slices.DeleteFunc(ways, func(w dayWay) bool { return !w.over || len(w.facts) == 0 })
		found, err = d.tried(ctx, msg, ways)
	}
	if err != nil && !dead(err) {
		err = nil // a question was refused: what was found until then is good
	}
	if dead(err) {
		err = ctx.Err() // it was the clone that ended
	}
	return found, err
}

// most is how many changes a repair may have beside those that were found.
func (f *foundRepairs) most(asked int) int {
	if len(f.search.Repairs) > 0 {
		return int(f.search.MaxSize)
	}
	return asked
}

// tried returns the smallest of the ways with which the fact holds.
func (d *daySearch) tried(ctx context.Context, msg *abi.ExplainRequest, ways []dayWay) (found []dayWay, err error) {
	slices.SortStableFunc(ways, compareWays)
	ways = slices.CompactFunc(ways, func(a, b dayWay) bool { return compareWays(a, b) == 0 })
	events, err := d.ses.history(ctx)
	if err != nil {
		return nil, err
	}
	events = d.ses.m.withDeclared(events)
	for _, w := range ways[:min(len(ways), maxDayTries)] {
		if len(found) > 0 && (len(w.facts) > len(found[0].facts) || w.far > found[0].far) || len(found) >= maxDayFound || d.asks() {
			break
		}
		holds, err := d.try(ctx, msg, w.facts, events)
		if err != nil {
			return found, err
		}
		if holds {
			found = append(found, w)
		}
	}
	return found, nil
}

// try reports whether the fact holds once the others are written. The instance is
// as before afterwards, but after an error.
func (d *daySearch) try(ctx context.Context, msg *abi.ExplainRequest, facts []datedFact, events []store.Event) (bool, error) {
	m, view, now := d.ses.m, d.ses.point.view, store.MomentOf(d.call.Now)
	// Days are kept by key, so those of other facts stay as they are.
	concerned := func(e store.Event) bool {
		rel, ok := m.relations[e.Relation]
		return ok && slices.ContainsFunc(facts, func(f datedFact) bool {
			return f.rel == rel && len(e.Tuple) == len(f.tuple) && m.keyOf(rel, e.Tuple) == m.keyOf(rel, f.tuple)
		})
	}
	var before []store.Event
	for _, e := range events {
		if concerned(e) {
			before = append(before, e)
		}
	}
	after := slices.Clone(before)
	var removed, added []abi.RepairFact
	for i := range facts {
		f := &facts[i]
		e := f.event(m.program.Relations[f.rel].Name, view)
		if f.dated() {
			after = append(after, e)
		}
		if !e.Valid(now) {
			continue
		}
		old, err := d.replaced(ctx, f)
		if err != nil {
			return false, err
		}
		if len(old) == 1 && slices.EqualFunc(old[0].Tuple, f.tuple, abi.Equal) {
			continue // it holds now, and on other days it does not
		}
		removed, added = append(removed, old...), append(added, abi.RepairFact{Relation: f.rel, Tuple: f.tuple})
	}
	was, will := m.days(view, before), m.days(view, after)
	if err := d.tell(ctx, append(turned(was), will...), removed, added); err != nil {
		return false, err
	}
	var resp abi.Explanation
	ask := abi.ExplainRequest{Call: d.call, Relation: msg.Relation, Tuple: msg.Tuple, MaxDepth: 1, MaxNodes: 1}
	asked := d.ses.ask(ctx, d.in, abi.ExportExplain, &ask, &resp)
	if dead(asked) {
		return false, asked
	}
	d.ses.bill(sandbox.Usage{}, resp.Work)
	return asked == nil && resp.Derived, d.tell(ctx, append(turned(will), was...), added, removed)
}

// event is the fact as a write of it.
func (f *datedFact) event(relation, view string) store.Event {
	e := store.Event{Relation: relation, Tuple: f.tuple, Layer: view, ValidFrom: store.Moment{Seconds: -lower.Always * abi.SecondsPerDay}}
	if !f.dated() {
		return e
	}
	if f.begins() {
		e.ValidFrom.Seconds = f.when.from * abi.SecondsPerDay
	}
	if f.ends() {
		e.ValidTo = &store.Moment{Seconds: f.when.to * abi.SecondsPerDay}
	}
	return e
}

// replaced returns the facts that hold now with the key of a fact.
func (d *daySearch) replaced(ctx context.Context, f *datedFact) (out []abi.RepairFact, err error) {
	pattern := pointers(f.tuple)
	if key := d.ses.m.program.Relations[f.rel].Key; len(key) > 0 {
		for i := range pattern {
			if !slices.Contains(key, i) {
				pattern[i] = nil
			}
		}
	}
	rows, _, err := d.keyedReader.rows(ctx, f.rel, pattern)
	for _, row := range rows {
		out = append(out, abi.RepairFact{Relation: f.rel, Tuple: row})
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
func (d *daySearch) tell(ctx context.Context, days []abi.Delta, removed, added []abi.RepairFact) error {
	if len(days) > 0 {
		if err := d.ses.ask(ctx, d.in, abi.ExportAssert, &abi.AssertRequest{Call: d.call, Deltas: days}, &abi.AssertResponse{}); err != nil {
			return err
		}
	}
	if len(removed)+len(added) == 0 {
		return nil
	}
	return d.ses.assert(ctx, d.in, d.call, removed, added)
}

// lacked returns ways to make good what the rules of a why-not node lack, each by
// the binding that gets furthest.
func (d *daySearch) lacked(ctx context.Context, nodes []abi.WhyNotNode, i, depth int) (out []dayWay, err error) {
	if i < 0 || i >= len(nodes) || depth >= maxDayDepth {
		return nil, nil
	}
	for j := range nodes[i].Attempts {
		a := &nodes[i].Attempts[j]
		rule := d.ses.m.rule(a.Rule)
		if rule == nil || a.Failed < 0 || a.Failed >= len(rule.Body) || a.Reason == abi.ReasonUndefined {
			continue
		}
		fails := func(at int) bool { return at == a.Failed || at < len(a.States) && a.States[at] == abi.AtomFails }
		lost := false // no fact makes it good
		for at := range rule.Body {
			x := &rule.Body[at]
			lost = lost || fails(at) && (x.Op != abi.AtomScan || x.Neg)
		}
		if lost {
			continue
		}
		slots := slices.Clone(a.Bindings)
		err := d.body(ctx, rule, 0, slots, dayWay{}, func(at int, known []*abi.Value) ([]dayWay, error) {
			if !fails(at) {
				return []dayWay{{tuple: known}}, nil
			}
			child := -1
			if at == a.Failed {
				child = a.Child
			}
			return d.now(ctx, rule.Body[at].Rel, known, nodes, child, depth)
		}, func(w dayWay, slots []*abi.Value) { out = append(out, w) })
		if err != nil {
			return nil, err
		}
	}
	return leastWays(out), nil
}

// now returns ways to make a premise hold on the day of the read; child is its
// node among nodes, if it has one.
func (d *daySearch) now(ctx context.Context, rel int, pattern []*abi.Value, nodes []abi.WhyNotNode, child, depth int) ([]dayWay, error) {
	r := &d.ses.m.program.Relations[rel]
	bound := !slices.Contains(pattern, nil)
	if _, days, ok := lower.LooksOf(d.ses.m.program, rel); ok {
		ways, err := d.want(ctx, days, pattern, run{d.today(), d.today() + 1}, depth+1)
		for i := range ways {
			ways[i].over = true
		}
		return ways, err
	}
	if r.Role == abi.Base {
		if twin, ok := d.ses.m.twins[rel]; ok {
			return d.want(ctx, twin, pattern, run{d.today(), lower.Always}, depth+1)
		}
		if !bound || r.Origin != abi.OriginField && r.Origin != abi.OriginRelation {
			return nil, nil
		}
		fact := datedFact{rel: rel}
		for _, v := range pattern {
			fact.tuple = append(fact.tuple, *v)
		}
		return []dayWay{{facts: []datedFact{fact}, tuple: pattern}}, nil
	}
	if child < 0 {
		if !bound || d.asks() {
			return nil, nil
		}
		tuple := make([]abi.Value, len(pattern))
		for i, v := range pattern {
			tuple[i] = *v
		}
		var resp abi.Explanation
		ask := abi.ExplainRequest{Call: d.call, Relation: rel, Tuple: tuple, MaxDepth: maxDayDepth - uint32(depth), MaxNodes: 50}
		if err := d.ses.ask(ctx, d.in, abi.ExportExplain, &ask, &resp); err != nil {
			return nil, err
		}
		d.ses.bill(sandbox.Usage{}, resp.Work)
		if resp.Derived {
			return []dayWay{{tuple: pattern}}, nil
		}
		nodes, child = resp.WhyNot, 0
	}
	ways, err := d.lacked(ctx, nodes, child, depth+1)
	for i := range ways {
		ways[i].tuple = pattern
	}
	return ways, err
}

// overTime adds repairs with days to those that a why-not answer has, if they are
// not larger.
func (p *prover) overTime(n *WhyNotNode, found []dayWay) {
	if len(found) == 0 || n.Searched == nil {
		return
	}
	size := len(found[0].facts)
	if len(n.Repairs) > 0 && n.Searched.MaxSize < size {
		return
	}
	if len(n.Repairs) > 0 && n.Searched.MaxSize > size {
		n.Repairs = nil
	}
	for _, w := range found {
		shown := Repair{Facts: []string{}, Verified: true}
		for i := range w.facts {
			f := &w.facts[i]
			shown.Facts = append(shown.Facts, p.fact(f.rel, pointers(f.tuple))+f.period())
			shown.Fixed = append(shown.Fixed, p.fixed(&abi.RepairFact{Relation: f.rel, Tuple: f.tuple})...)
		}
		n.Repairs = append(n.Repairs, shown)
	}
	n.Searched.MaxSize, n.Searched.Complete = size, false
}

// The first and the last day that a source can name, in days since 1970-01-01. An
// operator without an end moves it by a few days, and what begins or ends beyond
// these days is written, and tried, without.
const (
	firstDay = -719_162  // 0001-01-01
	lastDay  = 2_932_896 // 9999-12-31
)

func (f *datedFact) begins() bool { return f.when.from >= firstDay }

func (f *datedFact) ends() bool { return f.when.to <= lastDay }

// period says when a fact holds, as one writes it behind a fact.
func (f *datedFact) period() string {
	day := func(n int64) string {
		return "#" + time.Unix(n*abi.SecondsPerDay, 0).UTC().Format(time.DateOnly) + "#"
	}
	begins, ends := f.begins(), f.ends()
	switch {
	case !f.dated() || !begins && !ends:
		return ""
	case !ends:
		return " at " + day(f.when.from)
	case !begins:
		return " at .." + day(f.when.to-1)
	}
	return " at " + day(f.when.from) + ".." + day(f.when.to-1)
}
