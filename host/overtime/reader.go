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
// which nil is any, and behind them others. ok is false where there are more than
// one question may read.
func (d *Reader) Rows(ctx context.Context, rel int, pattern []*abi.Value) (out [][]abi.Value, ok bool, err error) {
	columns := d.Program.Relations[rel].Columns
	var constants []abi.Value
	q := abi.Query{Truth: -1}
	scan := abi.Atom{Op: abi.AtomScan, Rel: rel}
	var open []int
	for i, c := range columns {
		if i < len(pattern) && pattern[i] != nil {
			scan.Args = append(scan.Args, d.constant(len(constants)))
			constants = append(constants, *pattern[i])
			continue
		}
		arg := abi.Arg{Op: abi.ArgSlot, Index: len(q.Slots)}
		q.Slots, q.Out = append(q.Slots, abi.Slot{Name: c.Name, Type: c.Type}), append(q.Out, arg)
		q.Columns = append(q.Columns, c)
		scan.Args = append(scan.Args, arg)
		open = append(open, i)
	}
	q.Body = []abi.Atom{scan}
	found, err := d.ask(ctx, q, constants)
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

// constant is the argument for a constant that the next question adds.
func (d *Reader) constant(at int) abi.Arg {
	return abi.Arg{Op: abi.ArgConst, Index: len(d.Program.Constants) + d.constants + at}
}

// ask adds a query and its constants, and answers it.
func (d *Reader) ask(ctx context.Context, q abi.Query, constants []abi.Value) (*abi.Rows, error) {
	x := &abi.Extension{Queries: []abi.Query{q}, Constants: constants}
	msg := abi.QueryRequest{Call: d.Call, Query: len(d.Program.Queries) + d.queries, Page: abi.Page{Limit: maxFactRows}, Extension: x}
	d.queries, d.constants = d.queries+1, d.constants+len(constants)
	return d.State.Query(ctx, &msg)
}

// solutions returns what the slots have in the solutions of a body, of which some
// are known. Slots that nothing outside of a nested body gives a value have none.
// ok is false where there are too many.
func (d *Reader) solutions(ctx context.Context, slots []abi.Slot, body []abi.Atom, known []*abi.Value) (out [][]*abi.Value, ok bool, err error) {
	q := abi.Query{Truth: -1, Slots: slots}
	var constants []abi.Value
	var open []int
	given := make([]bool, len(slots))
	for i := range body {
		a := &body[i]
		switch {
		case a.Op == abi.AtomScan && !a.Neg:
			for _, x := range a.Args {
				if x.Op == abi.ArgSlot {
					given[x.Index] = true
				}
			}
		case a.Op == abi.AtomLet || a.Op == abi.AtomIn || a.Op == abi.AtomFold:
			given[a.Slot] = true
		}
	}
	for i := range slots {
		arg := abi.Arg{Op: abi.ArgSlot, Index: i}
		if i < len(known) && known[i] != nil {
			q.Body = append(q.Body, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{arg, d.constant(len(constants))}})
			constants = append(constants, *known[i])
			continue
		}
		if given[i] {
			q.Out, q.Columns = append(q.Out, arg), append(q.Columns, abi.Column{Name: slots[i].Name, Type: slots[i].Type})
			open = append(open, i)
		}
	}
	q.Body = append(q.Body, body...)
	found, err := d.ask(ctx, q, constants)
	if err != nil {
		return nil, false, err
	}
	for i := range found.Frame.Rows {
		values := make([]*abi.Value, len(slots))
		copy(values, known)
		row := found.Frame.Row(nil, i)
		for k, at := range open {
			values[at] = &row[k]
		}
		out = append(out, values)
	}
	return out, !found.More, nil
}
