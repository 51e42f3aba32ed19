package runtime

import (
	"context"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/overtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// copied is an instance that answers questions which add to its program.
type copied struct {
	ses *session
	in  *sandbox.Instance
}

// Query answers a query, and bills it.
func (c copied) Query(ctx context.Context, ask *abi.QueryRequest) (*abi.Rows, error) {
	out := &abi.Rows{}
	if err := c.ses.ask(ctx, c.in, abi.ExportQuery, ask, out); err != nil {
		return nil, err
	}
	c.ses.bill(sandbox.Usage{}, out.Work)
	return out, nil
}

// Explain explains a fact, and bills it.
func (c copied) Explain(ctx context.Context, ask *abi.ExplainRequest) (*abi.Explanation, error) {
	out := &abi.Explanation{}
	if err := c.ses.ask(ctx, c.in, abi.ExportExplain, ask, out); err != nil {
		return nil, err
	}
	c.ses.bill(sandbox.Usage{}, out.Work)
	return out, nil
}

// Fuel is what the call has cost so far.
func (c copied) Fuel() uint64 { return c.ses.usage.Fuel }

// reader asks in, which is the reader's own.
func (ses *session) reader(in *sandbox.Instance, call abi.Call) overtime.Reader {
	return overtime.Reader{Program: ses.m.program, State: copied{ses, in}, Call: call}
}

// dayRepairs looks for sets of up to most facts with days that would make the
// fact of msg hold, which nodes explain, and keeps the smallest that do: it tries
// them on a clone of in.
func (ses *session) dayRepairs(ctx context.Context, in *sandbox.Instance, msg *abi.ExplainRequest, nodes []abi.WhyNotNode, most int) ([]overtime.Way, error) {
	if len(nodes) == 0 || !ses.m.restsOnDays(msg.Relation) {
		return nil, nil
	}
	clone, err := in.Clone(ctx)
	if err != nil {
		return nil, ctx.Err()
	}
	defer drop(ctx, &clone)
	reader := ses.reader(clone, msg.Call)
	trial := &dayTrial{ses: ses, in: clone, msg: msg, reader: &reader}
	search := overtime.Search{Reader: &reader, Twins: ses.m.twins, Most: most, Rests: ses.m.restsOnDays, Try: trial.try}
	found, err := search.Ways(ctx, nodes)
	if dead(err) {
		return found, ctx.Err() // it was the clone that ended
	}
	return found, nil // a question may have been refused: what was found until then is good
}

// most is how many changes a repair may have beside those that were found.
func (f *foundRepairs) most(asked int) int {
	if len(f.search.Repairs) > 0 {
		return int(f.search.MaxSize)
	}
	return asked
}

// overTime adds repairs with days to those that a why-not answer has, if they are
// not larger.
func (p *prover) overTime(n *WhyNotNode, found []overtime.Way) {
	if len(found) == 0 || n.Searched == nil {
		return
	}
	size := len(found[0].Changes)
	if len(n.Repairs) > 0 && n.Searched.MaxSize < size {
		return
	}
	if len(n.Repairs) > 0 && n.Searched.MaxSize > size {
		n.Repairs = nil
	}
	for i := range found {
		n.Repairs = append(n.Repairs, p.dayRepair(&found[i]))
	}
	n.Searched.MaxSize, n.Searched.Complete = size, false
}

// dayRepair shows a repair with days that was tried.
func (p *prover) dayRepair(w *overtime.Way) Repair {
	out := Repair{Facts: []string{}, Verified: true, Unchecked: p.m.refuses()}
	note := func(text string) {
		if text != "" && !slices.Contains(out.Fixed, text) {
			out.Fixed = append(out.Fixed, text)
		}
	}
	var cut []string
	for i := range w.Changes {
		c := &w.Changes[i]
		text := p.fact(c.Relation, pointers(c.Tuple)) + c.Period()
		if c.Remove {
			out.Removed = append(out.Removed, text)
		} else {
			out.Facts = append(out.Facts, text)
		}
		fixed := p.fixed(&abi.RepairFact{Relation: c.Relation, Tuple: c.Tuple})
		for _, text := range fixed {
			note(text)
		}
		switch {
		case w.Written && c.Remove:
			note("by a write: it is recorded")
		case w.Written && c.Dated():
			note("by a write, which displaces what begins later")
		case !c.Dated() || fixed != nil:
		case c.Remove:
			if at := p.m.declaredOn(c.Relation, c.Tuple, c.When.From, c.When.To, p.prov.layers); at != nil {
				cut = append(cut, place(at))
			}
		case !c.Begins() || c.Ends():
			note("declare it: a write has no last day")
		}
	}
	if cut != nil {
		note("take the days out of " + strings.Join(cut, ", "))
	}
	return out
}
