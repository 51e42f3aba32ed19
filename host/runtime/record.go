package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// Recorder takes down the first query, derive, compute, explain or mutate that
// the reasoner is asked under its context, which then runs on an instance that
// was made for it alone.
type Recorder struct {
	mu      sync.Mutex
	history []RecordedCall
	start   abi.Limits
	done    *Recording
}

// Recording returns what was recorded; nil where no call was made.
func (r *Recorder) Recording() *Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

type recorderKey struct{}

// WithRecorder returns a context under which r records.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

func recorderOf(ctx context.Context) *Recorder {
	r, _ := ctx.Value(recorderKey{}).(*Recorder)
	return r
}

// canonical reports whether calls under ctx run on instances of their own.
func (s *Service) canonical(ctx context.Context) bool {
	return s.cfg.Frozen || recorderOf(ctx) != nil
}

// began takes note of the calls that made the state which the next call is
// about.
func (r *Recorder) began(start abi.Limits, history []RecordedCall) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done == nil {
		r.start, r.history = start, history
	}
}

type askingKey struct{}

// asking marks a call as one that answers an operation: what a check evaluator
// reads on the way is none.
func asking(ctx context.Context) context.Context {
	if recorderOf(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, askingKey{}, true)
}

// answered records a call of p, if it is the one that the recorder waits for.
func (r *Recorder) answered(ctx context.Context, p *plugin, call RecordedCall, err error) {
	if r == nil || ctx.Value(askingKey{}) == nil || !recordable(call.Export) {
		return
	}
	b, metered := p.build(), p.meteredHash()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done != nil || b == nil {
		return
	}
	call.ended(err)
	r.done = &Recording{Plugin: *b, Metered: metered, Grants: append([]string{}, p.grants...), Start: r.start, History: r.history, Call: call}
}

// recordable lists the exports that answer an operation.
func recordable(export string) bool {
	switch export {
	case abi.ExportQuery, abi.ExportDerive, abi.ExportCompute, abi.ExportExplain, abi.ExportMutate:
		return true
	}
	return false
}

// ended takes note of how the call ended, where not with an answer.
func (c *RecordedCall) ended(err error) {
	var trap *sandbox.Trap
	var failure *abi.Failure
	switch {
	case errors.As(err, &trap):
		c.Trap = &RecordedTrap{Kind: string(trap.Kind), Limit: trap.Limit}
	case errors.As(err, &failure):
		c.Failure = failure.AppendCBOR(nil)
	}
}

// request is one call that fills an instance.
type request struct {
	export string
	msg    message
}

// loading are the calls that put the program and the declared facts of
// every view into a fresh instance.
func (m *module) loading(limits abi.Limits) []request {
	// Loading sees no clock and no seed: base must be the same for every call.
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits}
	program := *m.program
	if m.sent != nil {
		program = *m.sent
	}
	program.Tests = nil
	out := []request{{abi.ExportLoad, &abi.LoadRequest{Call: call, Program: program}}}
	req := &abi.AssertRequest{Call: call}
	for _, f := range m.facts {
		if f.Layer == "" {
			req.Deltas = append(req.Deltas, abi.Delta{Relation: f.Relation, Frame: f.Frame})
		}
	}
	if len(req.Deltas) == 0 {
		return out
	}
	return append(out, request{abi.ExportAssert, req})
}

// recorded encodes the calls that made a state: those of loading, and the
// replay of the log, if there was one.
func (m *module) recorded(limits abi.Limits, replay *abi.AssertRequest) []RecordedCall {
	list := m.loading(limits)
	if replay != nil {
		list = append(list, request{abi.ExportAssert, replay})
	}
	out := make([]RecordedCall, len(list))
	for i, r := range list {
		out[i] = RecordedCall{Export: r.export, Request: r.msg.AppendCBOR(nil), Limits: limits}
	}
	return out
}
