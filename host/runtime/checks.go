package runtime

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// verdict is one violation with what its check says of it.
type verdict struct {
	abi.Verdict
	check int
	tuple []abi.Value
}

// verdicts asks the check evaluators for the word on each violation. Bindings
// that they drop are left out. state holds what the violations are of. The
// first that cannot be decided fails all: a write must not pass a check that
// nobody decides.
func (ses *session) verdicts(ctx context.Context, list []abi.Violations, state stateReader) ([]verdict, error) {
	return ses.decide(ctx, list, state, func(_ int, err error) error { return err })
}

// decide is verdicts with a word on what cannot be decided: undecided gets the
// check and the reason, and returns nil to go on with the other checks.
func (ses *session) decide(ctx context.Context, list []abi.Violations, state stateReader, undecided func(check int, err error) error) ([]verdict, error) {
	var out []verdict
	instances := map[*plugin]*sandbox.Instance{}
	defer func() {
		for _, in := range instances {
			drop(ctx, &in)
		}
	}()
	for _, v := range list {
		found, err := ses.ofCheck(ctx, instances, v, state)
		if err != nil {
			err = undecided(v.Check, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].check != out[j].check {
			return out[i].check < out[j].check
		}
		for k := range out[i].tuple {
			if c := abi.Compare(out[i].tuple[k], out[j].tuple[k]); c != 0 {
				return c < 0
			}
		}
		return false
	})
	return out, nil
}

// ofCheck asks the evaluator of one check, in the instance that it has among
// instances or gets there. A trap ends the instance.
func (ses *session) ofCheck(ctx context.Context, instances map[*plugin]*sandbox.Instance, v abi.Violations, state stateReader) ([]verdict, error) {
	p, err := ses.s.evaluatorOf(ses.plugins, ses.m.program.Checks[v.Check].Evaluator)
	if err != nil {
		return nil, err
	}
	in := instances[p]
	if in == nil {
		if in, err = p.instance(ctx, p.limits); err != nil {
			return nil, err
		}
		instances[p] = in
		ses.asked(p)
	}
	found, err := ses.evaluate(ctx, p, in, v, state)
	if dead(err) {
		delete(instances, p)
		drop(ctx, &in)
	}
	return found, err
}

// evaluate asks one evaluator about the violations of one check.
func (ses *session) evaluate(ctx context.Context, p *plugin, in *sandbox.Instance, v abi.Violations, state stateReader) ([]verdict, error) {
	c := &ses.m.program.Checks[v.Check]
	call := ses.call
	call.Limits = p.limits
	req := abi.EvaluateRequest{
		Call: call, Check: c.Name, Constants: ses.m.program.Constants, Functions: ses.m.program.Functions,
		Payload: c.Payload, Columns: ses.m.program.Relations[c.Relation].Columns, Frame: v.Frame,
	}
	var resp abi.EvaluateResponse
	facts := ses.factsFor(p, v.Check, state)
	usage, err := p.call(sandbox.WithFacts(ctx, facts.scanner()), in, abi.ExportEvaluate, &req, &resp, p.limits)
	ses.bill(usage, abi.Work{})
	if err := facts.failed(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if len(resp.Verdicts) != v.Frame.Rows {
		return nil, p.nonsense(fmt.Sprintf("gave %d verdicts for %d violations of %s", len(resp.Verdicts), v.Frame.Rows, c.Name))
	}
	var out []verdict
	for i, w := range resp.Verdicts {
		if !w.Drop {
			out = append(out, verdict{Verdict: w, check: v.Check, tuple: v.Frame.Row(nil, i)})
		}
	}
	return out, nil
}

// bindings names the values of a violation.
func (m *module) bindings(v verdict, names namer) map[string]Cell {
	columns := m.program.Relations[m.program.Checks[v.check].Relation].Columns
	out := map[string]Cell{}
	rel := m.program.Checks[v.check].Relation
	for i, c := range columns {
		if m.declaredColumn(rel, i) {
			out[c.Name] = cell(v.tuple[i], c.Type, names)
		}
	}
	return out
}

func (m *module) violation(v verdict, names namer) Violation {
	columns := m.program.Relations[m.program.Checks[v.check].Relation].Columns
	var parts []string
	for i, c := range columns {
		if m.declaredColumn(m.program.Checks[v.check].Relation, i) {
			parts = append(parts, displayText(v.tuple[i], c.Type, names))
		}
	}
	return Violation{
		Check: m.program.Checks[v.check].Name, Severity: v.Severity.String(), Code: v.Code, Message: v.Message,
		Bindings: m.bindings(v, names), Text: "(" + strings.Join(parts, ", ") + ")",
	}
}

// verdictDiagnostic is a violation as a finding: at the declaration that it is
// about, or else at its check.
func (m *module) verdictDiagnostic(v verdict) Diagnostic {
	c := &m.program.Checks[v.check]
	d := Diagnostic{Code: v.Code, Severity: v.Severity.String(), Message: v.Message, Range: m.rangeOf(c.Span), Check: c.Name}
	if at := m.about(v); at != nil {
		if d.Range != nil {
			d.Related = []Related{{Message: "the check " + shortName(c.Name) + " says so", Range: *d.Range}}
		}
		d.Range = at
	}
	return d
}

// Checks evaluates the checks, or one of them, against the state.
func (s *Service) Checks(ctx context.Context, req ChecksRequest) (*ChecksResult, error) {
	ses, refused, err := s.begin(ctx, req.Common)
	if ses == nil {
		return checksRefused(refused), err
	}
	defer ses.end()
	if err := ses.oneView("what the checks find"); err != nil {
		return nil, err
	}
	check := -1
	if req.Name != "" {
		if check, err = ses.m.check(req.Name); err != nil {
			return nil, err
		}
	}
	from := 0
	key := fmt.Sprintf("checks %q", req.Name)
	if req.Page != nil && req.Page.Cursor != "" {
		after, out, err := ses.resume(req.Page.Cursor, key)
		if err != nil {
			return nil, err
		}
		if out.Refused() || len(after) != 1 {
			ses.env.Outcome = out
			env := ses.finish()
			return checksRefused(&env), nil
		}
		from = int(after[0].Int)
	}
	found, breached, err := ses.violations(ctx, check)
	if err != nil {
		env, err := ses.refuse(err)
		if err != nil {
			return nil, err
		}
		return checksRefused(&env), nil
	}
	res := &ChecksResult{Violations: []Violation{}, Total: len(found), Clean: len(found) == 0 && len(breached) == 0}
	if err := ses.checksPage(ctx, res, found, from, key, req); err != nil {
		return nil, err
	}
	if len(breached) > 0 && !ses.env.Outcome.Refused() {
		b := breached[0]
		ses.env.Outcome = breachOutcome(ses.m, b)
	}
	res.Envelope = ses.finish()
	return res, nil
}

// checksPage cuts the violations to a page; a cursor holds the position, since
// the violations of all checks are one sorted list at a pinned read point.
func (ses *session) checksPage(ctx context.Context, res *ChecksResult, found []verdict, from int, key string, req ChecksRequest) error {
	names := ses.names(ctx)
	limit := len(found)
	budget := int(ses.s.cfg.Settings.Int("limits.unpagedChars"))
	if req.Page != nil {
		limit, budget = int(ses.call.Limits.Rows), int(ses.call.Limits.ResultBytes)
		if req.Page.Limit > 0 && req.Page.Limit < limit {
			limit = req.Page.Limit
		}
	}
	size := 0
	for i := from; i < len(found); i++ {
		names.speak(&found[i])
		v := ses.m.violation(found[i], names)
		text, err := EncodeJSON(v)
		if err != nil {
			return err
		}
		if size += len(text); len(res.Violations) == limit || size > budget && len(res.Violations) > 0 {
			return ses.checksMore(res, from+len(res.Violations), key, req.Page == nil, budget)
		}
		res.Violations = append(res.Violations, v)
	}
	return nil
}

func (ses *session) checksMore(res *ChecksResult, next int, key string, unpaged bool, budget int) error {
	if unpaged {
		no := false
		res.Violations = []Violation{}
		ses.env.Outcome = Outcome{
			Code: CodeResultTooLarge, Truncated: &no,
			Message:  fmt.Sprintf("there are %d violations, more than fit in %d characters; ask for them a page at a time with page, or for one check by name", res.Total, budget),
			NextStep: &NextStep{Tool: "argon_checks_current", Arguments: map[string]any{"page": map[string]any{"limit": ses.call.Limits.Rows}}},
		}
		return nil
	}
	var err error
	res.NextCursor, err = ses.sealRow(key, []abi.Value{abi.IntValue(int64(next))})
	return err
}

// violations evaluates checks at the session's read point.
func (ses *session) violations(ctx context.Context, check int) ([]verdict, []abi.CheckBreach, error) {
	var resp abi.ChecksResponse
	err := ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) error {
		return ses.ask(ctx, in, abi.ExportChecks, &abi.ChecksRequest{Call: ses.dated(ses.point), Check: check}, &resp)
	})
	if check < 0 && governor.FromError(err) != nil && !loads(err) {
		// One check took the budget of all: each gets its own. Where the module
		// does not even load, none would get anywhere.
		resp, err = ses.oneByOne(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	state, release := ses.kept(ctx)
	defer release()
	out, err := ses.decide(ctx, resp.Violations, state, func(check int, err error) error {
		limit := governor.FromError(err)
		if limit == nil {
			return err
		}
		resp.Breached = append(resp.Breached, abi.CheckBreach{Check: check, Rule: -1, Limit: abi.Breach{Limit: limit.Limit, Allowed: limit.Allowed, Used: limit.Used}})
		return nil
	})
	return out, resp.Breached, err
}

// maxBreaches is how many checks may use up their whole budget before the rest
// is given up too: a package must not make a check cost any number of budgets.
const maxBreaches = 4

// oneByOne evaluates the checks each under the call's limits, and marks those
// that pass them.
func (ses *session) oneByOne(ctx context.Context) (abi.ChecksResponse, error) {
	var all abi.ChecksResponse
	for i := range ses.m.program.Checks {
		if n := len(all.Breached); n >= maxBreaches {
			all.Breached = append(all.Breached, abi.CheckBreach{Check: i, Rule: -1, Limit: all.Breached[n-1].Limit})
			continue
		}
		var one abi.ChecksResponse
		err := ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) error {
			return ses.ask(ctx, in, abi.ExportChecks, &abi.ChecksRequest{Call: ses.dated(ses.point), Check: i}, &one)
		})
		if limit := governor.FromError(err); limit != nil {
			all.Breached = append(all.Breached, abi.CheckBreach{Check: i, Rule: ruleStopped(err), Limit: abi.Breach{Limit: limit.Limit, Allowed: limit.Allowed, Used: limit.Used}})
			continue
		}
		if err != nil {
			return all, err
		}
		all.Violations = append(all.Violations, one.Violations...)
		all.Breached = append(all.Breached, one.Breached...)
		all.Work.Rounds += one.Work.Rounds
		all.Work.Derived += one.Work.Derived
	}
	return all, nil
}

func (m *module) check(name string) (int, error) {
	names := make([]string, len(m.program.Checks))
	for i, c := range m.program.Checks {
		names[i] = c.Name
	}
	return m.named("check", name, names)
}

func checksRefused(env *Envelope) *ChecksResult {
	if env == nil {
		return nil
	}
	return &ChecksResult{Envelope: *env, Violations: []Violation{}}
}
