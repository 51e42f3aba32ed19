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
// which the state changes by itself, by what is written now or was before. The
// guest judges the instant of the call alone.
func (ses *session) ahead(ctx context.Context, events, added []store.Event, now present) ([]verdict, error) {
	after := newFuture(ses, events, added, now)
	defer after.close(ctx)
	var before *future
	defer func() {
		if before != nil {
			before.close(ctx)
		}
	}()
	start := ses.usage.Fuel
	for _, t := range after.turns(added, now.at) {
		if err := ses.aheadWithin(ses.usage.Fuel - start); err != nil {
			return nil, stageAhead.at(err)
		}
		found, err := after.violations(ctx, t)
		if err != nil {
			return nil, stageAhead.at(err)
		}
		if len(found) == 0 {
			continue
		}
		if before == nil {
			before = newFuture(ses, events, nil, now)
		}
		known, err := before.violations(ctx, t)
		if err != nil {
			return nil, stageAhead.at(err)
		}
		refusing, err := ses.refusedAt(ctx, after.in, found, known, t)
		if err != nil || len(refusing) > 0 {
			return refusing, err
		}
	}
	return nil, nil
}

// aheadWithin holds what judging later instants has cost together to what one
// call may cost: as many changes may be planned as anybody likes.
func (ses *session) aheadWithin(fuel uint64) error {
	limit := ses.call.Limits.Fuel
	if limit == 0 || fuel <= limit {
		return nil
	}
	return &abi.Failure{Code: abi.FailureLimit, Rule: -1, Limit: &abi.Breach{Limit: abi.LimitFuel, Allowed: limit, Used: fuel},
		Message: "the write could not be judged by all that is planned for later inside the limits"}
}

// refusedAt returns what of the violations found at the instant t refuses a
// write: those of severity Error that are not known without it.
func (ses *session) refusedAt(ctx context.Context, in *sandbox.Instance, found, known []abi.Violations, t store.Moment) ([]verdict, error) {
	var list []abi.Violations
	for _, v := range found {
		var was *abi.Frame
		if i := slices.IndexFunc(known, func(x abi.Violations) bool { return x.Check == v.Check }); i >= 0 {
			was = &known[i].Frame
		}
		if fresh := newRows(&v.Frame, was, ses.m.program.Checks[v.Check].Keys); fresh.Rows > 0 {
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
func (w *write) ahead(ctx context.Context, sc *scopeState, out *abi.MutateResponse) ([]verdict, error) {
	ses, now := w.ses, momentOf(w.ses.now)
	if len(out.Writes) == 0 || w.until == nil && !beyondNow(out.Writes, now) {
		return nil, nil
	}
	events, err := ses.history(ctx)
	if err != nil {
		return nil, err
	}
	return ses.ahead(ctx, ses.m.withDeclared(events), ses.added(out.Writes, now), present{now, func(ctx context.Context) (*sandbox.Instance, error) {
		sc.mu.Lock()
		defer sc.mu.Unlock()
		if sc.head.covers(ses.point.vt) && sc.head.tt == ses.point.tt {
			return sc.clone(ctx, sc.head)
		}
		return nil, nil
	}})
}

// ahead judges the write of a test's step by the states to come.
func (r *testRun) ahead(ctx context.Context, out *abi.MutateResponse) ([]verdict, error) {
	if len(out.Writes) == 0 {
		return nil, nil
	}
	ses, now := r.ses, store.MomentOf(r.ses.call.Now)
	return ses.ahead(ctx, ses.m.withDeclared(r.told.events), ses.added(out.Writes, now), present{at: now})
}
