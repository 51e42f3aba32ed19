package runtime

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// generation is one loaded module on one build of the reasoner, with the
// instances that serve it. A reload makes a new one, and so does a swap.
type generation struct {
	service  *Service
	module   *module
	reasoner *plugin
	searched sync.Map       // relations, by number, of which a search for repairs needs all tuples
	once     bool           // one state is made of it: what is loaded is not kept beside
	inFlight sync.WaitGroup // calls that hold the generation; none begins once it is not served any more

	mu     sync.Mutex
	base   *sandbox.Instance // program and declared facts; only ever cloned
	load   sandbox.Usage     // what base cost
	scopes map[viewed]*scopeState
	closed bool
}

// scopeState is the state of one scope, seen from one standpoint.
type scopeState struct {
	view string // qualified name of the standpoint, or empty

	mu   sync.Mutex // guards the rest; not held while a read runs
	head *kept      // base and the log at (latest, now); nil: to be made
	past []*kept    // as-of states, most recently used last
}

// maxPast bounds the as-of states that a scope keeps.
const maxPast = 2

// newGeneration makes a generation of m on the build that serves. It must be
// closed.
func newGeneration(s *Service, m *module) *generation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return newGenerationOn(s, m, s.reasoner)
}

// newGenerationOn makes a generation of m on the build p, which it keeps until
// it is closed.
func newGenerationOn(s *Service, m *module, p *plugin) *generation {
	p.tenants.come()
	return &generation{service: s, module: m, reasoner: p, scopes: map[viewed]*scopeState{}}
}

// lease returns what serves, or nil. It is not closed before leave.
func (s *Service) lease() *generation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.serving != nil {
		s.serving.inFlight.Add(1)
	}
	return s.serving
}

func (g *generation) leave() { g.inFlight.Done() }

func (g *generation) close(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	defer g.reasoner.tenants.leave(ctx, g.reasoner)
	for _, sc := range g.scopes {
		sc.mu.Lock()
		sc.head.retire(ctx)
		for _, p := range sc.past {
			p.retire(ctx)
		}
		sc.head, sc.past = nil, nil
		sc.mu.Unlock()
	}
	drop(ctx, &g.base)
}

func drop(ctx context.Context, in **sandbox.Instance) {
	if *in != nil {
		(*in).Close(context.WithoutCancel(ctx))
		*in = nil
	}
}

func (g *generation) scope(sc store.Scope, view string) *scopeState {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := viewed{sc, view}
	if g.scopes[key] == nil {
		g.scopes[key] = &scopeState{view: view}
	}
	return g.scopes[key]
}

// fresh returns a clone of base, which it makes where there is none.
func (g *generation) fresh(ctx context.Context) (*sandbox.Instance, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.base == nil {
		in, usage, err := g.loadModule(ctx, g.service.loadLimits())
		if err != nil || g.once {
			return in, err
		}
		g.base, g.load = in, usage
	}
	return g.base.Clone(ctx)
}

// loadModule makes an instance that holds the program and declared facts.
func (g *generation) loadModule(ctx context.Context, limits abi.Limits) (*sandbox.Instance, sandbox.Usage, error) {
	admitted, err := g.reasoner.admitted(ctx)
	if err != nil {
		return nil, sandbox.Usage{}, err
	}
	in, err := admitted.Instantiate(ctx, limits)
	if err != nil {
		return nil, sandbox.Usage{}, err
	}
	total, err := g.fill(ctx, in, limits)
	if err != nil {
		drop(ctx, &in)
		return nil, total, err
	}
	return in, total, nil
}

func (g *generation) fill(ctx context.Context, in *sandbox.Instance, limits abi.Limits) (sandbox.Usage, error) {
	var total sandbox.Usage
	for _, r := range g.module.loading(limits) {
		var resp message = &abi.LoadResponse{}
		if r.export == abi.ExportAssert {
			resp = &abi.AssertResponse{}
		}
		usage, err := g.reasoner.call(ctx, in, r.export, r.msg, resp, limits)
		if total = add(total, usage); err != nil {
			return total, stageLoad.at(err)
		}
	}
	return total, nil
}

func add(a, b sandbox.Usage) sandbox.Usage {
	a.Fuel += b.Fuel
	a.MemoryBytes = max(a.MemoryBytes, b.MemoryBytes)
	return a
}

// at makes the state of a scope at (tt, vt), seen from a standpoint, in a fresh
// instance.
func (g *generation) at(ctx context.Context, sc store.Scope, view string, tt int64, vt store.Moment) (*sandbox.Instance, *store.Moment, error) {
	in, err := g.fresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	events, err := g.service.cfg.Log.Events(ctx, sc, 0, tt)
	if err != nil {
		drop(ctx, &in)
		return nil, nil, storeError(err)
	}
	events = g.module.withDeclared(events)
	visible, until := store.VisibleAt(g.module.seen(events, view), vt)
	limits := g.service.loadLimits()
	var replayed *abi.AssertRequest
	req := g.module.layered(view, visible)
	req.Deltas = append(req.Deltas, g.module.days(view, events)...)
	if len(req.Deltas) > 0 {
		replayed = &req
		req.Call = abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits}
		if _, err := g.reasoner.call(ctx, in, abi.ExportAssert, &req, &abi.AssertResponse{}, limits); err != nil {
			drop(ctx, &in)
			return nil, nil, stageLoad.at(err)
		}
	}
	if r := recorderOf(ctx); r != nil {
		r.began(limits, g.module.recorded(limits, replayed))
	}
	return in, until, nil
}

// replay turns events into deltas, in order; runs of one relation and
// direction become one frame. Events of relations that the module does not
// have are left out: a reload that would lose them was refused.
func (m *module) replay(events []store.Event) abi.AssertRequest {
	var req abi.AssertRequest
	var b *abi.FrameBuilder
	flush := func() {
		if b != nil {
			req.Deltas[len(req.Deltas)-1].Frame = b.Frame()
			b = nil
		}
	}
	for _, e := range events {
		rel, ok := m.relations[e.Relation]
		if !ok || len(e.Tuple) != len(m.program.Relations[rel].Columns) {
			continue
		}
		if n := len(req.Deltas); b == nil || req.Deltas[n-1].Relation != rel || req.Deltas[n-1].Remove != e.Remove {
			flush()
			req.Deltas = append(req.Deltas, abi.Delta{Relation: rel, Remove: e.Remove})
			b = &abi.FrameBuilder{Arity: len(e.Tuple)}
		}
		b.Add(e.Tuple)
	}
	flush()
	return req
}

// current makes head right for the instant vt and the stamp least, or a later
// one: a call that holds another generation may have written. sc.mu is held.
func (sc *scopeState) current(ctx context.Context, g *generation, scope store.Scope, least int64, vt store.Moment) error {
	if sc.head.covers(vt) && sc.head.tt >= least {
		g.reasoner.hit()
		return nil
	}
	stamp, err := g.service.cfg.Log.Stamp(ctx, scope)
	if err != nil {
		return storeError(err)
	}
	if stays, err := sc.stays(ctx, g, scope, stamp, vt); stays || err != nil {
		return err
	}
	sc.head.retire(ctx)
	sc.head = nil
	in, until, err := sc.make(ctx, g, scope, stamp, vt)
	if err != nil {
		return err
	}
	sc.head = keep(ctx, in, stamp, vt, until, !g.once)
	return nil
}

// stays takes head on to a later stamp where what was written since is not seen
// from its view, or is about another time. sc.mu is held.
func (sc *scopeState) stays(ctx context.Context, g *generation, scope store.Scope, stamp int64, vt store.Moment) (bool, error) {
	h := sc.head
	if !h.covers(vt) || h.tt > stamp {
		return false, nil
	}
	events, err := g.service.cfg.Log.Events(ctx, scope, h.tt, stamp)
	if err != nil {
		return false, storeError(err)
	}
	events = g.module.seen(events, sc.view)
	if len(events) > 0 && len(g.module.twins) > 0 {
		return false, nil // the days of facts are part of the state
	}
	visible, until := store.VisibleAt(events, vt)
	if len(visible) > 0 {
		return false, nil
	}
	h.later(stamp, vt, until)
	g.reasoner.hit()
	return true, nil
}

// readPoint is a resolved AsOf.
type readPoint struct {
	tt   int64
	vt   store.Moment
	live bool // the latest stamp and the call's instant
	view string
}

// run calls f with an instance that holds the state at p. Where keep is
// false f may spoil the instance: it gets a clone. A trap drops the instance;
// nothing committed is lost, since the next call makes it again.
func (g *generation) run(ctx context.Context, scope store.Scope, p readPoint, keep bool, f func(in *sandbox.Instance) error) error {
	if g.service.canonical(ctx) {
		return g.alone(ctx, scope, p, keep, f)
	}
	sc := g.scope(scope, p.view)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	k, err := sc.state(ctx, g, scope, p)
	if err != nil {
		return err
	}
	return sc.on(ctx, k, !keep, f)
}

// state returns the kept state for p. sc.mu is held.
func (sc *scopeState) state(ctx context.Context, g *generation, scope store.Scope, p readPoint) (*kept, error) {
	if p.live {
		if err := sc.current(ctx, g, scope, p.tt, p.vt); err != nil {
			return nil, err
		}
		if sc.head.tt == p.tt {
			return sc.head, nil
		}
	}
	for i, past := range sc.past {
		if past.tt == p.tt && past.covers(p.vt) {
			sc.past = append(append(sc.past[:i:i], sc.past[i+1:]...), past)
			g.reasoner.hit()
			return past, nil
		}
	}
	in, until, err := sc.make(ctx, g, scope, p.tt, p.vt)
	if err != nil {
		return nil, err
	}
	if len(sc.past) >= maxPast {
		sc.past[0].retire(ctx)
		sc.past = sc.past[1:]
	}
	past := keep(ctx, in, p.tt, p.vt, until, !g.once)
	sc.past = append(sc.past, past)
	return past, nil
}

// dead reports whether an error means that the instance must not be used
// again.
func dead(err error) bool {
	var trap *sandbox.Trap
	var broken *Error
	return errors.As(err, &trap) || errors.As(err, &broken) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func storeError(err error) error {
	return &Error{Status: 500, Code: "STORE_FAILED", Message: "the store did not answer: " + err.Error()}
}

func momentOf(t time.Time) store.Moment { return store.MomentOf(instantOf(t)) }
