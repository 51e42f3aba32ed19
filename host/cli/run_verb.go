package cli

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) runAll() *cobra.Command {
	var receipts receiptsFlags
	cmd := &cobra.Command{
		Use:   "run [PATH] [SCENARIO]",
		Short: "Build, check, test, run a scenario and all queries: one report",
		Long: `Build the package, and run its checks, its tests, a scenario (demo.toml where
none is named and there is one) and its public queries without parameters. One
report, exit status 1 if anything failed.

With --frozen, which needs --now and --seed, ox.lock must fit, and the report is
the same bytes on every machine, with what it cost at its end. See docs/ci.md.`,
		Example: `  ox-mcp run
  ox-mcp run --frozen --now 2031-07-04T10:00:00Z --seed ci --receipts ci.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := receipts.valid(""); err != nil {
				return err
			}
			s, names, err := a.open(cmd.Context(), args, "SCENARIO")
			if err != nil {
				return err
			}
			res, err := s.Run(a.progress(cmd.Context()), runtime.RunRequest{Scenario: names[0], Receipts: receipts.file != ""})
			if err != nil {
				return err
			}
			if a.json() {
				a.printJSON(res)
			} else {
				a.report(s, res)
			}
			if receipts.file != "" && res.Receipts != nil {
				if err := a.receipts(&receipts, res.Receipts, false); err != nil {
					return err
				}
			}
			if !res.OK {
				return errRefused
			}
			return nil
		},
	}
	receipts.define(cmd.Flags())
	return cmd
}

// report prints a report the way the single verbs print.
func (a *app) report(s *runtime.Service, res *runtime.RunReport) {
	out := a.env.Out
	a.diagnostics(out, s, res.Build.GateFailures)
	a.diagnostics(out, s, res.Build.Findings)
	if !res.Build.OK {
		fmt.Fprintf(out, "build refused %s: %s\nfailed: build\n", res.Build.Code, res.Build.Message)
		return
	}
	fmt.Fprintf(out, "build: %s\n", res.ModuleHash)
	fmt.Fprintf(out, "reasoner: %s %s %s\n", res.Reasoner.Name, res.Reasoner.Version, res.Reasoner.Blake3)
	if res.Now != "" {
		fmt.Fprintf(out, "now: %s\n", res.Now)
	}
	a.reportChecks(res.Checks)
	a.reportTests(res)
	if res.Scenario != nil {
		fmt.Fprintf(out, "scenario %s:\n", res.File)
		for i := range res.Scenario.Steps {
			a.step(s, i, &res.Scenario.Steps[i])
		}
	}
	for _, q := range res.Queries {
		if q.Refused() {
			fmt.Fprintf(out, "query %s: refused %s: %s\n", q.Name, q.Code, q.Message)
			continue
		}
		fmt.Fprintf(out, "query %s: %d row(s)\n", q.Name, q.Total)
		a.rows(q, true, false)
	}
	if b := res.Bill; b != nil {
		fmt.Fprintf(out, "bill: fuel %d, memory %d bytes, rounds %d, metered %s\n", b.Fuel, b.MemoryBytes, b.Rounds, b.Metered)
	}
	if len(res.Failed) > 0 {
		fmt.Fprintf(out, "failed: %s\n", strings.Join(res.Failed, ", "))
		return
	}
	fmt.Fprintln(out, "ok")
}

func (a *app) reportChecks(res *runtime.ChecksResult) {
	if res.Refused() {
		fmt.Fprintf(a.env.Out, "checks: refused %s: %s\n", res.Code, res.Message)
		return
	}
	fmt.Fprintf(a.env.Out, "checks: %d violation(s)\n", res.Total)
	for _, v := range res.Violations {
		fmt.Fprintf(a.env.Out, "%s %s %s%s: %s\n", v.Severity, v.Code, v.Check, v.Text, v.Message)
	}
}

func (a *app) reportTests(res *runtime.RunReport) {
	t := res.Tests
	if t.Refused() {
		fmt.Fprintf(a.env.Out, "tests: refused %s: %s\n", t.Code, t.Message)
		return
	}
	fuel := map[string]uint64{}
	if res.Bill != nil && res.Receipts != nil {
		for _, r := range res.Receipts.Tests {
			fuel[r.Name] = r.Fuel
		}
	}
	for _, x := range t.Tests {
		note := ""
		if n, ok := fuel[x.Name]; ok {
			note = fmt.Sprintf(" (fuel %d)", n)
		}
		fmt.Fprint(a.env.Out, testText(&x, note))
	}
	fmt.Fprintf(a.env.Out, "tests: %d passed, %d failed\n", t.Summary.Passed, t.Summary.Failed+t.Summary.Errors)
}
