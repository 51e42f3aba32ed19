package runtime

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// A view is what one standpoint sees: the facts outside of standpoints, those
// of the standpoints above it, and its own. It goes by the standpoint's
// qualified name; "" is the view of nobody in particular. Each fact, declared
// or recorded, belongs to one layer, and a write to the layer of the view that
// it was made in.

// viewed is a scope seen from a standpoint.
type viewed struct {
	store.Scope
	view string
}

// layers lists the layers of a view, those that displace others last.
func (m *module) layers(view string) []string {
	if view == "" {
		return []string{""}
	}
	return append([]string{""}, lower.Above(view, m.lattice)...)
}

// standpoint returns the qualified name of the standpoint that a caller means.
func (m *module) standpoint(name, path string) (string, error) {
	if len(m.standpoints) == 0 {
		return "", Invalid(path, "none: the module declares no standpoints", name, "")
	}
	i, err := named("standpoint", name, m.standpoints)
	if err != nil {
		return "", Invalid(path, "a standpoint: "+strings.Join(m.standpoints, ", "), name, Nearest(name, append(slices.Clone(m.standpoints), shortNames(m.standpoints)...)))
	}
	return m.standpoints[i], nil
}

func shortNames(list []string) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = shortName(n)
	}
	return out
}

// resolveViews finds the standpoints that the call is made from: those of the
// caller, or else the setting's.
func (ses *session) resolveViews(asked []string) error {
	path := "standpoints"
	if len(asked) == 0 {
		if asked = ses.s.defaultStandpoint(); len(ses.m.standpoints) == 0 {
			asked = nil
		}
		path = "the setting scope.standpoint"
	}
	ses.views = []string{}
	for _, name := range asked {
		q, err := ses.m.standpoint(name, path)
		if err != nil {
			return err
		}
		if !slices.Contains(ses.views, q) {
			ses.views = append(ses.views, q)
		}
	}
	return nil
}

// defaultStandpoint is the setting's, as a list.
func (s *Service) defaultStandpoint() []string {
	if one := s.cfg.Settings.Text("scope.standpoint"); one != "" {
		return []string{one}
	}
	return []string{}
}

// across returns the standpoints that the declared query is federated over.
func (m *module) across(query string) []string {
	for i := range m.schema.Constructs {
		if c := &m.schema.Constructs[i]; c.Kind == "query" && c.Name == query {
			return c.Across
		}
	}
	return nil
}

// homeOf returns the standpoint that the item of this name is declared in, or
// "".
func (m *module) homeOf(name string) string {
	home := ""
	for _, s := range m.standpoints {
		if strings.HasPrefix(name, s+"::") && len(s) > len(home) {
			home = s
		}
	}
	return home
}

// comeHome makes the standpoint that a query is declared in its view, where
// the caller names none.
func (ses *session) comeHome(name string) {
	if home := ses.m.homeOf(name); home != "" {
		ses.views = []string{home}
		ses.env.Scope.Standpoints = ses.views
	}
}

// testHome returns the standpoint that test i of the program is declared in, or
// "".
func (m *module) testHome(i int) string {
	for j := range m.schema.Constructs {
		if c := &m.schema.Constructs[j]; c.Kind == "test" && c.Index == i {
			return m.homeOf(c.Name)
		}
	}
	return ""
}

// oneView makes the session's only standpoint its view; an operation that
// speaks of one state refuses several.
func (ses *session) oneView(what string) error {
	switch len(ses.views) {
	case 0:
	case 1:
		ses.point.view = ses.views[0]
	default:
		return Invalid("standpoints", "one standpoint: "+what+" is about one view", strings.Join(ses.views, ", "), "")
	}
	return nil
}

// layered turns declared facts and events into deltas, layer after layer, so
// that what a standpoint says of a field displaces what those above it say.
func (m *module) layered(view string, events []store.Event) abi.AssertRequest {
	var req abi.AssertRequest
	for _, layer := range m.layers(view) {
		if layer != "" {
			for _, f := range m.facts {
				if f.Layer == layer {
					req.Deltas = append(req.Deltas, abi.Delta{Relation: f.Relation, Frame: f.Frame})
				}
			}
		}
		req.Deltas = append(req.Deltas, m.replay(inLayer(events, layer)).Deltas...)
	}
	return req
}

// inLayer returns the events of one layer.
func inLayer(events []store.Event, layer string) []store.Event {
	var out []store.Event
	for _, e := range events {
		if e.Layer == layer {
			out = append(out, e)
		}
	}
	return out
}

// seen returns the events that a view has.
func (m *module) seen(events []store.Event, view string) []store.Event {
	layers := m.layers(view)
	var out []store.Event
	for _, e := range events {
		if slices.Contains(layers, e.Layer) {
			out = append(out, e)
		}
	}
	return out
}
