package engine

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// sort is what the variables of a program are of: the types that places may have,
// the values that facts and constants are made of, and values besides, which a
// complete search must not have missed.
type sort struct {
	types    []abi.Type
	pool     []abi.Value
	besides  []abi.Value
	ordered  bool
	measured bool // has sums
}

func ratValues(texts ...string) (out []abi.Value) {
	for _, text := range texts {
		r, _ := new(big.Rat).SetString(text)
		out = append(out, abi.RatValue(r))
	}
	return out
}

func moneyValues(currency string, texts ...string) (out []abi.Value) {
	for _, v := range ratValues(texts...) {
		out = append(out, abi.MoneyValue(v.Number(), currency))
	}
	return out
}

func valuesOfKind(kind abi.Kind, texts ...string) (out []abi.Value) {
	for _, v := range ratValues(texts...) {
		nano := new(big.Rat).Mul(v.Number(), big.NewRat(1_000_000_000, 1)).Num().Int64()
		whole := nano / 1_000_000_000
		if nano%1_000_000_000 < 0 {
			whole--
		}
		if kind == abi.KindDay {
			out = append(out, abi.DayValue(whole))
			continue
		}
		out = append(out, abi.Value{Kind: kind, Int: whole, Nano: int32(nano - whole*1_000_000_000)})
	}
	return out
}

func valuesOfText(kind abi.Kind, texts ...string) (out []abi.Value) {
	for _, text := range texts {
		out = append(out, abi.Value{Kind: kind, Str: text})
	}
	return out
}

func typesOf(ops ...abi.TypeOp) (out []abi.Type) {
	for _, op := range ops {
		out = append(out, abi.Type{Op: op})
	}
	return out
}

// sorts are drawn from; the first is that of individuals.
func sorts() []sort {
	numbers := append(typesOf(abi.TypeInt, abi.TypeNat, abi.TypeReal, abi.TypeDecimal, abi.TypeInt, abi.TypeTop), abi.Type{Op: abi.TypeNat, Name: "u8"}, abi.Type{Op: abi.TypeInt, Name: "i8"})
	return []sort{
		{types: []abi.Type{{Op: abi.TypeConcept, Name: "A"}, {Op: abi.TypeConcept, Name: "B"}, {Op: abi.TypeConcept, Name: "C"}}, pool: valuesOfText(abi.KindNamed, "m::a", "m::b", "m::c"), besides: valuesOfText(abi.KindNamed, "m::new", "m::other")},
		{types: numbers[:1], pool: ratValues("1", "3", "4"), besides: ratValues("-90", "-1", "0", "2", "5", "6", "90"), ordered: true, measured: true},
		{types: numbers[6:], pool: ratValues("0", "2", "127"), besides: ratValues("-128", "-1", "1", "3", "126", "128", "255"), ordered: true, measured: true},
		{types: numbers[2:4], pool: ratValues("1.2", "1.7", "2"), besides: ratValues("-9", "0.2", "1.3", "1.5", "1.9", "2.01", "3", "90"), ordered: true, measured: true},
		{types: numbers, pool: ratValues("0", "1", "1.5"), besides: ratValues("-9", "-0.5", "0.5", "1.25", "2", "2.5", "90"), ordered: true, measured: true},
		{types: typesOf(abi.TypeMoney), pool: moneyValues("EUR", "1", "1.01", "3"), besides: append(moneyValues("EUR", "-9", "0", "1.005", "2", "90"), moneyValues("USD", "2")...), ordered: true, measured: true},
		{types: typesOf(abi.TypeDate), pool: valuesOfKind(abi.KindDay, "10", "11", "14"), besides: valuesOfKind(abi.KindDay, "-9", "9", "12", "15", "9000"), ordered: true},
		{types: typesOf(abi.TypeDateTime), pool: valuesOfKind(abi.KindInstant, "10", "11", "14.000000001"), besides: valuesOfKind(abi.KindInstant, "-9.5", "10.5", "12", "14", "14.000000002", "9000"), ordered: true},
		{types: typesOf(abi.TypeDuration), pool: valuesOfKind(abi.KindSpan, "10", "10.000000001", "14"), besides: valuesOfKind(abi.KindSpan, "-9.5", "0", "12", "15", "9000"), ordered: true},
		{types: typesOf(abi.TypeTime), pool: valuesOfKind(abi.KindTime, "0", "10", "86399"), besides: valuesOfKind(abi.KindTime, "0.5", "5", "20", "86399.5"), ordered: true},
		{types: typesOf(abi.TypeString), pool: valuesOfText(abi.KindString, "a", "b", ""), besides: valuesOfText(abi.KindString, "aa", "ab", "c", "A", " ", "zz"), ordered: true},
		{types: typesOf(abi.TypeBool), pool: []abi.Value{abi.BoolValue(false)}, besides: []abi.Value{abi.BoolValue(true)}},
		{types: []abi.Type{{Op: abi.TypeEnum, Name: "m::E"}}, pool: valuesOfText(abi.KindSymbol, "m::E::One", "m::E::Two"), besides: valuesOfText(abi.KindSymbol, "m::E::Three"), ordered: true},
		{types: typesOf(abi.TypeTop), pool: append(ratValues("1"), valuesOfText(abi.KindString, "a")...), besides: append(ratValues("2"), valuesOfText(abi.KindString, "b")...)},
	}
}

// typedProgram is a random program over places of several types, with facts.
type typedProgram struct {
	t       *rapid.T
	b       *builder
	sorts   []sort  // those of this program
	columns [][]int // by relation: the sort of each column
	bases   []int
	heads   []int
	facts   []typedEdit
	goal    []abi.Value
	types   map[string]int // extents of concepts
}

type typedEdit struct {
	rel    int
	tuple  []abi.Value
	remove bool
}

func (p *typedProgram) text(x typedEdit) string {
	var values []string
	for _, v := range x.tuple {
		values = append(values, fmt.Sprint(v.Kind, " ", v.Number().RatString(), v.Nano, v.Str))
	}
	return map[bool]string{true: "-"}[x.remove] + p.b.p.Relations[x.rel].Name + "(" + strings.Join(values, ", ") + ")"
}

func (p *typedProgram) int(label string, lo, hi int) int {
	return rapid.IntRange(lo, hi).Draw(p.t, label)
}
func (p *typedProgram) chance(label string, percent int) bool { return p.int(label, 1, 100) <= percent }

// relation makes a relation with columns of some of the sorts.
func (p *typedProgram) relation(name string, base bool, arity int) int {
	rel := 0
	if base {
		rel = p.b.base(name, arity)
	} else {
		rel = p.b.derived(name, arity)
	}
	var of []int
	for c := range arity {
		k := p.int("sort", 0, len(p.sorts)-1)
		of = append(of, k)
		if base {
			p.b.p.Relations[rel].Columns[c].Type = rapid.SampledFrom(p.sorts[k].types).Draw(p.t, "type")
		}
	}
	p.columns = append(p.columns, of)
	return rel
}

func typed(t *rapid.T) *typedProgram {
	all := sorts()
	p := &typedProgram{t: t, b: newBuilder(), sorts: []sort{all[0]}}
	for range p.int("sorts", 1, 2) {
		p.sorts = append(p.sorts, rapid.SampledFrom(all[1:]).Draw(t, "of"))
	}
	if p.chance("without individuals", 60) {
		p.sorts = p.sorts[1:]
	}
	// Three concepts, B below A, and C.
	p.types = map[string]int{}
	var told [3]int
	for i, name := range []string{"A", "B", "C"} {
		told[i] = p.b.base(name+"+", 1)
		p.b.p.Relations[told[i]].Origin = abi.OriginConcept
		p.b.p.Relations[told[i]].Columns[0].Type = abi.Type{Op: abi.TypeConcept, Name: name}
		p.columns = append(p.columns, []int{0})
	}
	for i, name := range []string{"A", "B", "C"} {
		p.types[name] = p.b.derived(name, 1)
		p.b.p.Relations[p.types[name]].Origin, p.b.p.Relations[p.types[name]].Asserted = abi.OriginConcept, told[i]
		p.columns = append(p.columns, []int{0})
	}
	of := p.types
	p.b.component(false, []int{of["B"]}, p.b.rule(of["B"], slots(0), 1, scan(told[1], 0)))
	p.b.component(false, []int{of["A"]}, p.b.rule(of["A"], slots(0), 1, scan(told[0], 0)), p.b.rule(of["A"], slots(0), 1, scan(of["B"], 0)))
	p.b.component(false, []int{of["C"]}, p.b.rule(of["C"], slots(0), 1, scan(told[2], 0)))
	p.b.p.Types = []abi.TypeDef{
		{Name: "A", Op: abi.TypeConcept, Extent: of["A"]}, {Name: "B", Op: abi.TypeConcept, Extent: of["B"], Supers: []int{0}}, {Name: "C", Op: abi.TypeConcept, Extent: of["C"]},
		{Name: "m::E", Op: abi.TypeEnum, Extent: -1, Variants: []abi.VariantDef{{Name: "m::E::One"}, {Name: "m::E::Two"}, {Name: "m::E::Three"}}},
	}
	individuals := p.sorts[0].types[0].Op == abi.TypeConcept
	if individuals {
		for _, v := range p.sorts[0].pool {
			if n := p.int("concept", 0, 4); n > 0 {
				p.facts = append(p.facts, typedEdit{rel: told[(n-1)%3], tuple: []abi.Value{v}})
				if p.chance("of two concepts", 30) {
					p.facts = append(p.facts, typedEdit{rel: told[n%3], tuple: []abi.Value{v}})
				}
			}
		}
	}
	for i := range p.int("bases", 1, 2) {
		rel := p.relation(string(rune('r'+i)), true, p.int("arity", 1, 2))
		p.bases = append(p.bases, rel)
		r := &p.b.p.Relations[rel]
		if len(r.Columns) == 2 && p.chance("keyed", 30) {
			r.Key = []int{0}
			if individuals && p.columns[rel][0] == 0 && p.chance("field", 70) {
				r.Origin = abi.OriginField
				p.b.p.Types[0].Fields = append(p.b.p.Types[0].Fields, abi.FieldDef{Name: r.Name, Relation: rel, Required: p.chance("required", 50)})
			}
		} else if p.chance("given", 3) {
			r.Origin = abi.OriginAux
		}
		for range p.int("facts", 0, 3) {
			x := typedEdit{rel: rel}
			for c, k := range p.columns[rel] {
				fits := slices.DeleteFunc(slices.Clone(p.sorts[k].pool), func(v abi.Value) bool { return !fitsType(&r.Columns[c].Type, v) })
				if len(fits) == 0 {
					break
				}
				x.tuple = append(x.tuple, rapid.SampledFrom(fits).Draw(t, "value"))
			}
			if len(x.tuple) == len(r.Columns) && !slices.ContainsFunc(p.facts, func(y typedEdit) bool {
				return y.rel == rel && (r.Key != nil && abi.Equal(x.tuple[0], y.tuple[0]) || slices.EqualFunc(x.tuple, y.tuple, abi.Equal))
			}) {
				p.facts = append(p.facts, x)
			}
		}
	}
	readable := slices.Clone(p.bases)
	if individuals {
		readable = append(readable, of["A"], of["B"])
	}
	for i := range p.int("heads", 1, 2) {
		head := p.relation(string(rune('p'-i)), false, p.int("arity", 0, 2))
		var rules []int
		own := readable
		recursive := p.chance("recursive", 25)
		for range p.int("rules", 1, 2) {
			rules = append(rules, p.rule(head, own, readable))
			if recursive {
				own = append(slices.Clone(readable), head, head)
			}
		}
		p.b.component(recursive, []int{head}, rules...)
		readable = append(readable, head, head)
		p.heads = append(p.heads, head)
	}
	if individuals {
		p.bases = append(p.bases, told[:]...)
	}
	return p
}

func fitsType(t *abi.Type, v abi.Value) bool {
	e := New()
	x := e.terms.Intern(v)
	return t.Op == abi.TypeTop || e.takes(t, x)
}
