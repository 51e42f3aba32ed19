package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// maxGateViews bounds the standpoints from which a check or build looks at the
// package's own facts.
const maxGateViews = 32

// seen is what the checks find in the view of one standpoint, without what they
// find in a view before it.
type seen struct {
	view  string
	found []verdict
}

// everywhere evaluates the checks in the view of nobody and in those of the
// standpoints. The session is left in the view of nobody. passed is how many
// standpoints it did not come to.
func (ses *session) everywhere(ctx context.Context, check int) (list []seen, breached []abi.CheckBreach, passed int, err error) {
	defer func() { ses.point.view = "" }()
	known := map[string]bool{}
	stopped := map[int]bool{}
	views := ses.m.fromAbove(maxGateViews)
	for _, view := range append([]string{""}, views...) {
		ses.point.view = view
		found, over, err := ses.violations(ctx, check)
		if err != nil {
			return nil, nil, 0, err
		}
		for _, b := range over {
			if !stopped[b.Check] {
				stopped[b.Check] = true
				breached = append(breached, b)
			}
		}
		s := seen{view: view}
		for _, v := range found {
			key := fmt.Sprint(v.check, factKey("", v.tuple))
			if !known[key] {
				known[key] = true
				s.found = append(s.found, v)
			}
		}
		list = append(list, s)
	}
	return list, breached, len(ses.m.standpoints) - len(views), nil
}

// fromAbove lists standpoints, at most the number, so that what is above one
// comes before it.
func (m *module) fromAbove(most int) []string {
	var out []string
	for _, s := range m.standpoints {
		for _, above := range m.layers(s)[1:] {
			if len(out) == most {
				return out
			}
			if !slices.Contains(out, above) {
				out = append(out, above)
			}
		}
	}
	return out
}
