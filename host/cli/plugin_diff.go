package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) pluginDiff() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Run the same work on two reasoners; compare answers and costs",
		Long: `The package is loaded with its declared facts on both builds; every derived
extent, every query without parameters and every check is then asked of both.
Rows are compared one by one, with their truth values. A build is a file, or
"embedded" for the one that comes with the program. Exit status 1: some answer
differs.`,
		Example: `  ox-mcp plugin diff embedded reasoner.wasm
  ox-mcp plugin diff old.wasm new.wasm --package examples/supply_chain --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var target []string
			if path != "" {
				target = []string{path}
			}
			s, _, err := a.open(cmd.Context(), target)
			if err != nil {
				return err
			}
			res, err := s.DiffBuilds(a.progress(cmd.Context()), a.reasonerBuild(s, args[0]), a.reasonerBuild(s, args[1]))
			if err != nil {
				return err
			}
			if err := a.finish(res, func() { a.builds(res) }); err != nil {
				return err
			}
			if !res.Equal {
				return errRefused
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&path, "package", "", "the package to compare on (the one around the folder)")
	return cmd
}

// reasonerBuild is the build that an argument names.
func (a *app) reasonerBuild(s *runtime.Service, name string) runtime.PluginSource {
	if name != runtime.EmbeddedReasoner {
		name = a.full(name)
	}
	return s.ReasonerSource(name)
}

func (a *app) builds(res *runtime.BuildsDiff) {
	if res.Refused() {
		return
	}
	out := a.env.Out
	fmt.Fprintf(out, "A %s %s %s\nB %s %s %s\n", res.A.Name, res.A.Version, res.A.Blake3, res.B.Name, res.B.Version, res.B.Blake3)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tROWS A\tROWS B\tFUEL A\tFUEL B\tB/A\tROUNDS A\tROUNDS B\tMEMORY A\tMEMORY B\t")
	row := func(name string, x, y runtime.Spent) {
		ratio := "-"
		if x.Fuel > 0 {
			ratio = fmt.Sprintf("%.2f", float64(y.Fuel)/float64(x.Fuel))
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%d\t\n", name, x.Rows, y.Rows, x.Fuel, y.Fuel, ratio, x.Rounds, y.Rounds, x.MemoryBytes, y.MemoryBytes)
	}
	for _, item := range res.Work {
		mark := ""
		if !item.Equal {
			mark = "≠ "
		}
		row(mark+item.Kind+" "+item.Name, item.A, item.B)
	}
	row("in all", res.TotalA, res.TotalB)
	w.Flush()
	if res.Equal {
		fmt.Fprintln(out, "the answers are equal")
		return
	}
	for i := range res.Differences {
		d := &res.Differences[i]
		fmt.Fprintln(out, d)
		for _, e := range d.Examples {
			fmt.Fprintf(out, "  %s\n", e)
		}
	}
}
