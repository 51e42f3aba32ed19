package runtime

import (
	"context"
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/overtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// A fold whose value is asked for (count { … } == 2, or that of a fact) fails with
// the value that it should have: which it has instead is asked once more.

// foldsWrong returns what the folds have that fail in a why-not answer, by the
// attempt: a nil value where they have none.
func (ses *session) foldsWrong(ctx context.Context, in *sandbox.Instance, call abi.Call, nodes []abi.WhyNotNode) (map[string]*abi.Value, error) {
	var out map[string]*abi.Value
	var reader overtime.Reader
	for i := range nodes {
		for j := range nodes[i].Attempts {
			a := &nodes[i].Attempts[j]
			rule := ses.m.rule(a.Rule)
			if rule == nil || !foldFails(rule, a) {
				continue
			}
			key := attemptKey(a)
			if _, told := out[key]; told {
				continue
			}
			if out == nil {
				clone, err := in.Clone(ctx)
				if err != nil {
					return nil, ctx.Err()
				}
				defer drop(ctx, &clone)
				reader, out = ses.reader(clone, call), map[string]*abi.Value{}
			}
			v, ok, err := reader.Fold(ctx, rule, a.Failed, a.Bindings)
			if dead(err) {
				return out, ctx.Err() // it was the clone that ended
			}
			if err == nil && ok { // else nothing is said of it: the answer is good without
				out[key] = v
			}
		}
	}
	return out, nil
}

// foldFails reports whether an attempt fails by a fold that has another value.
func foldFails(rule *abi.Rule, a *abi.Attempt) bool {
	if a.Failed < 0 || a.Failed >= len(rule.Body) || a.Reason != abi.ReasonComparisonFalse {
		return false
	}
	fold := &rule.Body[a.Failed]
	return fold.Op == abi.AtomFold && !fold.Possible && fold.Slot < len(a.Bindings) && a.Bindings[fold.Slot] != nil
}

func attemptKey(a *abi.Attempt) string {
	return fmt.Sprintf("%d %s", a.Failed, overtime.Key(a.Rule, a.Bindings))
}

// noValue stands for the value of a fold that has none.
const noValue = "none"

// foldIs is what the fold has by which an attempt fails, or "".
func (p *prover) foldIs(rule *abi.Rule, a *abi.Attempt) string {
	if !foldFails(rule, a) {
		return ""
	}
	v, told := p.folds[attemptKey(a)]
	switch {
	case !told:
		return ""
	case v == nil:
		return noValue
	}
	return displayText(*v, rule.Slots[rule.Body[a.Failed].Slot].Type, p.names)
}
