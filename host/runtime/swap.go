package runtime

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/runtime/conformance"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// The outcomes of a swap.
const (
	SwapDone      = "swapped"
	SwapKept      = "kept"      // the build that served before still does
	SwapUnchanged = "unchanged" // it serves already
)

// The stages of a swap, in order. A swap that did not happen names the one
// that it ended in.
const (
	StageSource      = "source"      // the file, and its pin
	StageAdmit       = "admit"       // limits, imports, compilation
	StageDescribe    = "describe"    // contract version and world
	StageConformance = "conformance" // vectors with known answers
	StageLoad        = "load"        // the served program and its declared facts
	StageReplay      = "replay"      // the log of each live scope
	StageCompare     = "compare"     // the answers of both builds
	StageSwitch      = "switch"
)

// SwapOptions say how a swap goes.
type SwapOptions struct {
	AcceptDiff bool // answers that differ are no reason to keep the old build
}

// SwapResult says what became of a swap.
type SwapResult struct {
	Outcome     string       `json:"outcome"`
	Stage       string       `json:"stage,omitempty"` // where it ended, if it did not happen
	Message     string       `json:"message"`
	From        *Build       `json:"from,omitempty"`
	To          *Build       `json:"to,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	At          string       `json:"at,omitempty"` // not in frozen runs
}

// swaps is the swapping of a service's reasoner.
type swaps struct {
	one      sync.Mutex     // one swap at a time; no call waits for it
	draining sync.WaitGroup // generations that serve no more and are not closed yet

	mu     sync.Mutex
	suite  *conformance.Suite
	last   map[string]*SwapResult // the last one that was tried, by the plugin's name; "" is the reasoner
	counts map[string]uint64      // of the swaps that were tried, by outcome
}

// stopped is why a swap does not happen.
type stopped struct {
	stage       string
	message     string
	differences []Difference
}

func stop(stage, format string, args ...any) *stopped {
	return &stopped{stage: stage, message: fmt.Sprintf(format, args...)}
}

// maxSwitch bounds how often a swap starts over because another module came to
// serve while it compared.
const maxSwitch = 3

// Swap puts another build of the reasoner in the place of the one that serves:
// it is admitted, described, tried on the conformance vectors, loaded with the
// served program and facts, and compared with the old build, while that goes
// on answering. Only then it serves; calls in flight finish on the old build.
// Whatever goes wrong keeps the old build; the result says what, and so does
// Status. The error is for ctx alone.
func (s *Service) Swap(ctx context.Context, source PluginSource, o SwapOptions) (*SwapResult, error) {
	s.swaps.one.Lock()
	defer s.swaps.one.Unlock()
	from := s.reasonerNow()
	res := &SwapResult{Outcome: SwapDone, From: from.build()}
	if source.Err == nil && from.source.Err == nil && source.pin() == from.source.pin() && slices.Equal(source.Grants, from.source.Grants) {
		res.Outcome, res.To, res.Message = SwapUnchanged, res.From, "this build serves already"
		return res, nil
	}
	next := s.newPlugin("reasoner", source, abi.WorldReasoner, s.limits())
	st := s.swap(ctx, from, next, o, res)
	if err := ctx.Err(); err != nil && st != nil {
		next.tenants.retire(ctx, next)
		return nil, err
	}
	res.To = next.build()
	if st != nil {
		next.tenants.retire(ctx, next)
		res.Outcome, res.Stage, res.Message, res.Differences = SwapKept, st.stage, st.message, st.differences
	}
	s.record("", res)
	return res, nil
}

// RefuseSwap records that a build was not even tried, and why.
func (s *Service) RefuseSwap(why string) *SwapResult {
	res := &SwapResult{Outcome: SwapKept, Stage: StageSource, Message: why, From: s.reasonerNow().build()}
	s.record("", res)
	return res
}

func (s *Service) record(plugin string, res *SwapResult) {
	if !s.cfg.Frozen {
		res.At = s.now().UTC().Format(time.RFC3339)
	}
	s.swaps.mu.Lock()
	defer s.swaps.mu.Unlock()
	if s.swaps.counts == nil {
		s.swaps.counts, s.swaps.last = map[string]uint64{}, map[string]*SwapResult{}
	}
	s.swaps.last[plugin] = res
	s.swaps.counts[res.Outcome]++
}

// lastSwap is the last swap of a plugin that was tried, or nil.
func (s *Service) lastSwap(plugin string) *SwapResult {
	s.swaps.mu.Lock()
	defer s.swaps.mu.Unlock()
	return s.swaps.last[plugin]
}

func (s *Service) reasonerNow() *plugin {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.reasoner
}

func (s *Service) swap(ctx context.Context, from, next *plugin, o SwapOptions, res *SwapResult) *stopped {
	if st := s.tried(ctx, next); st != nil {
		return st
	}
	for range maxSwitch {
		old, ready, st := s.readied(ctx, next, o, res)
		if st != nil {
			return st
		}
		if s.exchange(old, ready, next) {
			s.drain(ctx, old)
			from.tenants.retire(ctx, from)
			return nil
		}
		if ready != nil {
			ready.close(ctx)
		}
	}
	return stop(StageSwitch, "another module came to serve %d times while the builds were compared: swap again when the package is at rest", maxSwitch)
}

// tried holds the build to what it must do whatever is served.
func (s *Service) tried(ctx context.Context, next *plugin) *stopped {
	if next.source.Err != nil {
		return stop(StageSource, "%v", next.source.Err)
	}
	m, err := next.admitted(ctx)
	if err != nil {
		return stop(stageOfAdmission(err), "%v", err)
	}
	suite, err := s.vectors(ctx)
	if err != nil {
		return stop(StageConformance, "the vectors do not load: %v", err)
	}
	failures, err := Conform(ctx, suite, m)
	if err != nil {
		return stop(StageConformance, "%v", err)
	}
	if n := len(failures); n > 0 {
		return stop(StageConformance, "%d of %d vectors get another answer than the known one; the first is %s", n, len(suite.Vectors), failures[0])
	}
	return nil
}

// vectors compiles the conformance vectors once.
func (s *Service) vectors(ctx context.Context) (*conformance.Suite, error) {
	s.swaps.mu.Lock()
	defer s.swaps.mu.Unlock()
	if s.swaps.suite == nil {
		suite, err := conformance.Load(ctx)
		if err != nil {
			return nil, err
		}
		s.swaps.suite = suite
	}
	return s.swaps.suite, nil
}

// readied makes the generation that is to serve in the place of old, with the
// state of each live scope, and compares the two. Without a served module
// there is nothing to make, and both are nil.
func (s *Service) readied(ctx context.Context, next *plugin, o SwapOptions, res *SwapResult) (old, ready *generation, st *stopped) {
	if old = s.lease(); old == nil {
		res.Message = "swapped; no module is served yet, so that no answers were compared"
		return nil, nil, nil
	}
	defer old.leave()
	ready = newGenerationOn(s, old.module, next)
	if st = s.compared(ctx, old, ready, o, res); st != nil {
		ready.close(ctx)
		return old, nil, st
	}
	return old, ready, nil
}

// compared compares the builds on every live scope.
func (s *Service) compared(ctx context.Context, old, ready *generation, o SwapOptions, res *SwapResult) *stopped {
	compared := 0
	var differences []Difference
	for _, sc := range old.live() {
		n, found, st := s.compareScope(ctx, old, ready, sc)
		if st != nil {
			return st
		}
		compared += n
		differences = append(differences, found...)
	}
	if len(differences) > 0 && !o.AcceptDiff {
		st := stop(StageCompare, "%s of %d: %s. If the new build is right, swap with --accept-diff", differing(len(differences)), compared, differences[0].String())
		st.differences = differences
		return st
	}
	res.Differences = differences
	res.Message = fmt.Sprintf("swapped after %d equal answers", compared-len(differences))
	if len(differences) > 0 {
		res.Message += fmt.Sprintf(" and %d others, which were accepted", len(differences))
	}
	return nil
}

// live lists the scopes that have a state, and the default one, in stable
// order.
func (g *generation) live() []store.Scope {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := []store.Scope{{Tenant: tenantDefault, Fork: forkMain}}
	for sc := range g.scopes {
		if !slices.Contains(out, sc.Scope) {
			out = append(out, sc.Scope)
		}
	}
	sort.Slice(out, func(i, j int) bool { return scopeKey(out[i]) < scopeKey(out[j]) })
	return out
}

// compareScope loads and replays one scope on both builds and compares their
// answers. The state that the new build made becomes its head.
func (s *Service) compareScope(ctx context.Context, old, ready *generation, sc store.Scope) (compared int, out []Difference, st *stopped) {
	stamp, err := s.cfg.Log.Stamp(ctx, sc)
	if err != nil {
		return 0, nil, stop(StageReplay, "%v", storeError(err))
	}
	at := s.now()
	point := readPoint{tt: stamp, vt: momentOf(at)}
	call := abi.Call{Now: instantOf(at), Limits: s.checkLimits()}
	a := &side{g: old, scope: sc, point: point, call: call}
	b := &side{g: ready, scope: sc, point: point, call: call}
	defer a.close(ctx)
	defer b.close(ctx)
	base, err := ready.fresh(ctx)
	if err != nil {
		return 0, nil, stop(StageLoad, "the new build does not take the served program: %v", err)
	}
	drop(ctx, &base)
	if err := b.ready(ctx); err != nil {
		return 0, nil, stop(StageReplay, "the new build does not take the recorded facts: %v", err)
	}
	for _, w := range old.module.workload() {
		if ctx.Err() != nil {
			return compared, nil, stop(StageCompare, "%v", ctx.Err())
		}
		was := a.answer(ctx, w)
		if was.err != nil {
			continue // what the old build cannot answer is no measure for the new one
		}
		is := b.answer(ctx, w)
		if is.err != nil {
			return compared, nil, stop(StageCompare, "%s %s: the old build answers, the new one does not: %v", w.kind, w.name, is.err)
		}
		compared++
		if d := old.module.differ(w, &was, &is); d != nil {
			out = append(out, *d)
		}
	}
	if !s.cfg.Frozen && b.in != nil {
		state := ready.scope(sc, "")
		state.mu.Lock()
		state.head = keep(ctx, b.in, stamp, point.vt, b.until, true)
		state.mu.Unlock()
		b.in = nil
	}
	return compared, out, nil
}

// drain closes a generation that serves no more once the calls that hold it
// are done. It does not wait for them: Close does.
func (s *Service) drain(ctx context.Context, g *generation) {
	if g == nil {
		return
	}
	s.swaps.draining.Go(func() {
		g.inFlight.Wait()
		g.close(context.WithoutCancel(ctx))
	})
}

// exchange lets ready serve on next, if old still serves.
func (s *Service) exchange(old, ready *generation, next *plugin) bool {
	s.rebuild.Lock()
	defer s.rebuild.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.serving != old {
		return false
	}
	s.serving, s.reasoner = ready, next
	return true
}

func differing(n int) string {
	if n == 1 {
		return "1 answer differs"
	}
	return fmt.Sprintf("%d answers differ", n)
}
