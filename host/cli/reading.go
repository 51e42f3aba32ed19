package cli

import (
	"bufio"
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
func (a *app) whole(ctx context.Context, c runtime.Common, read func(context.Context, runtime.Common) (*runtime.RowsResult, error)) (*runtime.RowsResult, error) {
	if c.Page != nil || a.json() {
		return read(ctx, c)
	}
	return runtime.Whole(ctx, c, read)
}

// queryHead tells how many rows a query has: of those that rows prints, and of
// the others by what they are.
func queryHead(res *runtime.RowsResult, truth bool) string {
	rows, others := res.Total, ""
	if h := res.Hidden; !truth {
		rows -= h.Can + h.Both + h.Not
		for _, o := range []struct {
			n    int
			what string
		}{{h.Can, "undefined (Can)"}, {h.Both, "contradicted (Both)"}, {h.Not, "false (Not)"}} {
			if o.n > 0 {
				others += fmt.Sprintf(", %d %s", o.n, o.what)
			}
		}
	}
	return fmt.Sprintf("query %s: %d row(s)%s", res.Name, rows, others)
}

// extentHead tells how many tuples an extent has; undefined ones are none.
func extentHead(name string, res *runtime.RowsResult) string {
	head := fmt.Sprintf("derive(%s): %d tuple(s)", name, res.Total-res.Hidden.Can)
	if res.Hidden.Can > 0 {
		head += fmt.Sprintf(", %d undefined (Can)", res.Hidden.Can)
	}
	return head
}

// tupleLine is a tuple of an extent, with its truth value if that is asked for,
// or is not what one would think.
func tupleLine(r *runtime.Row, truth bool) string {
	line := r.Text()
	if truth || r.Truth4 != "" && r.Truth4 != "Is" {
		line += " " + r.Truth4
	}
	if r.Within != nil {
		line += "  (" + r.Within.Text() + ")"
	}
	return line
}

// rows prints a result the way a person reads it: one bare value a row, or a
// tuple.
func (a *app) rows(res *runtime.RowsResult, truth, proofs bool) {
	other := map[string]int{}
	out := bufio.NewWriterSize(a.env.Out, 1<<16) // a write a row takes longer than the query
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
		if r.Within != nil {
			line += "  (" + r.Within.Text() + ")"
		}
		if proofs && r.Proof != "" {
			line += "  by " + r.Proof
		}
		// What cannot be written, Flush says as well.
		_, _ = out.WriteString(line + "\n")
	}
	_ = out.Flush() // as elsewhere, nobody reads any more
	if len(other) > 0 {
		fmt.Fprintf(a.env.Err, "not shown: %d Can, %d Both, %d Not (--with-truth4 shows them, ox-mcp explain-fact says why)\n", other["Can"], other["Both"], other["Not"])
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
		Short: "Run a query, or all queries without parameters",
		Long: `Runs a declared query, or with --eval one that is written there; without either
all public queries without parameters. "ox-mcp schema --kind query" lists them.`,
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
	scenarioFlag(cmd, &scenario)
	f.IntVar(&limit, "limit", 0, "rows of a page")
	f.StringVar(&cursor, "cursor", "", "go on where a page ended")
	return cmd
}

func (a *app) oneQuery(ctx context.Context, s *runtime.Service, req runtime.QueryRequest, c runtime.Common, truth bool) error {
	res, err := a.whole(ctx, c, func(ctx context.Context, c runtime.Common) (*runtime.RowsResult, error) {
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
		fmt.Fprintln(a.env.Out, queryHead(res, truth))
		a.rows(res, truth, false)
		a.diagnostics(a.env.Err, s, res.Diagnostics)
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
	res, err := a.whole(ctx, c, func(ctx context.Context, c runtime.Common) (*runtime.RowsResult, error) {
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
		Short: "List all that a rule, concept, relation or check holds of",
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
			res, err := a.whole(ctx, c, func(ctx context.Context, c runtime.Common) (*runtime.RowsResult, error) {
				return s.Derive(ctx, runtime.DeriveRequest{Name: names[0], Explain: explain, Common: c})
			})
			if err == nil && c.AsOf == nil && unbuilt(&res.Outcome) {
				res, err = a.whole(ctx, c, func(ctx context.Context, c runtime.Common) (*runtime.RowsResult, error) {
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
				fmt.Fprintln(a.env.Out, extentHead(names[0], res))
				if countOnly {
					return
				}
				for i := range res.Rows {
					r := &res.Rows[i]
					line := tupleLine(r, truth)
					if explain && r.Proof != "" {
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
	scenarioFlag(cmd, &scenario)
	f.IntVar(&limit, "limit", 0, "rows of a page")
	f.StringVar(&cursor, "cursor", "", "go on where a page ended")
	return cmd
}

func (a *app) compute() *cobra.Command {
	var pairs []string
	cmd := &cobra.Command{
		Use:     "compute [PATH] NAME",
		Short:   "Evaluate a fn of the package",
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
