package runtime

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// registered is a declared plugin. Its file is opened when it is first needed.
type registered struct {
	PluginTable
	plugin  *plugin
	lowered []string // limits that asked for more than the operator's
	problem error    // of the declaration: the file is not opened

	once sync.Once
	err  error // of reading the file
}

// ready reads the file, if that was not done yet.
func (r *registered) ready() error {
	if r.problem != nil {
		return r.problem
	}
	r.once.Do(func() {
		wasm, err := r.read()
		if r.err = err; err == nil {
			r.plugin.source.Wasm = wasm
		}
	})
	return r.err
}

// registry is what the operator, and a package that the operator trusts,
// declare at one time. It does not change: another one takes its place.
type registry struct {
	byName   map[string]*registered
	names    []string // sorted
	ignored  []Ignored
	notes    []string       // for Status
	inFlight sync.WaitGroup // sessions that hold it; none begins once another one is in its place
}

// registryNow is the registry that new sessions get.
func (s *Service) registryNow() *registry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.plugins
}

// leaseRegistry returns it for a session: none of its plugins is closed before
// leave.
func (s *Service) leaseRegistry() *registry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.plugins.inFlight.Add(1)
	return s.plugins
}

func (g *registry) leave() { g.inFlight.Done() }

// newRegistry judges declarations. The operator's come before a package's of
// the same name; the notes tell what that, and a ceiling, displaced.
func (s *Service) newRegistry(set PluginSet) *registry {
	g := &registry{byName: map[string]*registered{}, ignored: set.Ignored}
	notes := append([]string{}, set.Notes...)
	ordered := append([]PluginTable{}, set.Tables...)
	sort.SliceStable(ordered, func(i, j int) bool { return ordered[i].Layer > ordered[j].Layer })
	for _, d := range ordered {
		if old := g.byName[d.Name]; old != nil {
			notes = append(notes, fmt.Sprintf("%s: [plugins.%s] is ignored: %s declares it", d.File, d.Name, old.File))
			continue
		}
		r := &registered{PluginTable: d}
		limits := s.evaluatorLimits()
		if r.problem = d.check(s.cfg.Settings.Bool("dev")); r.problem == nil {
			limits, r.lowered, r.problem = d.narrowed(limits)
		}
		if r.problem != nil {
			notes = append(notes, fmt.Sprintf("%s: the plugin %s cannot be used: %v", d.File, abridge(d.Name), r.problem))
		}
		if len(r.lowered) > 0 {
			notes = append(notes, fmt.Sprintf("%s: the plugin %s asks for more %s than the operator allows, and gets the operator's", d.File, d.Name, strings.Join(r.lowered, ", ")))
		}
		r.plugin = s.newPlugin("plugin "+d.Name, PluginSource{Name: "plugin " + d.Name}, KindEvaluator, limits)
		r.plugin.grants, r.plugin.name = d.Grants, d.Name
		g.byName[d.Name] = r
		g.names = append(g.names, d.Name)
	}
	sort.Strings(g.names)
	g.notes = notes
	return g
}

// evaluatorOf returns the plugin that decides a check: the built-in evaluator
// for "". The error says what is missing and how to configure it.
func (s *Service) evaluatorOf(g *registry, name string) (*plugin, error) {
	if name == "" {
		return s.evaluator, nil
	}
	r := g.byName[name]
	if r == nil {
		return nil, &Error{Status: 500, Code: codeNoEvaluator, Message: "there is no check evaluator " + name + ": " + g.howToDeclare(name), Details: nextStatus()}
	}
	if err := r.ready(); err != nil {
		return nil, &Error{Status: 500, Code: codeNoEvaluator, Message: fmt.Sprintf("the check evaluator %s, which %s declares, cannot be used: %v", name, r.File, err), Details: nextStatus()}
	}
	return r.plugin, nil
}

const codeNoEvaluator = "EVALUATOR_UNAVAILABLE"

// nextStatus are the details of an error whose way on is a look at the status.
func nextStatus() map[string]any {
	return map[string]any{"nextStep": NextStep{Tool: "argon_status", Arguments: map[string]any{}}}
}

// howToDeclare says how a check evaluator of this name comes to be there.
func (g *registry) howToDeclare(name string) string {
	for _, i := range g.ignored {
		if i.Key == "plugins."+name {
			return "the package declares it and is not trusted; look at its ox.toml, and if you trust it run `ox-mcp trust PATH`"
		}
	}
	how := fmt.Sprintf("declare it in your own configuration: `ox-mcp plugin pin FILE --name %s --write`", name)
	if near := Nearest(name, g.names); near != "" {
		how += fmt.Sprintf(", or did you mean %s?", near)
	}
	return how
}

// pluginStates describes every build that may be called, without opening a
// file.
func (s *Service) pluginStates() []PluginStatus {
	out := []PluginStatus{s.reasonerNow().status(), s.evaluator.status()}
	out[0].LastSwap = s.lastSwap("")
	g := s.registryNow()
	for _, name := range g.names {
		r := g.byName[name]
		state := r.plugin.status()
		state.Plugin, state.LastSwap = name, s.lastSwap(name)
		if r.problem != nil {
			state.Problem = r.problem.Error()
		}
		out = append(out, state)
	}
	return out
}
