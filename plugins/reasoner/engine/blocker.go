package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// blocked notes the facts behind what keeps a negated atom from holding. Of each
// proof of it some fact has to go; one proof is enough to look at, since a set
// of changes that does not touch it leaves the atom as it is.
func (w *candidateWalk) blocked(a *abi.Atom, slots []abi.Term) *abi.Failure {
	e := w.e
	var facts []baseFact
	if a.Op == abi.AtomScan {
		rows := e.fitting(a.Rel, e.argTerms(a.Args, slots))
		if len(rows) == 0 {
			return nil
		}
		data := e.rels[a.Rel].data
		facts = append(facts, baseFact{a.Rel, data.Row(nil, slices.MinFunc(rows, e.compareRowsOf(columnsOf(data))))})
	} else {
		found, _, f := e.bindings(a.Body, slots, nil, nil, maxAttempted, 1)
		if f != nil || len(found) == 0 {
			return f
		}
		if facts, f = e.grounds(a.Body, found[0], nil); f != nil {
			return f
		}
	}
	facts, whole, f := e.restOn(facts, nil, w.s.bounds.goals)
	if w.stand = append(w.stand, facts...); !whole {
		w.s.cut = true
	}
	return f
}

// removable reports whether all facts of the relation can be taken away: an
// individual keeps the fields that it must have, and of its concepts one (mayLeave).
func (e *Engine) removable(rel int) bool {
	r := &e.prog.Relations[rel]
	if !e.addable(rel) || r.Origin == abi.OriginConcept {
		return false
	}
	return r.Origin != abi.OriginField || !e.required(rel)
}

// required reports whether an individual always has a value of a field: one that
// is neither optional nor a collection, be it given or the default.
func (e *Engine) required(rel int) bool {
	for i := range e.prog.Types {
		for _, f := range e.prog.Types[i].Fields {
			if f.Relation == rel {
				optional := f.Type.Op == abi.TypeOption || f.Type.Op == abi.TypeList || f.Type.Op == abi.TypeSet
				return f.Required || f.Default != nil && !optional
			}
		}
	}
	return false
}

// removals returns the facts that may be taken away: those behind what must be
// absent, and, where there is no telling what a fact does to the goal, all.
func (s *repairing) removals(w *candidateWalk, anyhow bool) []baseFact {
	e := s.e
	var out []baseFact
	listed := map[string]bool{}
	add := func(x baseFact) {
		key := keyOf([]baseFact{x})
		if listed[key] || !e.removable(x.rel) && !s.mayLeave(x) || slices.ContainsFunc(s.chosen, func(y revision) bool {
			return y.rel == x.rel && slices.Equal(y.tuple, x.tuple)
		}) {
			return
		}
		listed[key] = true
		out = append(out, x)
	}
	for _, x := range w.stand {
		add(x)
	}
	for rel, how := range s.reach {
		concept := e.prog.Relations[rel].Origin == abi.OriginConcept
		if !anyhow || how&reachedAnyhow == 0 || !e.addable(rel) || !concept && !e.removable(rel) {
			continue
		}
		data := e.rels[rel].data
		if concept {
			s.work += uint64(data.Live())
			for _, at := range liveRows(data) {
				if x := (baseFact{rel, data.Row(nil, at)}); s.mayLeave(x) {
					add(x)
				}
			}
			continue
		}
		if data.Live()+len(out) > s.bounds.removed {
			s.kept, s.cut = true, true
			continue
		}
		for _, at := range liveRows(data) {
			add(baseFact{rel, data.Row(nil, at)})
		}
	}
	if len(out) > s.bounds.removed {
		s.kept, s.cut = true, true
		out = out[:s.bounds.removed]
	}
	slices.SortFunc(out, e.compareFacts)
	return out
}
