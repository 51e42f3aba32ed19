package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// future is the states that events make, one instant after the other. It is
// made from nothing for the first, and goes from each to the next by what
// changes between them.
type future struct {
	ses    *session
	events []store.Event // that the view has, in their order

	in *sandbox.Instance // of at; nil: none was asked for yet
	at store.Moment

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

// change is an instant at which an event begins or ends.
type change struct {
	at    store.Moment
	event int
}

func newFuture(ses *session, events []store.Event) *future {
	return &future{ses: ses, events: ses.m.seen(events, ses.point.view)}
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
	if f.in == nil {
		in, err := ses.g.fresh(ctx)
		if err != nil {
			return nil, err
		}
		f.in = in
		visible, _ := store.VisibleAt(f.events, t)
		req = ses.m.layered(ses.point.view, visible)
		req.Deltas = append(req.Deltas, ses.m.days(ses.point.view, f.events)...)
		f.index(t)
	} else {
		req.Deltas = f.step(t)
	}
	f.at = t
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

// index finds what changes after t, and the events of each key.
func (f *future) index(t store.Moment) {
	f.byKey = map[valueKey][]int{}
	for i := range f.events {
		if k, ok := f.keyOf(i); ok {
			f.byKey[k] = append(f.byKey[k], i)
		}
	}
	eachEnd(f.events, func(at store.Moment, event int) {
		if t.Before(at) {
			f.changes = append(f.changes, change{at, event})
		}
	})
	slices.SortStableFunc(f.changes, func(a, b change) int { return compareMoments(a.at, b.at) })
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
		was, is := f.value(k, f.at), f.value(k, t)
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

// value returns the tuple of a key at t, or nil. A removal takes what it names
// and nothing else.
func (f *future) value(k valueKey, t store.Moment) []abi.Value {
	var tuple []abi.Value
	for _, layer := range f.ses.m.layers(f.ses.point.view) {
		if declared := f.declared(k, layer); declared != nil {
			tuple = declared
		}
		for _, i := range f.byKey[k] {
			switch e := &f.events[i]; {
			case e.Layer != layer || !e.Valid(t):
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
