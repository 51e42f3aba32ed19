package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// defaultScenario is the scenario file that a run looks for where none is
// named.
const defaultScenario = "demo.toml"

// RunRequest runs all that a package has to say.
type RunRequest struct {
	Scenario string // file; "": demo.toml, if there is one
	Receipts bool   // of the tests, which then see a fixed instant; a frozen run has them anyway
}

// RunReport is the answer of Run. In a frozen run it is the same bytes on every
// machine.
type RunReport struct {
	Envelope
	OK       bool            `json:"ok"`
	Failed   []string        `json:"failed"` // of build, checks, tests, scenario and queries, in this order
	Now      string          `json:"now,omitempty"`
	Build    *BuildResult    `json:"build"`
	Checks   *ChecksResult   `json:"checks,omitempty"`
	Tests    *TestResult     `json:"tests,omitempty"`
	Receipts *Receipts       `json:"receipts,omitempty"` // of the tests
	Scenario *ScenarioResult `json:"scenario,omitempty"`
	File     string          `json:"scenarioFile,omitempty"`
	Queries  []*RowsResult   `json:"queries"`
	Bill     *Bill           `json:"bill,omitempty"` // only of a frozen run: of everything above but the build
}

// Run builds the package and runs its checks, its tests, a scenario and its
// public queries without parameters, in this order. It goes on after a failure
// of anything but the build.
func (s *Service) Run(ctx context.Context, req RunRequest) (*RunReport, error) {
	res := &RunReport{Failed: []string{}, Queries: []*RowsResult{}}
	if s.cfg.Now != nil {
		res.Now = instantText(instantOf(*s.cfg.Now))
	}
	var err error
	if res.Build, err = s.Build(ctx, BuildRequest{}); err != nil {
		return nil, err
	}
	if !res.Build.OK {
		res.Failed, res.Outcome = []string{"build"}, res.Build.Outcome
		return res, nil
	}
	res.ModuleHash = res.Build.ModuleHash
	r := &reporting{s: s, res: res}
	for _, stage := range []struct {
		name string
		run  func(context.Context, RunRequest) (bool, error)
	}{{"checks", r.checks}, {"tests", r.tests}, {"scenario", r.scenario}, {"queries", r.queries}} {
		Progress(ctx, stage.name, 0, 0)
		ok, err := stage.run(ctx, req)
		if err != nil {
			return nil, err
		}
		if !ok {
			res.Failed = append(res.Failed, stage.name)
		}
	}
	res.OK, res.Reasoner = len(res.Failed) == 0, s.reasonerNow().build()
	res.Usage = &r.spent
	if s.cfg.Frozen {
		res.Bill = &Bill{Fuel: r.spent.Fuel, MemoryBytes: r.spent.MemoryBytes, Rounds: r.spent.Rounds,
			Metered: s.reasonerNow().meteredHash(), Evaluators: res.evaluators()}
	}
	return res, nil
}

// evaluators are the check evaluators that the tests asked.
func (r *RunReport) evaluators() []string {
	if r.Receipts == nil {
		return nil
	}
	return r.Receipts.Evaluators
}

// reporting is a report under way.
type reporting struct {
	s     *Service
	res   *RunReport
	spent Usage
}

func (r *reporting) spend(e *Envelope) {
	if e.Usage != nil {
		r.spent = addUsage(r.spent, *e.Usage)
	}
}

func (r *reporting) checks(ctx context.Context, _ RunRequest) (bool, error) {
	res, err := r.s.Checks(ctx, ChecksRequest{})
	if err != nil {
		return false, err
	}
	r.res.Checks = res
	r.spend(&res.Envelope)
	return !res.Refused(), nil
}

func (r *reporting) tests(ctx context.Context, req RunRequest) (bool, error) {
	res, err := r.s.Test(ctx, TestRequest{Receipts: req.Receipts || r.s.cfg.Frozen})
	if err != nil {
		return false, err
	}
	r.res.Tests, r.res.Receipts = res, res.Receipts
	r.spend(&res.Envelope)
	return !res.Refused() && res.Summary.Failed+res.Summary.Errors == 0, nil
}

func (r *reporting) scenario(ctx context.Context, req RunRequest) (bool, error) {
	file := req.Scenario
	if file == "" {
		if _, err := os.Stat(filepath.Join(r.s.cfg.Project.Folder(), defaultScenario)); errors.Is(err, os.ErrNotExist) {
			return true, nil
		}
		file = defaultScenario
	}
	res, err := r.s.RunScenario(ctx, ScenarioRequest{File: file})
	if err != nil {
		return false, err
	}
	r.res.Scenario, r.res.File = res, filepath.Base(file)
	for i := range res.Steps {
		switch st := &res.Steps[i]; {
		case st.Mutate != nil:
			r.spend(&st.Mutate.Envelope)
		case st.Rows != nil:
			r.spend(&st.Rows.Envelope)
		case st.Compute != nil:
			r.spend(&st.Compute.Envelope)
		}
	}
	return res.OK && !res.Refused(), nil
}

func (r *reporting) queries(ctx context.Context, _ RunRequest) (bool, error) {
	names, out, err := r.s.QueryNames(ctx)
	if err != nil || out.Refused() {
		return false, err
	}
	ok := true
	for _, name := range names {
		res, err := r.query(ctx, name)
		if err != nil {
			return false, err
		}
		r.res.Queries = append(r.res.Queries, res)
		ok = ok && !res.Refused()
	}
	return ok, nil
}

// query reads a query to its end.
func (r *reporting) query(ctx context.Context, name string) (*RowsResult, error) {
	return Whole(ctx, Common{}, func(ctx context.Context, c Common) (*RowsResult, error) {
		res, err := r.s.Query(ctx, QueryRequest{Name: name, Common: c})
		if err == nil {
			r.spend(&res.Envelope)
		}
		return res, err
	})
}
