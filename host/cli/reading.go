package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

// common reads the flags that all reads share.
func (a *app) common(limit int, cursor string) (runtime.Common, error) {
	var c runtime.Common
	c.Fork, _ = a.flags.GetString("fork")
	c.Standpoints, _ = a.flags.GetStringSlice("standpoint")
	asOf, _ := a.flags.GetString("as-of")
	validAt, _ := a.flags.GetString("valid-at")
	if asOf != "" || validAt != "" {
		c.AsOf = &runtime.AsOf{VT: validAt}
		if n, err := strconv.ParseInt(asOf, 10, 64); err == nil {
			c.AsOf.TT = &n
		} else if asOf != "" {
			if validAt != "" {
				return c, runtime.Invalid("--as-of", "a transaction stamp beside --valid-at", asOf, "")
			}
			c.AsOf.VT = asOf
		}
	}
	if limit < 0 {
		return c, runtime.Invalid("--limit", "a number from 1 on", fmt.Sprint(limit), "")
	}
	if limit > 0 || cursor != "" {
		c.Page = &runtime.Page{Limit: limit, Cursor: cursor}
	}
	return c, nil
}

// arguments turns k=v pairs into arguments: JSON where the value is an object
// or a list, else text in the literal form of the parameter's type.
func arguments(pairs []string) (runtime.Args, error) {
	args := runtime.Args{}
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, runtime.Invalid("--arg", "name=value", p, "")
		}
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if !json.Valid([]byte(v)) {
				return nil, runtime.Invalid("--arg "+k, "a JSON object or list", v, "")
			}
			args[k] = json.RawMessage(v)
			continue
		}
		b, err := runtime.EncodeJSON(v)
		if err != nil {
			return nil, err
		}
		args[k] = b
	}
	return args, nil
}

// whole runs a read and, for a terminal, follows its pages to the end. A
// caller that asked for a page, or for JSON, gets one answer.
func (a *app) whole(c runtime.Common, read func(runtime.Common) (*runtime.RowsResult, error)) (*runtime.RowsResult, error) {
	res, err := read(c)
	if err != nil || c.Page != nil || a.json() || res.Code != runtime.CodeResultTooLarge {
		return res, err
	}
	c.Page = &runtime.Page{}
	all, err := read(c)
	for err == nil && !all.Refused() && all.NextCursor != "" {
		c.Page.Cursor = all.NextCursor
		var next *runtime.RowsResult
		if next, err = read(c); err == nil {
			all.Rows = append(all.Rows, next.Rows...)
			all.NextCursor, all.Outcome = next.NextCursor, next.Outcome
		}
	}
	return all, err
}

// rows prints a result the way a person reads it: one bare value a row, or a
// tuple.
func (a *app) rows(res *runtime.RowsResult, truth, proofs bool) {
	other := map[string]int{}
	for i := range res.Rows {
		r := &res.Rows[i]
		if !truth && r.Truth4 != "" && r.Truth4 != "Is" {
			other[r.Truth4]++
			continue
		}
		line := r.Text()
		if len(r.Values) == 1 {
			line = r.Values[0].Text
		}
		if truth {
			line += " " + r.Truth4
		}
		if proofs && r.Proof != "" {
			line += "  by " + r.Proof
		}
		fmt.Fprintln(a.env.Out, line)
	}
	if len(other) > 0 {
		fmt.Fprintf(a.env.Err, "not shown: %d Can, %d Both, %d Not (--with-truth4 shows them)\n", other["Can"], other["Both"], other["Not"])
	}
	if res.NextCursor != "" {
		fmt.Fprintf(a.env.Err, "more: --cursor %s\n", res.NextCursor)
	}
}

func (a *app) query() *cobra.Command {
	var pairs []string
	var truth bool
	var body, extent, scenario, cursor string
	var limit int
	cmd := &cobra.Command{
		Use:   "query [PATH] [NAME]",
		Short: "Run a query, an ad-hoc one, or all queries without parameters",
		Example: `  ox-mcp query
  ox-mcp query exposed --arg advisory=A-1
  ox-mcp query --eval 'select m from m: Module, m.licence == "MIT"'
  ox-mcp query --extent root::Module --as-of 4`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := a.progress(cmd.Context())
			s, names, err := a.open(cmd.Context(), args, "NAME")
			if err != nil {
				return err
			}
			if scenario != "" {
				if s, err = a.replay(ctx, s, scenario); err != nil {
					return err
				}
			}
			c, err := a.common(limit, cursor)
			if err != nil {
				return err
			}
			if extent != "" {
				return a.extent(ctx, s, extent, c)
			}
			values, err := arguments(pairs)
			if err != nil {
				return err
			}
			if names[0] == "" && body == "" {
				return a.allQueries(ctx, s, c, truth)
			}
			return a.oneQuery(ctx, s, runtime.QueryRequest{Name: names[0], Body: body, Args: values}, c, truth)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&pairs, "arg", nil, "an argument, name=value; repeat for more")
	f.BoolVar(&truth, "with-truth4", false, "show all rows with their truth values")
	f.StringVar(&body, "eval", "", "run this body instead of a declared query")
	f.StringVar(&extent, "extent", "", "list the individuals of a concept")
	f.StringVar(&scenario, "scenario", "", "run this scenario file on a throw-away copy first")
	f.IntVar(&limit, "limit", 0, "rows of a page")
	f.StringVar(&cursor, "cursor", "", "go on where a page ended")
	return cmd
}

func (a *app) oneQuery(ctx context.Context, s *runtime.Service, req runtime.QueryRequest, c runtime.Common, truth bool) error {
	res, err := a.whole(c, func(c runtime.Common) (*runtime.RowsResult, error) {
		req.Common = c
		return s.Query(ctx, req)
	})
	if err != nil {
		return err
	}
	return a.finish(res, func() {
		if res.Refused() {
			a.diagnostics(a.env.Err, s, res.Diagnostics)
			return
		}
		fmt.Fprintf(a.env.Out, "query %s: %d row(s)\n", res.Name, res.Total)
		a.rows(res, truth, false)
		if res.Message != "" {
			fmt.Fprintf(a.env.Err, "note: %s\n", res.Message)
		}
	})
}

// allQueries runs every public query without parameters, in source order.
func (a *app) allQueries(ctx context.Context, s *runtime.Service, c runtime.Common, truth bool) error {
	names, out, err := s.QueryNames(ctx)
	if err != nil {
		return err
	}
	if out.Refused() {
		return a.finish(&runtime.RowsResult{Envelope: runtime.Envelope{Outcome: out}, Columns: []runtime.Column{}, Rows: []runtime.Row{}}, func() {})
	}
	if len(names) == 0 {
		fmt.Fprintln(a.env.Err, "the package has no public query without parameters; `ox-mcp schema` lists what there is")
	}
	var failed error
	for _, name := range names {
		if err := a.oneQuery(ctx, s, runtime.QueryRequest{Name: name}, c, truth); err == errRefused {
			failed = err
		} else if err != nil {
			return err
		}
	}
	return failed
}

func (a *app) extent(ctx context.Context, s *runtime.Service, name string, c runtime.Common) error {
	res, err := a.whole(c, func(c runtime.Common) (*runtime.RowsResult, error) {
		return s.Derive(ctx, runtime.DeriveRequest{Name: name, Common: c})
	})
	if err != nil {
		return err
	}
	return a.finish(res, func() {
		if res.Refused() {
			return
		}
		at := "now"
		if c.AsOf != nil && c.AsOf.TT != nil {
			at = fmt.Sprint(*c.AsOf.TT)
		} else if c.AsOf != nil {
			at = c.AsOf.VT
		}
		fmt.Fprintf(a.env.Out, "extent(%s as_of %s): %d individual(s)\n", name, at, res.Total)
		a.rows(res, false, false)
	})
}

// replay runs a scenario on a throw-away copy, which the verb then reads.
func (a *app) replay(ctx context.Context, s *runtime.Service, file string) (*runtime.Service, error) {
	copied, res, err := s.Replay(ctx, runtime.ScenarioRequest{File: file})
	a.copy = copied
	if err != nil {
		return nil, err
	}
	if res.Refused() {
		a.outcome(&res.Outcome)
		return nil, errRefused
	}
	for i, st := range res.Steps {
		if st.Failure != "" {
			fmt.Fprintf(a.env.Err, "scenario step %d: %s\n", i+1, st.Failure)
		}
	}
	return copied, nil
}

// unbuilt reports that there is no current module to answer from. A violated
// check refuses the build; what it is about is in the sources.
func unbuilt(o *runtime.Outcome) bool {
	return o.Code == runtime.CodeDirtyWorkspace || o.Code == runtime.CodeNoArtifact
}

func (a *app) derive() *cobra.Command {
	var explain, countOnly, truth bool
	var scenario, cursor string
	var limit int
	cmd := &cobra.Command{
		Use:   "derive [PATH] RULE",
		Short: "Print the extent of a rule head, concept, relation or check",
		Example: `  ox-mcp derive reach
  ox-mcp derive examples/supply_chain depends --count`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := a.progress(cmd.Context())
			s, names, err := a.open(cmd.Context(), args, "RULE")
			if err != nil {
				return err
			}
			if names[0] == "" {
				return runtime.Invalid("RULE", "the name of a rule head", "nothing", "")
			}
			if scenario != "" {
				if s, err = a.replay(ctx, s, scenario); err != nil {
					return err
				}
			}
			c, err := a.common(limit, cursor)
			if err != nil {
				return err
			}
			if countOnly && c.Page == nil {
				c.Page = &runtime.Page{Limit: 1}
			}
			res, err := a.whole(c, func(c runtime.Common) (*runtime.RowsResult, error) {
				return s.Derive(ctx, runtime.DeriveRequest{Name: names[0], Explain: explain, Common: c})
			})
			if err == nil && c.AsOf == nil && unbuilt(&res.Outcome) {
				res, err = a.whole(c, func(c runtime.Common) (*runtime.RowsResult, error) {
					return s.DeriveSource(ctx, runtime.DeriveRequest{Name: names[0], Explain: explain, Common: c})
				})
			}
			if err != nil {
				return err
			}
			return a.finish(res, func() {
				if res.Refused() {
					return
				}
				fmt.Fprintf(a.env.Out, "derive(%s): %d tuple(s)\n", names[0], res.Total)
				if countOnly {
					return
				}
				for i := range res.Rows {
					r := &res.Rows[i]
					line := r.Text()
					if truth {
						line += " " + r.Truth4
					}
					if explain {
						line += "  by " + r.Proof
					}
					fmt.Fprintln(a.env.Out, line)
				}
				if res.NextCursor != "" {
					fmt.Fprintf(a.env.Err, "more: --cursor %s\n", res.NextCursor)
				}
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&explain, "explain", false, "show which rule gave each tuple first, and in which round")
	f.BoolVar(&countOnly, "count", false, "print the number of tuples only")
	f.BoolVar(&truth, "with-truth4", false, "show truth values")
	f.StringVar(&scenario, "scenario", "", "run this scenario file on a throw-away copy first")
	f.IntVar(&limit, "limit", 0, "rows of a page")
	f.StringVar(&cursor, "cursor", "", "go on where a page ended")
	return cmd
}

func (a *app) explainFact() *cobra.Command {
	var depth, nodes, alternative int
	var format string
	cmd := &cobra.Command{
		Use:   "explain-fact [PATH] 'HEAD(a, b)'",
		Short: "Show why a fact holds, or why it does not",
		Example: `  ox-mcp explain-fact 'reach(a, c)'
  ox-mcp explain-fact 'reach(a, c)' --format dot | dot -Tsvg > proof.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.proof(cmd.Context(), args, "FACT", "a fact such as 'Head(a, b)'", func(fact string) runtime.ExplainRequest {
				return runtime.ExplainRequest{Fact: fact, MaxDepth: depth, MaxNodes: nodes, Alternative: alternative, Format: format}
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&depth, "max-depth", 0, "levels to show")
	f.IntVar(&nodes, "max-nodes", 0, "nodes to show")
	f.IntVar(&alternative, "alternative", 0, "show another derivation: 1 is the first after the canonical one")
	f.StringVar(&format, "format", "text", "text, dot or json")
	return cmd
}

func (a *app) expand() *cobra.Command {
	var depth, nodes, alternative int
	var format string
	cmd := &cobra.Command{
		Use:     "expand [PATH] NODE",
		Short:   "Show a proof from one of its nodes on",
		Example: "  ox-mcp expand $(ox-mcp explain-fact 'reach(a, z)' --max-depth 2 --json | jq -r '.folded[0].nodeId')",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.proof(cmd.Context(), args, "NODE", "the id of a node, as explain-fact tells for what it folds", func(node string) runtime.ExplainRequest {
				return runtime.ExplainRequest{NodeID: node, MaxDepth: depth, MaxNodes: nodes, Alternative: alternative, Format: format}
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&depth, "max-depth", 0, "levels to show")
	f.IntVar(&nodes, "max-nodes", 0, "nodes to show")
	f.IntVar(&alternative, "alternative", 0, "show another derivation of the node's fact")
	f.StringVar(&format, "format", "text", "text, dot or json")
	return cmd
}

// proof prints the proof of what the word named what says, which expected
// describes.
func (a *app) proof(ctx context.Context, args []string, what, expected string, request func(string) runtime.ExplainRequest) error {
	s, names, err := a.open(ctx, args, what)
	if err != nil {
		return err
	}
	if names[0] == "" {
		return runtime.Invalid(what, expected, "nothing", "")
	}
	req := request(names[0])
	if req.Common, err = a.common(0, ""); err != nil {
		return err
	}
	if a.json() && req.Format == "text" {
		req.Format = "json"
	}
	res, err := s.Explain(a.progress(ctx), req)
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
		for _, f := range res.Folded {
			fmt.Fprintf(a.env.Err, "folded: %s (ox-mcp expand %s)\n", f.Fact, f.NodeID)
		}
	})
}

func (a *app) checks() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "checks [PATH] [NAME]",
		Short:   "List the current violations of the checks",
		Example: "  ox-mcp checks",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "NAME")
			if err != nil {
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
	return cmd
}

func (a *app) why() *cobra.Command {
	var depth int
	var of string
	cmd := &cobra.Command{
		Use:   "why [PATH] [CHECK]",
		Short: "Show the violations of the checks with the facts behind them",
		Example: `  ox-mcp why
  ox-mcp why overdue --of source`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "CHECK")
			if err != nil {
				return err
			}
			req := runtime.WhyRequest{Check: names[0], Of: of, MaxDepth: depth}
			if req.Common, err = a.common(0, ""); err != nil {
				return err
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
				fmt.Fprintf(a.env.Out, "checks: %d violation(s)\n", len(res.Firings))
				for _, f := range res.Firings {
					fmt.Fprint(a.env.Out, f.Rendered)
				}
			})
		},
	}
	cmd.Flags().IntVar(&depth, "max-depth", 0, "levels of the traces")
	cmd.Flags().StringVar(&of, "of", "", "runtime, or source for the package's own facts")
	return cmd
}

func (a *app) compute() *cobra.Command {
	var pairs []string
	cmd := &cobra.Command{
		Use:     "compute [PATH] NAME",
		Short:   "Evaluate a fn",
		Example: "  ox-mcp compute days_late --arg due=2031-07-04",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, names, err := a.open(cmd.Context(), args, "NAME")
			if err != nil {
				return err
			}
			if names[0] == "" {
				return runtime.Invalid("NAME", "the name of a fn", "nothing", "")
			}
			req := runtime.ComputeRequest{Name: names[0]}
			if req.Common, err = a.common(0, ""); err != nil {
				return err
			}
			if req.Args, err = arguments(pairs); err != nil {
				return err
			}
			res, err := s.Compute(a.progress(cmd.Context()), req)
			if err != nil {
				return err
			}
			return a.finish(res, func() {
				if res.Value != nil {
					fmt.Fprintf(a.env.Out, "compute %s: %s\n", res.Name, res.Value.Text)
				}
			})
		},
	}
	cmd.Flags().StringArrayVar(&pairs, "arg", nil, "an argument, name=value; repeat for more")
	return cmd
}
