package runtime

import (
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// provenance says where asserted facts come from: a line of a source or facts
// file, or a stored event.
type provenance struct {
	pending map[string]bool // facts of a write that is not recorded
	m       *module
	events  map[string]*EventRef
	stored  []store.Event // recorded facts, whenever they hold
	layers  []string      // of the view
}

func factKey(rel string, tuple []abi.Value) string {
	b := []byte(rel)
	for _, v := range tuple {
		b = abi.AppendValue(b, v)
	}
	return string(b)
}

// provenance indexes the facts that are visible at the session's read point.
func (ses *session) provenance(ctx context.Context) *provenance {
	p := &provenance{m: ses.m, events: map[string]*EventRef{}, layers: ses.m.layers(ses.point.view)}
	events, err := ses.history(ctx)
	if err != nil {
		return p
	}
	for _, e := range ses.m.seen(events, ses.point.view) {
		if e.Remove {
			continue
		}
		if e.TT > 0 {
			p.stored = append(p.stored, e)
		}
		if e.Valid(ses.point.vt) {
			p.events[factKey(e.Relation, e.Tuple)] = eventRef(&e)
		}
	}
	return p
}

func eventRef(e *store.Event) *EventRef {
	ref := &EventRef{ID: uuidText(e.ID), TT: e.TT, ValidFrom: instantText(e.ValidFrom.Value())}
	if e.ValidTo != nil {
		ref.ValidTo = instantText(e.ValidTo.Value())
	}
	return ref
}

// propose takes note of the write that is being judged.
func (p *provenance) propose(writes []abi.Write) {
	p.pending = map[string]bool{}
	for _, w := range writes {
		key := factKey(p.m.program.Relations[w.Relation].Name, w.Tuple)
		p.pending[key] = !w.Remove
	}
}

// isPending reports whether the write that is being judged asserts a fact.
func (p *provenance) isPending(rel int, tuple []*abi.Value) bool {
	values, ok := plainTuple(tuple)
	return ok && p.pending[factKey(p.m.program.Relations[rel].Name, values)]
}

func plainTuple(tuple []*abi.Value) ([]abi.Value, bool) {
	values := make([]abi.Value, len(tuple))
	for i, v := range tuple {
		if v == nil {
			return nil, false
		}
		values[i] = *v
	}
	return values, true
}

// of returns the source line or the event of a base fact.
func (p *provenance) of(rel int, tuple []*abi.Value) (*Range, *EventRef) {
	values, ok := plainTuple(tuple)
	if !ok {
		return nil, nil
	}
	if e, ok := p.events[factKey(p.m.program.Relations[rel].Name, values)]; ok {
		return nil, e
	}
	if name, twin := lower.Twin(&p.m.program.Relations[rel]); twin && len(values) > 2 {
		base, known := p.m.relations[name]
		if n := len(values) - 2; known {
			if e := p.storedOn(name, values[:n], values[n].Int, values[n+1].Int); e != nil {
				return nil, e
			}
			return p.m.declaredOn(base, values[:n], values[n].Int, values[n+1].Int, p.layers), nil
		}
	}
	return p.m.declaredAt(rel, values, p.layers), nil
}

// storedOn returns the event that recorded a fact for some of the days from one
// on up to another, the last if there are several; nil: none did.
func (p *provenance) storedOn(rel string, tuple []abi.Value, from, to int64) *EventRef {
	key := factKey(rel, tuple)
	for i := len(p.stored) - 1; i >= 0; i-- {
		e := &p.stored[i]
		if e.ValidFrom.Seconds/abi.SecondsPerDay < to && (e.ValidTo == nil || e.ValidTo.Seconds/abi.SecondsPerDay > from) &&
			e.Relation == rel && factKey(e.Relation, e.Tuple) == key {
			return eventRef(e)
		}
	}
	return nil
}

// declaredAt finds the line that declares a fact in one of the layers.
func (m *module) declaredAt(rel int, tuple []abi.Value, layers []string) *Range {
	return m.declaredIn(m.stated(), rel, tuple, layers)
}

// declaredOn is declaredAt for what holds from one day on up to another: the
// first declaration for some of these days.
func (m *module) declaredOn(rel int, tuple []abi.Value, from, to int64, layers []string) *Range {
	facts := slices.DeleteFunc(slices.Clone(m.stated()), func(f coherence.Facts) bool {
		return f.From != nil && f.From.Seconds/abi.SecondsPerDay >= to || f.To != nil && f.To.Seconds/abi.SecondsPerDay <= from
	})
	return m.declaredIn(facts, rel, tuple, layers)
}

func (m *module) declaredIn(facts []coherence.Facts, rel int, tuple []abi.Value, layers []string) *Range {
	for _, f := range facts {
		if f.Relation != rel || !slices.Contains(layers, f.Layer) || len(f.Frame.Columns) != len(tuple) {
			continue
		}
		want := make([]abi.Term, len(tuple))
		found := true
		for i, v := range tuple {
			if want[i], found = frameTerm(&f.Frame, v); !found {
				break
			}
		}
		if !found {
			continue
		}
	rows:
		for row := 0; row < f.Frame.Rows; row++ {
			for c, col := range f.Frame.Columns {
				if col[row] != want[c] {
					continue rows
				}
			}
			if 2*row+1 < len(f.Lines) && f.Lines[2*row] < len(m.artifact.Sources) {
				src := m.artifact.Sources[f.Lines[2*row]]
				return lineRange(src.Path, src.Text, f.Lines[2*row+1])
			}
			return nil
		}
	}
	return nil
}

// frameTerm finds the term of v in a frame.
func frameTerm(f *abi.Frame, v abi.Value) (abi.Term, bool) {
	if t, ok := abi.InlineTerm(v); ok {
		return t, true
	}
	for i := range f.Dict {
		if f.Dict[i].Kind == v.Kind && abi.Equal(f.Dict[i], v) {
			return abi.TagTable | abi.Term(i), true
		}
	}
	return 0, false
}
