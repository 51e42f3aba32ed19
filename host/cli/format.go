package cli

import (
	"fmt"
	"io"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

// format is the verb fmt.
func (a *app) format() *cobra.Command {
	var check, stdout bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH]",
		Short: "Put the sources in their canonical layout",
		Long: `Formats the .ar files of a folder, or one file; without PATH those of the
package around the folder. The layout follows from the tokens and the comments
alone; single blank lines between declarations, members and statements are
kept, and what a macro matches or makes keeps the layout in which it is written.

A file with syntax errors is left alone, and its errors are shown. Before a file
is written the result is read again: it must be the same program with the same
comments.`,
		Example: `  ox-mcp fmt
  ox-mcp fmt examples/orchard --check
  ox-mcp fmt root.ar --stdout`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, rest := a.target(args)
			if len(rest) > 0 {
				return runtime.Invalid("PATH", "a folder or an .ar file", rest[0], "")
			}
			if path == "" {
				if p, _ := a.flags.GetString("project"); p != "" {
					path = a.full(p)
				}
			}
			files, err := runtime.Format(a.env.Dir, path)
			if err != nil {
				return err
			}
			if stdout && len(files) > 1 {
				return runtime.Invalid("--stdout", "one .ar file", count(len(files), "file"), "")
			}
			return a.formatted(files, check, stdout)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; list the files that would change, and exit 1 if there are any")
	cmd.Flags().BoolVar(&stdout, "stdout", false, "write the result to standard output and leave the file as it is")
	return cmd
}

// formatted writes or lists what formatting gave.
func (a *app) formatted(files []*runtime.Formatted, check, stdout bool) error {
	changed := []string{}
	findings := []runtime.Diagnostic{}
	for _, f := range files {
		findings = append(findings, f.Findings...)
		if f.Changed() {
			changed = append(changed, f.Path)
		}
		switch {
		case len(f.Findings) > 0:
			if !a.json() {
				a.diagnostics(a.env.Err, f, f.Findings)
			}
		case stdout && !check:
			if !a.json() {
				io.WriteString(a.env.Out, f.Text)
			}
		case f.Changed():
			if !check {
				if err := f.Write(); err != nil {
					return err
				}
			}
			if !a.json() {
				fmt.Fprintln(a.env.Out, f.Path)
			}
		}
	}
	if a.json() {
		a.printJSON(struct {
			Changed  []string             `json:"changed"`
			Findings []runtime.Diagnostic `json:"findings"`
		}{changed, findings})
	} else if len(findings) == 0 && !stdout {
		verb := "formatted"
		if check {
			verb = "would format"
		}
		a.note(fmt.Sprintf("%s %d of %s", verb, len(changed), count(len(files), "file")))
	}
	if len(findings) > 0 || check && len(changed) > 0 {
		return errRefused
	}
	return nil
}
