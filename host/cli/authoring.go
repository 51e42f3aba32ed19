package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) check() *cobra.Command {
	var codes, fix bool
	cmd := &cobra.Command{
		Use:   "check [PATH]",
		Short: "Find mistakes in the sources, and facts that a check forbids",
		Long: `Reads the package and shows what is wrong in it, each with its place: mistakes
of the language, and facts of the package that one of its checks forbids. It
writes nothing, unless --fix is given. Exit status 1 if there is an error.

A code such as OE0101 is explained, with an example, by: ox-mcp explain OE0101`,
		Example: `  ox-mcp check
  ox-mcp check examples/supply_chain --codes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			if fix {
				return a.fix(cmd.Context(), s, codes)
			}
			res, err := s.Check(a.progress(cmd.Context()), runtime.CheckRequest{})
			if err != nil {
				return err
			}
			if a.json() {
				a.printJSON(res)
			}
			return a.checked(s, res, codes)
		},
	}
	cmd.Flags().BoolVar(&codes, "codes", false, "print the codes only, one a line")
	cmd.Flags().BoolVar(&fix, "fix", false, "apply the machine-applicable fixes, all of a file or none, and check again")
	return cmd
}

// checked shows what a check found.
func (a *app) checked(s *runtime.Service, res *runtime.CheckResult, codes bool) error {
	if res.Refused() {
		if !a.json() {
			a.outcome(&res.Outcome)
		}
		return ending(&res.Outcome)
	}
	switch {
	case a.json():
	case codes:
		for _, d := range res.Findings {
			fmt.Fprintln(a.env.Out, d.Code)
		}
	default:
		a.diagnostics(a.env.Out, s, res.Findings)
		fmt.Fprintf(a.env.Err, "checked %s: %s, %s\n", count(res.Summary.Files, "file"), count(res.Summary.Errors, "error"), count(res.Summary.Warnings, "warning"))
	}
	if res.Summary.Errors > 0 {
		return errRefused
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// texts gives the lines of the sources for excerpts.
type texts interface {
	SourceLine(file string, line int) (string, bool)
}

// diagnostics prints findings with excerpts.
func (a *app) diagnostics(w io.Writer, s texts, list []runtime.Diagnostic) {
	for _, d := range list {
		a.diagnostic(w, s, d)
	}
}

func (a *app) diagnostic(w io.Writer, s texts, d runtime.Diagnostic) {
	fmt.Fprintf(w, "%s %s: %s\n", a.paint(d.Severity, d.Severity), d.Code, d.Message)
	if d.Range != nil {
		fmt.Fprintf(w, "  --> %s:%d:%d\n", d.Range.File, d.Range.Start.Line, d.Range.Start.Column)
		excerpt(w, s, d.Range, a.paint(d.Severity, "^"))
	}
	for _, r := range d.Related {
		fmt.Fprintf(w, "  see %s:%d:%d: %s\n", r.Range.File, r.Range.Start.Line, r.Range.Start.Column, r.Message)
		excerpt(w, s, &r.Range, "-")
	}
	if d.Help != "" {
		fmt.Fprintf(w, "  help: %s\n", d.Help)
	}
	if d.Fix != nil {
		fmt.Fprintf(w, "  fix: %s (ox-mcp check --fix)\n", d.Fix.Title)
	}
}

func (a *app) paint(severity, text string) string {
	if !a.env.Color {
		return text
	}
	color := map[string]string{"Error": "31", "Warning": "33"}[severity]
	if color == "" {
		color = "36"
	}
	return "\x1b[1;" + color + "m" + text + "\x1b[0m"
}

// excerpt prints the first line of a range with carets under it.
func excerpt(w io.Writer, s texts, r *runtime.Range, mark string) {
	line, ok := s.SourceLine(r.File, r.Start.Line)
	if !ok {
		return
	}
	number := fmt.Sprint(r.Start.Line)
	gutter := strings.Repeat(" ", len(number))
	width := 1
	if r.End.Line == r.Start.Line && r.End.Column > r.Start.Column {
		width = r.End.Column - r.Start.Column
	}
	var under strings.Builder
	for i, c := range []rune(line) {
		if i >= r.Start.Column-1 {
			break
		}
		if c == '\t' {
			under.WriteRune('\t')
		} else {
			under.WriteRune(' ')
		}
	}
	fmt.Fprintf(w, "   %s |\n   %s | %s\n   %s | %s%s\n", gutter, number, line, gutter, under.String(), strings.Repeat(mark, width))
}

// fix applies the fixes of a check, says what it changed, and shows what is
// left.
func (a *app) fix(ctx context.Context, s *runtime.Service, codes bool) error {
	res, err := s.Fix(a.progress(ctx))
	if err != nil {
		return err
	}
	if a.json() {
		a.printJSON(res)
		return a.checked(s, &res.CheckResult, codes)
	}
	for _, f := range res.Fixed {
		fmt.Fprintf(a.env.Out, "fixed %s:%d:%d %s: %s\n", f.Range.File, f.Range.Start.Line, f.Range.Start.Column, f.Code, f.Title)
	}
	for _, f := range res.Left {
		a.note("the fixes in " + f + " do not mend what they are for, and were left out")
	}
	return a.checked(s, &res.CheckResult, codes)
}

func (a *app) build() *cobra.Command {
	var out, onIncompatible, confirm string
	cmd := &cobra.Command{
		Use:   "build [PATH]",
		Short: "Check the package and write it into the file that is served",
		Long: `Checks the package and, if there is no error, writes it into one file, the
artifact: target/root.oxbin, for a package that begins in root.ar. That file is
what is queried and served; it can be copied and asked without the sources.
Where there is an error nothing is written, and what was served is served on.

The other verbs build by themselves when the sources have changed, so that build
is needed only to have the file, or to see that it would be made.`,
		Example: `  ox-mcp build
  ox-mcp build examples/supply_chain -o /tmp/supply.oxbin
  ox-mcp build --frozen`,
		RunE: func(cmd *cobra.Command, args []string) error {
			frozen := a.flagBool("frozen")
			if frozen && a.flagBool("dev") {
				return runtime.Invalid("--dev", "no --dev beside --frozen", "both", "")
			}
			a.untimed = true
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			if out != "" && !filepath.IsAbs(out) {
				out = filepath.Join(a.env.Dir, out)
			}
			res, err := s.Build(a.progress(cmd.Context()), runtime.BuildRequest{Out: out, OnIncompatible: onIncompatible, Confirm: confirm, Frozen: frozen})
			if err != nil {
				return err
			}
			return a.finish(res, func() {
				a.diagnostics(a.env.Err, s, res.GateFailures)
				a.diagnostics(a.env.Err, s, res.Findings)
				if res.Dumped != "" {
					fmt.Fprintf(a.env.Err, "discarded facts were written to %s\n", res.Dumped)
				}
				if res.OK {
					fmt.Fprintf(a.env.Out, "wrote %s %s\n", res.WroteOxbin, res.ModuleHash)
				}
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the artifact into this file")
	cmd.Flags().StringVar(&onIncompatible, "on-incompatible", "", "what to do where stored facts do not fit the new sources: refuse or discard")
	cmd.Flags().StringVar(&confirm, "confirm", "", "with discard: the hash that the refusal told, which says what is lost")
	return cmd
}

func (a *app) test() *cobra.Command {
	var filter string
	var receipts receiptsFlags
	cmd := &cobra.Command{
		Use:   "test [PATH]",
		Short: "Run the tests that the package declares",
		Long: `Runs each test "…" { … } of the package on a copy of its facts, which is
thrown away after it. Exit status 1 if one fails.`,
		Example: `  ox-mcp test --filter 'lease'
  ox-mcp test --receipts receipts.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := receipts.valid(filter); err != nil {
				return err
			}
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			res, err := s.Test(a.progress(cmd.Context()), runtime.TestRequest{Filter: filter, Receipts: receipts.file != ""})
			if err != nil {
				return err
			}
			err = a.finish(res, func() {
				if res.Refused() {
					a.diagnostics(a.env.Err, s, res.Findings)
					return
				}
				for _, t := range res.Tests {
					fmt.Fprint(a.env.Out, testText(&t, ""))
				}
				fmt.Fprintf(a.env.Out, "%d passed, %d failed\n", res.Summary.Passed, res.Summary.Failed+res.Summary.Errors)
			})
			if err != nil {
				return err
			}
			if receipts.file != "" {
				err = a.receipts(&receipts, res.Receipts, filter != "")
			}
			if err == nil && res.Summary.Failed+res.Summary.Errors > 0 {
				return errRefused
			}
			return err
		},
	}
	cmd.Flags().StringVar(&filter, "filter", "", "run the tests whose name matches this regular expression")
	receipts.define(cmd.Flags())
	return cmd
}

func (a *app) newPackage() *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME",
		Short: "Make a small package to start from",
		Long: `Makes the folder NAME with a package that works: types, facts, rules, queries, a
mutation, a check, a test and a scenario, all in NAME/root.ar but for the last,
which is in NAME/demo.toml.`,
		Example: "  ox-mcp new harbour && cd harbour && ox-mcp test",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := a.full(args[0])
			files, err := runtime.NewPackage(filepath.Base(dir))
			if err != nil {
				return err
			}
			if err := a.makeFiles(dir, args[0], files); err != nil {
				return err
			}
			fmt.Fprintf(a.env.Err, "next: cd %s && ox-mcp test && ox-mcp query\n", args[0])
			return nil
		},
	}
}

func (a *app) dump() *cobra.Command {
	return &cobra.Command{
		Use:   "dump ast|expanded|rules|program [PATH]",
		Short: "Print what a stage of the compiler made of the package",
		Long: `Prints what the compiler makes of the package: ast, the sources as they were
read; expanded, what macros made of them; rules, the rules and checks that the
reasoner is given; program, all that it is given.`,
		Example:   "  ox-mcp dump rules examples/supply_chain",
		ValidArgs: []string{"ast", "expanded", "rules", "program"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return runtime.Invalid("stage", "ast, expanded, rules or program", "nothing", "")
			}
			what := args[0]
			s, _, err := a.open(cmd.Context(), args[1:])
			if err != nil {
				return err
			}
			text, findings, err := s.Dump(cmd.Context(), what)
			if err != nil {
				return err
			}
			if a.json() {
				a.printJSON(struct {
					Stage       string               `json:"stage"`
					Text        string               `json:"text"`
					Diagnostics []runtime.Diagnostic `json:"diagnostics"`
				}{what, text, append([]runtime.Diagnostic{}, findings...)})
			} else {
				a.diagnostics(a.env.Err, s, findings)
				io.WriteString(a.env.Out, text)
			}
			if text == "" && len(findings) > 0 {
				return errRefused
			}
			return nil
		},
	}
}
