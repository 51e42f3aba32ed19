package runtime

import "context"

// Warm brings the served module up to date by the dirty policy, and makes the
// state of the default scope, so that the first call need not. A refusal is an
// outcome, as it is of any call.
func (s *Service) Warm(ctx context.Context) (Outcome, error) {
	ses, refused, err := s.begin(ctx, Common{})
	if err != nil {
		return Outcome{}, err
	}
	if refused != nil {
		return refused.Outcome, nil
	}
	defer ses.end()
	sc := ses.g.scope(ses.scope, ses.point.view)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	_, err = sc.state(ctx, ses.g, ses.scope, ses.point)
	if err == nil {
		return Outcome{}, nil
	}
	env, err := ses.refuse(err)
	return env.Outcome, err
}

// Readiness says why calls would not be answered now, or "". It reads no
// source, builds nothing and starts no plugin.
func (s *Service) Readiness() string {
	switch {
	case s.cfg.Project == nil:
		return noProject().Message
	case s.servedModule() == nil:
		return "no module is loaded: the package is not built yet, or does not build; see the status"
	}
	p := s.reasonerNow()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.quarantined(); err != nil {
		return err.Error()
	}
	return ""
}

// HeldMemory is the linear memory of all instances together, and the limit on
// it, in bytes.
func (s *Service) HeldMemory() (used, limit uint64) {
	return s.cfg.Host.Memory(), s.cfg.Settings.Uint("limits.totalMemory")
}

// SwapCounts counts the swaps that were tried since the program began, by
// their outcome.
func (s *Service) SwapCounts() map[string]uint64 {
	s.swaps.mu.Lock()
	defer s.swaps.mu.Unlock()
	out := map[string]uint64{SwapDone: 0, SwapKept: 0}
	for outcome, n := range s.swaps.counts {
		out[outcome] = n
	}
	return out
}
