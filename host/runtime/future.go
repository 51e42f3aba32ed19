package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// future is the states that events make, one instant after the other. It goes
// from each to the next by what changes between them. The first is gone to from
// the state of now, where that is there, and else made from nothing.
type future struct {
	ses    *session
	events []store.Event // that the view has, in their order
	now    present

	in    *sandbox.Instance // of at; nil: none was asked for yet
	at    store.Moment
	known int // as many of events are in the state

	changes []change           // by time, from the first that is after at
	byKey   map[valueKey][]int // the events of a key, in their order
	stated  map[layerFacts]map[string][]abi.Value
}

// layerFacts is what a layer declares of a relation.
type layerFacts struct {
	relation int
	layer    string
}

// valueKey is what a fact is a value of.
type valueKey struct {
	relation int
	key      string
}

// present is the state of an instant, which events make that are recorded.
type present struct {
	at    store.Moment
	clone func(ctx context.Context) (*sandbox.Instance, error) // nil, or nil without an error: it is not there
}

// change is an instant at which an event begins or ends.
type change struct {
	at    store.Moment
	event int
}

// newFuture is the future of recorded events and of those added to them.
func newFuture(ses *session, recorded, added []store.Event, now present) *future {
	f := &future{ses: ses, events: ses.m.seen(recorded, ses.point.view), now: now}
	f.known = len(f.events)
	f.events = append(f.events, ses.m.seen(added, ses.point.view)...)
	return f
}

func (f *future) close(ctx context.Context) { drop(ctx, &f.in) }

func compareMoments(a, b store.Moment) int {
	return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.Nanos, b.Nanos))
}

// turns returns the instants after now, in order, at which added may violate
// something that it does not violate now: where an event begins or ends while
// one of added holds, or begins or ends itself. What operators over time read of
// added they may read at any later instant.
func (f *future) turns(added []store.Event, now store.Moment) []store.Moment {
	overTime := len(f.ses.m.twins) > 0
	var out []store.Moment
	eachEnd(f.events, func(t store.Moment, _ int) {
		if !now.Before(t) {
			return
		}
		if overTime || slices.ContainsFunc(added, func(e store.Event) bool {
			return e.Valid(t) || e.ValidFrom == t || e.ValidTo != nil && *e.ValidTo == t
		}) {
			out = append(out, t)
		}
	})
	slices.SortFunc(out, compareMoments)
	return slices.Compact(out)
}

// eachEnd calls do with the ends of each event.
func eachEnd(events []store.Event, do func(t store.Moment, event int)) {
	for i := range events {
		do(events[i].ValidFrom, i)
		if events[i].ValidTo != nil {
			do(*events[i].ValidTo, i)
		}
	}
}

// violations evaluates the checks in the state at t, which is not before the
// last one.
func (f *future) violations(ctx context.Context, t store.Moment) ([]abi.Violations, error) {
	ses := f.ses
	call := ses.call
	call.Now = t.Value()
	var req abi.AssertRequest
	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	if f.in == nil {
		in, err := ses.g.fresh(ctx)
		if err != nil {
			return nil, err
		}
		f.in = in
		visible, _ := store.VisibleAt(f.events, t)
		req = ses.m.layered(ses.point.view, visible)
		req.Deltas = append(req.Deltas, ses.m.days(ses.point.view, f.events)...)
		f.at = t
		f.index()
	} else {
		req.Deltas = f.step(t)
	}
	f.at, f.known = t, len(f.events)
	if len(req.Deltas) > 0 {
		req.Call = call
		if err := ses.ask(ctx, f.in, abi.ExportAssert, &req, &abi.AssertResponse{}); err != nil {
			return nil, err
		}
	}
	var resp abi.ChecksResponse
	if err := ses.ask(ctx, f.in, abi.ExportChecks, &abi.ChecksRequest{Call: call, Check: -1}, &resp); err != nil {
		return nil, err
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	if len(resp.Breached) > 0 {
		limit := resp.Breached[0].Limit
		return nil, &abi.Failure{Code: abi.FailureLimit, Message: "a check could not be evaluated inside the limits", Limit: &limit}
	}
	return resp.Violations, nil
}

// begin takes the state of now as the first, where it is there. The days of
// facts are other ones with what is added, so where they count there is none.
func (f *future) begin(ctx context.Context) (err error) {
	if f.in != nil || f.now.clone == nil || len(f.ses.m.twins) > 0 {
		return nil
	}
	if f.in, err = f.now.clone(ctx); f.in == nil {
		return err
	}
	f.at = f.now.at
	for i := f.known; i < len(f.events); i++ {
		if !f.at.Before(f.events[i].ValidFrom) {
			f.changes = append(f.changes, change{f.at, i})
		}
	}
	f.index()
	return nil
}

// index finds what changes after the state that there is, and the events of
// each key that does.
func (f *future) index() {
	eachEnd(f.events, func(at store.Moment, event int) {
		if f.at.Before(at) {
			f.changes = append(f.changes, change{at, event})
		}
	})
	slices.SortStableFunc(f.changes, func(a, b change) int { return compareMoments(a.at, b.at) })
	f.byKey = map[valueKey][]int{}
	changing := map[string]bool{}
	for _, c := range f.changes {
		if k, ok := f.keyOf(c.event); ok {
			f.byKey[k], changing[f.events[c.event].Relation] = nil, true
		}
	}
	for i := range f.events {
		if !changing[f.events[i].Relation] {
			continue
		}
		k, _ := f.keyOf(i)
		if list, changes := f.byKey[k]; changes {
			f.byKey[k] = append(list, i)
		}
	}
}

// keyOf is the key of an event; ok is false for one of a relation that the
// module does not have.
func (f *future) keyOf(event int) (k valueKey, ok bool) {
	e := &f.events[event]
	rel, ok := f.ses.m.relations[e.Relation]
	if !ok || len(e.Tuple) != len(f.ses.m.program.Relations[rel].Columns) {
		return k, false
	}
	return valueKey{rel, f.ses.m.keyOf(rel, e.Tuple)}, true
}

// step returns what changes from the last state to that at t.
func (f *future) step(t store.Moment) []abi.Delta {
	var gone, come []abi.Delta
	seen := map[valueKey]bool{}
	for len(f.changes) > 0 && !t.Before(f.changes[0].at) {
		k, ok := f.keyOf(f.changes[0].event)
		f.changes = f.changes[1:]
		if !ok || seen[k] {
			continue
		}
		seen[k] = true
		was, is := f.valueOf(k, f.at, f.known), f.value(k, t)
		if sameTuple(was, is) {
			continue
		}
		if was != nil {
			gone = append(gone, oneRow(k.relation, true, was))
		}
		if is != nil {
			come = append(come, oneRow(k.relation, false, is))
		}
	}
	return append(gone, come...)
}

// value returns the tuple of a key at t, or nil.
func (f *future) value(k valueKey, t store.Moment) []abi.Value {
	return f.valueOf(k, t, len(f.events))
}

// valueOf is value by the first events alone, as many as known says. A removal
// takes what it names and nothing else.
func (f *future) valueOf(k valueKey, t store.Moment, known int) []abi.Value {
	var tuple []abi.Value
	for _, layer := range f.ses.m.layers(f.ses.point.view) {
		if declared := f.declared(k, layer); declared != nil {
			tuple = declared
		}
		for _, i := range f.byKey[k] {
			switch e := &f.events[i]; {
			case i >= known || e.Layer != layer || !e.Valid(t):
			case !e.Remove:
				tuple = e.Tuple
			case sameTuple(tuple, e.Tuple):
				tuple = nil
			}
		}
	}
	return tuple
}

// declared returns the tuple that a layer declares for a key without a time, or
// nil.
func (f *future) declared(k valueKey, layer string) []abi.Value {
	at := layerFacts{k.relation, layer}
	if f.stated[at] == nil {
		m, byKey := f.ses.m, map[string][]abi.Value{}
		for i := range m.facts {
			d := &m.facts[i]
			if d.Relation != k.relation || d.Layer != layer {
				continue
			}
			for row := range d.Frame.Rows {
				tuple := d.Frame.Row(nil, row)
				byKey[m.keyOf(k.relation, tuple)] = tuple
			}
		}
		if f.stated == nil {
			f.stated = map[layerFacts]map[string][]abi.Value{}
		}
		f.stated[at] = byKey
	}
	return f.stated[at][k.key]
}
