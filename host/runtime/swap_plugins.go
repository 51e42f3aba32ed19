package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// PluginSet is what the configuration says of plugins at one time.
type PluginSet struct {
	Tables  []PluginTable // of the operator, and of the package if it is trusted
	Ignored []Ignored     // what the package's manifest says and may not
	Notes   []string      // trouble with the configuration, shown by Status
}

// PluginSwap is what became of one plugin of a set.
type PluginSwap struct {
	Plugin string
	SwapResult
}

// SwapPlugins puts another set of check evaluators in the place of the one that
// serves, and says what became of each that is another one now. A new build is
// held to its pin, admitted, described, and its verdicts on the checks of the
// served scope are compared with those of the build before it. Whatever goes
// wrong keeps that build. One that is declared no more is taken away. A call
// sees one set from its beginning to its end. The error is for ctx alone.
func (s *Service) SwapPlugins(ctx context.Context, set PluginSet) ([]PluginSwap, error) {
	s.swaps.one.Lock()
	defer s.swaps.one.Unlock()
	old, next := s.registryNow(), s.newRegistry(set)
	var out []PluginSwap
	var gone []*plugin
	note := func(name string, res SwapResult) {
		s.record(name, &res)
		out = append(out, PluginSwap{name, res})
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(old.names, next.names)))) {
		was, is := old.byName[name], next.byName[name]
		switch {
		case is == nil:
			gone = append(gone, was.plugin)
			note(name, SwapResult{Outcome: SwapDone, From: was.plugin.build(), Message: "it is declared no more, and was taken away"})
			continue
		case was != nil && was.same(is):
			next.byName[name] = was
			continue
		}
		res := SwapResult{Outcome: SwapDone}
		if was != nil {
			res.From = was.plugin.build()
		}
		st := s.swapEvaluator(ctx, was, is, &res)
		res.To = is.plugin.build()
		if st != nil {
			res.Outcome, res.Stage, res.Message, res.Differences = SwapKept, st.stage, st.message, st.differences
		}
		switch {
		case st == nil && was != nil:
			gone = append(gone, was.plugin)
		case st != nil && was != nil:
			next.byName[name] = was
			is.plugin.tenants.retire(ctx, is.plugin)
		}
		if ctx.Err() == nil {
			note(name, res)
		}
	}
	if err := ctx.Err(); err != nil {
		s.discard(ctx, old, next)
		return nil, err
	}
	next.come()
	s.replace(next)
	s.swaps.draining.Go(func() {
		old.inFlight.Wait()
		left := context.WithoutCancel(ctx)
		for _, p := range gone {
			p.tenants.retire(left, p)
		}
		old.end(left)
	})
	return out, nil
}

// RefusePluginSwap records that a build of a check evaluator was not even tried,
// and why.
func (s *Service) RefusePluginSwap(plugin, why string) *SwapResult {
	res := &SwapResult{Outcome: SwapKept, Stage: StageSource, Message: why}
	if r := s.registryNow().byName[plugin]; r != nil {
		res.From = r.plugin.build()
	}
	s.record(plugin, res)
	return res
}

// discard frees what a set that never served has admitted.
func (s *Service) discard(ctx context.Context, old, next *registry) {
	for name, r := range next.byName {
		if old.byName[name] != r {
			r.plugin.tenants.retire(ctx, r.plugin)
		}
	}
}

// replace lets next serve. A build that failed for want of an evaluator is tried
// again.
func (s *Service) replace(next *registry) {
	s.rebuild.Lock()
	defer s.rebuild.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plugins, s.stalled = next, nil
}

// come counts the registry as a tenant of its plugins, until end.
func (g *registry) come() {
	for _, r := range g.byName {
		r.plugin.tenants.come()
	}
}

// end is the end of that.
func (g *registry) end(ctx context.Context) {
	for _, r := range g.byName {
		r.plugin.tenants.leave(ctx, r.plugin)
	}
}

// copied is the registry for another service, which has sessions of its own.
func (g *registry) copied() *registry {
	return &registry{byName: g.byName, names: g.names, ignored: g.ignored, notes: g.notes}
}

// same reports whether two declarations are of one build under the same grants
// and limits, which can be used.
func (r *registered) same(is *registered) bool {
	if r.ready() != nil {
		return false
	}
	a, b := r.PluginTable, is.PluginTable
	a.wasm, b.wasm, a.AcceptDiff, b.AcceptDiff = nil, nil, "", ""
	if !reflect.DeepEqual(a, b) {
		return false
	}
	if b.Blake3 != "" {
		return true
	}
	return is.ready() == nil && PinOf(is.plugin.source.Wasm) == PinOf(r.plugin.source.Wasm)
}

// swapEvaluator holds a new build to what it must do; was is nil where the name
// is new.
func (s *Service) swapEvaluator(ctx context.Context, was, is *registered, res *SwapResult) *stopped {
	if err := is.ready(); err != nil {
		return stop(StageSource, "%v", err)
	}
	if _, err := is.plugin.admitted(ctx); err != nil {
		return stop(stageOfAdmission(err), "%v", err)
	}
	if was == nil || was.ready() != nil {
		res.Message = "swapped; there was no build to compare it with"
		return nil
	}
	ses, refused, err := s.enter(ctx, Common{}, false)
	switch {
	case err != nil:
		return stop(StageCompare, "%v", err)
	case refused != nil:
		res.Message = "swapped; no module is served yet, so that no verdicts were compared"
		return nil
	}
	defer ses.end()
	compared, differences, st := ses.compareEvaluators(ctx, was, is)
	if st != nil {
		return st
	}
	res.Differences = differences
	if n := len(differences); n > 0 && !strings.EqualFold(is.AcceptDiff, PinOf(is.plugin.source.Wasm)) {
		st := stop(StageCompare, "%s of %d: %s. If the new build is right, write acceptDiff = %q in [plugins.%s] of your own configuration, or start the server anew",
			differing(n), compared, differences[0].String(), PinOf(is.plugin.source.Wasm), is.Name)
		st.differences = differences
		return st
	}
	res.Message = fmt.Sprintf("swapped after %d equal answers", compared-len(differences))
	if n := len(differences); n > 0 {
		res.Message += fmt.Sprintf(" and %d others, which were accepted", n)
	}
	return nil
}

func stageOfAdmission(err error) string {
	var broken *Error
	if errors.As(err, &broken) {
		switch broken.Details["admission"] {
		case sandbox.CodeABI, sandbox.CodeWorld, sandbox.CodeDescribe:
			return StageDescribe
		}
	}
	return StageAdmit
}

// compareEvaluators asks two builds about the violations of each check that
// names them. What the old build cannot decide is no measure for the new one.
func (ses *session) compareEvaluators(ctx context.Context, was, is *registered) (compared int, out []Difference, st *stopped) {
	served := ses.plugins
	defer func() { ses.plugins = served }()
	decide := func(r *registered, list []abi.Violations) ([]verdict, error) {
		ses.plugins = &registry{byName: map[string]*registered{r.Name: r}}
		state, release := ses.kept(ctx)
		defer release()
		return ses.verdicts(ctx, list, state)
	}
	for i := range ses.m.program.Checks {
		c := &ses.m.program.Checks[i]
		if c.Evaluator != is.Name {
			continue
		}
		var resp abi.ChecksResponse
		err := ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) error {
			return ses.ask(ctx, in, abi.ExportChecks, &abi.ChecksRequest{Call: ses.dated(ses.point), Check: i}, &resp)
		})
		if err != nil || len(resp.Breached) > 0 {
			continue
		}
		before, err := decide(was, resp.Violations)
		if err != nil {
			continue
		}
		after, err := decide(is, resp.Violations)
		if err != nil {
			return compared, nil, stop(StageCompare, "check %s: the old build decides it, the new one does not: %v", c.Name, err)
		}
		compared++
		if d := ses.m.differVerdicts(c.Name, before, after); d != nil {
			out = append(out, *d)
		}
	}
	return compared, out, nil
}

// differVerdicts compares two lists of verdicts, sorted by their tuples.
func (m *module) differVerdicts(check string, a, b []verdict) *Difference {
	d := &Difference{Kind: workCheck, Name: check}
	text := func(v verdict) string {
		return fmt.Sprintf("%s %s %s: %s", v.Severity, v.Code, m.rowText(v.tuple), v.Message)
	}
	for len(a) > 0 || len(b) > 0 {
		c := 0
		switch {
		case len(a) == 0:
			c = 1
		case len(b) == 0:
			c = -1
		default:
			c = compareRows(a[0].tuple, b[0].tuple)
		}
		switch {
		case c < 0:
			d.OnlyA++
			d.example("- " + text(a[0]))
			a = a[1:]
		case c > 0:
			d.OnlyB++
			d.example("+ " + text(b[0]))
			b = b[1:]
		default:
			if a[0].Severity != b[0].Severity || a[0].Code != b[0].Code || a[0].Message != b[0].Message {
				d.OnlyA++
				d.OnlyB++
				d.example("- " + text(a[0]))
				d.example("+ " + text(b[0]))
			}
			a, b = a[1:], b[1:]
		}
	}
	if d.OnlyA+d.OnlyB == 0 {
		return nil
	}
	return d
}
