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
	added, f := e.attach(r.Extension)
	if f != nil {
		return nil, f
	}
	before, f := e.extents(e.watched(r.Mutation, r.Delta))
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
		if w.period != endless {
			e.emptyPeriod(&write, w.period == given)
		}
		out.Writes = append(out.Writes, write)
	}
	if f := e.effects(out, before, r.Delta); f != nil {
		return nil, f
	}
	added.detach()
	out.Detached = added != nil
	out.Work = e.spent()
	return out, nil
}

// emptyPeriod marks a write as a default (see abi.Write).
func (e *Engine) emptyPeriod(w *abi.Write, counts bool) {
	if w.ValidFrom == nil {
		now := e.call.Now
		w.ValidTo = &now
		if counts {
			return
		}
		w.ValidFrom = &now
	}
	w.ValidTo = w.ValidFrom
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
// checks and, for delta, those that the source declares and the mutation may
// change: the others may have no end.
func (e *Engine) watched(mutation int, delta bool) []int {
	var out []int
	for i := range e.prog.Checks {
		out = append(out, e.prog.Checks[i].Relation)
	}
	if delta {
		affected := e.affected(mutation)
		for i := range e.prog.Relations {
			if e.reported(i) && affected[e.rels[i].comp] {
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

// extent is what a derived relation was at some moment. Later it has gained and
// lost rows, or its relation has another extent.
type extent struct {
	data    *relation.Relation // nil: not known
	rows    int
	removed int                // rows of data that were marked as removed
	was     *relation.Relation // see tuples; nil until it is needed
}

// extents returns the extents of the relations as they are now; one that
// passes a limit has none.
func (e *Engine) extents(rels []int) (map[int]*extent, *abi.Failure) {
	out := make(map[int]*extent, len(rels))
	for _, rel := range rels {
		out[rel] = &extent{}
		switch f := e.ensure(rel); {
		case f == nil:
			data := e.rels[rel].data
			*out[rel] = extent{data: data, rows: data.Rows(), removed: len(data.Removed())}
		case f.Limit == nil:
			return nil, f
		}
	}
	return out, nil
}

// effects compares the extents with those before the writes. Only components
// that the writes touched are looked at, and if one of them passes a limit the
// write cannot be judged.
func (e *Engine) effects(out *abi.MutateResponse, before map[int]*extent, delta bool) *abi.Failure {
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
		if rows := unknown(now, e.gained(now, before[rel]), before[rel], e.prog.Checks[i].Keys); len(rows) > 0 {
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
		now := e.rels[rel].data
		added, old := e.gained(now, before[rel]), before[rel].lost(now)
		if removed := e.sortedRows(old); len(added) > 0 || len(removed) > 0 {
			out.Changes = append(out.Changes, abi.Change{Relation: rel, Added: e.frame(now, added), Removed: e.frame(old, removed)})
		}
	}
	return nil
}

// unknown returns those of the rows of a violation relation whose first keys
// columns no row of the extent has: a violation that only says something else
// than before, of the same bindings, is no new one.
func unknown(now *relation.Relation, rows []uint32, before *extent, keys int) []uint32 {
	if keys == 0 || keys == now.Arity() || len(rows) == 0 || before.data == nil {
		return rows
	}
	known, old := relation.New(keys), before.tuples()
	for _, at := range liveRows(old) {
		known.Insert(tupleOf(old, at, keys))
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

// gained returns the rows of a derived relation, in order, whose tuples are not
// in the extent that it had before.
func (e *Engine) gained(now *relation.Relation, before *extent) []uint32 {
	var out []uint32
	switch before.data {
	case nil:
		return e.sortedRows(now)
	case now:
		out = now.Gained(before.rows, before.removed)
	default:
		out = now.Minus(before.tuples())
	}
	e.orderRows(columnsOf(now), out)
	return out
}

// lost returns the tuples of the extent that the derived relation no longer has.
func (b *extent) lost(now *relation.Relation) *relation.Relation {
	switch b.data {
	case nil:
	case now:
		if gone := now.Lost(b.rows, b.removed); gone != nil {
			return gone
		}
	default:
		old := b.tuples()
		return old.Pick(old.Minus(now))
	}
	return relation.New(now.Arity())
}

// tuples returns the extent as a relation that does not change. It may be the one
// that it is kept in.
func (b *extent) tuples() *relation.Relation {
	if b.was == nil {
		b.was = b.data.At(b.rows, b.removed)
	}
	return b.was
}
