package runtime

import (
	"context"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/overtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// missingDays says of the operators that fail in a why-not answer on which of
// their days what they ask for does not hold: by the key of the fact that stands
// for the operator.
func (ses *session) missingDays(ctx context.Context, in *sandbox.Instance, call abi.Call, nodes []abi.WhyNotNode) (map[string]string, error) {
	if len(ses.m.twins) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	var teller *overtime.Teller
	for i := range nodes {
		for j := range nodes[i].Attempts {
			a := &nodes[i].Attempts[j]
			rule := ses.m.rule(a.Rule)
			if rule == nil {
				continue
			}
			for at := range rule.Body {
				tuple, ok := ses.m.operatorFails(rule, a, at)
				if !ok {
					continue
				}
				rel := rule.Body[at].Rel
				key := overtime.Key(rel, tuple)
				if _, told := out[key]; told {
					continue
				}
				if teller == nil {
					clone, err := in.Clone(ctx)
					if err != nil {
						return out, ctx.Err()
					}
					defer drop(ctx, &clone)
					teller = ses.teller(ctx, clone, call)
				}
				lacks, err := teller.Lacking(ctx, rel, tuple)
				if dead(err) {
					return out, ctx.Err() // it was the clone that ended
				}
				if err == nil { // else nothing is said of the days: the answer is good without
					out[key] = lacks
				}
			}
		}
	}
	return out, nil
}

// teller says of operators over time what they lack in the state of in.
func (ses *session) teller(ctx context.Context, in *sandbox.Instance, call abi.Call) *overtime.Teller {
	show := func(v abi.Value, t abi.Type) string { return shownIn(v, t, ses.names(ctx)) }
	return &overtime.Teller{Reader: ses.reader(in, call), Source: ses.m.sourceText, Show: show}
}

// operatorFails returns what is known of the operator over time that an atom of
// an attempt is. ok is false where it is none, or does not fail.
func (m *module) operatorFails(rule *abi.Rule, a *abi.Attempt, at int) ([]*abi.Value, bool) {
	atom := &rule.Body[at]
	if at != a.Failed && (at >= len(a.States) || a.States[at] != abi.AtomFails) || atom.Op != abi.AtomScan || atom.Neg || !m.ofOperator(atom.Rel) || m.ofOperator(rule.Head) {
		return nil, false
	}
	return overtime.Scanned(m.program, atom, a.Bindings), true
}
