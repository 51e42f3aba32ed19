package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// redate finds what the write changes of the days of facts.
func (w *write) redate(ctx context.Context, out *abi.MutateResponse) error {
	ses, m := w.ses, w.ses.m
	if len(m.twins) == 0 || len(out.Writes) == 0 {
		return nil
	}
	events, err := ses.history(ctx)
	if err != nil {
		return err
	}
	w.days = m.daysAdded(ses.point.view, m.withDeclared(events), ses.added(out.Writes, momentOf(ses.now)))
	return nil
}

// hindsight judges the checks over time by the days that the facts have after
// the write.
func (w *write) hindsight(ctx context.Context, clone *sandbox.Instance, before map[int]*abi.Frame, out *abi.MutateResponse) error {
	w.dated = true
	if err := w.ses.takeIn(ctx, clone, w.days); err != nil {
		return err
	}
	return w.ses.withHindsight(ctx, clone, before, out)
}

// daysAdded returns what changes of the twins, as a view has them by the events
// before, where others are added to these: the rows that go, and those that come.
// Nothing is said of what stays as it is.
func (m *module) daysAdded(view string, before, added []store.Event) []abi.Delta {
	keys := map[valueKey]bool{}
	for i := range added {
		e := &added[i]
		rel, ok := m.relations[e.Relation]
		if _, twin := m.twins[rel]; ok && twin && len(e.Tuple) == len(m.program.Relations[rel].Columns) {
			keys[valueKey{rel, m.keyOf(rel, e.Tuple)}] = true
		}
	}
	if len(keys) == 0 {
		return nil
	}
	was := m.daysOf(view, before, keys)
	now := m.daysOf(view, append(slices.Clip(before), added...), keys)
	return netDays(was, now)
}

// netDays returns the deltas that lead from what was told of the days of some
// keys to what is to be told of them, each of one row.
func netDays(was, now []abi.Delta) []abi.Delta {
	type row struct {
		rel  int
		text string
	}
	rowOf := func(d *abi.Delta) row { return row{d.Relation, factKey("", d.Frame.Row(nil, 0))} }
	there := map[row]bool{} // what was told of a row last: whether it is there
	for i := range was {
		there[rowOf(&was[i])] = !was[i].Remove
	}
	last := map[row]int{} // the last delta of now about a row
	for i := range now {
		last[rowOf(&now[i])] = i
	}
	var gone, come []abi.Delta
	for i := range slices.Backward(was) {
		k := rowOf(&was[i])
		if _, told := last[k]; told || !there[k] {
			continue
		}
		d := was[i]
		d.Remove, there[k] = true, false
		gone = append(gone, d)
	}
	for i := range now {
		d := &now[i]
		k := rowOf(d)
		if is, known := there[k]; last[k] != i || known && is == !d.Remove {
			continue
		}
		if d.Remove {
			gone = append(gone, *d)
		} else {
			come = append(come, *d)
		}
	}
	return append(gone, come...)
}
