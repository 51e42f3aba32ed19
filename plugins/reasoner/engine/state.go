package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/eval"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// state is the instance as fn, mutate and test see it: reads bring up to date
// what they need, writes are applied at once and noted in order.
type state struct {
	e      *Engine
	writes []write
}

var _ eval.State = (*state)(nil)

// write is one change of a base relation.
type write struct {
	rel    int
	remove bool
	tuple  []abi.Term
	at     abi.Term // unbound: the call's instant
	period uint8    // whether it has one
}

// The periods of a write.
const (
	endless  = iota
	given    // a default that counts at the call
	withheld // a default that may count at another time
)

// matches calls each with the rows whose first columns are key.
func (s *state) matches(rel int, key []abi.Term, each func(data *relation.Relation, at uint32) bool) *abi.Failure {
	e := s.e
	if rel < 0 || rel >= len(e.rels) || len(key) >= len(e.prog.Relations[rel].Columns) {
		return badRequest("relation %d cannot be read by a key of %d values", rel, len(key))
	}
	data, some, f := s.asked(rel, key)
	if f != nil {
		return f
	}
	if some {
		for at := range uint32(data.Rows()) {
			if !each(data, at) {
				break
			}
		}
		return nil
	}
	if f := e.ensure(rel); f != nil {
		return f
	}
	data = e.rels[rel].data
	if e.rels[rel].maybe != nil {
		pattern := unboundSlots(data.Arity())
		copy(pattern, key)
		if len(e.fitting(rel, pattern)) < len(s.matching(e.rels[rel].maybe, pattern, wildcards(pattern))) {
			return e.noValue(rel)
		}
	}
	if len(key) == 0 {
		for _, at := range liveRows(data) {
			if !each(data, at) {
				return nil
			}
		}
		return nil
	}
	on := make([]int, len(key))
	for i := range on {
		on[i] = i
	}
	x := data.Index(on)
	x.Cover(data.Rows())
	for at, ok := x.First(key); ok; at, ok = x.Next(at) {
		if !data.Dead(at) && !each(data, at) {
			return nil
		}
	}
	return nil
}

// asked returns the tuples of a relation that start with key, if demand gives
// them: of a derived relation that has not been evaluated yet, and without its
// other tuples. some is false where the relation is to be read itself.
func (s *state) asked(rel int, key []abi.Term) (data *relation.Relation, some bool, f *abi.Failure) {
	e := s.e
	if len(key) == 0 || e.rels[rel].comp < 0 {
		return nil, false, nil
	}
	slots := unboundSlots(len(e.prog.Relations[rel].Columns))
	copy(slots, key)
	q := abi.Query{Body: wholeTuple(rel, len(slots))}
	q.Out = q.Body[0].Args
	return e.asksOf(&q, slots)
}

// Read returns the last column of the tuple that starts with key.
func (s *state) Read(rel int, key []abi.Term) (value abi.Term, ok bool, f *abi.Failure) {
	f = s.matches(rel, key, func(data *relation.Relation, at uint32) bool {
		value, ok = data.Column(data.Arity() - 1)[at], true
		return false
	})
	return value, ok, f
}

// ReadAll returns the last column of all tuples that start with key.
func (s *state) ReadAll(rel int, key []abi.Term) ([]abi.Term, *abi.Failure) {
	var out []abi.Term
	f := s.matches(rel, key, func(data *relation.Relation, at uint32) bool {
		out = append(out, data.Column(data.Arity() - 1)[at])
		return true
	})
	return out, f
}

// Holds reports whether the relation has the tuple.
func (s *state) Holds(rel int, tuple []abi.Term) (bool, *abi.Failure) {
	e := s.e
	if rel < 0 || rel >= len(e.rels) || len(tuple) != len(e.prog.Relations[rel].Columns) {
		return false, badRequest("relation %d does not take tuples of %d values", rel, len(tuple))
	}
	data, some, f := s.asked(rel, tuple)
	if f != nil {
		return false, f
	}
	if some {
		if data.Rows() == 0 && e.absentFromOpen(rel, tuple) {
			return false, e.noKnowledge(rel)
		}
		return data.Rows() > 0, nil
	}
	if f := e.ensure(rel); f != nil {
		return false, f
	}
	_, ok := e.rels[rel].data.Find(tuple)
	if _, undefined := e.undefinedFact(rel, tuple); undefined {
		return false, e.noValue(rel)
	}
	if !ok && e.absentFromOpen(rel, tuple) {
		return false, e.noKnowledge(rel)
	}
	return ok, nil
}

// Solve enumerates the solutions of a subquery. They are gathered first, so
// that what each does to the machine and the state meets no running plan.
func (s *state) Solve(sub *abi.Sub, slots []abi.Term, each func(slots []abi.Term) bool) *abi.Failure {
	e := s.e
	width := len(slots)
	bound := boundSlots(slots)
	var over []int
	if sub.Op != abi.SubExists {
		over = subSlots(sub, bound, width)
	}
	out := make([]abi.Arg, len(over))
	for i, c := range over {
		out[i] = abi.Arg{Op: abi.ArgSlot, Index: c}
	}
	rel, some, f := e.asksOf(&abi.Query{Body: sub.Body, Out: out}, slots)
	if f == nil && !some {
		if f = e.ensureBody(sub.Body); f == nil {
			rel, f = e.settled(sub, slots, out)
		}
	}
	if f != nil {
		return f
	}
	saved := slices.Clone(slots)
	defer copy(slots, saved)
	for at := range rel.Rows() {
		copy(slots, saved)
		for i, c := range over {
			slots[c] = rel.Column(i)[at]
		}
		if !each(slots) {
			break
		}
	}
	return nil
}

// subSlots returns the slots that tell the solutions of a subquery apart, and
// those that its result reads.
func subSlots(sub *abi.Sub, bound slotSet, width int) []int {
	over := newSlotSet(width)
	for _, c := range sub.Over {
		over.add(c)
	}
	binds := newSlotSet(width)
	for i := range sub.Body {
		binds.addAll(atomBinds(&sub.Body[i], width))
	}
	if sub.Over == nil {
		over.addAll(binds)
	}
	if sub.Out != nil {
		out := exprSlots(sub.Out, width)
		out.keepAll(binds)
		over.addAll(out)
	}
	for i := range over {
		over[i] &^= bound[i]
	}
	return over.list()
}

// Assert adds a tuple, in place of the one with the same key.
func (s *state) Assert(rel int, tuple []abi.Term, at abi.Term) *abi.Failure {
	if f := s.note(rel, tuple, false, at); f != nil {
		return f
	}
	if !s.later(at) && s.e.put(rel, tuple) {
		s.e.dirty(rel)
	}
	return nil
}

// Retract removes the tuples that equal tuple where wild is false.
func (s *state) Retract(rel int, tuple []abi.Term, wild []bool, at abi.Term) *abi.Failure {
	e := s.e
	if f := e.checkBase(rel); f != nil {
		return f
	}
	data := e.rels[rel].data
	if len(tuple) != data.Arity() {
		return badRequest("relation %s does not take tuples of %d values", e.prog.Relations[rel].Name, len(tuple))
	}
	rows := s.matching(data, tuple, wild)
	e.orderRows(columnsOf(data), rows)
	if len(rows) == 0 && at != unbound && !slices.Contains(wild, true) {
		// The tuple may hold at another time than this state is of.
		return s.note(rel, tuple, true, at)
	}
	for _, row := range rows {
		if f := s.note(rel, data.Row(nil, row), true, at); f != nil {
			return f
		}
		if !s.later(at) {
			e.erase(rel, row)
			e.dirty(rel)
		}
	}
	return nil
}

// matching returns the rows that equal tuple where wild is false.
func (s *state) matching(data *relation.Relation, tuple []abi.Term, wild []bool) []uint32 {
	var on []int
	var key []abi.Term
	for i, t := range tuple {
		if i >= len(wild) || !wild[i] {
			on, key = append(on, i), append(key, t)
		}
	}
	if len(on) == 0 {
		return liveRows(data)
	}
	var rows []uint32
	if len(on) == data.Arity() {
		if at, ok := data.Find(key); ok {
			rows = append(rows, at)
		}
		return rows
	}
	x := data.Index(on)
	x.Cover(data.Rows())
	for row, ok := x.First(key); ok; row, ok = x.Next(row) {
		if !data.Dead(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// Set gives the tuple with this key a value.
func (s *state) Set(rel int, key []abi.Term, value abi.Term, at abi.Term) *abi.Failure {
	return s.Assert(rel, append(slices.Clone(key), value), at)
}

// Default gives the tuple with this key a value, unless it has one now: at what
// other times it has none is not known here.
func (s *state) Default(rel int, key []abi.Term, value abi.Term, at abi.Term) *abi.Failure {
	tuple := append(slices.Clone(key), value)
	if f := s.note(rel, tuple, false, at); f != nil {
		return f
	}
	_, has, f := s.Read(rel, key)
	if f != nil {
		return f
	}
	last := &s.writes[len(s.writes)-1]
	last.period = withheld
	if has || s.later(at) {
		return nil
	}
	last.period = given
	if s.e.put(rel, tuple) {
		s.e.dirty(rel)
	}
	return nil
}

// note records a write.
func (s *state) note(rel int, tuple []abi.Term, remove bool, at abi.Term) *abi.Failure {
	e := s.e
	if f := e.checkBase(rel); f != nil {
		return f
	}
	if len(tuple) != len(e.prog.Relations[rel].Columns) {
		return badRequest("relation %s does not take tuples of %d values", e.prog.Relations[rel].Name, len(tuple))
	}
	s.writes = append(s.writes, write{rel: rel, remove: remove, tuple: slices.Clone(tuple), at: at})
	return nil
}

// later reports whether at is after the call's instant: such a write is noted,
// but changes nothing yet.
func (s *state) later(at abi.Term) bool {
	return at != unbound && s.e.terms.Compare(at, s.e.terms.Intern(s.e.call.Now)) > 0
}
