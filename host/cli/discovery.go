package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) stdio() *cobra.Command {
	return &cobra.Command{
		Use:   "stdio [PATH]",
		Short: "Serve MCP over standard input and output, for a client to start",
		Long: `Speaks the Model Context Protocol over standard input and output until the input
ends: what a client such as an agent or an editor starts. Facts that are written
live as long as it runs. Which tools there are: argon_status, asked first, tells
the next step.`,
		Example: "  ox-mcp stdio path/to/package",
		RunE: func(cmd *cobra.Command, args []string) error {
			a.serving = true
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			return a.env.Serve(cmd.Context(), s, a.given())
		},
	}
}

func (a *app) explain() *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE]",
		Short:   "Explain a diagnostic code, or list them",
		Example: "  ox-mcp explain OE1303",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all := runtime.Catalog()
			if len(args) == 0 {
				if a.json() {
					a.printJSON(all)
					return nil
				}
				for _, e := range all {
					note := ""
					if e.Reserved {
						note = " (reserved)"
					}
					fmt.Fprintf(a.env.Out, "%s %s%s\n", e.Code, e.Title, note)
				}
				return nil
			}
			e, err := runtime.CatalogEntryOf(args[0])
			if err != nil {
				return err
			}
			if a.json() {
				a.printJSON(e)
				return nil
			}
			fmt.Fprintf(a.env.Out, "%s %s\n%s\n\n%s\n", e.Code, e.Severity, e.Title, e.Explanation)
			if e.Remediation != nil {
				fmt.Fprintf(a.env.Out, "\nWay out (%s): %s\n", e.Remediation.Class, e.Remediation.Text)
			}
			if e.Failing != "" {
				fmt.Fprintf(a.env.Out, "\nFails:\n%s\n", indent(e.Failing))
			}
			if e.Repaired != "" {
				fmt.Fprintf(a.env.Out, "\nRepaired:\n%s\n", indent(e.Repaired))
			}
			return nil
		},
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

func (a *app) schema() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "schema [PATH] [NAME]",
		Short: "List what the package declares, or show one declaration",
		Example: `  ox-mcp schema
  ox-mcp schema --kind query
  ox-mcp schema Ship`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "NAME")
			if err != nil {
				return err
			}
			res, err := s.Schema(a.progress(cmd.Context()), runtime.SchemaRequest{Name: names[0], Kind: kind})
			if err != nil {
				return err
			}
			return a.finish(res, func() { a.constructs(res) })
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only constructs of this kind, such as query")
	return cmd
}

func (a *app) constructs(res *runtime.SchemaResult) {
	if c := res.Construct; c != nil {
		fmt.Fprintf(a.env.Out, "%s %s\n%s\n", c.Kind, c.Name, indent(c.Signature))
		if c.Doc != "" {
			fmt.Fprintf(a.env.Out, "%s\n", indent(c.Doc))
		}
		for _, f := range c.Fields {
			note := ""
			if f.Mut {
				note += " mut"
			}
			if f.From != "" {
				note += " from " + f.From
			}
			fmt.Fprintf(a.env.Out, "  field %s: %s%s\n", f.Name, f.Type, note)
		}
		if c.Defined != nil {
			fmt.Fprintf(a.env.Out, "  at %s:%d\n", c.Defined.File, c.Defined.Start.Line)
		}
		return
	}
	a.index(res.Index)
}

// index lists constructs, a line each; where one is too long for that, all have
// what they look like on lines of their own.
func (a *app) index(list []runtime.ConstructEntry) {
	kind, name, rest := 0, 0, 0
	for _, e := range list {
		kind = max(kind, utf8.RuneCountInString(e.Kind))
		name = max(name, utf8.RuneCountInString(e.Name))
		rest = max(rest, utf8.RuneCountInString(e.Signature))
	}
	short := kind+2+name+2+rest <= columns
	for _, e := range list {
		if short {
			fmt.Fprintf(a.env.Out, "%-*s  %-*s  %s\n", kind, e.Kind, name, e.Name, e.Signature)
			continue
		}
		fmt.Fprintf(a.env.Out, "%-*s  %s\n", kind, e.Kind, e.Name)
		if e.Kind == "test" {
			continue // what it looks like is its name
		}
		indent := strings.Repeat(" ", kind+2)
		for i, line := range runtime.Wrapped(e.Signature, columns-kind-4, columns-kind-8) {
			if i > 0 {
				line = "    " + line
			}
			fmt.Fprintf(a.env.Out, "%s  %s\n", indent, line)
		}
	}
}

func (a *app) settings() *cobra.Command {
	return &cobra.Command{
		Use:   "settings [PATH]",
		Short: "List the settings, their values and where each comes from",
		Long: `Lists each setting with its value and where that comes from. A setting such as
limits.fuel is given in the environment as OX_MCP_LIMITS_FUEL, in your own
configuration, or in part in the package's ox.toml, which may only narrow.`,
		Example: "  ox-mcp settings",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			rows := s.Settings()
			if a.json() {
				a.printJSON(rows)
				return nil
			}
			w := tabwriter.NewWriter(a.env.Out, 0, 0, 2, ' ', 0)
			for _, r := range rows {
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.Key, r.Value, r.Origin)
			}
			return w.Flush()
		},
	}
}
