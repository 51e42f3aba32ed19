package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// outcomeOf turns the failure of a plugin call into an outcome, where it is
// one: a limit that stopped the call, or an expression that could not be
// evaluated. Anything else is an error: the operation could not run.
func (s *Service) outcomeOf(m *module, err error) (Outcome, error) {
	var trap *sandbox.Trap
	var failure *abi.Failure
	limit := governor.FromError(err)
	where := explainStage(limit, err)
	switch {
	case errors.As(err, &trap):
		if trap.Kind == sandbox.Cancelled {
			return Outcome{}, context.Canceled
		}
		if limit != nil {
			return limitOutcome(limit, where+m.growing(limit, trap.Rule-1)), nil
		}
		return Outcome{}, &Error{Status: 500, Code: "PLUGIN_TRAPPED", Message: trap.Error(),
			Details: map[string]any{"kind": string(trap.Kind), "stack": trap.Stack}}
	case errors.As(err, &failure):
		return s.failureOutcome(m, failure, limit, where)
	}
	return Outcome{}, err
}

func (s *Service) failureOutcome(m *module, f *abi.Failure, limit *governor.LimitExceeded, where string) (Outcome, error) {
	switch {
	case limit != nil:
		return limitOutcome(limit, where+m.growing(limit, f.Rule)), nil
	case f.Code == abi.FailureEval || f.Code == abi.FailureUndefined || f.Code == abi.FailureRequire:
		o := Outcome{Code: CodeEvaluation, Message: f.Message}
		if f.Code == abi.FailureRequire {
			o.Code = CodeWriteRefused
		}
		if r := m.rangeOf(f.Span); r != nil {
			place := fmt.Sprintf("%s:%d:%d)", r.File, r.Start.Line, r.Start.Column)
			if in, ok := strings.CutSuffix(o.Message, ")"); ok && f.Code == abi.FailureEval {
				o.Message = in + ", " + place // "(in fn half, root.ar:3:40)"
			} else {
				o.Message += " (" + place
			}
		}
		return o, nil
	case f.Code == abi.FailureUnbound:
		return Outcome{}, Invalid("args", "a value for every parameter that the body does not bind", f.Message, "")
	}
	return Outcome{}, &Error{Status: 500, Code: "PLUGIN_FAILED", Message: "the plugin could not answer: " + f.Error()}
}

// growing names in the payload the rule that a limit stopped and what it derives,
// and says so in words. The number of the rule is the plugin's word.
func (m *module) growing(limit *governor.LimitExceeded, rule int) string {
	r := m.rule(rule)
	if r == nil {
		return ""
	}
	limit.Rule = fmt.Sprintf("%s (%s)", r.Name, m.spanText(r.Span))
	limit.Relation = m.program.Relations[r.Head].Name
	return fmt.Sprintf(" while evaluating %s, which derives %s", limit.Rule, m.title(r.Head))
}

// ruleStopped is the rule that ran when a limit ended the call, by the plugin's
// word; -1 where it does not say.
func ruleStopped(err error) int {
	var trap *sandbox.Trap
	var failure *abi.Failure
	switch {
	case errors.As(err, &trap):
		return trap.Rule - 1
	case errors.As(err, &failure):
		return failure.Rule
	}
	return -1
}

func limitOutcome(l *governor.LimitExceeded, where string) Outcome {
	no := false
	return Outcome{
		Code:          CodeLimitExceeded,
		Message:       fmt.Sprintf("stopped at the limit of %s%s: %d allowed, %d used. %s", l.Limit, where, l.Allowed, l.Used, l.Remedy),
		LimitExceeded: l,
		Truncated:     &no,
	}
}

// breachOutcome is the outcome of a check that a limit stopped.
func breachOutcome(m *module, b abi.CheckBreach) Outcome {
	limit := governor.Exceeded(b.Limit)
	where := " while evaluating check " + m.program.Checks[b.Check].Name
	if text, ok := strings.CutPrefix(m.growing(limit, b.Rule), " while evaluating "); ok {
		where += ", in rule " + text
	}
	return limitOutcome(limit, where)
}
