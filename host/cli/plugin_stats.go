package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) pluginStats() *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "stats [PATH]",
		Short: "Tell what each build spent",
		Long: `Figures live in the process that calls the builds, and end with it. With --url
they are those of a running ` + "`ox-mcp serve`" + `, since it started. Without it this
verb evaluates the checks of the package once, and shows what that took: of no
other process. A server over stdio shows its own in argon_status.`,
		Example: `  ox-mcp plugin stats --url http://127.0.0.1:7780
  ox-mcp plugin stats examples/supply_chain`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if server != "" {
				return a.statsOf(cmd, server, args)
			}
			s, _, err := a.open(cmd.Context(), args)
			if err != nil {
				return err
			}
			if _, err := s.Check(a.progress(cmd.Context()), runtime.CheckRequest{}); err != nil {
				return err
			}
			res, err := s.Status(cmd.Context())
			if err != nil {
				return err
			}
			a.note("these are the figures of this command, which ran the checks once; those of a server: --url")
			return a.stats(res.Plugins)
		},
	}
	urlFlag(cmd, &server)
	return cmd
}

func (a *app) statsOf(cmd *cobra.Command, server string, args []string) error {
	if err := aloneWithURL(args); err != nil {
		return err
	}
	res, _, err := statusOf(cmd.Context(), server)
	if err != nil {
		return err
	}
	a.note("these are the figures of the server at " + server + ", since it started")
	return a.stats(res.Plugins)
}

// note tells a person on standard error; data is not mixed with it.
func (a *app) note(text string) {
	if !a.json() && !a.quiet() {
		fmt.Fprintf(a.env.Err, "note: %s\n", text)
	}
}

func (a *app) stats(list []runtime.PluginStatus) error {
	if a.json() {
		a.printJSON(list)
		return nil
	}
	w := tabwriter.NewWriter(a.env.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BUILD\tCALLS\tFUEL\tPEAK MEMORY\tTRAPS\tREFUSALS\tCACHE HITS\tMEAN µs\tMAX µs")
	for _, p := range list {
		l := p.Latency
		if l == nil {
			l = &runtime.Latency{}
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", nameOr(p.Plugin, p.World), p.Calls, p.Fuel, p.PeakMemory, p.Traps, p.Refusals, p.CacheHits, l.Mean, l.Max)
	}
	return w.Flush()
}

// urlFlag is the flag of the verbs that can ask a running server.
func urlFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "url", "", "ask the running server at this address, such as http://127.0.0.1:7780")
}

// aloneWithURL refuses a path beside --url: a server has its own package.
func aloneWithURL(args []string) error {
	if len(args) > 0 {
		return runtime.Invalid("PATH", "none with --url: the server has its own package", args[0], "")
	}
	return nil
}
