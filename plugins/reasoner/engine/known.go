package engine

import (
	"math/big"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// knownValues are the values that the state, the program and the goal name, by
// the type of the place that they were found in.
type knownValues struct {
	byType    map[string][]abi.Term
	all       []abi.Term
	constants []abi.Term
}

// typeKey names a type for knownValues; concepts are one.
func typeKey(t *abi.Type) string {
	switch t.Op {
	case abi.TypeConcept:
		return "concept"
	case abi.TypeNat, abi.TypeInt:
		return "int"
	}
	return string(rune('A'+t.Op)) + t.Name
}

// know gathers the values. They stay those of the state that the search began
// in: facts that are added name no others.
func (s *repairing) know() *knownValues {
	if s.known != nil {
		return s.known
	}
	k := &knownValues{byType: map[string][]abi.Term{}}
	s.known = k
	seen := map[string]map[abi.Term]bool{}
	everything := map[abi.Term]bool{}
	note := func(t *abi.Type, x abi.Term) {
		if !everything[x] {
			everything[x] = true
			k.all = append(k.all, x)
		}
		key := typeKey(t)
		if seen[key] == nil {
			seen[key] = map[abi.Term]bool{}
		}
		if !seen[key][x] {
			seen[key][x] = true
			k.byType[key] = append(k.byType[key], x)
		}
	}
	for i, c := range s.e.prog.Relations[s.goal.rel].Columns {
		note(&c.Type, s.goal.tuple[i])
	}
	for rel := range s.e.prog.Relations {
		if s.e.prog.Relations[rel].Role != abi.Base {
			continue
		}
		data := s.e.rels[rel].data
		if s.work += uint64(data.Rows()); s.work > s.bounds.work {
			s.cut = true
			break
		}
		for _, at := range liveRows(data) {
			for c := range data.Arity() {
				note(&s.e.prog.Relations[rel].Columns[c].Type, data.Column(c)[at])
			}
		}
	}
	spoken := s.e.spoken()
	for i, x := range s.e.consts {
		if !spoken[i] && s.e.terms.Value(x).Kind == abi.KindString {
			continue // part of a message
		}
		if !everything[x] {
			everything[x] = true
			k.all = append(k.all, x)
		}
		k.constants = append(k.constants, x)
	}
	return k
}

// valuesFor returns the values that may stand in a place of a tuple of a base
// relation, in their order: of a place for individuals the members of its
// concept. Where rules may tell others from these it says that it guessed.
func (s *repairing) valuesFor(rel, column int, tuple []abi.Term) []abi.Term {
	e, r := s.e, &s.e.prog.Relations[rel]
	t := &r.Columns[column].Type
	how, open := s.lookedAt(rel, column)
	var out []abi.Term
	extent, typed := s.extentOf(t)
	switch {
	case t.Op == abi.TypeTop:
		out = slices.Clone(s.know().all)
		s.guesses(how, open && len(out) == 0)
	case typed && r.Origin != abi.OriginConcept:
		if f := e.ensure(extent); f != nil {
			s.cut = true
			return nil
		}
		data := e.rels[extent].data
		for _, at := range liveRows(data) {
			out = append(out, data.Column(0)[at])
		}
		out = s.newcomers(columnRef{rel, column}, extent, how, open, out)
	case t.Op == abi.TypeBool || t.Op == abi.TypeEnum:
		out = s.constantsOf(rel, column, t, how, tuple)
	case measured(t) && open && !s.bounds.named:
		out = s.cells(rel, column, how, tuple)
	case measured(t):
		named, near := s.placed(rel, column, tuple)
		out = append(named, near...)
	default:
		k := s.know()
		if t.Op == abi.TypeConcept {
			out = slices.Clone(k.byType[typeKey(t)])
			for _, x := range k.constants {
				if e.takes(t, x) && !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
			s.joined(columnRef{rel, column}, how, open, out)
			break
		}
		out = s.composite(rel, column, t, tuple)
		// An individual that is not there may be the one that is wanted.
		s.guesses(how, open && (len(out) == 0 || inner(t).Op == abi.TypeConcept))
	}
	slices.SortFunc(out, e.terms.Compare)
	if len(out) > s.bounds.values {
		s.cut = true
		out = out[:s.bounds.values]
	}
	return out
}

// composite returns the values that something names for a place whose values are not
// single ones: those of its type, what stands in such a value, if it may be absent,
// and those of the places that it is equal to.
func (s *repairing) composite(rel, column int, t *abi.Type, tuple []abi.Term) (out []abi.Term) {
	k := s.know()
	named, _ := s.placed(rel, column, tuple)
	seen := map[abi.Term]bool{}
	for _, of := range [][]abi.Term{named, k.byType[typeKey(t)], k.byType[typeKey(inner(t))], k.constants} {
		s.work += uint64(len(of))
		for _, x := range of {
			if !seen[x] && s.e.fits(t, x) {
				seen[x] = true
				out = append(out, x)
			}
		}
	}
	return out
}

// inner returns the type that a value has where it is not absent.
func inner(t *abi.Type) *abi.Type {
	for t.Op == abi.TypeOption && len(t.Args) == 1 {
		t = &t.Args[0]
	}
	return t
}

// fits reports whether a value may stand in a place of a type: of a concept, any
// individual.
func (e *Engine) fits(t *abi.Type, x abi.Term) bool {
	if !e.vm.IsType(x, t) {
		return false
	}
	t = inner(t)
	return x == abi.None || t.Op != abi.TypeNat && t.Op != abi.TypeInt || e.takes(t, x)
}

// lookedAt returns how rules look at the values of a place. open is false where
// only values that something names can help: none is looked at further.
func (s *repairing) lookedAt(rel, column int) (how guess, open bool) {
	p, at := s.placing(), columnRef{rel, column}
	if p.open != nil && !p.open[at] {
		// What takes the place of a fact may be of any value.
		if key := s.e.rels[rel].key; key == nil || slices.Contains(key, column) || s.reach[rel] == reachedPlainly {
			return 0, false
		}
	}
	g := p.group(at)
	how, t := p.guessed[g], &s.e.prog.Relations[rel].Columns[column].Type
	for _, is := range p.is[g] {
		if is.Op != t.Op || is.Name != t.Name {
			how |= guessedAny // what is of one type, and what is of the other
		}
	}
	if s.keys(g) && t.Op != abi.TypeConcept {
		how |= guessedTold // what has another key takes no fact's place
	}
	return how, true
}

// keys reports whether a place of a group is part of a key.
func (s *repairing) keys(g int) bool {
	return slices.ContainsFunc(s.places.columns[g], func(at columnRef) bool {
		return slices.Contains(s.e.rels[at.rel].key, at.col) && (s.reach == nil || s.reach[at.rel] != 0) && s.e.addable(at.rel)
	})
}

// guesses notes that the values of a place were taken from a list that may lack
// one which the rules tell from all in it, or that is to have one and has none.
func (s *repairing) guesses(how guess, lacks bool) {
	if how != 0 || lacks {
		s.guess()
	}
}

// guess notes that a place may have a value that is not tried and that would do.
func (s *repairing) guess() {
	s.guessed = s.guessed || !s.bounds.named
}

// constantsOf returns the constants of an enum, or the truth values, that may stand
// in a place: those that are named, or all where the rules tell others from them.
func (s *repairing) constantsOf(rel, column int, t *abi.Type, how guess, tuple []abi.Term) []abi.Term {
	out, _ := s.placed(rel, column, tuple)
	if how == 0 && len(out) > 0 || s.bounds.named {
		return out
	}
	if t.Op == abi.TypeBool {
		return []abi.Term{abi.False, abi.True}
	}
	for i := range s.e.prog.Types {
		d := &s.e.prog.Types[i]
		if d.Op != abi.TypeEnum || d.Name != t.Name {
			continue
		}
		for _, v := range d.Variants {
			if len(v.Fields) > 0 {
				s.guess() // a payload may be of any value
				continue
			}
			if x := s.e.terms.Intern(abi.SymbolValue(v.Name)); !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

func individual(k abi.Kind) bool { return k == abi.KindNamed || k == abi.KindMinted }

// takes reports whether x may be a value of the type: a Nat is not negative, and
// an integer with bounds is inside them.
func (e *Engine) takes(t *abi.Type, x abi.Term) bool {
	v := e.terms.Value(x)
	if !mayBe(t, v.Kind) || !e.vm.IsType(x, t) {
		return false
	}
	if t.Op != abi.TypeNat && t.Op != abi.TypeInt || t.Name == "" {
		return true
	}
	n := v.Number().Num()
	if n.Sign() < 0 {
		n = new(big.Int).Not(n) // the least value has as many bits as the greatest
	}
	return n.BitLen() <= bitsOf(t)
}

// bitsOf returns how many bits the values of an integer type with bounds have,
// beside the sign.
func bitsOf(t *abi.Type) (bits int) {
	for _, digit := range t.Name[1:] { // of a name such as u8 or i64
		bits = 10*bits + int(digit-'0')
	}
	if t.Op == abi.TypeInt {
		bits--
	}
	return bits
}

// mayBe reports whether a value of the kind may be one of the type.
func mayBe(t *abi.Type, k abi.Kind) bool {
	switch t.Op {
	case abi.TypeNat, abi.TypeInt, abi.TypeReal, abi.TypeDecimal:
		return k == abi.KindNum
	case abi.TypeString:
		return k == abi.KindString
	case abi.TypeBool:
		return k == abi.KindBool
	case abi.TypeDate:
		return k == abi.KindDay
	case abi.TypeDateTime:
		return k == abi.KindInstant
	case abi.TypeTime:
		return k == abi.KindTime
	case abi.TypeDuration:
		return k == abi.KindSpan
	case abi.TypeMoney:
		return k == abi.KindMoney
	case abi.TypeEnum:
		return k == abi.KindSymbol || k == abi.KindVariant
	case abi.TypeConcept:
		return individual(k)
	}
	return false
}
