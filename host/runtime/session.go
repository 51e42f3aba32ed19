package runtime

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// session is one call on the served module: its scope, read point, limits and
// what it has cost so far.
type session struct {
	s      *Service
	g      *generation
	m      *module
	scope  store.Scope
	point  readPoint
	asOf   AsOf
	latest *int64   // stamp at which a read of a later one is answered
	told   *history // the log at the read point; nil: not asked for yet
	views  []string // standpoints that the call is made from, qualified

	federation *federation // of a read from standpoints
	now        time.Time
	call       abi.Call
	env        Envelope
	usage      Usage
	spendable  uint64          // fuel that the call may have cost at most by now; 0: each question may cost limits.fuel
	named      []*abi.Value    // arguments, for a hint where nothing is found
	again      *NextStep       // the same call, for an outcome that asks for it with a page
	heard      bool            // the reasoner had a part in the answer
	asks       map[string]bool // metered hashes of the check evaluators that were asked

	plugins *registry

	release func()
}

const (
	tenantDefault    = "default"
	forkMain         = "main"
	principalDefault = "local"
)

// begin brings the served module up to date by the dirty policy, resolves the
// common parameters and returns a session. Where the outcome is a refusal
// there is no session. end must be called on a session.
func (s *Service) begin(ctx context.Context, c Common) (ses *session, refused *Envelope, err error) {
	stale := false
	if c.Page == nil || !c.Page.atOnce {
		var out Outcome
		if stale, out, err = s.refresh(ctx); err != nil || out.Refused() {
			return nil, &Envelope{Outcome: out}, err
		}
	}
	if c.Fork != "" && c.Fork != forkMain {
		return nil, nil, Invalid("fork", "main (forks are not there yet)", c.Fork, forkMain)
	}
	return s.enter(ctx, c, stale)
}

// enter is begin on the module that is served, whatever the sources are.
func (s *Service) enter(ctx context.Context, c Common, stale bool) (ses *session, refused *Envelope, err error) {
	limits, lowered, err := s.narrowed(c.Limits)
	if err != nil {
		return nil, nil, err
	}
	g := s.lease()
	if g == nil {
		return nil, &Envelope{Outcome: noArtifact()}, nil
	}
	plugins := s.leaseRegistry()
	ses = &session{s: s, g: g, m: g.module, plugins: plugins, scope: store.Scope{Tenant: tenantDefault, Fork: forkMain}, now: s.now(), release: func() {
		plugins.leave()
		g.leave()
	}}
	defer func() {
		if err != nil {
			ses.end()
			ses = nil
		}
	}()
	if err = ses.resolve(ctx, c.AsOf); err != nil {
		return
	}
	if err = ses.resolveViews(c.Standpoints); err != nil {
		return
	}
	if ses.call, err = s.newCall(limits, ses.now); err != nil {
		return
	}
	ses.env = Envelope{
		ModuleHash: ses.m.hash.String(),
		Scope:      &Scope{Tenant: ses.scope.Tenant, Fork: ses.scope.Fork, Standpoints: ses.views, AsOf: ses.asOf, Principal: principalDefault},
		Usage:      &ses.usage,
		Outcome:    Outcome{StaleArtifact: stale, Lowered: lowered, LatestStamp: ses.latest},
	}
	return
}

// declaredSession is a session on a module that is not served, with its
// declared facts alone.
func (s *Service) declaredSession(ctx context.Context, m *module, limits abi.Limits) (*session, error) {
	g, plugins := newGeneration(s, m), s.leaseRegistry()
	tt := int64(0)
	ses := &session{s: s, g: g, m: m, plugins: plugins, scope: store.Scope{Tenant: tenantDefault, Fork: forkMain}, now: s.now(), release: func() {
		plugins.leave()
		g.close(ctx)
	}}
	ses.point = readPoint{vt: momentOf(ses.now)}
	ses.asOf = AsOf{TT: &tt}
	var err error
	if ses.call, err = s.newCall(limits, ses.now); err != nil {
		ses.end()
		return nil, err
	}
	ses.env = Envelope{
		ModuleHash: m.hash.String(), Usage: &ses.usage,
		Scope: &Scope{Tenant: ses.scope.Tenant, Fork: ses.scope.Fork, Standpoints: []string{}, AsOf: ses.asOf, Principal: principalDefault},
	}
	return ses, nil
}

// end releases the module that the session holds.
func (ses *session) end() { ses.release() }

// resolve turns an AsOf into a read point.
func (ses *session) resolve(ctx context.Context, a *AsOf) error {
	stamp, err := ses.s.cfg.Log.Stamp(ctx, ses.scope)
	if err != nil {
		return storeError(err)
	}
	ses.point = readPoint{tt: stamp, vt: momentOf(ses.now), live: true}
	if a == nil {
		return nil
	}
	ses.asOf = *a
	if a.TT != nil {
		if *a.TT < 0 {
			return Invalid("asOf.tt", "a transaction stamp: 0 for declared facts alone, then 2, 4, …", fmt.Sprint(*a.TT), "")
		}
		ses.beyond(*a.TT)
	}
	if a.VT != "" {
		vt, err := parseMoment(a.VT)
		if err != nil {
			return Invalid("asOf.vt", `a date ("2031-07-04") or a date-time ("2031-07-04T10:00:00Z")`, a.VT, "")
		}
		ses.point.vt, ses.point.live = vt, false
	}
	return nil
}

// beyond reads as of a stamp: at the latest one where that is not there yet,
// and says so.
func (ses *session) beyond(tt int64) {
	stamp := ses.point.tt
	ses.point.tt, ses.point.live = min(tt, stamp), ses.point.live && tt >= stamp
	if ses.latest = nil; tt > stamp {
		ses.latest = &stamp
	}
}

// parseMoment reads a date, which stands for its last instant, or a date-time.
func parseMoment(text string) (store.Moment, error) {
	text = strings.Trim(text, "#")
	if d, err := time.Parse(time.DateOnly, text); err == nil {
		return endOfDay(d.Unix() / abi.SecondsPerDay), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	return momentOf(t), err
}

// endOfDay is the last instant of a day: a read at a date sees what was
// written that day.
func endOfDay(day int64) store.Moment {
	return store.Moment{Seconds: (day+1)*abi.SecondsPerDay - 1, Nanos: 999_999_999}
}

// bill adds what a call of a plugin cost.
func (ses *session) bill(u sandbox.Usage, w abi.Work) {
	ses.usage.Fuel += u.Fuel
	ses.usage.MemoryBytes = max(ses.usage.MemoryBytes, u.MemoryBytes)
	ses.usage.Rounds += w.Rounds
	ses.usage.Derived += w.Derived
	ses.usage.ByDemand += w.ByDemand
}

// ask calls an export of the reasoner and bills it.
func (ses *session) ask(ctx context.Context, in *sandbox.Instance, export string, req, resp message) error {
	limits := ses.call.Limits
	if ses.spendable > 0 {
		limits.Fuel = min(limits.Fuel, ses.fuelLeft())
	}
	usage, err := ses.g.reasoner.call(asking(ctx), in, export, req, resp, limits)
	ses.heard = true
	ses.bill(usage, abi.Work{})
	return err
}

// fuelLeft is what is left of spendable, and never the 0 that stands for no limit.
func (ses *session) fuelLeft() uint64 {
	return max(1, ses.spendable-min(ses.spendable, ses.usage.Fuel))
}

// finish completes the envelope of a result.
func (ses *session) finish() Envelope {
	// What it says must not depend on what an earlier call has loaded.
	if ses.heard {
		ses.env.Reasoner = ses.g.reasoner.build()
	}
	return ses.env
}

// refuse completes the envelope for a failure that is an outcome.
func (ses *session) refuse(err error) (Envelope, error) {
	out, err := ses.s.outcomeOf(ses.m, err)
	if err != nil {
		return Envelope{}, err
	}
	out.StaleArtifact, out.Lowered = ses.env.StaleArtifact, ses.env.Lowered
	ses.env.Outcome = out
	return ses.finish(), nil
}

// dated is the call at a read point, as the guest sees it.
func (ses *session) dated(p readPoint) abi.Call {
	c := ses.call
	if !p.live {
		c.Now = p.vt.Value()
	}
	return c
}
