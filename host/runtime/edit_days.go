package runtime

import (
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/overtime"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// dayEdit makes events of changes of facts with days.
type dayEdit struct {
	m        *module
	view     string
	declared []store.Event // of what the changes are of, in the order in which they count
	recorded []store.Event // all that the view has of the log
}

// declaration returns the declared events once the source has the changes. ok is
// false where it cannot have them: what is recorded is not its to take away, and
// it does not give a key two values from one instant on, nor assert what it
// refutes.
func (d dayEdit) declaration(changes []overtime.Change, recorded []store.Event) (out []store.Event, ok bool) {
	out = d.declared
	for i := range changes {
		c := &changes[i]
		switch {
		case !c.Dated():
		case !c.Remove && d.refuted(c):
			return nil, false
		case !c.Remove:
			if out, ok = d.added(out, c); !ok {
				return nil, false
			}
		case slices.ContainsFunc(recorded, func(e store.Event) bool { return !e.Remove && d.meets(&e, c) }):
			return nil, false
		default:
			out = d.cut(out, c)
		}
	}
	return out, true
}

// meets reports whether an event is of the fact and of some of the days of a
// change.
func (d dayEdit) meets(e *store.Event, c *overtime.Change) bool {
	return e.Relation == d.m.program.Relations[c.Relation].Name && sameTuple(e.Tuple, c.Tuple) && during(e, c)
}

func during(e *store.Event, c *overtime.Change) bool {
	end := endOf(c)
	return (end == nil || e.ValidFrom.Before(*end)) && (e.ValidTo == nil || beginOf(c).Before(*e.ValidTo))
}

// added puts a fact in its place: of what is of one key, that counts which begins
// last.
func (d dayEdit) added(events []store.Event, c *overtime.Change) ([]store.Event, bool) {
	e := d.event(c)
	at := 0
	for i := range events {
		o := &events[i]
		if o.Layer != d.view || e.ValidFrom.Before(o.ValidFrom) {
			continue
		}
		at = i + 1
		same := o.ValidFrom == e.ValidFrom || !c.Begins() && o.ValidFrom.Seconds == math.MinInt64
		if same && o.Relation == e.Relation && !sameTuple(o.Tuple, e.Tuple) && d.m.keyOf(c.Relation, o.Tuple) == d.m.keyOf(c.Relation, c.Tuple) {
			return nil, false
		}
	}
	if was := d.m.alwaysHeld(c.Relation, d.m.keyOf(c.Relation, c.Tuple)); was != nil && !sameTuple(was, c.Tuple) && !c.Begins() && !c.Ends() {
		return nil, false
	}
	return slices.Insert(slices.Clone(events), at, e), true
}

// refuted reports whether the view refutes a fact on some of its days.
func (d dayEdit) refuted(c *overtime.Change) bool {
	for i := range d.m.program.Relations {
		r := &d.m.program.Relations[i]
		if r.Asserted != c.Relation || r.Refuted < 0 {
			continue
		}
		minus := d.m.program.Relations[r.Refuted].Name
		for _, events := range [][]store.Event{d.m.since, d.recorded} {
			if slices.ContainsFunc(events, func(e store.Event) bool {
				return e.Relation == minus && e.Layer == d.view && !e.Remove && sameTuple(e.Tuple, c.Tuple) && during(&e, c)
			}) {
				return true
			}
		}
		for i := range d.m.facts {
			f := &d.m.facts[i]
			if f.Relation != r.Refuted || f.Layer != d.view {
				continue
			}
			for row := range f.Frame.Rows {
				if sameTuple(f.Frame.Row(nil, row), c.Tuple) {
					return true
				}
			}
		}
	}
	return false
}

// cut takes days out of what is declared of a fact. What always held is cut by
// an event of each layer that comes before all others.
func (d dayEdit) cut(events []store.Event, c *overtime.Change) (out []store.Event) {
	from, to := beginOf(c), endOf(c)
	for _, layer := range d.m.layers(d.view) {
		e := d.event(c)
		e.Layer = layer
		out = append(out, e)
	}
	for _, e := range events {
		if e.Remove || !d.meets(&e, c) {
			out = append(out, e)
			continue
		}
		if e.ValidFrom.Before(from) {
			first := e
			first.ValidTo = &from
			out = append(out, first)
		}
		if to != nil && (e.ValidTo == nil || to.Before(*e.ValidTo)) {
			e.ValidFrom = *to
			out = append(out, e)
		}
	}
	return out
}

// writes returns changes as writes of them, which have no last day. ok is false
// where one is not one, or asserts what is refuted.
func (d dayEdit) writes(changes []overtime.Change) (out []overtime.Change, events []store.Event, ok bool) {
	out = slices.Clone(changes)
	for i := range out {
		c := &out[i]
		if !c.Dated() {
			continue
		}
		if c.Remove {
			c.When.To = lower.Always // a delete is from its day on
		}
		if !c.Begins() || c.Ends() || !c.Remove && d.refuted(c) {
			return nil, nil, false
		}
		events = append(events, d.event(c))
	}
	return out, events, true
}

// event is a change as an event of the view.
func (d dayEdit) event(c *overtime.Change) store.Event {
	return store.Event{Relation: d.m.program.Relations[c.Relation].Name, Tuple: c.Tuple, Layer: d.view, Remove: c.Remove, ValidFrom: beginOf(c), ValidTo: endOf(c)}
}
