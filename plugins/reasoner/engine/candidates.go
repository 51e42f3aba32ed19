package engine

import (
	"cmp"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// candidates returns changes of which at least one is in each set of changes
// that derives the goal from the state as it stands: first those of values that
// are there, and of the others those that leave least open.
//
// Of a set of facts that the goal depends on only plainly, take the proof that
// it gives, and in it, from the goal down, always the first premise that does
// not hold yet. If it is one of facts, the walk goes on there, and ends at a fact
// of the set; if it is one that something must be absent, part of what proves
// that is to be taken away. The premises before each of these hold already, so
// the walk over all rules and all bindings of what holds passes them all. Of
// relations that the goal depends on otherwise, each fact is a candidate.
func (s *repairing) candidates(goal baseFact) ([]revision, *abi.Failure) {
	if s.asking {
		return nil, errWhole
	}
	if ok, f := s.bring(goal.rel); f != nil || !ok {
		return nil, f
	}
	w := &candidateWalk{s: s, e: s.e, seen: map[string]bool{}}
	w.add(goal.rel, goal.tuple)
	if f := w.walk(); f != nil {
		return nil, f
	}
	for rel, how := range s.reach {
		if how&reachedAnyhow != 0 && s.e.addable(rel) {
			w.add(rel, unboundSlots(len(s.e.prog.Relations[rel].Columns)))
		}
	}
	return s.changes(w, true), nil
}

// changes returns the changes that a walk has come to. anyhow says that those of
// relations of which there is no telling are to be tried, too.
func (s *repairing) changes(w *candidateWalk, anyhow bool) []revision {
	for _, x := range w.stand {
		// What takes its place takes it away, too.
		if key := s.e.rels[x.rel].key; key != nil && s.e.addable(x.rel) {
			other := unboundSlots(len(x.tuple))
			for _, c := range key {
				other[c] = x.tuple[c]
			}
			w.add(x.rel, other)
		}
	}
	slices.SortStableFunc(w.facts, func(a, b baseFact) int { return cmp.Compare(open(a.tuple), open(b.tuple)) })
	var named, changes, out []revision
	listed := map[string]bool{}
	for _, x := range w.facts {
		whole := open(x.tuple) == 0
		s.instances(x, func(one baseFact) bool {
			if key := keyOf([]baseFact{one}); !listed[key] && s.writable(one) {
				listed[key] = true
				_, changed := s.e.displaced(one)
				switch {
				case whole:
					named = append(named, revision{baseFact: one})
				case changed:
					changes = append(changes, revision{baseFact: one})
				default:
					out = append(out, revision{baseFact: one})
				}
			}
			return len(named)+len(changes)+len(out) < s.bounds.choices
		})
		if len(named)+len(changes)+len(out) >= s.bounds.choices {
			s.cut = true
			break
		}
	}
	// What the rules name a value for comes before what may have any.
	named = append(named, changes...)
	for _, x := range s.removals(w, anyhow) {
		named = append(named, revision{baseFact: x, remove: true})
	}
	return append(named, out...)
}

func open(tuple []abi.Term) (n int) {
	for _, t := range tuple {
		if t == unbound {
			n++
		}
	}
	return n
}

// addable reports whether facts of the relation can be written.
func (e *Engine) addable(rel int) bool {
	r := &e.prog.Relations[rel]
	return r.Role == abi.Base && (r.Origin == abi.OriginConcept || r.Origin == abi.OriginField || r.Origin == abi.OriginRelation)
}

// candidateWalk gathers the base facts that are missing on the way to a goal.
// Unbound terms of a tuple stand for anything.
type candidateWalk struct {
	s     *repairing
	e     *Engine
	seen  map[string]bool
	queue []baseFact // of derived relations
	facts []baseFact // of base relations
	stand []baseFact // base facts behind what must be absent
	sides int        // comparisons looked at
	ends  bool       // of the rules that are looked at: see repairing.ends
}

// add notes a fact that would help, unless it holds.
func (w *candidateWalk) add(rel int, tuple []abi.Term) {
	x := baseFact{rel, tuple}
	key := keyOf([]baseFact{x})
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	if w.s.tooGood(rel, tuple) {
		return
	}
	if open(tuple) == 0 {
		if _, holds := w.e.rels[rel].data.Find(tuple); holds {
			return
		}
	}
	switch {
	case w.e.rels[rel].comp >= 0:
		w.queue = append(w.queue, x)
	case w.e.addable(rel):
		w.facts = append(w.facts, x)
	}
}

// walk looks at the goals of the queue, and those that they lead to.
func (w *candidateWalk) walk() *abi.Failure {
	for i := 0; i < len(w.queue); i++ {
		if i == w.s.bounds.goals {
			w.s.cut = true
			break
		}
		if f := w.expand(w.queue[i]); f != nil {
			return f
		}
	}
	return nil
}

// expand looks at the rules that may derive a goal.
func (w *candidateWalk) expand(x baseFact) *abi.Failure {
	w.ends = w.s.ends(x.rel)
	for _, rs := range w.e.comps[w.e.rels[x.rel].comp].rules {
		if rs.rule.Head != x.rel {
			continue
		}
		if slots, ok := w.e.headSlots(rs.rule, x.tuple); ok {
			if f := w.body(rs.rule.Body, slots); f != nil {
				return f
			}
		}
	}
	return nil
}

// body adds what each atom of the body asks for where those before it hold.
func (w *candidateWalk) body(atoms []abi.Atom, slots []abi.Term) *abi.Failure {
	given, ok := w.determined(atoms, slots)
	if !ok {
		return nil
	}
	if w.ends {
		slots = given
	}
	order, f := w.e.order(atoms, len(slots), planOptions{bound: boundSlots(slots), first: -1, stable: true})
	if f != nil {
		return f
	}
	if f := w.through(atoms, pickedFirst(atoms, order, slots), slots); f != nil {
		return f
	}
	return w.remainders(atoms, order, slots)
}

// through is body for some of the atoms, in an order in which they can run.
func (w *candidateWalk) through(atoms []abi.Atom, order []int, slots []abi.Term) (f *abi.Failure) {
	e := w.e
	for k, at := range order {
		a := &atoms[at]
		looks := a.Op == abi.AtomScan || a.Op == abi.AtomExists
		if !looks && a.Op != abi.AtomCmp && a.Op != abi.AtomFilter && !picks(a) && !counts(a) {
			continue
		}
		before := [][]abi.Term{slots}
		if k > 0 {
			if before, _, f = e.bindings(atoms, slots, nil, order[:k], maxAttempted, maxAttempted); f != nil {
				return f
			}
		}
		switch {
		case len(before) == 0:
			return nil
		case len(before) >= maxAttempted:
			w.s.cut = true
		}
		w.s.work += uint64(len(before))
		for _, b := range before {
			switch {
			case picks(a):
				f = w.picked(a, b)
			case counts(a):
				f = w.counted(a, b)
			case !looks:
				f = w.compared(atoms, a, b)
			case a.Neg:
				f = w.blocked(a, b)
			case a.Op == abi.AtomScan:
				given, ok := w.determined(atoms, b)
				if !ok {
					break
				}
				if w.s.ends(a.Rel) {
					b = given
				}
				w.add(a.Rel, e.argTerms(a.Args, b))
			default:
				f = w.body(a.Body, b)
			}
			if f != nil {
				return f
			}
		}
	}
	return nil
}

// instances calls each with the facts that the fact stands for, until it says
// no.
func (s *repairing) instances(x baseFact, each func(baseFact) bool) {
	at := slices.Index(x.tuple, unbound)
	if at < 0 {
		each(baseFact{x.rel, slices.Clone(x.tuple)})
		return
	}
	stop := false
	for _, t := range s.valuesFor(x.rel, at, x.tuple) {
		if stop {
			return
		}
		tuple := slices.Clone(x.tuple)
		tuple[at] = t
		s.instances(baseFact{x.rel, tuple}, func(one baseFact) bool {
			stop = !each(one)
			return !stop
		})
	}
}

// writable reports whether the fact can be added to what is there, beside what
// is chosen: what is new stays, and an individual keeps its concept (mayJoin).
func (s *repairing) writable(x baseFact) bool {
	r := &s.e.prog.Relations[x.rel]
	if _, there := s.e.rels[x.rel].data.Find(x.tuple); there {
		return false
	}
	for c, t := range x.tuple { // a variable has stood in places of other types
		if of := &r.Columns[c].Type; inner(of).Op != abi.TypeConcept && !s.e.fits(of, t) {
			return false
		}
	}
	if old, changed := s.e.displaced(x); changed && slices.ContainsFunc(s.chosen, func(y revision) bool {
		return y.rel == x.rel && slices.Equal(y.tuple, old.tuple)
	}) {
		return false
	}
	for _, y := range s.chosen {
		if y.remove && y.rel == x.rel && (slices.Equal(y.tuple, x.tuple) || s.sameKeyed(x, y.baseFact)) {
			return false
		}
	}
	if r.Origin != abi.OriginConcept || len(x.tuple) != 1 {
		return true
	}
	_, member := s.knowKin().extents[x.rel]
	return (!member || !s.moved(x.tuple[0], true)) && s.mayJoin(x.tuple[0], x.rel)
}

// sameKeyed reports whether two facts of a relation have the same key.
func (s *repairing) sameKeyed(x, y baseFact) bool {
	key := s.e.rels[x.rel].key
	return key != nil && !slices.ContainsFunc(key, func(c int) bool { return x.tuple[c] != y.tuple[c] })
}
