package runtime

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// A default that a mutation writes counts where its field has no other value.
// The guest knows the state of the call, and leaves the rest to the host: the
// default is written for each part of the time from its date on in which
// nothing that is recorded gives the field a value.

func isDefault(w abi.Write) bool { return w.IsDefault() }

// atOnce decides the defaults of a call after which nothing changes by itself,
// and that writes nothing for another time: what is so now stays so.
func (w *write) atOnce(writes []abi.Write) []abi.Write {
	now := momentOf(w.ses.now)
	elsewhere := func(x abi.Write) bool {
		return x.ValidFrom != nil && store.MomentOf(*x.ValidFrom) != now
	}
	if w.until != nil || slices.ContainsFunc(writes, elsewhere) {
		return writes
	}
	out := make([]abi.Write, 0, len(writes))
	for _, x := range writes {
		if x.IsDefault() {
			if x.ValidFrom != nil {
				continue
			}
			x.ValidTo = nil
		}
		out = append(out, x)
	}
	return out
}

// times knows what is recorded, at each time, and what a call adds to it.
type times struct {
	future *future
	now    store.Moment
}

func newTimes(ses *session, events []store.Event, now store.Moment) *times {
	f := newFuture(ses, events, nil, present{})
	f.byKey = map[valueKey][]int{}
	t := &times{f, now}
	for i := range f.events {
		t.note(i)
	}
	return t
}

func (t *times) note(event int) {
	if k, ok := t.future.keyOf(event); ok {
		t.future.byKey[k] = append(t.future.byKey[k], event)
	}
}

// said returns what a write records, and knows it from now on: a default is
// written for each period without a value.
func (t *times) said(w *abi.Write) []abi.Write {
	list := []abi.Write{*w}
	if w.IsDefault() {
		list = t.parts(w)
	}
	ses := t.future.ses
	for i := range list {
		t.future.events = append(t.future.events, ses.m.event(&list[i], t.now, ses.point.view))
		t.note(len(t.future.events) - 1)
	}
	return list
}

// parts is a default in each period that has no value, from its date on.
func (t *times) parts(w *abi.Write) []abi.Write {
	f := t.future
	from := t.now
	if w.ValidFrom != nil {
		from = store.MomentOf(*w.ValidFrom)
	}
	k := valueKey{w.Relation, f.ses.m.keyOf(w.Relation, w.Tuple)}
	turns := []store.Moment{from}
	for _, i := range f.byKey[k] {
		eachEnd(f.events[i:i+1], func(at store.Moment, _ int) {
			if from.Before(at) {
				turns = append(turns, at)
			}
		})
	}
	slices.SortFunc(turns, compareMoments)
	turns = slices.Compact(turns)
	var out []abi.Write
	without := false
	for _, at := range turns {
		has := f.value(k, at) != nil
		v := at.Value()
		switch {
		case has && without:
			out[len(out)-1].ValidTo = &v
		case !has && !without:
			part := abi.Write{Relation: w.Relation, Tuple: w.Tuple}
			if at != t.now {
				part.ValidFrom = &v
			}
			out = append(out, part)
		}
		without = !has
	}
	return out
}
