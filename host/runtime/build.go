package runtime

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// Build compiles the package behind the loud gate, writes the artifact
// atomically, and where the package is the served one reloads and verifies
// that what is served is what was built.
func (s *Service) Build(ctx context.Context, req BuildRequest) (*BuildResult, error) {
	switch req.OnIncompatible {
	case "", "refuse", "discard":
	default:
		return nil, Invalid("onIncompatible", "refuse or discard", req.OnIncompatible, Nearest(req.OnIncompatible, []string{"refuse", "discard"}))
	}
	if s.cfg.Project == nil {
		return &BuildResult{Envelope: Envelope{Outcome: noProject()}, GateFailures: []Diagnostic{}, Findings: []Diagnostic{}}, nil
	}
	p, err := s.projectOf(req.Package)
	if err != nil {
		return nil, err
	}
	s.rebuild.Lock()
	defer s.rebuild.Unlock()
	mode := lockWrite
	if req.Frozen || s.cfg.Frozen {
		mode = lockCheck
	}
	b, err := s.build(ctx, p, req, mode)
	if err != nil {
		return nil, err
	}
	return b.result, nil
}

// afterGate is the call that moves on from a build that failed: where facts
// violate checks and nothing else is wrong, the facts behind that are wanted.
func afterGate(failures []Diagnostic) *NextStep {
	for _, d := range failures {
		if d.Check == "" {
			return &NextStep{Tool: "argon_check", Arguments: map[string]any{}}
		}
	}
	return &NextStep{Tool: "argon_why", Arguments: map[string]any{"of": "source"}}
}

// built is what one build came to.
type built struct {
	result *BuildResult
	module *module
}

// build runs one build; s.rebuild is held.
func (s *Service) build(ctx context.Context, p *coherence.Project, req BuildRequest, mode lockMode) (*built, error) {
	g, err := s.gateFor(ctx, p, gateOptions{relock: mode == lockWrite})
	if err != nil {
		return nil, err
	}
	defer g.end()
	res := &BuildResult{GateFailures: []Diagnostic{}, Findings: []Diagnostic{}}
	for _, d := range g.findings {
		if d.Severity == "Error" {
			res.GateFailures = append(res.GateFailures, d)
		} else {
			res.Findings = append(res.Findings, d)
		}
	}
	if len(res.GateFailures) > 0 {
		res.Outcome = Outcome{
			Code: CodeGateFailed, DiagnosticCodes: g.codes(), NextStep: afterGate(res.GateFailures),
			Message: "nothing was written: " + plural(len(res.GateFailures), "error"),
		}
		if p == s.cfg.Project && s.servedModule() != nil {
			res.Outcome.Message += ". The module that was served before still is"
		}
		return &built{result: res}, nil
	}
	if out, err := mode.judge(p, g.lock); err != nil || out.Refused() {
		res.Outcome = out
		return &built{result: res}, err
	}
	served := s.cfg.Project != nil && p.Root == s.cfg.Project.Root && req.Out == ""
	if served {
		// No write may come between the look at the log and the exchange: it
		// could state what the new module has no place for.
		writer := s.writers.of(store.Scope{Tenant: tenantDefault, Fork: forkMain})
		writer.Lock()
		defer writer.Unlock()
		out, dumped, err := s.compatible(ctx, g.module, req)
		if err != nil {
			return nil, err
		}
		res.Dumped = dumped
		if out.Refused() {
			res.Outcome = out
			return &built{result: res}, nil
		}
	}
	path := p.ArtifactPath(g.entry)
	if req.Out != "" {
		path = req.Out
	}
	if served {
		unlock, err := p.Lock(ctx, s.cfg.Clock)
		if err != nil {
			return nil, &Error{Status: 500, Code: "PROJECT_LOCKED", Message: err.Error()}
		}
		defer unlock()
	}
	if mode == lockWrite && g.lock != nil {
		if err := p.WriteLock(g.lock); err != nil {
			return nil, &Error{Status: 500, Code: "LOCK_UNWRITABLE", Message: err.Error()}
		}
	}
	write := func() error { return coherence.WriteInside(p.Folder(), path, g.file) }
	if req.Out != "" {
		write = func() error { return coherence.Write(path, g.file) }
	}
	if err := write(); err != nil {
		return nil, &Error{Status: 500, Code: "ARTIFACT_UNWRITABLE", Message: err.Error()}
	}
	if served {
		p.Sign(g.module.hash)
	}
	res.OK, res.ModuleHash = true, g.module.hash.String()
	res.WroteOxbin = relative(p.Folder(), path)
	if !served {
		return &built{result: res, module: g.module}, nil
	}
	m, err := s.reload(ctx, p)
	if err != nil {
		return nil, err
	}
	if m.hash != g.module.hash {
		return nil, &Error{Status: 500, Code: "RELOAD_MISMATCH", Message: fmt.Sprintf("built %s, but the file on disk now is %s: something else wrote it; build again", g.module.hash, m.hash)}
	}
	res.Reloaded = true
	res.Message = "built and reloaded"
	return &built{result: res, module: m}, nil
}

func relative(folder, path string) string {
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reload serves the artifact on disk, verified. Calls in flight finish on the
// old module.
func (s *Service) reload(ctx context.Context, p *coherence.Project) (*module, error) {
	a, sum, err := p.OnDisk(ctx)
	if err != nil {
		return nil, err
	}
	m, err := newModule(a, sum)
	if err != nil {
		return nil, err
	}
	m.foreign = p.MadeByAnother(sum)
	s.serve(ctx, m)
	return m, nil
}

func (s *Service) serve(ctx context.Context, m *module) {
	next := newGeneration(s, m)
	s.mu.Lock()
	old := s.serving
	s.serving = next
	s.mu.Unlock()
	s.drain(ctx, old)
	select {
	case s.reloaded <- struct{}{}:
	default: // somebody is about to look anyway
	}
}

// Reloaded delivers a value after another module was put in place. There is
// one reader.
func (s *Service) Reloaded() <-chan struct{} { return s.reloaded }

func (s *Service) servedModule() *module {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.serving == nil {
		return nil
	}
	return s.serving.module
}

// stalled remembers a build that failed, so that the same sources are not
// compiled for every call.
type stalled struct {
	workspace [32]byte
	outcome   Outcome
	stale     bool // the old module goes on serving
}

// refresh brings the served module up to date by the dirty policy. stale says
// that the module that answers is older than the sources.
func (s *Service) refresh(ctx context.Context) (stale bool, out Outcome, err error) {
	s.rebuild.Lock()
	defer s.rebuild.Unlock()
	p := s.cfg.Project
	switch {
	case s.pinned:
		return false, Outcome{}, nil
	case p == nil:
		return false, noProject(), nil
	}
	m := s.servedModule()
	if m == nil {
		m, err = s.reload(ctx, p)
		var invalid *oxbin.Error
		switch {
		case errors.Is(err, coherence.ErrNoArtifact):
		case errors.As(err, &invalid) && p.Sources():
			// A damaged or foreign artifact is rebuilt from the sources.
		case errors.As(err, &invalid):
			return false, Outcome{}, &Error{Status: 500, Code: "ARTIFACT_INVALID", Message: invalid.Message, Details: map[string]any{"code": invalid.Code}}
		case err != nil:
			return false, Outcome{}, &Error{Status: 500, Code: "PROJECT_UNREADABLE", Message: err.Error()}
		}
	}
	policy := s.cfg.Settings.Text("dirtyPolicy")
	if m == nil {
		if policy != "auto_build" {
			return false, noArtifact(), nil
		}
		return s.autoBuild(ctx, p, nil, [32]byte{})
	}
	dirty, workspace, inputs := p.Dirty(ctx, m.artifact, m.foreign)
	switch {
	case !dirty:
		return false, Outcome{}, nil
	case policy == "serve_stale":
		return true, Outcome{}, nil
	case policy == "refuse":
		return false, Outcome{
			Code: CodeDirtyWorkspace, NeedsRebuild: true, StaleArtifact: true, NextStep: &NextStep{Tool: "argon_build", Arguments: map[string]any{}},
			Message: fmt.Sprintf("what the artifact is made from changed since the build (%s); build before asking", inputs[0]),
		}, nil
	}
	return s.autoBuild(ctx, p, m, workspace)
}

// autoBuild builds for a call that found the sources changed.
func (s *Service) autoBuild(ctx context.Context, p *coherence.Project, old *module, workspace [32]byte) (bool, Outcome, error) {
	if st := s.stalled; st != nil && st.workspace == workspace && workspace != ([32]byte{}) {
		return st.stale, st.outcome, nil
	}
	s.stalled = nil
	mode := lockAsIs
	if s.cfg.Frozen {
		mode = lockHonour
	}
	b, err := s.build(ctx, p, BuildRequest{}, mode)
	if err != nil {
		return false, Outcome{}, err
	}
	if b.result.OK {
		return false, Outcome{}, nil
	}
	st := &stalled{workspace: workspace}
	if b.result.Code == CodeSchemaIncompatible && old != nil {
		// The old module goes on serving, and says so on every result.
		st.stale = true
	} else if b.result.Code == CodeLockMismatch || b.result.Code == CodeSchemaIncompatible {
		st.outcome = b.result.Outcome
	} else {
		st.outcome = Outcome{
			Code: CodeDirtyWorkspace, NeedsRebuild: old != nil, NeedsBuild: old == nil, StaleArtifact: old != nil,
			DiagnosticCodes: b.result.DiagnosticCodes, NextStep: afterGate(b.result.GateFailures),
			Message: fmt.Sprintf("the sources do not build (%s), so that there is no current module to answer from", plural(len(b.result.GateFailures), "error")),
		}
	}
	s.stalled = st
	return st.stale, st.outcome, nil
}

func noArtifact() Outcome {
	return Outcome{Code: CodeNoArtifact, NeedsBuild: true, Message: "the package was not built yet", NextStep: &NextStep{Tool: "argon_build", Arguments: map[string]any{}}}
}

func noProject() Outcome {
	// No call moves on from here: a person makes the package, and starts again.
	return Outcome{Code: CodeNoProject, Message: "no project was found: there is no ox.toml and no .ar file here. Make a package with `ox-mcp new NAME`, and start ox-mcp with its folder"}
}
