package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
)

// gated is a package that went through the gate: compiled, packed, and its
// checks evaluated over its own facts.
type gated struct {
	entry    string
	files    int
	file     []byte // encoded artifact; nil where the compiler found an error, or it was not asked for
	module   *module
	findings []Diagnostic        // in stable order
	session  *session            // on the module, where it was evaluated; to be ended
	lock     *coherence.LockFile // nil of a sketch

	told []checkFinding // the findings among those that are of checks
	all  bool           // the checks were evaluated, and told is all that they found
	once bool           // nothing is asked of the session afterwards
}

func (g *gated) end() {
	if g.session != nil {
		g.session.end()
	}
}

// failed reports whether a finding is an error.
func (g *gated) failed() bool {
	for _, d := range g.findings {
		if d.Severity == abi.SeverityError.String() {
			return true
		}
	}
	return false
}

func (g *gated) codes() []string {
	seen := map[string]bool{}
	out := []string{}
	for _, d := range g.findings {
		if d.Severity == abi.SeverityError.String() && !seen[d.Code] {
			seen[d.Code] = true
			out = append(out, d.Code)
		}
	}
	sort.Strings(out)
	return out
}

// gate compiles the sources of p and evaluates their checks.
func (s *Service) gate(ctx context.Context, p *coherence.Project, overlay map[string]string, test bool) (*gated, error) {
	return s.gateFor(ctx, p, gateOptions{overlay: overlay, test: test})
}

// ownFiles counts the sources that were compiled, without those of the
// standard library.
func ownFiles(r *argon.Result) int {
	n := len(r.Workspace.Sources)
	std := map[string]bool{}
	for _, m := range r.Workspace.Std.Modules {
		if path := m.File.Source.Path; !std[path] {
			std[path] = true
			if _, ok := r.Workspace.Sources[path]; ok {
				n--
			}
		}
	}
	return n
}

// gateOptions say what a package goes through the gate for.
type gateOptions struct {
	overlay map[string]string // unsaved texts, by path
	test    bool              // the tests are compiled too
	relock  bool              // the artifact is packed as if the lock file already said what the packages are now
	sketch  bool              // only the findings matter: there is no file, and the module has no hash
}

func (s *Service) gateFor(ctx context.Context, p *coherence.Project, o gateOptions) (*gated, error) {
	if p == nil || !p.Sources() {
		return nil, &Error{Status: 400, Code: CodeNoProject, Message: "there are no sources here: name a folder with an ox.toml or an .ar file, or run `ox-mcp new NAME` to make a package"}
	}
	Progress(ctx, "compiling", 0, 0)
	stop := func() {}
	r, err := p.CompileLoaded(ctx, o.overlay, o.test, func(ws *load.Workspace) { stop = s.aheadOf(ctx, ws) })
	defer func() { stop() }()
	if err != nil {
		return nil, &Error{Status: 500, Code: "PROJECT_UNREADABLE", Message: err.Error()}
	}
	return s.gateOf(ctx, p, r, o)
}

// compiled is what the compiler found of a package, without its checks.
func (s *Service) compiled(p *coherence.Project, r *argon.Result) *gated {
	g := &gated{entry: r.Workspace.Main.Entry, files: ownFiles(r)}
	g.findings = append(s.diagnostics(r), render(s.ignored(p, r.Workspace.Main.Manifest), r.Workspace.Text)...)
	return g
}

// gateOf packs a compiled package and evaluates its checks.
func (s *Service) gateOf(ctx context.Context, p *coherence.Project, r *argon.Result, o gateOptions) (*gated, error) {
	g := s.compiled(p, r)
	if r.Module == nil || g.failed() {
		return g, nil
	}
	var err error
	if !o.sketch {
		g.lock, err = coherence.LockOf(r)
	}
	if err == nil && o.relock && g.lock != nil {
		err = g.lock.Enter(r)
	}
	if err != nil {
		return nil, &Error{Status: 500, Code: "PACK_FAILED", Message: err.Error()}
	}
	if g.module, g.file, err = packed(r, o); err != nil {
		return nil, &Error{Status: 500, Code: "PACK_FAILED", Message: err.Error()}
	}
	if p.Session == nil && len(g.module.program.Rules) >= sliceRules {
		// The trees of a large package are garbage from here on, and take more
		// than the guest is going to.
		debug.FreeOSMemory()
	}
	if g.findings = append(g.findings, s.missingEvaluators(g.module)...); g.failed() {
		return g, nil
	}
	if err := s.gateChecks(ctx, g); err != nil {
		g.end()
		return nil, err
	}
	return g, nil
}

// packed makes the module of a compiled package, and its file.
func packed(r *argon.Result, o gateOptions) (*module, []byte, error) {
	if o.sketch {
		a, facts, err := coherence.Sketch(r, o.test)
		if err != nil {
			return nil, nil, err
		}
		m, err := moduleOf(a, oxbin.Hash{}, facts, r.Module.Schema)
		return m, nil, err
	}
	a, err := coherence.Pack(r, o.test)
	if err != nil {
		return nil, nil, err
	}
	file, sum, err := oxbin.Encode(a)
	if err != nil {
		return nil, nil, err
	}
	m, err := newModule(a, sum)
	return m, file, err
}

// gateChecks evaluates the checks over the package's own facts. What a limit
// stops is a warning: the artifact is made all the same.
func (s *Service) gateChecks(ctx context.Context, g *gated) error {
	if len(g.module.program.Checks) == 0 {
		g.all = true
		return nil
	}
	Progress(ctx, "evaluating checks over the declared facts", 0, 0)
	ses, err := s.declaredSession(ctx, g.module, s.checkLimits())
	if err != nil {
		return err
	}
	g.session = ses
	ses.g.once = g.once && len(g.module.standpoints) == 0
	list, breached, passed, evaluated, err := s.evaluate(ctx, ses)
	if err != nil {
		out, err := s.outcomeOf(evaluated, err)
		if err != nil {
			return err
		}
		d := Diagnostic{Code: codeNotEvaluated, Severity: abi.SeverityWarning.String(), Message: "the checks could not be evaluated over the declared facts: " + out.Message}
		if out.LimitExceeded == nil {
			// An evaluator that fails has decided nothing, and a check that
			// nobody decides must not pass in silence.
			d.Code, d.Severity = codeEvaluator, abi.SeverityError.String()
		}
		g.findings = append(g.findings, d)
		return nil
	}
	for _, b := range breached {
		c := &g.module.program.Checks[b.Check]
		g.findings = append(g.findings, Diagnostic{Code: codeNotEvaluated, Severity: abi.SeverityWarning.String(), Range: g.module.rangeOf(c.Span), Check: c.Name,
			Message: strings.ReplaceAll(breachOutcome(g.module, b).Message, "limits.fuel.", "limits.checkFuel.")})
	}
	if passed > 0 {
		g.findings = append(g.findings, Diagnostic{Code: codeNotEvaluated, Severity: abi.SeverityWarning.String(),
			Message: fmt.Sprintf("the checks were not evaluated in the views of %d further standpoints", passed)})
	}
	names := ses.names(ctx)
	total, at := 0, 0
	for _, s := range list {
		total += len(s.found)
	}
	g.all = total <= maxGateViolations && len(breached) == 0 && passed == 0
	for view, s := range list {
		for _, v := range s.found {
			if at == maxGateViolations {
				g.findings = append(g.findings, Diagnostic{Code: v.Code, Severity: v.Severity.String(),
					Message: fmt.Sprintf("%d further violations are not listed; argon_why {of: \"source\"} explains them", total-at)})
				return nil
			}
			at++
			d := g.module.verdictDiagnostic(v)
			d.Message += " " + g.module.violation(v, names).Text
			check := ShellWord(shortName(d.Check))
			if s.view != "" {
				d.Message += ", seen from " + s.view
				check += " --standpoint " + ShellWord(s.view)
			}
			d.Help = fmt.Sprintf("`ox-mcp why %s` shows the facts behind it", check)
			g.findings = append(g.findings, d)
			g.told = append(g.told, checkFinding{view, v.check, d})
		}
	}
	return nil
}

// evaluate is ses.everywhere for all checks, on a slice of the module where
// that has one. evaluated is what it was done on: errors are of that.
func (s *Service) evaluate(ctx context.Context, ses *session) (list []seen, breached []abi.CheckBreach, passed int, evaluated *module, err error) {
	part := ses.m.forChecks()
	if part == nil {
		list, breached, passed, err = ses.everywhere(ctx, -1)
		return list, breached, passed, ses.m, err
	}
	if len(part.checks) == 0 {
		return nil, nil, 0, ses.m, nil
	}
	on, err := s.declaredSession(ctx, part.module, s.checkLimits())
	if err != nil {
		return nil, nil, 0, part.module, err
	}
	defer on.end()
	on.g.once = len(part.module.standpoints) == 0
	list, breached, passed, err = on.everywhere(ctx, -1)
	part.original(list, breached)
	return list, breached, passed, part.module, err
}

// codeNotEvaluated is the warning about a check that a limit stopped.
const codeNotEvaluated = "OW0152"

// maxGateViolations bounds the violations that a check or build lists.
const maxGateViolations = 100

var severities = [...]string{diag.Error: "Error", diag.Warning: "Warning", diag.Info: "Info", diag.Hint: "Hint"}

// diagnostics renders the compiler's findings; the first of each code carries
// the catalog's remediation.
func (s *Service) diagnostics(r *argon.Result) []Diagnostic {
	return render(r.Diagnostics, r.Workspace.Text)
}

func render(list []diag.Diagnostic, text func(string) (string, bool)) []Diagnostic {
	out := []Diagnostic{}
	seen := map[string]bool{}
	place := func(p diag.Place) *Range {
		t, ok := text(p.Path)
		if !ok || p.Path == "" {
			return nil
		}
		r := rangeIn(p.Path, t, p.Start, p.End)
		return &r
	}
	for _, d := range list {
		x := Diagnostic{Code: d.Code, Severity: severities[d.Severity], Message: d.Message, Help: d.Help, Range: place(d.Place)}
		for _, rel := range d.Related {
			if r := place(rel.Place); r != nil {
				x.Related = append(x.Related, Related{Message: rel.Message, Range: *r})
			}
		}
		if d.Fix != nil {
			x.Fix = &Fix{Title: d.Fix.Title}
			for _, e := range d.Fix.Edits {
				if r := place(e.Place); r != nil {
					x.Fix.Edits = append(x.Fix.Edits, Edit{Range: *r, Text: e.Text})
				}
			}
		}
		if e, ok := diag.Lookup(d.Code); ok && !seen[d.Code] {
			seen[d.Code] = true
			x.Remediation = &Remediation{Class: string(e.Remediation.Class), Text: e.Remediation.Text}
		}
		out = append(out, x)
	}
	return out
}

// Check checks sources: the compiler's whole pipeline, then the checks over
// the package's own facts. It needs no artifact.
func (s *Service) Check(ctx context.Context, req CheckRequest) (*CheckResult, error) {
	if s.cfg.Project == nil {
		return &CheckResult{Envelope: Envelope{Outcome: noProject()}, Findings: []Diagnostic{}}, nil
	}
	p, err := s.projectOf(req.Package)
	if err != nil {
		return nil, err
	}
	g, err := s.check(ctx, p, req.Overlay)
	if err != nil {
		return nil, err
	}
	defer g.end()
	res := &CheckResult{Findings: g.findings, Summary: CheckSummary{Files: g.files}}
	for _, d := range g.findings {
		switch d.Severity {
		case "Error":
			res.Summary.Errors++
		case "Warning":
			res.Summary.Warnings++
		default:
			res.Summary.Infos++
		}
	}
	if codes := g.codes(); len(codes) > 0 {
		res.DiagnosticCodes = codes
	}
	return res, nil
}

// projectOf returns the project of a package argument: the served one, which is
// there, for "", else a folder that must lie under the workspace root.
func (s *Service) projectOf(name string) (*coherence.Project, error) {
	if name == "" {
		return s.cfg.Project, nil
	}
	p, err := s.cfg.Project.Sibling(name)
	if errors.Is(err, coherence.ErrOutside) {
		return nil, Invalid("package", "a folder under the workspace root", name, "")
	}
	if err != nil {
		return nil, Invalid("package", "a folder with an ox.toml", err.Error(), "")
	}
	return p, nil
}

func (s *Service) whySource(ctx context.Context, req WhyRequest) (*WhyResult, error) {
	if s.cfg.Project == nil {
		return whyRefused(&Envelope{Outcome: noProject()}), nil
	}
	g, err := s.gate(ctx, s.cfg.Project, nil, false)
	if err != nil {
		return nil, err
	}
	defer g.end()
	res := &WhyResult{Firings: []Firing{}}
	if g.module == nil {
		res.Outcome = Outcome{Code: CodeGateFailed, Message: "the sources do not compile, so that no check can be evaluated", DiagnosticCodes: g.codes(), NextStep: &NextStep{Tool: "argon_check", Arguments: map[string]any{}}}
		return res, nil
	}
	if g.session == nil {
		return res, nil
	}
	check := -1
	if req.Check != "" {
		if check, err = g.module.check(req.Check); err != nil {
			return nil, err
		}
	}
	list, breached, _, err := g.session.everywhere(ctx, check)
	for i := 0; err == nil && i < len(list); i++ {
		g.session.point.view = list[i].view
		before := res.Firings
		res.Firings = nil
		err = g.session.traceAll(ctx, list[i].found, req.MaxDepth, res)
		res.Firings = append(before, res.Firings...)
	}
	g.session.point.view = ""
	if err != nil {
		env, err := g.session.refuse(err)
		if err != nil {
			return nil, err
		}
		return whyRefused(&env), nil
	}
	if len(breached) > 0 {
		g.session.env.Outcome = breachOutcome(g.module, breached[0])
	}
	res.draw(req.Format)
	res.Envelope = g.session.finish()
	return res, nil
}
