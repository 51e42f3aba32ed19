package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// The days on which facts hold are the host's, so the reasoner cannot tell what
// a write does to a check that goes by an operator over time. Such a check is
// asked before the write and once more when the days of the write are known.

// overTime lists the checks that go by an operator over time.
func overTime(p *abi.Program) []int {
	reads := make([]bool, len(p.Relations))
	some := false
	for i := range p.Relations {
		reads[i] = isOperator(&p.Relations[i])
		some = some || reads[i]
	}
	if !some {
		return nil
	}
	for changed := true; changed; {
		changed = false
		for i := range p.Rules {
			if r := &p.Rules[i]; !reads[r.Head] && readsMarked(r.Body, reads) {
				reads[r.Head], changed = true, true
			}
		}
	}
	var out []int
	for i := range p.Checks {
		if reads[p.Checks[i].Relation] {
			out = append(out, i)
		}
	}
	return out
}

func readsMarked(body []abi.Atom, marked []bool) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool {
		return a.Op == abi.AtomScan && marked[a.Rel] || readsMarked(a.Body, marked)
	})
}

// overTime asks the checks that go by an operator over time in the state of in.
// A check that passes a limit has no answer.
func (ses *session) overTime(ctx context.Context, in *sandbox.Instance) (found map[int]*abi.Frame, breached []abi.CheckBreach, err error) {
	found = map[int]*abi.Frame{}
	for _, i := range ses.m.overTime {
		var resp abi.ChecksResponse
		if err := ses.ask(ctx, in, abi.ExportChecks, &abi.ChecksRequest{Call: ses.call, Check: i}, &resp); err != nil {
			return nil, nil, err
		}
		ses.bill(sandbox.Usage{}, resp.Work)
		if len(resp.Breached) > 0 {
			breached = append(breached, resp.Breached...)
			continue
		}
		found[i] = &abi.Frame{}
		for j := range resp.Violations {
			found[i] = &resp.Violations[j].Frame
		}
	}
	return found, breached, nil
}

// withHindsight puts the new violations of the checks over time into out, once
// in has been told the days of its writes. before is what they found until then.
func (ses *session) withHindsight(ctx context.Context, in *sandbox.Instance, before map[int]*abi.Frame, out *abi.MutateResponse) error {
	after, breached, err := ses.overTime(ctx, in)
	if err != nil {
		return err
	}
	if len(breached) > 0 {
		limit := breached[0].Limit
		return &abi.Failure{Code: abi.FailureLimit, Message: "a check could not be evaluated inside the limits", Limit: &limit}
	}
	out.Violations = slices.DeleteFunc(out.Violations, func(v abi.Violations) bool { return slices.Contains(ses.m.overTime, v.Check) })
	for _, i := range ses.m.overTime {
		if fresh := newRows(after[i], before[i], ses.m.program.Checks[i].Keys); fresh.Rows > 0 {
			out.Violations = append(out.Violations, abi.Violations{Check: i, Frame: fresh})
		}
	}
	return nil
}

// newRows returns the rows whose first keys columns (0: all) no row of before
// has. A nil before has none.
func newRows(now, before *abi.Frame, keys int) abi.Frame {
	arity := len(now.Columns)
	if keys == 0 || keys > arity {
		keys = arity
	}
	known := map[string]bool{}
	if before != nil {
		for row := range before.Rows {
			known[factKey("", before.Row(nil, row)[:keys])] = true
		}
	}
	b := abi.FrameBuilder{Arity: arity}
	for row := range now.Rows {
		if tuple := now.Row(nil, row); !known[factKey("", tuple[:keys])] {
			b.Add(tuple)
		}
	}
	return b.Frame()
}

// tellDays tells an instance that the days of facts are other ones now: was is
// what it was told before.
func (ses *session) tellDays(ctx context.Context, in *sandbox.Instance, was, now []abi.Delta) error {
	return ses.takeIn(ctx, in, append(turned(was), now...))
}

// takeIn has an instance take in deltas. Nobody is billed for it.
func (ses *session) takeIn(ctx context.Context, in *sandbox.Instance, deltas []abi.Delta) error {
	if len(deltas) == 0 {
		return nil
	}
	req := abi.AssertRequest{Call: ses.call, Deltas: deltas}
	_, err := ses.g.reasoner.call(ctx, in, abi.ExportAssert, &req, &abi.AssertResponse{}, ses.call.Limits)
	return err
}

// told is what the steps of a test wrote, and what the reasoner was told of the
// days of it.
type told struct {
	events []store.Event
	days   []abi.Delta
}

// remember tells in the days of the facts once out is written, and judges the
// checks over time by them.
func (r *testRun) remember(ctx context.Context, in *sandbox.Instance, before map[int]*abi.Frame, out *abi.MutateResponse) (told, error) {
	m, ses := r.ses.m, r.ses
	if len(out.Writes) == 0 {
		return r.told, nil
	}
	next := told{events: append(slices.Clip(r.told.events), ses.added(out.Writes, store.MomentOf(ses.call.Now))...), days: r.told.days}
	if len(m.twins) == 0 {
		return next, nil
	}
	next.days = m.days(ses.point.view, m.withDeclared(next.events))
	if err := ses.tellDays(ctx, in, r.told.days, next.days); err != nil {
		return next, err
	}
	return next, ses.withHindsight(ctx, in, before, out)
}
