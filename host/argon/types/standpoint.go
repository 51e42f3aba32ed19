package types

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Standpoint is a declared standpoint. Its view has the facts outside of
// standpoints, its own, and those of what is above it.
type Standpoint struct {
	Name    string // qualified
	Symbol  *resolve.Symbol
	Module  *resolve.Module
	Parents []string // qualified, in source order
}

// standpoints gives the standpoints their parents, and reports circles.
func (e *Env) standpoints() {
	for _, p := range e.World.Packages {
		for _, m := range p.Modules {
			if m.Blocks == nil {
				continue
			}
			name := m.Blocks[0].Name
			s := &Standpoint{
				Name: m.Path, Module: m,
				Symbol: e.World.Lookup(m.Parent, syntax.Path{Span: name.Span, Parts: []syntax.Ident{name}}, resolve.Kinds(resolve.ModuleKind)),
			}
			for _, block := range m.Blocks {
				for _, path := range block.Parents {
					if up := e.standpointAt(m.Parent, path); up != nil && !slices.Contains(s.Parents, up.Path) {
						s.Parents = append(s.Parents, up.Path)
					}
				}
			}
			e.Standpoints = append(e.Standpoints, s)
		}
	}
	byName := map[string]*Standpoint{}
	for _, s := range e.Standpoints {
		byName[s.Name] = s
	}
	// Each standpoint is looked at once: reached again while its parents are
	// followed, it closes a circle, and the parent that closed it is dropped.
	const open, done = 1, 2
	state := map[string]int{}
	var follow func(s *Standpoint, path []string)
	follow = func(s *Standpoint, path []string) {
		state[s.Name] = open
		path = append(path, s.Name)
		kept := s.Parents[:0:0]
		for _, up := range s.Parents {
			if state[up] == open {
				circle := append(slices.Clone(path[slices.Index(path, up):]), up)
				first := byName[up].Module
				e.report(first, "OE1211", first.Blocks[0].Name.Span, "take one of the parents out",
					"the standpoint %s is above itself: %s", up, strings.Join(circle, " <: "))
				continue
			}
			if next := byName[up]; next != nil && state[up] != done {
				follow(next, path)
			}
			kept = append(kept, up)
		}
		s.Parents = kept
		state[s.Name] = done
	}
	for _, s := range e.Standpoints {
		if state[s.Name] != done {
			follow(s, nil)
		}
	}
}

// standpointAt resolves the name of a standpoint, and reports a name that is
// another module's.
func (e *Env) standpointAt(m *resolve.Module, path syntax.Path) *resolve.Module {
	sym := e.World.Resolve(m, path, resolve.Kinds(resolve.ModuleKind))
	switch {
	case sym == nil || sym.Target == nil:
		return nil
	case sym.Target.Blocks == nil:
		e.report(m, "OE1259", path.Span, "declare it with `standpoint`, or name one", "%s is a module and no standpoint", path.String())
		return nil
	}
	return sym.Target
}

// layer returns the qualified name of the standpoint whose facts those of m
// are; empty outside of standpoints.
func layer(m *resolve.Module) string {
	if s := m.Standpoint(); s != nil {
		return s.Path
	}
	return ""
}

// across resolves the standpoints of a federated query.
func (e *Env) across(m *resolve.Module, q *Query, list []syntax.Path) {
	for _, path := range list {
		s := e.standpointAt(m, path)
		if s == nil {
			continue
		}
		if slices.Contains(q.Across, s.Path) {
			e.report(m, "OE0102", path.Span, "take one of the two out", "%s stands twice in this federation", path.String())
			continue
		}
		q.Across = append(q.Across, s.Path)
	}
}
