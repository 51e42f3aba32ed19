package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) epistemics() *cobra.Command {
	return &cobra.Command{
		Use:   "epistemics [PATH] [NAME]",
		Short: "Say what may be unknown and why, and who sees what",
		Example: `  ox-mcp epistemics
  ox-mcp epistemics honest`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "NAME")
			if err != nil {
				return err
			}
			res, err := s.Epistemics(a.progress(cmd.Context()), runtime.EpistemicsRequest{Construct: names[0]})
			if err != nil {
				return err
			}
			return a.finish(res, func() { a.known(res, names[0] != "") })
		},
	}
}

// known prints what can be known of the module, or of one construct.
func (a *app) known(res *runtime.EpistemicsResult, one bool) {
	if res.Refused() {
		return
	}
	w := tabwriter.NewWriter(a.env.Out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, e := range res.Worlds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Kind, e.Name, e.World, e.Reason)
		if len(e.Path) > 1 {
			fmt.Fprintf(w, "\t\t\t%s\n", strings.Join(e.Path, " → "))
		}
		if len(e.Across) > 0 {
			fmt.Fprintf(w, "\t\t\tacross %s\n", strings.Join(e.Across, ", "))
		}
	}
	for _, s := range res.Standpoints {
		above := ""
		if len(s.Parents) > 0 {
			above = "below " + strings.Join(s.Parents, ", ")
		}
		if len(s.Sees) > 0 {
			above = "sees " + strings.Join(s.Sees, ", ")
		}
		fmt.Fprintf(w, "standpoint\t%s\t%d facts\t%s\n", s.Name, s.Facts, above)
	}
	w.Flush()
	if !one {
		fmt.Fprintf(a.env.Out, "closed: %d\n", res.Closed)
	}
	for _, c := range res.Components {
		kind := map[string]string{"plain": "without recursion", "recursive": "recursive", "well-founded": "recursive through negation, well-founded", "best": "recursive through min or max"}[c.Kind]
		fmt.Fprintf(a.env.Out, "component: %s (stratum %d): %s\n", strings.Join(c.Predicates, ", "), c.Stratum, kind)
	}
	if !one && len(res.Components) > 0 {
		fmt.Fprintf(a.env.Out, "strata: %d\n", res.Strata)
	}
	var rungs []string
	for tier, n := range res.Tiers.Rules {
		rungs = append(rungs, fmt.Sprintf("%s %d", tier, n))
	}
	if slices.Sort(rungs); len(rungs) > 0 {
		fmt.Fprintf(a.env.Out, "tiers: %s (highest: %s, temporal: %s)\n", strings.Join(rungs, ", "), res.Tiers.Highest, res.Tiers.Temporal)
	}
}
