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

// defaultTraceDepth is how deep the trace of a firing goes when the call does
// not say.
const defaultTraceDepth = 4

// maxTraces bounds the firings that are traced in one answer.
const maxTraces = 20

// Why gives the violations of the checks with their traces: over the served
// state, or (Of "source") over the package's own facts, for which no artifact
// is needed.
func (s *Service) Why(ctx context.Context, req WhyRequest) (*WhyResult, error) {
	if err := knownFormat(req.Format); err != nil {
		return nil, err
	}
	switch req.Of {
	case "", "runtime":
	case "source":
		return s.whySource(ctx, req)
	default:
		return nil, Invalid("of", "runtime or source", req.Of, Nearest(req.Of, []string{"runtime", "source"}))
	}
	ses, refused, err := s.begin(ctx, req.Common)
	if ses == nil {
		return whyRefused(refused), err
	}
	defer ses.end()
	if err := ses.oneView("what the checks find"); err != nil {
		return nil, err
	}
	check := -1
	if req.Check != "" {
		if check, err = ses.m.check(req.Check); err != nil {
			return nil, err
		}
	}
	res := &WhyResult{Firings: []Firing{}}
	found, breached, err := ses.violations(ctx, check)
	if err == nil {
		err = ses.traceAll(ctx, found, req.MaxDepth, res)
	}
	if err != nil {
		env, err := ses.refuse(err)
		if err != nil {
			return nil, err
		}
		return whyRefused(&env), nil
	}
	if len(breached) > 0 {
		ses.env.Outcome = breachOutcome(ses.m, breached[0])
	}
	res.draw(req.Format)
	res.Envelope = ses.finish()
	return res, nil
}

// traceAll explains violations at the session's read point.
func (ses *session) traceAll(ctx context.Context, found []verdict, depth int, res *WhyResult) error {
	if len(found) == 0 {
		return nil
	}
	err := ses.g.run(ctx, ses.scope, ses.point, true, func(in *sandbox.Instance) (err error) {
		res.Firings, err = ses.traces(ctx, in, found, traceDepth(depth), ses.names(ctx), ses.provenance(ctx))
		return err
	})
	if governor.FromError(err) != nil {
		return nil // the violations are listed; what a limit stopped is a trace
	}
	return err
}

func traceDepth(asked int) int {
	if asked > 0 {
		return asked
	}
	return defaultTraceDepth
}

func whyRefused(env *Envelope) *WhyResult {
	if env == nil {
		return nil
	}
	return &WhyResult{Envelope: *env, Firings: []Firing{}}
}

// traces explains each violation by the proof of its tuple. A violation whose
// proof cannot be had (a limit, say) is listed without one; dying is the trap
// that ended the instance, if one did.
func (ses *session) traces(ctx context.Context, in *sandbox.Instance, found []verdict, depth int, names *names, prov *provenance) (out []Firing, dying error) {
	out = []Firing{}
	for i, v := range found {
		names.speak(&v)
		c := &ses.m.program.Checks[v.check]
		f := Firing{
			Check: c.Name, RuleID: c.Rule, Code: v.Code, Severity: v.Severity.String(), Message: v.Message,
			Bindings: ses.m.bindings(v, names), Declarations: []Declaration{}, Premises: []*ProofNode{}, Spans: []Range{},
		}
		if i < maxTraces && dying == nil {
			if err := ses.trace(ctx, in, v, depth, names, prov, &f); dead(err) {
				dying = err
			}
		}
		f.declare(ses.m, c)
		f.Rendered = renderFiring(&f)
		out = append(out, f)
	}
	return out, dying
}

func (ses *session) trace(ctx context.Context, in *sandbox.Instance, v verdict, depth int, names *names, prov *provenance, f *Firing) error {
	msg := abi.ExplainRequest{
		Call: ses.dated(ses.point), Relation: ses.m.program.Checks[v.check].Relation, Tuple: v.tuple,
		MaxDepth: uint32(depth), MaxNodes: uint32(ses.s.cfg.Settings.Int("explain.nodes")),
	}
	var resp abi.Explanation
	if err := ses.ask(ctx, in, abi.ExportExplain, &msg, &resp); err != nil || len(resp.Nodes) == 0 {
		return err
	}
	ses.bill(sandbox.Usage{}, resp.Work)
	p := &prover{ses: ses, m: ses.m, names: names, msg: &msg, prov: prov}
	f.Trace = p.node(resp.Nodes, 0, nil)
	f.Premises = f.Trace.Children
	return nil
}

// declare lists the declarations that the firing involves, and their places:
// the check and each rule of the trace.
func (f *Firing) declare(m *module, c *abi.Check) {
	seen := map[string]*Range{c.Name: m.rangeOf(c.Span)}
	var walk func(n *ProofNode)
	walk = func(n *ProofNode) {
		if n == nil {
			return
		}
		if n.Rule != nil {
			if _, ok := seen[n.Rule.Name]; !ok {
				seen[n.Rule.Name] = n.Rule.Span
			}
		}
		for _, ch := range n.Children {
			walk(ch)
		}
	}
	walk(f.Trace)
	for _, name := range sortedKeys(seen) {
		f.Declarations = append(f.Declarations, Declaration{Name: name, Span: seen[name]})
		if seen[name] != nil {
			f.Spans = append(f.Spans, *seen[name])
		}
	}
	sort.SliceStable(f.Spans, func(i, j int) bool {
		a, b := f.Spans[i], f.Spans[j]
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Start.Line < b.Start.Line
	})
}

// headline says what a firing is of, in a line.
func (f *Firing) headline() string {
	keys := sortedKeys(f.Bindings)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k + " = " + f.Bindings[k].Text
	}
	return fmt.Sprintf("%s %s %s(%s): %s", f.Severity, f.Code, f.Check, strings.Join(parts, ", "), f.Message)
}

func renderFiring(f *Firing) string {
	out := f.headline() + "\n"
	if f.Trace != nil {
		out += renderTree(f.Trace)
	}
	return out
}
