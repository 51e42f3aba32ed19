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

// dayTrial tries changes of facts with days on an instance of its own: as ones of
// the declarations, or where that does not do, as writes.
type dayTrial struct {
	ses    *session
	in     *sandbox.Instance
	msg    *abi.ExplainRequest // the fact that is to hold
	reader *overtime.Reader

	recorded []store.Event // of the log; read on the first trial
	read     bool
	stated   map[layerFacts]map[string][]abi.Value // what future keeps
}

// try returns the changes as they are to be made, if the fact then holds. The
// instance is as before afterwards, but after an error.
func (t *dayTrial) try(ctx context.Context, changes []overtime.Change) (*overtime.Tried, error) {
	if !t.read {
		recorded, err := t.ses.history(ctx)
		if err != nil {
			return nil, err
		}
		t.recorded, t.read = t.ses.m.seen(recorded, t.ses.point.view), true
	}
	declared, recorded := t.concerned(t.ses.m.seen(t.ses.m.since, t.ses.point.view), changes), t.concerned(t.recorded, changes)
	before := append(slices.Clip(declared), recorded...)
	edit := dayEdit{m: t.ses.m, view: t.ses.point.view, declared: declared, recorded: t.recorded}
	if edited, ok := edit.declaration(changes, recorded); ok {
		holds, err := t.holds(ctx, changes, before, append(slices.Clip(edited), recorded...))
		if holds || err != nil {
			return &overtime.Tried{Changes: changes}, err
		}
	}
	if changes, events, ok := edit.writes(changes); ok {
		holds, err := t.holds(ctx, changes, before, append(slices.Clip(before), events...))
		if holds || err != nil {
			return &overtime.Tried{Changes: changes, Written: true}, err
		}
	}
	return nil, nil
}

// concerned are the events of what the changes are of. Days are kept by key, so
// those of other facts stay as they are.
func (t *dayTrial) concerned(events []store.Event, changes []overtime.Change) (out []store.Event) {
	m := t.ses.m
	for _, e := range events {
		rel, ok := m.relations[e.Relation]
		if ok && slices.ContainsFunc(changes, func(c overtime.Change) bool {
			return c.Relation == rel && len(e.Tuple) == len(c.Tuple) && m.keyOf(rel, e.Tuple) == m.keyOf(rel, c.Tuple)
		}) {
			out = append(out, e)
		}
	}
	return out
}

// holds reports whether the fact holds where some events are replaced by others.
func (t *dayTrial) holds(ctx context.Context, changes []overtime.Change, before, after []store.Event) (bool, error) {
	m, view := t.ses.m, t.ses.point.view
	var removed, added []abi.RepairFact
	for i := range changes {
		c := &changes[i]
		was, is := t.valueOf(c, before), t.valueOf(c, after)
		if !c.Dated() {
			now, err := t.now(ctx, c)
			if err != nil {
				return false, err
			}
			if was = now; c.Remove {
				is = nil
			} else {
				is = c.Tuple
			}
		}
		if sameTuple(was, is) {
			continue
		}
		if was != nil {
			removed = append(removed, abi.RepairFact{Relation: c.Relation, Tuple: was})
		}
		if is != nil {
			added = append(added, abi.RepairFact{Relation: c.Relation, Tuple: is})
		}
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

// valueOf is the tuple that the key of a change has at the instant of the call by
// some events and what always held, or nil.
func (t *dayTrial) valueOf(c *overtime.Change, events []store.Event) []abi.Value {
	k := valueKey{c.Relation, t.ses.m.keyOf(c.Relation, c.Tuple)}
	f := &future{ses: t.ses, events: events, byKey: map[valueKey][]int{}, stated: t.stated}
	for i := range events {
		if of, ok := f.keyOf(i); ok && of == k {
			f.byKey[k] = append(f.byKey[k], i)
		}
	}
	value := f.value(k, store.MomentOf(t.msg.Call.Now))
	t.stated = f.stated
	return value
}

// now is the tuple that the key of a fact without days has, or nil.
func (t *dayTrial) now(ctx context.Context, c *overtime.Change) ([]abi.Value, error) {
	pattern := pointers(c.Tuple)
	if key := t.ses.m.program.Relations[c.Relation].Key; len(key) > 0 {
		for i := range pattern {
			if !slices.Contains(key, i) {
				pattern[i] = nil
			}
		}
	}
	rows, _, err := t.reader.Rows(ctx, c.Relation, pattern)
	if len(rows) == 0 {
		return nil, err
	}
	return rows[0], err
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

// The days of a change as moments.
func beginOf(c *overtime.Change) store.Moment {
	if !c.Begins() {
		return store.Moment{Seconds: -lower.Always * abi.SecondsPerDay}
	}
	return store.Moment{Seconds: c.When.From * abi.SecondsPerDay}
}

func endOf(c *overtime.Change) *store.Moment {
	if !c.Ends() {
		return nil
	}
	return &store.Moment{Seconds: c.When.To * abi.SecondsPerDay}
}
