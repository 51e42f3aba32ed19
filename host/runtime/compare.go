package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// The kinds of work that two builds are compared on.
const (
	workExtent = "extent"
	workQuery  = "query"
	workCheck  = "check"
)

// workItem is one question that a module can be asked without arguments.
type workItem struct {
	kind  string
	name  string
	index int // of the relation, query or check
}

// workload is every derived extent, every declared query without parameters
// and every check, in the order of the program.
func (m *module) workload() []workItem {
	var out []workItem
	for i, r := range m.program.Relations {
		if r.Role == abi.Derived {
			out = append(out, workItem{workExtent, r.Name, i})
		}
	}
	for i, q := range m.program.Queries {
		if len(q.Params) == 0 {
			out = append(out, workItem{workQuery, q.Name, i})
		}
	}
	for i, c := range m.program.Checks {
		out = append(out, workItem{workCheck, c.Name, i})
	}
	return out
}

// answer is what a build says to a work item: rows in canonical order, or why
// there are none.
type answer struct {
	frames []abi.Frame
	usage  sandbox.Usage
	work   abi.Work
	err    error // *abi.Failure, *sandbox.Trap or *Error
}

func (a *answer) rows() int {
	n := 0
	for i := range a.frames {
		n += a.frames[i].Rows
	}
	return n
}

// comparePage bounds the rows that are fetched at once.
const comparePage = 50_000

// side is one of two builds under comparison: the module on it, at one state.
type side struct {
	g     *generation
	scope store.Scope
	point readPoint
	call  abi.Call
	in    *sandbox.Instance
	until *store.Moment
}

// ready makes the state, where it is not there.
func (sd *side) ready(ctx context.Context) error {
	if sd.in != nil {
		return nil
	}
	var err error
	sd.in, sd.until, err = sd.g.at(ctx, sd.scope, sd.point.view, sd.point.tt, sd.point.vt)
	return err
}

func (sd *side) close(ctx context.Context) { drop(ctx, &sd.in) }

// answer asks one item, under a budget of its own.
func (sd *side) answer(ctx context.Context, w workItem) answer {
	var a answer
	if a.err = sd.ready(ctx); a.err != nil {
		return a
	}
	ask := func(export string, req, resp message) error {
		usage, err := sd.g.reasoner.call(ctx, sd.in, export, req, resp, sd.call.Limits)
		a.usage = add(a.usage, usage)
		if dead(err) {
			sd.close(ctx)
		}
		return err
	}
	if w.kind == workCheck {
		var resp abi.ChecksResponse
		if a.err = ask(abi.ExportChecks, &abi.ChecksRequest{Call: sd.call, Check: w.index}, &resp); a.err != nil {
			return a
		}
		a.work = resp.Work
		for _, v := range resp.Violations {
			a.frames = append(a.frames, v.Frame)
		}
		for _, b := range resp.Breached {
			a.err = &abi.Failure{Code: abi.FailureLimit, Message: "the check was not evaluated", Limit: &b.Limit, Rule: b.Rule}
		}
		return a
	}
	page := abi.Page{Limit: comparePage}
	for {
		var rows abi.Rows
		if w.kind == workQuery {
			a.err = ask(abi.ExportQuery, &abi.QueryRequest{Call: sd.call, Query: w.index, Args: []*abi.Value{}, Page: page}, &rows)
		} else {
			a.err = ask(abi.ExportDerive, &abi.DeriveRequest{Call: sd.call, Relation: w.index, Page: page}, &rows)
		}
		if a.err != nil {
			return a
		}
		a.work.Rounds += rows.Work.Rounds
		a.work.Derived += rows.Work.Derived
		a.frames = append(a.frames, rows.Frame)
		if !rows.More {
			return a
		}
		if rows.Frame.Rows == 0 {
			a.err = &Error{Status: 500, Code: "PLUGIN_BAD_OUTPUT", Message: "a page without rows says that more come"}
			return a
		}
		page.After = rows.Frame.Row(nil, rows.Frame.Rows-1)
	}
}

// Difference is where two builds answer differently.
type Difference struct {
	Kind     string   `json:"kind"` // extent, query or check
	Name     string   `json:"name"`
	OnlyA    int      `json:"onlyA"`              // rows that only the first has
	OnlyB    int      `json:"onlyB"`              // rows that only the second has
	Truth    int      `json:"truth"`              // rows with two truth values
	Examples []string `json:"examples,omitempty"` // at most maxExamples
	A        string   `json:"a,omitempty"`        // why the first has no answer
	B        string   `json:"b,omitempty"`        // why the second has none
}

// maxExamples bounds the rows that a Difference shows.
const maxExamples = 5

func (d *Difference) String() string {
	switch {
	case d.B != "":
		return fmt.Sprintf("%s %s: %s", d.Kind, d.Name, d.B)
	case d.A != "":
		return fmt.Sprintf("%s %s: the first build: %s", d.Kind, d.Name, d.A)
	}
	text := fmt.Sprintf("%s %s: %d rows are gone, %d are new, %d have another truth value", d.Kind, d.Name, d.OnlyA, d.OnlyB, d.Truth)
	if len(d.Examples) > 0 {
		text += ", as " + d.Examples[0]
	}
	return text
}

// differ compares two answers; nil where they are equal. Where both stopped
// for the same reason, there is nothing to tell them apart by.
func (m *module) differ(w workItem, a, b *answer) *Difference {
	d := &Difference{Kind: w.kind, Name: w.name}
	if a.err != nil || b.err != nil {
		d.A, d.B = reason(a.err), reason(b.err)
		if d.A == d.B {
			return nil
		}
		return d
	}
	left, right := rowReader{frames: a.frames}, rowReader{frames: b.frames}
	x, y := left.next(), right.next()
	for x != nil || y != nil {
		c := 0
		switch {
		case x == nil:
			c = 1
		case y == nil:
			c = -1
		default:
			c = compareRows(x.values, y.values)
		}
		switch {
		case c < 0:
			d.OnlyA++
			d.example("- " + m.rowText(x.values))
			x = left.next()
		case c > 0:
			d.OnlyB++
			d.example("+ " + m.rowText(y.values))
			y = right.next()
		default:
			if x.truth != y.truth {
				d.Truth++
				d.example(fmt.Sprintf("~ %s: %s, then %s", m.rowText(x.values), x.truth, y.truth))
			}
			x, y = left.next(), right.next()
		}
	}
	if d.OnlyA+d.OnlyB+d.Truth == 0 {
		return nil
	}
	return d
}

func (d *Difference) example(text string) {
	if len(d.Examples) < maxExamples {
		d.Examples = append(d.Examples, text)
	}
}

// reason words an error so that two builds which stop alike say the same: no
// figures, and not their own words.
func reason(err error) string {
	var f *abi.Failure
	var t *sandbox.Trap
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f) && f.Limit != nil:
		return "stopped by the limit of " + f.Limit.Limit
	case errors.As(err, &f):
		return "failed: " + f.Code
	case errors.As(err, &t) && t.IsLimit():
		return "stopped by the limit of " + t.Limit.Limit
	case errors.As(err, &t):
		return "trapped: " + string(t.Kind)
	}
	return err.Error()
}

// rowReader goes through the rows of frames.
type rowReader struct {
	frames []abi.Frame
	at     int
	row    comparedRow
}

type comparedRow struct {
	values []abi.Value
	truth  abi.Truth4
}

// next returns the next row, or nil. The row is good until the next call.
func (r *rowReader) next() *comparedRow {
	for len(r.frames) > 0 && r.at >= r.frames[0].Rows {
		r.frames, r.at = r.frames[1:], 0
	}
	if len(r.frames) == 0 {
		return nil
	}
	f := &r.frames[0]
	r.row.values = f.Row(r.row.values[:0], r.at)
	r.row.truth = abi.Is
	if f.Truth != nil {
		r.row.truth = f.Truth[r.at]
	}
	r.at++
	return &r.row
}

func compareRows(a, b []abi.Value) int {
	for i := range min(len(a), len(b)) {
		if c := abi.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

func (m *module) rowText(values []abi.Value) string {
	text := "("
	for i, v := range values {
		if i > 0 {
			text += ", "
		}
		text += displayText(v, abi.Type{}, &names{m: m})
	}
	return text + ")"
}
