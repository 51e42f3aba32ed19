package runtime

import (
	"context"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// The values of a tuple's own fields go with the tuple. The guest takes away
// those that hold at the instant of the call, which is all that it knows; what
// the log has of other times is taken away here, so that no field outlives its
// tuple.

// sayings are the values that were ever given to the fields of tuples, by
// relation and tuple.
type sayings struct {
	m      *module
	fields map[int][]int // by the base relation of the tuples
	values map[string][]saying
	stated map[int]map[string][][]abi.Value // by field and tuple: what is declared for all of time, once asked for
}

// saying is a value with the tuple before it, and where it ends.
type saying struct {
	tuple []abi.Value
	to    *store.Moment
}

// add notes an event of a field.
func (s *sayings) add(e *store.Event) {
	if n := len(e.Tuple) - 1; !e.Remove && n > 0 {
		key := factKey(e.Relation, e.Tuple[:n])
		s.values[key] = append(s.values[key], saying{e.Tuple, e.ValidTo})
	}
}

// along adds to the writes of a mutation the removals of what events say of the
// fields of tuples that are taken away, each after the tuple's own, and has the
// defaults count where nothing else does. It fails as a require does where a
// field that is not mut would get another value.
func (ses *session) along(events []store.Event, writes []abi.Write, now store.Moment) ([]abi.Write, error) {
	m, view := ses.m, ses.point.view
	s := &sayings{m: m, fields: m.fieldsOf(writes), values: map[string][]saying{}, stated: map[int]map[string][][]abi.Value{}}
	if len(s.fields) == 0 && !slices.ContainsFunc(writes, isDefault) && !slices.ContainsFunc(writes, m.fixes) {
		return writes, nil
	}
	times := newTimes(ses, events, now)
	for _, e := range m.seen(events, view) {
		s.add(&e)
	}
	gone := map[string]bool{} // what the guest takes away, and from when on
	removal := func(e *store.Event) string {
		return factKey(instantText(e.ValidFrom.Value())+e.Relation, e.Tuple)
	}
	added := make([]store.Event, len(writes))
	for i := range writes {
		added[i] = m.event(&writes[i], now, view)
		if writes[i].Remove {
			gone[removal(&added[i])] = true
		}
	}
	var out []abi.Write
	for i := range writes {
		if m.fixes(writes[i]) {
			if err := times.free(&writes[i]); err != nil {
				return nil, err
			}
		}
		said := times.said(&writes[i])
		out = append(out, said...)
		for j := range said {
			e := m.event(&said[j], now, view)
			s.add(&e)
		}
		if !writes[i].Remove {
			continue
		}
		for _, f := range s.fields[writes[i].Relation] {
			for _, t := range s.of(f, writes[i].Tuple, added[i].ValidFrom) {
				e := store.Event{Relation: m.program.Relations[f].Name, Tuple: t, ValidFrom: added[i].ValidFrom}
				if key := removal(&e); !gone[key] {
					gone[key] = true
					out = append(out, times.said(&abi.Write{Relation: f, Remove: true, Tuple: t, ValidFrom: writes[i].ValidFrom})...)
				}
			}
		}
	}
	return out, nil
}

// of returns what a field of the tuple is said to be, then or later. Where
// nothing but a declaration for all of time says so, it holds now, and the
// guest knows it.
func (s *sayings) of(field int, tuple []abi.Value, from store.Moment) [][]abi.Value {
	var out [][]abi.Value
	all := s.values[factKey(s.m.program.Relations[field].Name, tuple)]
	for _, x := range all {
		if x.to == nil || from.Before(*x.to) {
			out = append(out, x.tuple)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if s.stated[field] == nil {
		s.stated[field] = map[string][][]abi.Value{}
		for i := range s.m.facts {
			if f := &s.m.facts[i]; f.Relation == field {
				for row := range f.Frame.Rows {
					t := f.Frame.Row(nil, row)
					key := factKey("", t[:len(t)-1])
					s.stated[field][key] = append(s.stated[field][key], t)
				}
			}
		}
	}
	out = append(out, s.stated[field][factKey("", tuple)]...)
	slices.SortFunc(out, func(a, b []abi.Value) int { return slices.CompareFunc(a, b, abi.Compare) })
	return out
}

// fieldsOf returns the relations of the fields that go with the tuples which
// writes take away.
func (m *module) fieldsOf(writes []abi.Write) map[int][]int {
	out := map[int][]int{}
	looked := map[int]bool{}
	for i := range writes {
		x := &writes[i]
		r := &m.program.Relations[x.Relation]
		owner, ok := strings.CutSuffix(r.Name, "+")
		if !ok || !x.Remove || r.Origin != abi.OriginRelation || looked[x.Relation] {
			continue
		}
		looked[x.Relation] = true
		for j := range m.program.Relations {
			f := &m.program.Relations[j]
			if f.Role == abi.Base && f.Origin == abi.OriginField && len(f.Columns) == len(x.Tuple)+1 && strings.HasPrefix(f.Name, owner+".") {
				out[x.Relation] = append(out[x.Relation], j)
			}
		}
	}
	return out
}

// along completes what the guest wrote.
func (w *write) along(ctx context.Context, out *abi.MutateResponse) error {
	ses := w.ses
	out.Writes = w.atOnce(out.Writes)
	if len(ses.m.fieldsOf(out.Writes)) == 0 && !slices.ContainsFunc(out.Writes, isDefault) && !slices.ContainsFunc(out.Writes, ses.m.fixes) {
		return nil
	}
	events, err := ses.history(ctx)
	if err != nil {
		return err
	}
	out.Writes, err = ses.along(ses.m.withDeclared(events), out.Writes, momentOf(ses.now))
	return err
}
