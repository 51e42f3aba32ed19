package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

func sortedKey(key []int) []int {
	k := slices.Clone(key)
	slices.Sort(k)
	return slices.Compact(k)
}

// Assert changes base relations. Nothing is evaluated.
func (e *Engine) Assert(r *abi.AssertRequest) (*abi.AssertResponse, *abi.Failure) {
	if f := e.begin(&r.Call); f != nil {
		return nil, f
	}
	out := &abi.AssertResponse{}
	for i := range r.Deltas {
		d := &r.Deltas[i]
		if f := e.checkBase(d.Relation); f != nil {
			return nil, f
		}
		cols, f := e.columns(d)
		if f != nil {
			return nil, f
		}
		before := e.rels[d.Relation].data.Live()
		switch {
		case d.Remove:
			removed := e.removeRows(d.Relation, cols, d.Frame.Rows)
			out.Removed += uint64(removed)
			if removed > 0 {
				e.dirty(d.Relation)
			}
			continue
		case d.Frame.Rows == 1:
			if !e.put(d.Relation, e.intake.row(cols)) {
				continue
			}
			out.Added++
		case e.rels[d.Relation].key != nil:
			out.Added += uint64(e.replaceRows(d.Relation, cols, d.Frame.Rows))
		default:
			data := e.rels[d.Relation].data
			data.InsertBatch(cols, d.Frame.Rows)
			out.Added += uint64(data.Live() - before)
			if data.Live() == before {
				continue
			}
		}
		e.dirty(d.Relation)
	}
	return out, nil
}

// checkBase refuses what is no base relation of the program.
func (e *Engine) checkBase(rel int) *abi.Failure {
	if rel < 0 || rel >= len(e.rels) {
		return badRequest("relation %d is out of range: the program has %d", rel, len(e.rels))
	}
	if e.prog.Relations[rel].Role != abi.Base {
		return badRequest("relation %s is derived: only base relations can be changed", e.prog.Relations[rel].Name)
	}
	return nil
}

// intake is the room for the terms of a delta that is taken in. It is kept for
// the next, where it is not large: a package states many facts one by one.
type intake struct {
	dict, terms, tuple []abi.Term
	cols               [][]abi.Term
}

// intakeKept is the most terms for which room is kept.
const intakeKept = 1024

// open makes room for a frame.
func (t *intake) open(f *abi.Frame) {
	if len(f.Dict) > intakeKept || f.Rows*len(f.Columns) > intakeKept {
		*t = intake{}
	}
	t.cols, t.terms = t.cols[:0], t.terms[:0]
}

// column returns the room for a column, after those that it returned before.
func (t *intake) column(n int) []abi.Term {
	at := len(t.terms)
	t.terms = slices.Grow(t.terms, n)[:at+n]
	return t.terms[at : at+n : at+n]
}

// row is the tuple of the only row of cols.
func (t *intake) row(cols [][]abi.Term) []abi.Term {
	t.tuple = t.tuple[:0]
	for _, c := range cols {
		t.tuple = append(t.tuple, c[0])
	}
	return t.tuple
}

// columns returns a delta's columns in the instance's terms. They are there until
// the next delta.
func (e *Engine) columns(d *abi.Delta) ([][]abi.Term, *abi.Failure) {
	f := &d.Frame
	rel := &e.prog.Relations[d.Relation]
	if len(f.Columns) != len(rel.Columns) {
		return nil, badRequest("relation %s has %d columns, the frame %d", rel.Name, len(rel.Columns), len(f.Columns))
	}
	in := &e.intake
	in.open(f)
	in.dict = e.terms.InternFrame(in.dict, f)
	for c, src := range f.Columns {
		if len(src) != f.Rows {
			return nil, badRequest("column %d of the frame for %s has %d terms, not %d", c, rel.Name, len(src), f.Rows)
		}
		if inline(src) {
			in.cols = append(in.cols, src)
			continue
		}
		col := in.column(f.Rows)
		in.cols = append(in.cols, col)
		if i := resolved(col, src, in.dict); i < f.Rows {
			return nil, badRequest("row %d of the frame for %s has a term that is not in its dictionary", i, rel.Name)
		}
	}
	return in.cols, nil
}

// resolved writes the terms of src, a column of a frame, to dst as the instance's,
// as term.Resolve gives them. It returns the row of the first that is none, or
// the number of rows.
func resolved(dst, src, dict []abi.Term) int {
	dst = dst[:len(src)]
	for i, t := range src {
		if t < abi.TagInt {
			if int(t) >= len(dict) {
				return i
			}
			t = dict[t]
		} else if t > abi.None {
			return i
		}
		dst[i] = t
	}
	return len(src)
}

// inline reports whether the terms of a frame are the same in every instance.
func inline(terms []abi.Term) bool {
	for _, x := range terms {
		if x < abi.TagInt || x > abi.None {
			return false
		}
	}
	return true
}

func (e *Engine) removeRows(rel int, cols [][]abi.Term, n int) (removed int) {
	tuple := make([]abi.Term, len(cols))
	for i := range n {
		for c := range cols {
			tuple[c] = cols[c][i]
		}
		if at, ok := e.rels[rel].data.Find(tuple); ok {
			e.erase(rel, at)
			removed++
		}
	}
	return removed
}

// replaceRows adds tuples to a relation with a key, each in place of the one
// with the same key. A batch of keys that are all new needs no such care.
func (e *Engine) replaceRows(rel int, cols [][]abi.Term, n int) (added int) {
	r := e.rels[rel]
	tuple, part := make([]abi.Term, len(cols)), make([][]abi.Term, len(cols))
	keys := freshKeys{data: r.data, on: r.key}
	for from := 0; from < n; from += e.batch {
		m := min(n-from, e.batch)
		for c := range cols {
			part[c] = cols[c][from : from+m]
		}
		if m > 1 && keys.fresh(part, m) {
			added += r.data.InsertBatch(part, m)
			continue
		}
		for i := range m {
			for c := range cols {
				tuple[c] = part[c][i]
			}
			if e.put(rel, tuple) {
				added++
			}
		}
	}
	return added
}

// freshKeys tells whether the tuples of a batch have keys that are new to a
// relation, and each another.
type freshKeys struct {
	data  *relation.Relation
	on    []int
	keys  [][]abi.Term
	batch *relation.Relation
	found []uint32
	probe relation.Probe
}

func (k *freshKeys) fresh(cols [][]abi.Term, n int) bool {
	if k.batch == nil {
		k.batch = relation.New(len(k.on))
		k.keys, k.found = make([][]abi.Term, len(k.on)), make([]uint32, n)
	}
	for i, c := range k.on {
		k.keys[i] = cols[c]
	}
	rows := k.data.Rows()
	k.probe.Index, k.probe.Hi, k.probe.Holes = k.data.Index(k.on), uint32(rows), true
	k.probe.Index.Cover(rows)
	k.probe.Start(k.keys, n)
	if k.probe.Absent(k.found) < n {
		return false
	}
	k.batch.Empty()
	return k.batch.InsertBatch(k.keys, n) == n
}

// put adds a tuple to a base relation, in place of the one with the same key
// if the relation has a key. It reports whether the relation changed.
func (e *Engine) put(rel int, tuple []abi.Term) bool {
	r := e.rels[rel]
	if _, ok := r.data.Find(tuple); ok {
		return false
	}
	if r.key != nil && r.data.Live() > 0 {
		key := make([]abi.Term, len(r.key))
		for i, c := range r.key {
			key[i] = tuple[c]
		}
		x := r.data.Index(r.key)
		x.Cover(r.data.Rows())
		for at, ok := x.First(key); ok; at, ok = x.Next(at) {
			e.erase(rel, at)
		}
	}
	r.data.Insert(tuple)
	return true
}
