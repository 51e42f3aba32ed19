package runtime

import (
	"context"
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// whole completes the tuple of a check that is given as it is printed, without
// the columns that are there for the message only: by those of the first
// violation that looks like it. path is the argument that the tuple is from.
func (ses *session) whole(ctx context.Context, msg *abi.ExplainRequest, path string) (Outcome, error) {
	check := -1
	for i, c := range ses.m.program.Checks {
		if c.Relation == msg.Relation {
			check = i
		}
	}
	if check >= 0 {
		found, breached, err := ses.violations(ctx, check)
		if err != nil {
			env, err := ses.refuse(err)
			return env.Outcome, err
		}
		for _, v := range found {
			if ses.m.shows(msg.Relation, v.tuple, msg.Tuple) {
				msg.Tuple = v.tuple
				return Outcome{}, nil
			}
		}
		if len(breached) > 0 {
			return breachOutcome(ses.m, breached[0]), nil
		}
	}
	columns := ses.m.program.Relations[msg.Relation].Columns
	var names, behind []string
	for i, c := range columns {
		names = append(names, c.Name)
		if !ses.m.declaredColumn(msg.Relation, i) {
			behind = append(behind, c.Name)
		}
	}
	return Outcome{}, Invalid(path, fmt.Sprintf("a violation that there is, or also the values that its message has: %s(%s)", ses.m.title(msg.Relation), strings.Join(names, ", ")),
		"no violation with these values, and none of "+strings.Join(behind, ", "), "")
}

// shows reports whether a tuple of the relation is printed as the values some.
func (m *module) shows(rel int, tuple, some []abi.Value) bool {
	for i, v := range tuple {
		if !m.declaredColumn(rel, i) {
			continue
		}
		if len(some) == 0 || abi.Compare(v, some[0]) != 0 {
			return false
		}
		some = some[1:]
	}
	return len(some) == 0
}
