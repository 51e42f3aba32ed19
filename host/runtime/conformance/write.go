package conformance

import (
	"context"
	"fmt"
	"sort"

	"github.com/ox-mcp/ox-mcp/abi"
)

// mutate reads "mutate name (…)" with "delta" and "ids" after it: the changes
// of derived relations, and the ids of new individuals, are wanted.
func (r *runner) mutate(ctx context.Context, in *reader) ([]string, error) {
	req := abi.MutateRequest{}
	var err error
	mutations := r.vector.program.Mutations
	if req.Mutation, err = in.index("mutation", len(mutations), func(i int) string { return mutations[i].Name }); err != nil {
		return nil, err
	}
	if req.Args, err = in.all("(", ")"); err != nil {
		return nil, err
	}
	req.Delta = in.take("delta")
	ids := in.take("ids")
	req.Call = r.call()
	var resp abi.MutateResponse
	if got := r.ask(ctx, abi.ExportMutate, &req, &resp); got != nil {
		return got, nil
	}
	out := []string{}
	for _, m := range resp.Minted {
		line := "new " + r.names.text(m.ID) + " " + short(m.Concept)
		if ids {
			line += fmt.Sprintf(" %x", m.ID.ID)
		}
		out = append(out, line)
	}
	for _, w := range resp.Writes {
		out = append(out, r.write(w))
	}
	if resp.Result != nil {
		out = append(out, "result "+r.names.text(*resp.Result))
	}
	out = append(out, r.violations(resp.Violations)...)
	return append(out, r.changes(resp.Changes)...), nil
}

func (r *runner) write(w abi.Write) string {
	line := "+ "
	if w.Remove {
		line = "- "
	}
	line += r.relation(w.Relation) + " " + r.names.tuple(w.Tuple)
	if w.ValidFrom != nil {
		line += " from " + r.names.text(*w.ValidFrom)
	}
	if w.ValidTo != nil {
		line += " to " + r.names.text(*w.ValidTo)
	}
	return line
}

// changes tells the differences of relations that the source has; in which
// pieces a build keeps the others is not looked at.
func (r *runner) changes(list []abi.Change) []string {
	out := []string{}
	for _, c := range list {
		if c.Relation >= 0 && c.Relation < len(r.vector.program.Relations) && r.vector.program.Relations[c.Relation].Origin != abi.OriginDerive {
			continue
		}
		for i := range c.Added.Rows {
			out = append(out, "gains "+r.relation(c.Relation)+" "+r.names.tuple(c.Added.Row(nil, i)))
		}
		for i := range c.Removed.Rows {
			out = append(out, "loses "+r.relation(c.Relation)+" "+r.names.tuple(c.Removed.Row(nil, i)))
		}
	}
	sort.Strings(out)
	return out
}
