package overtime

import (
	"context"

	"github.com/ox-mcp/ox-mcp/abi"
)

// maxFactRows bounds the rows that one question after facts reads.
const maxFactRows = 10_000

// State is a copy of a state for a Reader alone.
type State interface {
	// Query answers a query of the program, or of what the reader added to it.
	Query(ctx context.Context, ask *abi.QueryRequest) (*abi.Rows, error)
	// Explain explains a fact.
	Explain(ctx context.Context, ask *abi.ExplainRequest) (*abi.Explanation, error)
	// Fuel is what the call has cost so far, in units of docs/fuel.md.
	Fuel() uint64
}

// Reader asks for the facts that hold, or the days on which they do, by queries
// that name what is known of them. It adds these to the program of the state.
type Reader struct {
	Program *abi.Program
	State   State
	Call    abi.Call // of the questions: its now is the day of the state

	queries   int // that it has added
	constants int
}

func (d *Reader) today() int64 { return floorDay(d.Call.Now.Int) }

// Rows returns the tuples of a relation that have the values of the pattern, of
// which nil is any, and behind them others. ok is false where there are
// more than one question may read.
func (d *Reader) Rows(ctx context.Context, rel int, pattern []*abi.Value) (out [][]abi.Value, ok bool, err error) {
	p := d.Program
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
	msg := abi.QueryRequest{Call: d.Call, Query: len(p.Queries) + d.queries, Page: abi.Page{Limit: maxFactRows}, Extension: x}
	d.queries, d.constants = d.queries+1, d.constants+len(x.Constants)
	found, err := d.State.Query(ctx, &msg)
	if err != nil {
		return nil, false, err
	}
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

func floorDay(seconds int64) int64 {
	day := seconds / abi.SecondsPerDay
	if seconds%abi.SecondsPerDay < 0 {
		day--
	}
	return day
}
