package engine

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// edits returns the changes of one fact, over the values of the pools and those
// besides.
func (p *typedProgram) edits(e *Engine) (out []typedEdit) {
	s := &repairing{e: e, bounds: repairBounds{work: 1 << 40}}
	for _, rel := range p.bases {
		r := &p.b.p.Relations[rel]
		if !e.addable(rel) {
			continue
		}
		var fill func(tuple []abi.Value)
		fill = func(tuple []abi.Value) {
			if c := len(tuple); c < len(r.Columns) {
				k := p.sorts[p.columns[rel][c]]
				for _, v := range slices.Concat(k.pool, k.besides) {
					if fitsType(&r.Columns[c].Type, v) {
						fill(append(slices.Clone(tuple), v))
					}
				}
				return
			}
			if slices.ContainsFunc(p.facts, func(x typedEdit) bool { return x.rel == rel && slices.EqualFunc(x.tuple, tuple, abi.Equal) }) {
				return
			}
			if r.Origin == abi.OriginConcept && !s.mayJoin(e.terms.Intern(tuple[0]), rel) {
				return
			}
			out = append(out, typedEdit{rel: rel, tuple: tuple})
		}
		fill(nil)
	}
	for _, x := range p.facts {
		terms := []abi.Term{}
		for _, v := range x.tuple {
			terms = append(terms, e.terms.Intern(v))
		}
		if e.removable(x.rel) || s.mayLeave(baseFact{x.rel, terms}) {
			out = append(out, typedEdit{x.rel, x.tuple, true})
		}
	}
	return out
}

// holds reports whether the tuple holds after the changes, and all that they add is
// of its types; ok is false where one of them undoes another.
func (p *typedProgram) holds(t *rapid.T, e *Engine, edits []typedEdit, rel int, goal []abi.Term) bool {
	for i, x := range edits {
		for _, y := range edits[:i] {
			keyed := p.b.p.Relations[x.rel].Key != nil || p.b.p.Relations[x.rel].Origin == abi.OriginConcept
			same := x.rel == y.rel && (keyed && abi.Equal(x.tuple[0], y.tuple[0]) || slices.EqualFunc(x.tuple, y.tuple, abi.Equal))
			// Nor does one individual come to be of two concepts.
			if same || p.b.p.Relations[x.rel].Origin == abi.OriginConcept && p.b.p.Relations[y.rel].Origin == abi.OriginConcept && abi.Equal(x.tuple[0], y.tuple[0]) {
				return false
			}
		}
	}
	s := &repairing{e: e, goal: baseFact{rel, goal}, types: p.types}
	for _, x := range edits {
		one := revision{baseFact{x.rel, nil}, x.remove}
		for _, v := range x.tuple {
			one.tuple = append(one.tuple, e.terms.Intern(v))
		}
		defer e.assume(one)()
		s.chosen = append(s.chosen, one)
	}
	for _, rel := range append(slices.Collect(maps.Values(p.types)), rel) {
		if f := e.ensure(rel); f != nil {
			t.Fatalf("%v", f)
		}
	}
	_, ok, f := s.lacking()
	if f != nil {
		t.Fatalf("%v", f)
	}
	return ok
}

// named reports whether something names a value for a place.
func (p *typedProgram) named(e *Engine, rel, column int, v abi.Value) bool {
	s := &repairing{e: e, goal: baseFact{p.heads[len(p.heads)-1], nil}, bounds: roomyRepairs()}
	for _, v := range p.goal {
		s.goal.tuple = append(s.goal.tuple, e.terms.Intern(v))
	}
	named, _ := s.placed(rel, column, nil)
	return slices.Contains(named, e.terms.Intern(v))
}

// shows reports whether a repair that was found stands for a set of changes: it is
// that, but for values that nothing names.
func (p *typedProgram) shows(e *Engine, found, set []typedEdit) bool {
	if len(found) != len(set) {
		return false
	}
	if len(set) == 0 {
		return true
	}
	for i, x := range found {
		y := set[0]
		if x.rel != y.rel || x.remove != y.remove {
			continue
		}
		alike := true
		for c := range x.tuple {
			alike = alike && (abi.Equal(x.tuple[c], y.tuple[c]) || !p.named(e, y.rel, c, y.tuple[c]))
		}
		if alike && p.shows(e, slices.Delete(slices.Clone(found), i, i+1), set[1:]) {
			return true
		}
	}
	return false
}

// editsOf reads a repair that was found.
func (p *typedProgram) editsOf(r *abi.Repair) (out []typedEdit) {
	for _, x := range r.Facts {
		out = append(out, typedEdit{rel: x.Relation, tuple: x.Tuple})
	}
	for _, x := range r.Removed {
		if key := p.b.p.Relations[x.Relation].Key; key == nil || !slices.ContainsFunc(r.Facts, func(y abi.RepairFact) bool {
			return y.Relation == x.Relation && abi.Equal(y.Tuple[0], x.Tuple[0])
		}) {
			out = append(out, typedEdit{x.Relation, x.Tuple, true})
		}
	}
	return out
}

// checkTyped holds what a search says that it covered against trying all sets over
// more values than the program names.
func checkTyped(t *rapid.T, tally map[string]int) {
	p := typed(t)
	e := drawnEngine(t, 1, 2, defaultBatch)
	if _, f := e.Load(&abi.LoadRequest{Program: p.b.p}); f != nil {
		t.Skip(f)
	}
	var deltas []abi.Delta
	for _, x := range p.facts {
		b := abi.FrameBuilder{Arity: len(x.tuple)}
		b.Add(x.tuple)
		deltas = append(deltas, abi.Delta{Relation: x.rel, Frame: b.Frame()})
	}
	if _, f := e.Assert(&abi.AssertRequest{Deltas: deltas}); f != nil {
		t.Fatalf("assert: %v", f)
	}
	rel := p.heads[len(p.heads)-1]
	var terms []abi.Term
	for _, k := range p.columns[rel] {
		v := rapid.SampledFrom(p.sorts[k].pool).Draw(t, "goal")
		p.goal, terms = append(p.goal, v), append(terms, e.terms.Intern(v))
	}
	if f := e.exact(rel); f != nil {
		t.Skip(f)
	}
	if _, there := e.rels[rel].data.Find(terms); there {
		return
	}
	edits := p.edits(e)
	most := 2
	switch {
	case len(edits) > 140:
		most = 1
	case len(edits) < 30:
		most = 3
	}
	bounds := roomyRepairs()
	bounds.named, bounds.tries = false, 2000
	got, f := e.repairs(rel, terms, uint32(most), bounds)
	if f != nil {
		t.Fatalf("repairs: %v", f)
	}
	tally["searched"]++
	var found [][]typedEdit
	for i := range got.Repairs {
		x := p.editsOf(&got.Repairs[i])
		found = append(found, x)
		if !p.holds(t, e, x, rel, terms) {
			t.Fatalf("%v does not do\n%s", got.Repairs[i], p.print())
		}
	}
	if !got.Complete {
		tally[fmt.Sprintf("open at %d", got.MaxSize)]++
		return
	}
	tally[fmt.Sprintf("complete at %d", got.MaxSize)]++
	if len(found) > 0 {
		tally["with repairs"]++
	}
	for size := 1; size <= int(got.MaxSize); size++ {
		var walk func(from int, chosen []typedEdit)
		walk = func(from int, chosen []typedEdit) {
			if len(chosen) < size {
				for i := from; i < len(edits); i++ {
					walk(i+1, append(chosen, edits[i]))
				}
				return
			}
			if !p.holds(t, e, chosen, rel, terms) {
				return
			}
			if size == int(got.MaxSize) && slices.ContainsFunc(found, func(x []typedEdit) bool { return p.shows(e, x, chosen) }) {
				return
			}
			var texts []string
			for _, x := range chosen {
				texts = append(texts, p.text(x))
			}
			t.Fatalf("complete up to %d, and of %d repairs none is %q\nof %s%v\n%s", got.MaxSize, len(found), texts, p.b.p.Relations[rel].Name, p.goal, p.print())
		}
		walk(0, nil)
	}
}

// What a search says that it covered, it covered, whatever values there are: over
// thousands of draws with -rapid.checks.
func TestACompleteSearchHasMissedNoValue(t *testing.T) {
	tally := map[string]int{}
	for range 3 { // with as many programs each
		rapid.Check(t, func(t *rapid.T) { checkTyped(t, tally) })
	}
	t.Log(tally)
	if testing.Short() {
		return // few are drawn then
	}
	if tally["complete at 1"] < 30 || tally["complete at 2"] < 20 || tally["with repairs"] < 20 {
		t.Errorf("%v: too few to mean anything", tally)
	}
}
