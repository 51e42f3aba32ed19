package runtime

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// An operator over time reads the days on which a fact holds, whatever the day
// of the state. They stand in the twin of the fact's relation: declared facts
// come with the program, and what the log says of them and of others is
// computed here, for each state.

// twins returns the relations that have a twin, with it.
func twins(p *abi.Program) map[int]int {
	var out map[int]int
	byName := map[string]int{}
	for i := range p.Relations {
		byName[p.Relations[i].Name] = i
	}
	for i := range p.Relations {
		r := &p.Relations[i]
		name, ok := lower.Twin(r)
		if !ok || r.Role != abi.Base {
			continue
		}
		if of, known := byName[name]; known && len(p.Relations[of].Columns)+2 == len(r.Columns) {
			if out == nil {
				out = map[int]int{}
			}
			out[of] = i
		}
	}
	return out
}

// stretch is what one key of a relation has from the day from on up to to.
// Nothing is a tuple that is nil.
type stretch struct {
	from, to int64
	tuple    []abi.Value
}

// days returns the deltas that bring the twins to what the layers of a view and
// the events in them say, after layered has said what is declared.
func (m *module) days(view string, events []store.Event) []abi.Delta {
	return m.daysOf(view, events, nil)
}

// daysOf is days for what some keys have, nil: for all.
func (m *module) daysOf(view string, events []store.Event, only map[valueKey]bool) []abi.Delta {
	if len(m.twins) == 0 {
		return nil
	}
	lines := map[valueKey][]stretch{}
	declared := map[valueKey][][]abi.Value{}
	var order []valueKey
	say := func(rel int, tuple []abi.Value, from, to int64, remove bool) (k valueKey, wanted bool) {
		k = valueKey{rel, m.keyOf(rel, tuple)}
		if only != nil && !only[k] {
			return k, false
		}
		line, known := lines[k]
		if !known {
			order = append(order, k)
			line = []stretch{{-lower.Always, lower.Always, m.alwaysHeld(rel, k.key)}}
			if was := line[0].tuple; was != nil {
				declared[k] = append(declared[k], was)
			}
		}
		lines[k] = said(line, from, to, tuple, remove)
		return k, true
	}
	for _, layer := range m.layers(view) {
		for i := range m.facts {
			f := &m.facts[i]
			if _, twin := m.twins[f.Relation]; !twin || layer == "" || f.Layer != layer {
				continue
			}
			for row := range f.Frame.Rows {
				tuple := f.Frame.Row(nil, row)
				if k, wanted := say(f.Relation, tuple, -lower.Always, lower.Always, false); wanted {
					declared[k] = append(declared[k], tuple)
				}
			}
		}
		for i := range events {
			e := &events[i]
			rel, ok := m.relations[e.Relation]
			if _, twin := m.twins[rel]; !ok || !twin || e.Layer != layer || len(e.Tuple) != len(m.program.Relations[rel].Columns) {
				continue
			}
			to := int64(lower.Always)
			if e.ValidTo != nil {
				to = dayOf(*e.ValidTo)
			}
			say(rel, e.Tuple, dayOf(e.ValidFrom), to, e.Remove)
		}
	}
	var out []abi.Delta
	for _, k := range order {
		twin := m.twins[k.relation]
		row := func(s stretch) []abi.Value {
			return append(slices.Clone(s.tuple), abi.IntValue(s.from), abi.IntValue(s.to))
		}
		for _, was := range declared[k] {
			out = append(out, oneRow(twin, true, row(stretch{-lower.Always, lower.Always, was})))
		}
		for _, s := range lines[k] {
			if s.tuple != nil {
				out = append(out, oneRow(twin, false, row(s)))
			}
		}
	}
	return out
}

func oneRow(rel int, remove bool, row []abi.Value) abi.Delta {
	b := abi.FrameBuilder{Arity: len(row)}
	b.Add(row)
	return abi.Delta{Relation: rel, Remove: remove, Frame: b.Frame()}
}

// said lets a tuple be asserted or removed on the days from from on up to to. A
// removal takes what it names and nothing else.
func said(line []stretch, from, to int64, tuple []abi.Value, remove bool) []stretch {
	var out []stretch
	add := func(s stretch) {
		if s.from >= s.to {
			return
		}
		if n := len(out); n > 0 && out[n-1].to == s.from && sameTuple(out[n-1].tuple, s.tuple) {
			out[n-1].to = s.to
			return
		}
		out = append(out, s)
	}
	for _, s := range line {
		add(stretch{s.from, min(s.to, from), s.tuple})
		inside := stretch{max(s.from, from), min(s.to, to), s.tuple}
		switch {
		case !remove:
			inside.tuple = tuple
		case sameTuple(s.tuple, tuple):
			inside.tuple = nil
		}
		add(inside)
		add(stretch{max(s.from, to), s.to, s.tuple})
	}
	return out
}

func sameTuple(a, b []abi.Value) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, abi.Equal)
}

// dayOf is the day on which m lies. A fact holds on a day if it does at the
// day's last instant.
func dayOf(m store.Moment) int64 {
	d := m.Seconds / abi.SecondsPerDay
	if m.Seconds%abi.SecondsPerDay < 0 {
		d--
	}
	return max(-lower.Always, min(lower.Always, d))
}

// keyOf identifies what a tuple is a value of.
func (m *module) keyOf(rel int, tuple []abi.Value) string {
	var b []byte
	columns := m.program.Relations[rel].Key
	if len(columns) == 0 {
		for _, v := range tuple {
			b = abi.AppendValue(b, v)
		}
		return string(b)
	}
	for _, i := range columns {
		b = abi.AppendValue(b, tuple[i])
	}
	return string(b)
}

// alwaysHeld returns the tuple of a key that is declared for every view, or nil.
func (m *module) alwaysHeld(rel int, key string) []abi.Value {
	m.heldOnce.Do(func() {
		m.held = map[int]map[string][]abi.Value{}
		for i := range m.facts {
			f := &m.facts[i]
			if _, ok := m.twins[f.Relation]; !ok || f.Layer != "" {
				continue
			}
			byKey := map[string][]abi.Value{}
			for row := range f.Frame.Rows {
				tuple := f.Frame.Row(nil, row)
				byKey[m.keyOf(f.Relation, tuple)] = tuple
			}
			m.held[f.Relation] = byKey
		}
	})
	return m.held[rel][key]
}
