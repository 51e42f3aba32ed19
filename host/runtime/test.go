package runtime

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// Test compiles the package with its tests, which never replaces the served
// module, and runs each test on a state of its own: the declared facts.
func (s *Service) Test(ctx context.Context, req TestRequest) (*TestResult, error) {
	filter, err := regexp.Compile(req.Filter)
	if err != nil {
		return nil, Invalid("filter", "a regular expression", err.Error(), "")
	}
	if s.cfg.Project == nil {
		return &TestResult{Envelope: Envelope{Outcome: noProject()}, Findings: []Diagnostic{}, Tests: []TestReport{}}, nil
	}
	p, err := s.projectOf(req.Package)
	if err != nil {
		return nil, err
	}
	g, err := s.gate(ctx, p, nil, true)
	if err != nil {
		return nil, err
	}
	defer g.end()
	res := &TestResult{Findings: g.findings, Tests: []TestReport{}}
	if g.failed() {
		res.Outcome = Outcome{Code: CodeGateFailed, DiagnosticCodes: g.codes(), NextStep: &NextStep{Tool: "argon_check", Arguments: map[string]any{}},
			Message: "the package does not build, so that no test was run"}
		return res, nil
	}
	res.Built = true
	ses := g.session
	if ses == nil {
		if ses, err = s.declaredSession(ctx, g.module, s.limits()); err != nil {
			return nil, err
		}
		g.session = ses
	}
	ses.call.Limits = s.limits()
	if req.Receipts {
		ses.fixed()
		res.Receipts = ses.newReceipts()
	}
	tests := g.module.program.Tests
	for i := range tests {
		if !filter.MatchString(tests[i].Name) {
			continue
		}
		Progress(ctx, "test "+tests[i].Name, float64(i), float64(len(tests)))
		ses.point.view = g.module.testHome(i)
		report, receipt, err := ses.runTest(ctx, &tests[i])
		if err != nil {
			return nil, err
		}
		if res.Receipts != nil {
			res.Receipts.take(receipt)
		}
		res.Tests = append(res.Tests, report)
		switch report.Outcome {
		case "PASS":
			res.Summary.Passed++
		case "FAIL":
			res.Summary.Failed++
		case "ERROR":
			res.Summary.Errors++
		default:
			res.Summary.Inconclusive++
		}
	}
	ses.point.view = ""
	if res.Receipts != nil {
		res.Receipts.close(ses)
	}
	res.Envelope = ses.finish()
	return res, nil
}

// testRun is one test under way.
type testRun struct {
	ses    *session
	test   *abi.Test
	in     *sandbox.Instance
	slots  []*abi.Value
	report TestReport
	step   int

	failures []TestFailure // what went wrong so far

	ran      int      // steps that were begun
	answers  [][]byte // to the steps
	unsteady bool     // the clock or the caller stopped a step

	told told
}

// runTest runs one test. What stops it is in its report; the error is for
// what stops all tests.
func (ses *session) runTest(ctx context.Context, t *abi.Test) (TestReport, *TestReceipt, error) {
	in, err := ses.g.fresh(ctx)
	if err == nil && (ses.point.view != "" || len(ses.m.since) > 0) {
		drop(ctx, &in)
		in, _, err = ses.g.at(ctx, ses.scope, ses.point.view, 0, ses.point.vt)
	}
	if err != nil {
		return TestReport{}, nil, err
	}
	before := ses.usage
	ses.usage = Usage{}
	defer func() { ses.usage = addUsage(before, ses.usage) }()
	run := &testRun{ses: ses, test: t, in: in, slots: make([]*abi.Value, len(t.Slots)), report: TestReport{Name: t.Name, Outcome: "PASS"}, told: told{days: ses.m.days(ses.point.view, ses.m.since)}}
	defer func() { drop(ctx, &run.in) }()
	for i := range t.Steps {
		run.step, run.ran = i, i+1
		ses.call = ses.testCall(t.Name, i)
		stop, err := run.do(ctx, &t.Steps[i])
		if err != nil {
			return run.report, nil, err
		}
		if stop {
			break
		}
	}
	return run.report, run.receipt(ses.usage), nil
}

// fail takes note of what went wrong. The first decides the outcome; an ERROR
// outranks a FAIL, and that what is INCONCLUSIVE.
func (r *testRun) fail(outcome, message string, span abi.Span) {
	place := r.ses.m.rangeOf(span)
	r.failures = append(r.failures, TestFailure{Outcome: outcome, Message: message, Range: place})
	if len(r.failures) > 1 {
		r.report.Failures = r.failures
	}
	if r.report.Failure == nil || outcome == "ERROR" && r.report.Outcome != "ERROR" || outcome == "FAIL" && r.report.Outcome == "INCONCLUSIVE" {
		r.report.Failure = &TestFailure{Message: message, Range: place}
		r.report.Outcome = outcome
	}
}

func (r *testRun) do(ctx context.Context, st *abi.TestStep) (stop bool, err error) {
	switch st.Op {
	case abi.TestRun:
		out, next, err := r.mutate(ctx, r.in, st.Mutation)
		if err != nil {
			return r.stopped(err, st)
		}
		r.slots = out.Slots
		if refusing, err := r.refusing(ctx, r.in, out); err != nil {
			return r.stopped(err, st)
		} else if len(refusing) > 0 {
			r.fail("ERROR", fmt.Sprintf("the write is refused by %s: %s", refusing[0].Code, refusing[0].Message), st.Span)
			return true, nil
		}
		r.told = next
		return false, nil
	case abi.TestRejects:
		r.report.Assertions++
		return false, r.rejects(ctx, st)
	}
	r.report.Assertions++
	expr := st.Expr
	if st.Op == abi.TestDerivable {
		expr = &abi.Expr{Op: abi.ExprHolds, Index: st.Rel, Args: st.Exprs, Span: st.Span}
	}
	var resp abi.ComputeResponse
	err = r.ses.ask(ctx, r.in, abi.ExportCompute, &abi.ComputeRequest{Call: r.ses.call, Expr: expr, Slots: r.slots}, &resp)
	r.answered(&resp, err)
	r.ses.bill(sandbox.Usage{}, resp.Work)
	var failure *abi.Failure
	if errors.As(err, &failure) && failure.Code == abi.FailureUndefined && st.Op == abi.TestDerivable {
		r.fail("INCONCLUSIVE", strings.TrimSuffix(st.Text, ";")+" is neither true nor false", st.Span)
		return false, nil
	}
	if err != nil {
		stop, err := r.stopped(err, st)
		return stop && r.in == nil, err
	}
	holds := resp.Value.Int != 0
	switch {
	case resp.Value.Kind != abi.KindBool:
		r.fail("ERROR", st.Text+" is no Bool", st.Span)
	case holds == st.Neg:
		r.fail("FAIL", strings.TrimSuffix(st.Text, ";")+" is false", st.Span)
	}
	return false, nil
}

func (r *testRun) mutate(ctx context.Context, in *sandbox.Instance, mutation int) (*abi.MutateResponse, told, error) {
	before, _, err := r.ses.overTime(ctx, in)
	if err != nil {
		r.unsteady = r.unsteady || byClock(err)
		return nil, told{}, err
	}
	var out abi.MutateResponse
	err = r.ses.ask(ctx, in, abi.ExportMutate, &abi.MutateRequest{Call: r.ses.call, Mutation: mutation, Slots: r.slots}, &out)
	r.answered(&out, err)
	r.ses.bill(sandbox.Usage{}, out.Work)
	if err != nil {
		return nil, told{}, err
	}
	if out.Writes, err = r.ses.along(r.ses.m.withDeclared(r.told.events), out.Writes, store.MomentOf(r.ses.call.Now)); err != nil {
		return nil, told{}, err
	}
	next, err := r.remember(ctx, in, before, &out)
	r.unsteady = r.unsteady || byClock(err)
	return &out, next, err
}

// refusing are the violations that would refuse the write that made in.
func (r *testRun) refusing(ctx context.Context, in *sandbox.Instance, out *abi.MutateResponse) ([]verdict, error) {
	all, err := r.ses.verdicts(ctx, out.Violations, heldState(in))
	if err == nil {
		var later []verdict
		later, err = r.ahead(ctx, out)
		all = append(all, later...)
	}
	r.unsteady = r.unsteady || byClock(err)
	var errs []verdict
	for _, v := range all {
		if v.Severity == abi.SeverityError {
			errs = append(errs, v)
		}
	}
	return errs, err
}

// stopped turns what stopped a step into the test's report. Only what is not
// an outcome stops the run.
func (r *testRun) stopped(err error, st *abi.TestStep) (bool, error) {
	if dead(err) {
		drop(context.Background(), &r.in)
	}
	out, err := r.ses.s.outcomeOf(r.ses.m, err)
	if err != nil {
		return true, err
	}
	r.fail("ERROR", out.Message, st.Span)
	return true, nil
}

// rejects runs a step that must be refused, on a clone.
func (r *testRun) rejects(ctx context.Context, st *abi.TestStep) error {
	clone, err := r.in.Clone(ctx)
	if err != nil {
		return err
	}
	defer drop(ctx, &clone)
	out, _, err := r.mutate(ctx, clone, st.Mutation)
	if err != nil {
		o, err := r.ses.s.outcomeOf(r.ses.m, err)
		if err != nil {
			return err
		}
		if o.Code == CodeWriteRefused && st.Code == "" {
			return nil
		}
		r.fail("ERROR", "the write was not refused by a guard, it stopped: "+o.Message, st.Span)
		return nil
	}
	refusing, err := r.refusing(ctx, clone, out)
	if err != nil {
		return err
	}
	codes := []string{}
	for _, v := range refusing {
		if st.Code == "" || v.Code == st.Code {
			return nil
		}
		codes = append(codes, v.Code)
	}
	if len(codes) == 0 {
		r.fail("FAIL", "the write is accepted", st.Span)
		return nil
	}
	r.fail("FAIL", fmt.Sprintf("the write is refused by %s, not by %s", strings.Join(codes, ", "), st.Code), st.Span)
	return nil
}
