package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// ahead judges what a write adds to events by the states to come: it returns
// what newly violates a check of severity Error at the first later instant at
// which something that is written begins or ends. The guest judges the instant
// of the call alone.
func (ses *session) ahead(ctx context.Context, events, added []store.Event, now store.Moment) ([]verdict, error) {
	all := append(slices.Clip(events), added...)
	for _, t := range boundaries(added, now) {
		refusing, err := ses.refusedAt(ctx, events, all, t)
		if err != nil || len(refusing) > 0 {
			return refusing, err
		}
	}
	return nil, nil
}

// boundaries returns the instants after now at which one of events begins or
// ends, in order.
func boundaries(events []store.Event, now store.Moment) []store.Moment {
	var out []store.Moment
	add := func(t store.Moment) {
		if now.Before(t) {
			out = append(out, t)
		}
	}
	for i := range events {
		add(events[i].ValidFrom)
		if events[i].ValidTo != nil {
			add(*events[i].ValidTo)
		}
	}
	slices.SortFunc(out, func(a, b store.Moment) int {
		switch {
		case a.Before(b):
			return -1
		case b.Before(a):
			return 1
		}
		return 0
	})
	return slices.Compact(out)
}

// refusedAt returns what is violated at the instant t with the events all, and
// not with was.
func (ses *session) refusedAt(ctx context.Context, was, all []store.Event, t store.Moment) ([]verdict, error) {
	in, after, err := ses.violatedAt(ctx, all, t)
	if err != nil {
		return nil, err
	}
	defer func() { drop(ctx, &in) }()
	if len(after) == 0 {
		return nil, nil
	}
	other, before, err := ses.violatedAt(ctx, was, t)
	if err != nil {
		return nil, err
	}
	drop(ctx, &other)
	var list []abi.Violations
	for _, v := range after {
		var known *abi.Frame
		if i := slices.IndexFunc(before, func(x abi.Violations) bool { return x.Check == v.Check }); i >= 0 {
			known = &before[i].Frame
		}
		if fresh := newRows(&v.Frame, known, ses.m.program.Checks[v.Check].Keys); fresh.Rows > 0 {
			list = append(list, abi.Violations{Check: v.Check, Frame: fresh})
		}
	}
	verdicts, err := ses.verdicts(ctx, list, heldState(in))
	if err != nil {
		return nil, err
	}
	var refusing []verdict
	for _, v := range verdicts {
		if v.Severity == abi.SeverityError {
			v.Message += " (from " + instantText(t.Value()) + " on)"
			refusing = append(refusing, v)
		}
	}
	return refusing, nil
}

// violatedAt evaluates the checks in the state that events make at t. The
// instance is the caller's to drop.
func (ses *session) violatedAt(ctx context.Context, events []store.Event, t store.Moment) (in *sandbox.Instance, found []abi.Violations, err error) {
	in, err = ses.g.fresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			drop(ctx, &in)
		}
	}()
	view := ses.point.view
	call := ses.call
	call.Now = t.Value()
	visible, _ := store.VisibleAt(ses.m.seen(events, view), t)
	req := ses.m.layered(view, visible)
	req.Deltas = append(req.Deltas, ses.m.days(view, events)...)
	if len(req.Deltas) > 0 {
		req.Call = call
		if err := ses.ask(ctx, in, abi.ExportAssert, &req, &abi.AssertResponse{}); err != nil {
			return nil, nil, err
		}
	}
	var resp abi.ChecksResponse
	if err := ses.ask(ctx, in, abi.ExportChecks, &abi.ChecksRequest{Call: call, Check: -1}, &resp); err != nil {
		return nil, nil, err
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	if len(resp.Breached) > 0 {
		limit := resp.Breached[0].Limit
		return nil, nil, &abi.Failure{Code: abi.FailureLimit, Message: "a check could not be evaluated inside the limits", Limit: &limit}
	}
	return in, resp.Violations, nil
}

// added returns the events that writes are at the instant now.
func (ses *session) added(writes []abi.Write, now store.Moment) []store.Event {
	out := make([]store.Event, len(writes))
	for i := range writes {
		out[i] = ses.m.event(&writes[i], now, ses.point.view)
	}
	return out
}

// beyondNow reports whether one of writes begins or ends after now.
func beyondNow(writes []abi.Write, now store.Moment) bool {
	later := func(v *abi.Value) bool { return v != nil && now.Before(store.MomentOf(*v)) }
	return slices.ContainsFunc(writes, func(x abi.Write) bool { return later(x.ValidFrom) || later(x.ValidTo) })
}

// ahead judges the write by the states to come.
func (w *write) ahead(ctx context.Context, out *abi.MutateResponse) ([]verdict, error) {
	ses, now := w.ses, momentOf(w.ses.now)
	if !beyondNow(out.Writes, now) {
		return nil, nil
	}
	events, err := ses.s.cfg.Log.Events(ctx, ses.scope, ses.point.tt)
	if err != nil {
		return nil, storeError(err)
	}
	return ses.ahead(ctx, ses.m.withDeclared(events), ses.added(out.Writes, now), now)
}

// ahead judges the write of a test's step by the states to come.
func (r *testRun) ahead(ctx context.Context, out *abi.MutateResponse) ([]verdict, error) {
	ses, now := r.ses, store.MomentOf(r.ses.call.Now)
	if !beyondNow(out.Writes, now) {
		return nil, nil
	}
	return ses.ahead(ctx, ses.m.withDeclared(r.told.events), ses.added(out.Writes, now), now)
}
