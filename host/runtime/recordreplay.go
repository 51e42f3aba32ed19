package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// ReplayResult says what a recorded call comes to here.
type ReplayResult struct {
	Export      string   `json:"export"`
	Recorded    Build    `json:"recorded"` // build that the recording is of
	Plugin      Build    `json:"plugin"`   // build that it was run on
	Metered     string   `json:"metered"`
	Ended       string   `json:"ended"` // answer, failure or trap, with what a person wants to know of it
	Fuel        uint64   `json:"fuel"`
	MemoryBytes uint64   `json:"memoryBytes"`
	Differences []string `json:"differences"` // none: the same answer at the same cost
	Notes       []string `json:"notes,omitempty"`
}

// ReplayRecording makes the recorded state anew in a fresh instance of the
// reasoner that serves, runs the recorded call on it under the operator's own
// limits, and compares answer and cost.
func (s *Service) ReplayRecording(ctx context.Context, r *Recording) (*ReplayResult, error) {
	p := s.reasonerNow()
	m, err := p.admitted(ctx)
	if err != nil {
		return nil, err
	}
	res := &ReplayResult{Export: r.Call.Export, Recorded: r.Plugin, Plugin: *p.build(), Metered: m.MeteredHash(), Differences: []string{}}
	res.differ("plugin", r.Plugin.Blake3, res.Plugin.Blake3)
	res.differ("metered plugin", r.Metered, res.Metered)
	if !sameGrants(r.Grants, p.grants) {
		res.differ("grants", strings.Join(r.Grants, ", "), strings.Join(p.grants, ", "))
	}
	in, err := m.Instantiate(ctx, res.bounded(r.Start, s.loadLimits()))
	if err != nil {
		return nil, replayFailed("the plugin did not start", err)
	}
	defer drop(ctx, &in)
	for i, c := range r.History {
		if _, _, err := in.Call(ctx, c.Export, c.Request, res.bounded(c.Limits, s.loadLimits())); err != nil {
			return nil, replayFailed(fmt.Sprintf("call %d of the history did not end well, so that the state is not there", i+1), err)
		}
	}
	call := RecordedCall{Export: r.Call.Export}
	answer, usage, err := in.Call(ctx, call.Export, r.Call.Request, res.bounded(r.Call.Limits, s.limits()))
	call.ended(err)
	if err != nil && call.Trap == nil && call.Failure == nil {
		return nil, replayFailed("the call could not be made", err)
	}
	if err == nil {
		call.Answer = answer
	}
	call.Fuel, call.MemoryBytes = usage.Fuel, usage.MemoryBytes
	res.compare(&r.Call, &call)
	return res, nil
}

// replayFailed is the error of a replay that came to no answer.
func replayFailed(what string, err error) error {
	var trap *sandbox.Trap
	if errors.As(err, &trap) && trap.Kind == sandbox.Cancelled {
		return context.Canceled
	}
	return &Error{Status: 400, Code: "REPLAY_FAILED", Message: what + ": " + err.Error()}
}

// bounded are recorded limits under the operator's own. A replay takes as long
// as the operator allows: the recorded deadline was of another machine.
func (res *ReplayResult) bounded(recorded, ceiling abi.Limits) abi.Limits {
	recorded.Deadline = 0
	out, lowered := governor.Narrow(ceiling, recorded)
	for _, name := range lowered {
		note := "the recorded limit of " + name + " is above your own, which holds"
		if !slices.Contains(res.Notes, note) {
			res.Notes = append(res.Notes, note)
		}
	}
	return out
}

func sameGrants(a, b []string) bool {
	return strings.Join(a, "\n") == strings.Join(b, "\n")
}

func (res *ReplayResult) differ(what string, was, is any) {
	if was != is {
		res.Differences = append(res.Differences, fmt.Sprintf("%s: recorded %v, now %v", what, was, is))
	}
}

// compare holds the call as it ended now to the recorded one.
func (res *ReplayResult) compare(was, is *RecordedCall) {
	res.Ended, res.Fuel, res.MemoryBytes = is.text(), is.Fuel, is.MemoryBytes
	res.differ("end", was.text(), is.text())
	if was.text() == is.text() && !(bytes.Equal(was.Answer, is.Answer) && bytes.Equal(was.Failure, is.Failure)) {
		res.Differences = append(res.Differences, fmt.Sprintf("bytes: the first difference is at offset %d", firstDifference(append(was.Answer, was.Failure...), append(is.Answer, is.Failure...))))
	}
	res.differ("fuel", was.Fuel, is.Fuel)
	res.differ("memory in bytes", was.MemoryBytes, is.MemoryBytes)
	if was.Trap != nil && (was.Trap.Kind == string(sandbox.Deadline) || was.Trap.Kind == string(sandbox.Cancelled)) {
		res.Notes = append(res.Notes, "the recorded call was stopped by the clock or by its caller, so that its end and its fuel are not expected to be equal")
	}
}

// text tells a person how a call ended.
func (c *RecordedCall) text() string {
	switch {
	case c.Trap != nil && c.Trap.Limit.Limit != "":
		return fmt.Sprintf("trap %s: limit of %s, %d allowed, %d used", c.Trap.Kind, c.Trap.Limit.Limit, c.Trap.Limit.Allowed, c.Trap.Limit.Used)
	case c.Trap != nil:
		return "trap " + c.Trap.Kind
	case c.Failure != nil:
		var f abi.Failure
		if err := f.DecodeCBOR(c.Failure); err != nil {
			return "failure that does not parse"
		}
		return "failure " + abridge(f.Error())
	}
	return fmt.Sprintf("answer of %d bytes%s", len(c.Answer), answerText(c.Export, c.Answer))
}

// answerText tells what can be told of an answer in a few words.
func answerText(export string, answer []byte) string {
	switch export {
	case abi.ExportQuery, abi.ExportDerive:
		var rows abi.Rows
		if rows.DecodeCBOR(answer) == nil {
			return fmt.Sprintf(", %d of %d rows", rows.Frame.Rows, rows.Total)
		}
	case abi.ExportMutate:
		var out abi.MutateResponse
		if out.DecodeCBOR(answer) == nil {
			return fmt.Sprintf(", %d writes, violations of %d checks", len(out.Writes), len(out.Violations))
		}
	case abi.ExportCompute:
		var out abi.ComputeResponse
		if out.DecodeCBOR(answer) == nil {
			return ", value " + abridge(displayText(out.Value, abi.Type{}, nobody{}))
		}
	case abi.ExportExplain:
		var out abi.Explanation
		if out.DecodeCBOR(answer) == nil {
			return fmt.Sprintf(", derived %v, %d nodes", out.Derived, len(out.Nodes)+len(out.WhyNot))
		}
	default:
		return ""
	}
	return ", which does not parse"
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// nobody prints individuals where there is no log to name them from.
type nobody struct{}

func (nobody) display(v abi.Value) (text, name string) {
	if v.Kind == abi.KindNamed {
		return v.Str, v.Str
	}
	return uuidText(v.ID), ""
}
