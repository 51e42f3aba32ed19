package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// Mutate runs a mutation, applies its writes, and reports what they did. After
// a failure the instance is to be dropped.
func (e *Engine) Mutate(r *abi.MutateRequest) (*abi.MutateResponse, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	if f := e.attach(r.Extension); f != nil {
		return nil, f
	}
	before, f := e.extents(e.watched(r.Delta))
	if f != nil {
		return nil, f
	}
	args := make([]abi.Term, len(r.Args))
	for i := range r.Args {
		args[i] = e.terms.Intern(r.Args[i])
	}
	var preset []abi.Term
	if r.Slots != nil {
		preset = e.internOptional(r.Slots)
	}
	e.touched = make([]bool, len(e.comps))
	s := &state{e: e}
	done, f := e.vm.Mutate(r.Mutation, args, preset, s)
	if f != nil {
		return nil, f
	}
	out := &abi.MutateResponse{Slots: e.optional(done.Slots)}
	if done.Result != unbound {
		v := e.terms.Value(done.Result)
		out.Result = &v
	}
	for _, m := range done.Minted {
		out.Minted = append(out.Minted, abi.Minted{ID: e.terms.Value(m.ID), Concept: m.Concept})
	}
	for _, w := range s.writes {
		write := abi.Write{Relation: w.rel, Remove: w.remove, Tuple: e.values(w.tuple)}
		if w.at != unbound {
			v := e.instant(w.at)
			write.ValidFrom = &v
		}
		out.Writes = append(out.Writes, write)
	}
	if f := e.effects(out, before, r.Delta); f != nil {
		return nil, f
	}
	out.Work = e.spent()
	return out, nil
}

// instant returns the moment that a day or instant starts, as an instant.
func (e *Engine) instant(at abi.Term) abi.Value {
	v := e.terms.Value(at)
	if v.Kind == abi.KindDay {
		v = abi.Value{Kind: abi.KindInstant, Int: v.Int * abi.SecondsPerDay}
	}
	return v
}

// watched returns the relations whose change a mutation reports: those of the
// checks and, for delta, those that the source declares.
func (e *Engine) watched(delta bool) []int {
	var out []int
	for i := range e.prog.Checks {
		out = append(out, e.prog.Checks[i].Relation)
	}
	if delta {
		for i := range e.prog.Relations {
			if e.reported(i) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// reported says whether the relation's changes are part of a delta.
func (e *Engine) reported(rel int) bool {
	if e.rels[rel].comp < 0 {
		return false
	}
	switch e.prog.Relations[rel].Origin {
	case abi.OriginConcept, abi.OriginRelation, abi.OriginDerive:
		return true
	}
	return false
}

// extent is the first rows of a derived relation: what it was at some moment.
// Later it has gained rows, or its relation has another extent.
type extent struct {
	data *relation.Relation // nil: not known
	rows int
}

// extents returns the extents of the relations as they are now; one that
// passes a limit has none.
func (e *Engine) extents(rels []int) (map[int]extent, *abi.Failure) {
	out := make(map[int]extent, len(rels))
	for _, rel := range rels {
		switch f := e.ensure(rel); {
		case f == nil:
			data := e.rels[rel].data
			out[rel] = extent{data, data.Rows()}
		case f.Limit == nil:
			return nil, f
		}
	}
	return out, nil
}

// effects compares the extents with those before the writes. Only components
// that the writes touched are looked at, and if one of them passes a limit the
// write cannot be judged.
func (e *Engine) effects(out *abi.MutateResponse, before map[int]extent, delta bool) *abi.Failure {
	touched := func(rel int) bool {
		c := e.rels[rel].comp
		return c >= 0 && e.touched[c]
	}
	for i := range e.prog.Checks {
		rel := e.prog.Checks[i].Relation
		if !touched(rel) {
			continue
		}
		if f := e.ensure(rel); f != nil {
			return f
		}
		now := e.rels[rel].data
		if rows := unknown(now, e.missing(now, before[rel]), before[rel], e.prog.Checks[i].Keys); len(rows) > 0 {
			out.Violations = append(out.Violations, abi.Violations{Check: i, Frame: e.frame(now, rows)})
		}
	}
	for rel := range e.rels {
		if !delta || !e.reported(rel) || !touched(rel) {
			continue
		}
		if f := e.ensure(rel); f != nil {
			return f
		}
		now, old := e.rels[rel].data, before[rel]
		added := e.missing(now, old)
		var removed []uint32
		switch old.data {
		case nil:
			old.data = relation.New(now.Arity())
		case now:
		default:
			removed = e.missing(old.data, extent{now, now.Rows()})
		}
		if len(added) > 0 || len(removed) > 0 {
			out.Changes = append(out.Changes, abi.Change{Relation: rel, Added: e.frame(now, added), Removed: e.frame(old.data, removed)})
		}
	}
	return nil
}

// unknown returns those of the rows of a violation relation whose first keys
// columns no row of the extent has: a violation that only says something else
// than before, of the same bindings, is no new one.
func unknown(now *relation.Relation, rows []uint32, before extent, keys int) []uint32 {
	if keys == 0 || keys == now.Arity() || len(rows) == 0 || before.data == nil {
		return rows
	}
	known := relation.New(keys)
	for at := range uint32(before.rows) {
		if !before.data.Dead(at) {
			known.Insert(tupleOf(before.data, at, keys))
		}
	}
	return slices.DeleteFunc(rows, func(at uint32) bool {
		_, old := known.Find(tupleOf(now, at, keys))
		return old
	})
}

// tupleOf is the first n terms of a row.
func tupleOf(r *relation.Relation, at uint32, n int) []abi.Term {
	out := make([]abi.Term, n)
	for c := range out {
		out[c] = r.Column(c)[at]
	}
	return out
}

// missing returns the rows of a derived relation, in order, whose tuples are
// not in the extent.
func (e *Engine) missing(a *relation.Relation, b extent) []uint32 {
	var out []uint32
	switch b.data {
	case nil:
		out = liveRows(a)
	case a:
		for at := b.rows; at < a.Rows(); at++ {
			out = append(out, uint32(at))
		}
	default:
		out = a.Minus(b.data)
	}
	slices.SortFunc(out, e.compareRowsOf(columnsOf(a)))
	return out
}
