package runtime

import (
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// A declared fact with a period is like an event of stamp 0: it is in every
// state whose valid time lies in the period, and what is recorded displaces it.

// stated returns all declared facts, whenever they hold.
func (m *module) stated() []coherence.Facts { return append(slices.Clip(m.facts), m.timed...) }

// withDeclared returns the events that declared facts with a period are,
// followed by those that are recorded.
func (m *module) withDeclared(recorded []store.Event) []store.Event {
	if len(m.since) == 0 {
		return recorded
	}
	return append(slices.Clip(m.since), recorded...)
}

// beginnings makes the events of the facts with a period.
func (m *module) beginnings() []store.Event {
	var out []store.Event
	for i := range m.timed {
		f := &m.timed[i]
		e := store.Event{Relation: m.program.Relations[f.Relation].Name, Layer: f.Layer, ValidFrom: store.Moment{Seconds: math.MinInt64}}
		if f.From != nil {
			e.ValidFrom = momentIn(f.From)
		}
		if f.To != nil {
			to := momentIn(f.To)
			e.ValidTo = &to
		}
		for row := range f.Frame.Rows {
			e.Tuple = f.Frame.Row(nil, row)
			out = append(out, e)
		}
	}
	return out
}

func momentIn(at *oxbin.Instant) store.Moment {
	return store.Moment{Seconds: at.Seconds, Nanos: at.Nanos}
}
