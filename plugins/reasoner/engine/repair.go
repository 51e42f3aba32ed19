package engine

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// repairBounds bound a search for repairs. They are counted, not timed, so that
// the answer is the same everywhere.
type repairBounds struct {
	effort  int    // of the whole search, in the units of spend
	tries   int    // sets of one size that are tried
	work    uint64 // tuples that are derived, copied or read meanwhile
	goals   int    // goals looked at to find the candidates of one state
	choices int    // candidates of one state
	removed int    // facts of one state that may be taken away
	values  int    // values that one open place may take
	found   int    // repairs that are listed
	named   bool   // only values that are named are tried, and others are not missed
}

var defaultRepairBounds = repairBounds{effort: 1_000_000, tries: 1000, work: 300_000, goals: 500, choices: 2000, removed: 200, values: 1000, found: 20}

// repairing is a search for the smallest sets of changes of base facts that
// derive a tuple which is not derived. A set of k changes is one that, once one
// of them is made, lacks k-1; so in each state that the search comes to, it is
// enough to find one change of each set. Where facts only add to what is
// derived, that is the first premise that is missing from the proof which the
// set would give, and all before it hold: what to try is read off the rules
// (candidates.go). What stands in a proof's way has a proof of its own, of which
// some fact has to go (blocker.go).
type repairing struct {
	e       *Engine
	goal    baseFact // its relation is a derived one, or a base one that facts may be added to
	reach   []reach  // by relation: how the goal depends on it
	types   map[string]int
	known   *knownValues
	kin     *kinship
	places  *places
	bottoms map[int]*bottom // by component with costs

	barrier *barrier        // nil: nothing is known to be in the goal's way
	at      int             // number of the state that is assumed
	states  int             // numbers that were given
	gone    *baseFact       // if not nil: stands as if this one were not there
	demands map[int]*demand // by relation
	opened  []*demand
	bounds  repairBounds
	tried   map[string]bool
	chosen  []revision
	joins   map[int][]abi.Term // by concept: who may become a member
	gave    []baseFact         // facts that those chosen take away, or the place of
	left    int                // changes that the sets which are looked for make beside those chosen
	found   [][]revision
	base    abi.Work
	tries   int // of one size
	all     int // of all sizes
	work    uint64
	read    uint64 // tuples of the base relations that the goal depends on
	derived uint64 // tuples of the derived ones, as far as they are there
	cut     bool   // a bound kept the search from covering everything
	guessed bool   // a place may have a value that was not tried, and that rules tell from all that were
	kept    bool   // it left out facts that could be taken away
	spent   bool   // and it is over
	asking  bool   // the goal's relation has not been evaluated: errWhole, where the search would need that
}

// repairs looks for repairs of up to most facts.
func (e *Engine) repairs(rel int, tuple []abi.Term, most uint32, bounds repairBounds) (*abi.RepairSearch, *abi.Failure) {
	s := &repairing{e: e, goal: baseFact{rel, tuple}, bounds: bounds, base: e.work, types: map[string]int{}, demands: map[int]*demand{}}
	defer func() {
		for i := len(s.opened) - 1; i >= 0; i-- {
			s.opened[i].close()
		}
	}()
	for i := range e.prog.Types {
		if t := &e.prog.Types[i]; t.Op == abi.TypeConcept && t.Extent >= 0 {
			s.types[t.Name] = t.Extent
		}
	}
	if id := e.rels[rel].comp; id >= 0 {
		s.asking = e.comps[id].state != fresh
	}
	s.reach = e.reaches(s.goals())
	s.placing() // before there are relations of demands
	whole := true
	for rel, how := range s.reach {
		if how == 0 {
			continue
		}
		if e.rels[rel].comp >= 0 {
			s.derived += uint64(e.rels[rel].data.Live())
			continue
		}
		s.read += uint64(e.rels[rel].data.Live())
		// What else the goal may rest on, the host fills in: no set has it.
		whole = whole && (how == reachedDenied || e.addable(rel))
	}
	s.barrier = s.barrierOf(s.goal, nil, 0)
	defer s.enter(func() {})()
	out, start := &abi.RepairSearch{}, e.effort
	for size := 1; size <= int(min(most, abi.MaxRepair)) && len(s.found) == 0; size++ {
		out.MaxSize = uint32(size)
		// Each size has bounds of its own, and leaves half of the effort to those
		// after it, so that two facts which are read off the rules are found where
		// trying single ones takes too long.
		s.tried, s.tries, s.work, s.spent = map[string]bool{}, 0, 0, false
		left, last := s.bounds.effort-(e.effort-start), size == int(min(most, abi.MaxRepair))
		if !last {
			left /= 2
		}
		over, f := e.allow(left, func() *abi.Failure { return s.search(size) })
		if f != nil {
			return nil, f
		}
		if over {
			if s.cut = true; s.bounds.tries == 0 {
				break
			}
		}
	}
	if s.cut && out.MaxSize > 1 {
		// What was passed over among the smaller sets may be part of these.
		if f := s.reduce(); f != nil {
			return nil, f
		}
	}
	if s.asking && s.cut {
		return nil, errWhole
	}
	s.arrange()
	if len(s.found) > s.bounds.found {
		s.found, s.cut = s.found[:s.bounds.found], true
	}
	for _, edits := range s.found {
		out.Repairs = append(out.Repairs, s.repair(edits))
	}
	out.Removals = !s.kept
	if out.Complete = whole && !s.cut && !s.guessed; s.cut {
		out.Tried = uint64(s.all)
	}
	return out, nil
}

// arrange puts the sets in order: those that an update can make come first, of
// these those that change more of what is there, then by their facts; of changes
// of one fact the least of them first.
func (s *repairing) arrange() {
	fixed := func(edits []revision) (n int) {
		for _, x := range edits {
			if r := &s.e.prog.Relations[x.rel]; r.Origin == abi.OriginField && !r.Mut {
				n++
			}
		}
		return n
	}
	changes := func(edits []revision) (n int) {
		for _, x := range edits {
			if _, changed := s.e.displaced(x.baseFact); changed && !x.remove {
				n++
			}
		}
		return n
	}
	slices.SortFunc(s.found, func(a, b []revision) int {
		return cmp.Or(fixed(a)-fixed(b), changes(b)-changes(a), slices.CompareFunc(a, b, s.compareShown))
	})
}

// compareShown is compareEdits, but for changes of the same fact.
func (s *repairing) compareShown(a, b revision) int {
	if a.rel == b.rel && !a.remove && !b.remove && s.sameKeyed(a.baseFact, b.baseFact) {
		if old, changed := s.e.displaced(a.baseFact); changed {
			last := len(old.tuple) - 1
			x, y := s.e.apart(old.tuple[last], a.tuple[last]), s.e.apart(old.tuple[last], b.tuple[last])
			if x != nil && y != nil {
				return cmp.Or(x.Cmp(y), s.e.compareEdits(a, b))
			}
		}
	}
	return s.e.compareEdits(a, b)
}

// apart returns how far two numbers, sums or days are apart, else nil.
func (e *Engine) apart(a, b abi.Term) *big.Rat {
	v, w := e.terms.Value(a), e.terms.Value(b)
	if v.Kind != w.Kind || v.Kind != abi.KindNum && v.Kind != abi.KindMoney && v.Kind != abi.KindDay {
		return nil
	}
	number := func(v abi.Value) *big.Rat {
		if v.Rat != nil {
			return v.Rat
		}
		return new(big.Rat).SetInt64(v.Int)
	}
	d := new(big.Rat).Sub(number(v), number(w))
	return d.Abs(d)
}

// repair writes a set of changes out.
func (s *repairing) repair(edits []revision) (r abi.Repair) {
	write := func(x baseFact) abi.RepairFact {
		return abi.RepairFact{Relation: x.rel, Tuple: s.e.values(x.tuple)}
	}
	for _, x := range edits {
		if x.remove {
			r.Removed = append(r.Removed, write(x.baseFact))
			continue
		}
		r.Facts = append(r.Facts, write(x.baseFact))
		if old, changed := s.e.displaced(x.baseFact); changed {
			r.Removed = append(r.Removed, write(old))
		}
	}
	return r
}

// goals returns the relations that the search may have to derive something in:
// that of the tuple, and the extents that say that facts are well typed.
func (s *repairing) goals() []int {
	out := []int{s.goal.rel}
	for _, extent := range s.types {
		out = append(out, extent)
	}
	slices.Sort(out[1:])
	return out
}

// search tries the sets that make up to left further changes beside those
// chosen.
func (s *repairing) search(left int) *abi.Failure {
	s.left = left
	candidates, told, over, f := s.hit(left)
	if f != nil || over || s.spent {
		return f
	}
	if !told {
		goal, ok, f := s.lacking()
		if f != nil || ok || s.spent {
			return f
		}
		if candidates, f = s.candidates(goal); f != nil {
			return f
		}
	}
	for _, x := range candidates {
		s.chosen = append(s.chosen, x)
		f := s.attempt(x, left)
		s.chosen = s.chosen[:len(s.chosen)-1]
		if f != nil || s.spent {
			return f
		}
	}
	return nil
}

// attempt tries the sets that hold x beside what is chosen already.
func (s *repairing) attempt(x revision, left int) *abi.Failure {
	edits := slices.Clone(s.chosen)
	slices.SortFunc(edits, s.e.compareEdits)
	key := keyOfEdits(edits)
	if s.tried[key] {
		return nil
	}
	s.tried[key] = true
	if left == 1 {
		if s.all++; s.barredBeside(x) {
			return nil
		}
	}
	if s.tries++; s.tries > s.bounds.tries || s.work > s.bounds.work {
		s.cut, s.spent = true, true
		return nil
	}
	s.work += uint64(s.e.rels[x.rel].data.Live()) + s.read/2
	before := len(s.gave)
	defer func() { s.gave = s.gave[:before] }()
	if old, changed := s.e.displaced(x.baseFact); x.remove {
		s.gave = append(s.gave, x.baseFact)
	} else if changed {
		s.gave = append(s.gave, old)
	}
	defer s.enter(s.e.assume(x))()
	if left > 1 {
		return s.search(left - 1)
	}
	_, ok, f := s.lacking()
	if f == nil && ok {
		if s.found = append(s.found, edits); len(s.found) > s.bounds.found {
			s.cut, s.spent = true, true
		}
	}
	return f
}

// enter gives the state that has been assumed a number, until its undo.
func (s *repairing) enter(undo func()) func() {
	before := s.at
	s.states++
	s.at = s.states
	return func() {
		undo()
		s.at = before
	}
}

// does reports whether the changes are a repair.
func (s *repairing) does(facts []revision) (ok bool, f *abi.Failure) {
	s.chosen = facts
	for _, x := range facts {
		defer s.enter(s.e.assume(x))()
	}
	_, ok, f = s.lacking()
	s.chosen = nil
	return ok, f
}

// lacking returns what is still to be derived; ok says that nothing is. Beside
// the tuple itself these are the members of concepts that the chosen facts
// speak of: a fact about something of another type could not be written.
func (s *repairing) lacking() (goal baseFact, ok bool, f *abi.Failure) {
	if has, f := s.has(s.goal); f != nil || !has {
		return s.goal, false, f
	}
	for _, x := range s.chosen {
		r := &s.e.prog.Relations[x.rel]
		if x.remove || r.Origin == abi.OriginConcept {
			continue
		}
		for i, t := range x.tuple {
			if extent, typed := s.extentOf(inner(&r.Columns[i].Type)); typed && t != abi.None {
				member := baseFact{extent, []abi.Term{t}}
				if has, f := s.has(member); f != nil || !has {
					return member, false, f
				}
			}
		}
	}
	return baseFact{}, true, nil
}

// extentOf returns the relation of a concept's members.
func (s *repairing) extentOf(t *abi.Type) (extent int, ok bool) {
	if t.Op != abi.TypeConcept {
		return -1, false
	}
	extent, ok = s.types[t.Name]
	return extent, ok && len(s.e.prog.Relations[extent].Columns) == 1
}

// has reports whether the tuple is there in the state that is assumed. Of what
// is not up to date only what the tuple asks for is evaluated.
func (s *repairing) has(x baseFact) (ok bool, f *abi.Failure) {
	e := s.e
	if c := e.rels[x.rel].comp; c >= 0 && e.comps[c].state != fresh {
		if s.barrier != nil && e.compareFacts(x, s.goal) == 0 {
			if ok, decided, f := s.passes(s.barrier); f != nil || decided {
				return ok, f
			}
		}
		sure := false
		if d := s.demand(x); d != nil {
			within, f := s.within(func() (f *abi.Failure) {
				sure, f = d.evaluate(x.tuple)
				return f
			})
			if f != nil || !within {
				return false, f
			}
			if sure {
				_, ok = e.rels[d.body[0].Rel].data.Find(x.tuple)
				return ok, nil
			}
		}
		if within, f := s.bring(x.rel); f != nil || !within {
			return false, f
		}
	}
	_, ok = e.rels[x.rel].data.Find(x.tuple)
	return ok, nil
}

// demand returns the demand of one tuple of a relation, nil where there is none.
func (s *repairing) demand(x baseFact) *demand {
	if d, known := s.demands[x.rel]; known {
		return d
	}
	// What is up to date now is not once another fact is assumed.
	none := func(*component) bool { return false }
	d, f := s.e.ask(wholeTuple(x.rel, len(x.tuple)), x.tuple, none)
	if f != nil {
		d = nil
	}
	s.demands[x.rel] = d
	if d != nil {
		s.opened = append(s.opened, d)
	}
	return d
}

// wholeTuple is the body that asks for a tuple of a relation, a slot a column.
func wholeTuple(rel, columns int) []abi.Atom {
	a := abi.Atom{Op: abi.AtomScan, Rel: rel}
	for i := range columns {
		a.Args = append(a.Args, abi.Arg{Op: abi.ArgSlot, Index: i})
	}
	return []abi.Atom{a}
}

// bring brings a relation up to date whole; ok is false where that passes a
// limit.
func (s *repairing) bring(rel int) (ok bool, f *abi.Failure) {
	return s.within(func() *abi.Failure { return s.e.ensure(rel) })
}

// within does what derives tuples, at the cost of the search. What passes a
// limit of the call ends the search, not the call; a set that derives many
// times what is there, as one that closes a circle without an end does, is
// passed over.
func (s *repairing) within(do func() *abi.Failure) (ok bool, f *abi.Failure) {
	e := s.e
	e.work = s.base
	whole, enough := 4*s.derived+20*s.read, e.enough
	allowed := s.bounds.work/20 + whole
	e.enough = min(enough, e.effort+s.bounds.effort/20+effortOfTuple*int(whole))
	f, over := e.capped(allowed, do)
	over = over || f == errEnough && e.effort <= enough
	e.enough = enough
	s.work += e.work.Derived - s.base.Derived
	e.work = s.base
	if over {
		s.cut = true
		s.work += min(allowed, s.bounds.work/20)
		for _, c := range e.comps {
			if c.state == failed && c.failedIn == e.calls {
				c.state, c.failure = stale, nil
			}
		}
		return false, nil
	}
	if f != nil && f.Limit != nil {
		s.cut, s.spent = true, true
		s.bounds.tries = 0 // nor are larger sets tried
		return false, nil
	}
	return f == nil, f
}

// compareFacts orders facts by relation and then by value.
func (e *Engine) compareFacts(a, b baseFact) int {
	if a.rel != b.rel {
		return a.rel - b.rel
	}
	return slices.CompareFunc(a.tuple, b.tuple, e.terms.Compare)
}

// compareEdits orders changes: additions before removals, and then by fact.
func (e *Engine) compareEdits(a, b revision) int {
	if a.remove != b.remove {
		if b.remove {
			return -1
		}
		return 1
	}
	return e.compareFacts(a.baseFact, b.baseFact)
}

// keyOfEdits names a list of changes.
func keyOfEdits(edits []revision) string {
	var key []byte
	for _, x := range edits {
		if x.remove {
			key = append(key, '-')
		}
		key = append(key, keyOf([]baseFact{x.baseFact})...)
	}
	return string(key)
}

// keyOf names a list of facts.
func keyOf(facts []baseFact) string {
	var key []byte
	for _, x := range facts {
		key = binary.AppendUvarint(key, uint64(x.rel))
		for _, t := range x.tuple {
			key = binary.LittleEndian.AppendUint32(key, uint32(t))
		}
	}
	return string(key)
}
