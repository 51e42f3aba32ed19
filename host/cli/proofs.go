package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

func (a *app) explainFact() *cobra.Command {
	return a.proving(&cobra.Command{
		Use:   "explain-fact [PATH] 'HEAD(a, b)'",
		Short: "Show why a fact holds, or why it does not",
		Long: `Shows the proof of a fact, down to the lines of the files that it rests on. Of
what does not hold it shows how far each rule gets, which premise is missing,
and which changes of facts would make it hold.

A fact is written as it is printed:

  reach(a, c)      of a rule, a relation or a check
  Ship(aurora)     that an individual is of a concept; aurora: Ship is the same
  aurora.crew = 20 that a field has a value`,
		Example: `  ox-mcp explain-fact 'reach(a, c)'
  ox-mcp explain-fact 'reach(a, c)' --format svg > proof.svg`,
	}, "FACT", "a fact such as 'Head(a, b)'", func(req *runtime.ExplainRequest, fact string) { req.Fact = fact })
}

func (a *app) expand() *cobra.Command {
	return a.proving(&cobra.Command{
		Use:   "expand [PATH] NODE",
		Short: "Show what explain-fact folded in a proof that is large",
		Long: `Shows a proof from one of its nodes on. Of what it folds, explain-fact prints
the line that shows it: the word behind expand is the id of the node.`,
		Example: `  id=$(ox-mcp explain-fact 'reach(a, z)' --json | jq -r '.folded[0].nodeId')
  ox-mcp expand $id`,
	}, "NODE", "the id of a node, as explain-fact tells for what it folds", func(req *runtime.ExplainRequest, node string) { req.NodeID = node })
}

// proving makes cmd a verb that prints the proof of what its word named what
// says; expected describes that word, and set puts it into the request.
func (a *app) proving(cmd *cobra.Command, what, expected string, set func(*runtime.ExplainRequest, string)) *cobra.Command {
	var req runtime.ExplainRequest
	var scenario string
	f := cmd.Flags()
	scenarioFlag(cmd, &scenario)
	f.IntVar(&req.MaxDepth, "max-depth", 0, "levels to show (setting explain.depth)")
	f.IntVar(&req.MaxNodes, "max-nodes", 0, "nodes to show (setting explain.nodes)")
	f.IntVar(&req.Alternative, "alternative", 0, "show another derivation: 1 is the first after the canonical one")
	f.StringVar(&req.Format, "format", "text", "text, dot, svg or json")
	repairs := f.Int("repairs", abi.MaxRepair, "most facts of a repair to look for, where the fact does not hold; 0: none")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, names, err := a.open(cmd.Context(), args, what)
		if err != nil {
			return err
		}
		if names[0] == "" {
			return runtime.Invalid(what, expected, "nothing", "")
		}
		if s, err = a.after(cmd.Context(), s, scenario); err != nil {
			return err
		}
		set(&req, names[0])
		req.Repairs = repairs
		if req.Common, err = a.common(0, ""); err != nil {
			return err
		}
		if a.json() && req.Format == "text" {
			req.Format = "json"
		}
		res, err := s.Explain(a.progress(cmd.Context()), req)
		if err != nil {
			return err
		}
		return a.finish(res, func() {
			if res.Refused() {
				return
			}
			if req.Format == "json" {
				a.printJSON(res)
				return
			}
			fmt.Fprint(a.env.Out, res.Rendered)
			if res.Message != "" {
				a.note(res.Message)
			}
			again := scenario == "" && req.AsOf == nil && len(req.Standpoints) == 0
			a.folded(res.Folded, args[:len(args)-1], again)
		})
	}
	return cmd
}

// shownFolds is how many lines tell how to see what a proof folds.
const shownFolds = 5

// folded tells how to see what was folded: by the fact, where again says that it
// is asked of the same state, or by the id of the node.
func (a *app) folded(list []runtime.FoldedNode, path []string, again bool) {
	for i, f := range list {
		switch {
		case i == shownFolds:
			fmt.Fprintf(a.env.Err, "folded: %d more; --max-depth and --max-nodes show more at once\n", len(list)-i)
			return
		case again && f.Word != "":
			fmt.Fprintf(a.env.Err, "folded: ox-mcp explain-fact %s\n", strings.Join(append(slices.Clone(path), f.Word), " "))
		default:
			fmt.Fprintf(a.env.Err, "folded: %s (ox-mcp expand %s)\n", f.Fact, f.NodeID)
		}
	}
}

func (a *app) checks() *cobra.Command {
	var scenario string
	cmd := &cobra.Command{
		Use:     "checks [PATH] [NAME]",
		Short:   "List what the checks find in the facts",
		Example: "  ox-mcp checks",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "NAME")
			if err != nil {
				return err
			}
			if s, err = a.after(cmd.Context(), s, scenario); err != nil {
				return err
			}
			req := runtime.ChecksRequest{Name: names[0]}
			if req.Common, err = a.common(0, ""); err != nil {
				return err
			}
			res, err := s.Checks(a.progress(cmd.Context()), req)
			if err != nil {
				return err
			}
			return a.finish(res, func() {
				if res.Refused() && res.Total == 0 {
					return
				}
				fmt.Fprintf(a.env.Out, "checks: %d violation(s)\n", res.Total)
				for _, v := range res.Violations {
					fmt.Fprintf(a.env.Out, "%s %s %s%s: %s\n", v.Severity, v.Code, v.Check, v.Text, v.Message)
				}
			})
		},
	}
	scenarioFlag(cmd, &scenario)
	return cmd
}

func (a *app) why() *cobra.Command {
	var depth int
	var of, format, scenario string
	cmd := &cobra.Command{
		Use:   "why [PATH] [CHECK]",
		Short: "Show what the checks find, with the facts behind it",
		Example: `  ox-mcp why
  ox-mcp why overdue --of source
  ox-mcp why overdue --format svg > overdue.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "CHECK")
			if err != nil {
				return err
			}
			if s, err = a.after(cmd.Context(), s, scenario); err != nil {
				return err
			}
			req := runtime.WhyRequest{Check: names[0], Of: of, MaxDepth: depth, Format: format}
			if req.Common, err = a.common(0, ""); err != nil {
				return err
			}
			if a.json() && format == "text" {
				req.Format = "json" // the firings have their texts
			}
			res, err := s.Why(a.progress(cmd.Context()), req)
			if err != nil {
				return err
			}
			if of == "" && unbuilt(&res.Outcome) {
				req.Of = "source"
				if res, err = s.Why(a.progress(cmd.Context()), req); err != nil {
					return err
				}
			}
			return a.finish(res, func() {
				if res.Refused() && len(res.Firings) == 0 {
					return
				}
				switch format {
				case "json":
					a.printJSON(res)
					return
				case "text":
					fmt.Fprintf(a.env.Out, "checks: %d violation(s)\n", len(res.Firings))
				}
				fmt.Fprint(a.env.Out, res.Rendered)
			})
		},
	}
	cmd.Flags().IntVar(&depth, "max-depth", 0, "levels of the traces")
	scenarioFlag(cmd, &scenario)
	cmd.Flags().StringVar(&format, "format", "text", "text, dot, svg or json")
	cmd.Flags().StringVar(&of, "of", "", "runtime, or source for the package's own facts")
	return cmd
}
