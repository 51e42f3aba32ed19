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
	for _, x := range s.e.consts {
		if !everything[x] {
			everything[x] = true
			k.all = append(k.all, x)
		}
		k.constants = append(k.constants, x)
	}
	return k
}

// valuesFor returns the values that may stand in a place of a base relation, in
// their order: of a place for individuals the members of its concept.
func (s *repairing) valuesFor(rel, column int) []abi.Term {
	e, r := s.e, &s.e.prog.Relations[rel]
	t := &r.Columns[column].Type
	var out []abi.Term
	extent, typed := s.extentOf(t)
	switch {
	case t.Op == abi.TypeTop:
		out = slices.Clone(s.know().all)
	case typed && r.Origin != abi.OriginConcept:
		if f := e.ensure(extent); f != nil {
			s.cut = true
			return nil
		}
		data := e.rels[extent].data
		for _, at := range liveRows(data) {
			out = append(out, data.Column(0)[at])
		}
		for _, x := range s.goal.tuple {
			if individual(e.terms.Value(x).Kind) && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	case judged(t):
		out, _ = s.placed(rel, column)
		s.guesses(rel, column)
	default:
		s.guesses(rel, column)
		k := s.know()
		out = slices.Clone(k.byType[typeKey(t)])
		for _, x := range k.constants {
			if e.takes(t, x) && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	slices.SortFunc(out, e.terms.Compare)
	if len(out) > s.bounds.values {
		s.cut = true
		out = out[:s.bounds.values]
	}
	return out
}

// judged reports whether mayBe knows the values of a type, those of individuals
// apart.
func judged(t *abi.Type) bool {
	switch t.Op {
	case abi.TypeNat, abi.TypeInt, abi.TypeReal, abi.TypeDecimal, abi.TypeString, abi.TypeBool,
		abi.TypeDate, abi.TypeDateTime, abi.TypeTime, abi.TypeDuration, abi.TypeMoney, abi.TypeEnum:
		return true
	}
	return false
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
	bits := 0 // of a name such as u8 or i64
	for _, digit := range t.Name[1:] {
		bits = 10*bits + int(digit-'0')
	}
	n := v.Number().Num()
	if t.Op == abi.TypeInt {
		bits--
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n) // the least value has as many bits as the greatest
	}
	return n.BitLen() <= bits
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
