package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) mutate() *cobra.Command {
	var pairs []string
	var body, key string
	var dryRun, delta bool
	cmd := &cobra.Command{
		Use:   "mutate [PATH] [NAME]",
		Short: "Run a mutation, and show what it changes",
		Long: `Runs a declared mutation, or with --eval the statements that are written there.
A write that a check refuses changes nothing.

Facts live as long as the process: on the command line a write shows what it
would do, and is forgotten. A server (ox-mcp stdio) keeps them while it runs.
Several writes in a row, and questions after them, are a scenario:
ox-mcp run-scenario --help. Facts for good stand in the sources.`,
		Example: `  ox-mcp mutate commission --arg name=Aurora --arg crew=20 --delta
  ox-mcp mutate --eval 'insert Ship { name: "Aurora", crew: 20 };'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "NAME")
			if err != nil {
				return err
			}
			req := runtime.MutateRequest{Name: names[0], Body: body, DryRun: dryRun, IncludeDerivedDelta: delta, IdempotencyKey: key}
			req.Fork, _ = a.flags.GetString("fork")
			req.Standpoints, _ = a.flags.GetStringSlice("standpoint")
			if req.Args, err = arguments(pairs); err != nil {
				return err
			}
			res, err := s.Mutate(a.progress(cmd.Context()), req)
			if err != nil {
				return err
			}
			if a.json() {
				return a.finish(res, func() {})
			}
			a.mutation(s, res)
			if res.Refused() {
				return errRefused
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&pairs, "arg", nil, "an argument, name=value; repeat for more")
	f.StringVar(&body, "eval", "", "run these statements instead of a declared mutation")
	f.BoolVar(&dryRun, "dry-run", false, "evaluate and check, write nothing")
	f.BoolVar(&delta, "delta", false, "show what the write changes in derived relations")
	f.StringVar(&key, "idempotency-key", "", "a key under which the write is recorded once")
	return cmd
}

// mutation prints what a write came to.
func (a *app) mutation(s *runtime.Service, res *runtime.MutateResult) {
	if res.Refused() {
		a.refusedWrite(s, res)
		return
	}
	if res.Receipt != nil {
		fmt.Fprintf(a.env.Out, "mutate %s: tt %d\n", nameOr(res.Name, "ad-hoc"), res.Receipt.TT)
	} else {
		fmt.Fprintf(a.env.Out, "mutate %s: dry run, nothing written\n", nameOr(res.Name, "ad-hoc"))
	}
	if res.Message != "" {
		fmt.Fprintf(a.env.Err, "note: %s\n", res.Message)
	}
	for _, m := range res.Minted {
		name := m.Name
		if name == "" {
			name = m.ID
		}
		fmt.Fprintf(a.env.Out, "minted %s %s\n", m.Concept, name)
	}
	if res.Value != nil {
		fmt.Fprintf(a.env.Out, "value %s\n", res.Value.Text)
	}
	for _, d := range res.DerivedDelta {
		a.delta("+", d.Head, d.Added, d.AddedCount)
		a.delta("-", d.Head, d.Removed, d.RemovedCount)
	}
	for _, d := range res.Observed {
		fmt.Fprintf(a.env.Out, "observed %s %s: %s\n", d.Severity, d.Code, d.Message)
	}
}

func (a *app) delta(sign, head string, tuples [][]runtime.Cell, total int) {
	for _, t := range tuples {
		parts := make([]string, len(t))
		for i, c := range t {
			parts[i] = c.Text
		}
		fmt.Fprintf(a.env.Out, "%s %s(%s)\n", sign, head, strings.Join(parts, ", "))
	}
	if n := total - len(tuples); n > 0 {
		fmt.Fprintf(a.env.Out, "%s %s: %d more\n", sign, head, n)
	}
}

func (a *app) refusedWrite(s *runtime.Service, res *runtime.MutateResult) {
	code := res.Code
	judged := code == runtime.CodeCheckViolation || code == runtime.CodeWriteRefused
	if judged && len(res.DiagnosticCodes) > 0 {
		code = strings.Join(res.DiagnosticCodes, ", ")
	}
	fmt.Fprintf(a.env.Out, "refused %s: %s\n", code, res.Message)
	if res.Code == runtime.CodeIllTyped {
		a.diagnostics(a.env.Err, s, res.Diagnostics)
	}
	a.next(&res.Outcome)
	for _, f := range res.Trace {
		fmt.Fprint(a.env.Err, f.Rendered)
	}
}

func nameOr(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

func (a *app) runScenario() *cobra.Command {
	return &cobra.Command{
		Use:   "run-scenario [PATH] [FILE]",
		Short: "Run the writes and questions of a scenario file, on a copy",
		Long: `Runs the steps of a scenario file in order, on a copy of the facts that is
thrown away after it; where no file is named, demo.toml and those of the folder
scenarios, each on a copy of its own. A step is a table:

  [[step]]
  do = "mutate"                       # or query, derive, compute
  path = "build_road"
  args = { a = "summit", b = "harbour" }`,
		Example: "  ox-mcp run-scenario examples/residential_lease demo.toml",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "FILE")
			if err != nil {
				return err
			}
			if from, _ := a.flags.GetStringSlice("standpoint"); len(from) > 0 {
				return runtime.Invalid("--standpoint", "standpoints = [\"…\"] in the steps of the file", strings.Join(from, ", "), "")
			}
			files := []string{names[0]}
			if all := s.Scenarios(); names[0] == "" && len(all) > 0 {
				files = all
			}
			return a.scenarios(cmd.Context(), s, files)
		},
	}
}

// scenarios runs scenario files, each on a copy of its own. One that cannot be
// run does not keep the others from it; the error is of the last such one, and
// the others were told.
func (a *app) scenarios(ctx context.Context, s *runtime.Service, files []string) error {
	var refused, broken error
	for i, file := range files {
		res, err := s.RunScenario(a.progress(ctx), runtime.ScenarioRequest{File: file})
		if err == nil {
			if len(files) > 1 {
				res.File = file
			}
			err = a.finish(res, func() {
				if len(files) > 1 {
					fmt.Fprintf(a.env.Out, "%sscenario %s:\n", strings.Repeat("\n", min(i, 1)), file)
				}
				for i := range res.Steps {
					a.step(s, i, &res.Steps[i])
				}
			})
			if err == nil && !res.OK {
				err = errRefused
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err == nil:
		case errors.Is(err, errRefused):
			refused = err
		default:
			if broken != nil {
				a.status(broken)
			}
			broken = err
		}
	}
	if broken != nil {
		return broken
	}
	return refused
}

func (a *app) step(s *runtime.Service, i int, st *runtime.ScenarioStep) {
	if st.Label != "" {
		fmt.Fprintf(a.env.Out, "# %s\n", st.Label)
	}
	switch {
	case st.Mutate != nil:
		a.mutation(s, st.Mutate)
	case st.Rows != nil && st.Rows.Refused():
		a.outcome(&st.Rows.Outcome)
	case st.Rows != nil && st.Do == "query":
		fmt.Fprintln(a.env.Out, queryHead(st.Rows, false))
		a.rows(st.Rows, false, false)
	case st.Rows != nil:
		fmt.Fprintln(a.env.Out, extentHead(st.Path, st.Rows))
		for j := range st.Rows.Rows {
			r := &st.Rows.Rows[j]
			line := tupleLine(r, false)
			if r.Proof != "" { // the step asks for it with explain
				line += "  by " + r.Proof
			}
			fmt.Fprintln(a.env.Out, line)
		}
	case st.Compute != nil && st.Compute.Value != nil:
		fmt.Fprintf(a.env.Out, "compute %s: %s\n", st.Compute.Name, st.Compute.Value.Text)
	case st.Compute != nil:
		a.outcome(&st.Compute.Outcome)
	}
	if st.Failure != "" {
		fmt.Fprintf(a.env.Out, "unmet in step %d: %s\n", i+1, st.Failure)
	}
}
