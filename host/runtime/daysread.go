package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// maxFactRows bounds the rows that one question after facts reads.
const maxFactRows = 10_000

// keyedReader asks for the facts that hold, or the days on which they do, by
// queries that name what is known of them. It adds these to the program of an
// instance, which is its own.
type keyedReader struct {
	ses       *session
	in        *sandbox.Instance
	call      abi.Call
	queries   int // that it has added
	constants int
}

func (d *keyedReader) today() int64 { return floorDay(d.call.Now.Int) }

// rows returns the tuples of a relation that have the values of the pattern, of
// which nil is any, and behind them others. ok is false where there are too many.
func (d *keyedReader) rows(ctx context.Context, rel int, pattern []*abi.Value) (out [][]abi.Value, ok bool, err error) {
	p := d.ses.m.program
	columns := p.Relations[rel].Columns
	x := &abi.Extension{}
	q := abi.Query{Truth: -1}
	scan := abi.Atom{Op: abi.AtomScan, Rel: rel}
	var open []int
	for i, c := range columns {
		if i < len(pattern) && pattern[i] != nil {
			scan.Args = append(scan.Args, abi.Arg{Op: abi.ArgConst, Index: len(p.Constants) + d.constants + len(x.Constants)})
			x.Constants = append(x.Constants, *pattern[i])
			continue
		}
		arg := abi.Arg{Op: abi.ArgSlot, Index: len(q.Slots)}
		q.Slots, q.Out = append(q.Slots, abi.Slot{Name: c.Name, Type: c.Type}), append(q.Out, arg)
		q.Columns = append(q.Columns, c)
		scan.Args = append(scan.Args, arg)
		open = append(open, i)
	}
	q.Body = []abi.Atom{scan}
	x.Queries = []abi.Query{q}
	msg := abi.QueryRequest{Call: d.call, Query: len(p.Queries) + d.queries, Page: abi.Page{Limit: maxFactRows}, Extension: x}
	d.queries, d.constants = d.queries+1, d.constants+len(x.Constants)
	var found abi.Rows
	if err := d.ses.ask(ctx, d.in, abi.ExportQuery, &msg, &found); err != nil {
		return nil, false, err
	}
	d.ses.bill(sandbox.Usage{}, found.Work)
	for i := range found.Frame.Rows {
		row := make([]abi.Value, len(columns))
		for c := range pattern {
			if pattern[c] != nil {
				row[c] = *pattern[c]
			}
		}
		for k, v := range found.Frame.Row(nil, i) {
			row[open[k]] = v
		}
		out = append(out, row)
	}
	return out, !found.More, nil
}

// run is the days from the day from on up to the day to, which is not among them.
type run struct{ from, to int64 }

// heldDays returns the days of rows that agree with the tuple, of which nil is
// anything, in order, as few runs as they make.
func heldDays(rows [][]abi.Value, tuple []*abi.Value) []run {
	var all []run
	for _, row := range rows {
		n := len(row) - 2
		fits := true
		for i, v := range tuple {
			fits = fits && (v == nil || abi.Equal(row[i], *v))
		}
		if fits && row[n].Int < row[n+1].Int {
			all = append(all, run{row[n].Int, row[n+1].Int})
		}
	}
	slices.SortFunc(all, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	var out []run
	for _, r := range all {
		if n := len(out); n > 0 && r.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}

// without returns the days of r that are not among the held ones.
func (r run) without(held []run) (out []run) {
	at := r.from
	for _, h := range held {
		if h.to <= at || h.from >= r.to {
			continue
		}
		if at < h.from {
			out = append(out, run{at, h.from})
		}
		at = max(at, h.to)
	}
	if at < r.to {
		out = append(out, run{at, r.to})
	}
	return out
}

// countDays is how many days there are in runs.
func countDays(runs []run) (n int64) {
	for _, r := range runs {
		n += r.to - r.from
	}
	return n
}

// operandOf picks, of what is known of an operator's columns, what its operand's
// are.
func operandOf(x *lower.Operand, tuple []*abi.Value) []*abi.Value {
	out := make([]*abi.Value, len(x.Columns))
	for i, c := range x.Columns {
		out[i] = tuple[c]
	}
	return out
}

func floorDay(seconds int64) int64 {
	day := seconds / abi.SecondsPerDay
	if seconds%abi.SecondsPerDay < 0 {
		day--
	}
	return day
}
