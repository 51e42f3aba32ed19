package types

import (
	"math/big"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

func concepts() (e *Env, ship, tug, port abi.Type) {
	up := &Concept{Name: "m::Ship"}
	down := &Concept{Name: "m::Tug", Supers: []*Concept{up}}
	other := &Concept{Name: "m::Port"}
	e = &Env{Concepts: map[string]*Concept{up.Name: up, down.Name: down, other.Name: other}}
	return e, up.Type(), down.Type(), other.Type()
}

func TestFits(t *testing.T) {
	e, ship, tug, port := concepts()
	for _, tt := range []struct {
		from, to abi.Type
		want     bool
	}{
		{Nat, Int, true}, {Int, Nat, false}, {Int, Real, true}, {Int, Decimal, true}, {Decimal, Real, true},
		{Real, Decimal, false}, {Real, Int, false}, {Decimal, Money, true}, {Money, Decimal, false}, {Int, Money, true},
		{String, Int, false}, {Date, DateTime, false}, {Top, Int, true}, {Int, Top, true},
		{Int, Option(Int), true}, {Option(Int), Int, false}, {Option(Nat), Option(Int), true},
		{List(Nat), List(Int), true}, {List(Int), List(Nat), false}, {List(Int), Set(Int), true}, {Set(Int), List(Int), false},
		{tug, ship, true}, {ship, port, true}, {ship, String, false},
	} {
		if got := e.Fits(tt.from, tt.to); got != tt.want {
			t.Errorf("%s where %s is wanted: %t", Print(tt.from), Print(tt.to), got)
		}
	}
}

func TestArithmetic(t *testing.T) {
	e := &Env{}
	for _, tt := range []struct {
		op   string
		a, b abi.Type
		want string // "" for no meaning
	}{
		{"+", Nat, Nat, "Nat"}, {"-", Nat, Nat, "Int"}, {"*", Nat, Int, "Int"}, {"/", Int, Int, "Real"}, {"%", Int, Nat, "Int"},
		{"+", Decimal, Int, "Decimal"}, {"+", Decimal, Real, "Real"}, {"/", Decimal, Decimal, "Real"},
		{"+", Money, Money, "Money"}, {"*", Money, Decimal, "Money"}, {"*", Money, Money, ""}, {"/", Money, Money, "Real"}, {"/", Money, Int, "Money"}, {"/", Int, Money, ""},
		{"-", Date, Date, "Duration"}, {"+", Date, Duration, "Date"}, {"-", Date, Duration, "Date"}, {"+", Duration, Date, "Date"}, {"+", Date, Int, ""},
		{"*", Duration, Int, "Duration"}, {"+", Duration, Duration, "Duration"}, {"*", Duration, Duration, ""},
		{"+", String, String, "String"}, {"-", String, String, ""}, {"+", Bool, Bool, ""},
		{"+", Option(Int), Nat, "Int"},
	} {
		got := ""
		if r, ok := e.Arithmetic(tt.op, tt.a, tt.b); ok {
			got = Print(r)
		}
		if got != tt.want {
			t.Errorf("%s %s %s: %q, want %q", Print(tt.a), tt.op, Print(tt.b), got, tt.want)
		}
	}
}

func TestComparisons(t *testing.T) {
	e, ship, _, port := concepts()
	for _, tt := range []struct {
		a, b             abi.Type
		equality, orders bool
	}{
		{Int, Decimal, true, true}, {Money, Int, true, true}, {Date, DateTime, true, true}, {String, String, true, true},
		{String, Int, false, false}, {ship, port, true, false}, {Bool, Bool, true, false}, {Option(Int), Nat, true, true},
		{List(Int), Set(Nat), true, false}, {Duration, Duration, true, true}, {Date, Duration, false, false},
	} {
		if got := e.Comparable(tt.a, tt.b); got != tt.equality {
			t.Errorf("%s == %s: %t", Print(tt.a), Print(tt.b), got)
		}
		if got := e.Ordered(tt.a, tt.b); got != tt.orders {
			t.Errorf("%s < %s: %t", Print(tt.a), Print(tt.b), got)
		}
	}
}

func TestJoin(t *testing.T) {
	e, ship, tug, port := concepts()
	for _, tt := range []struct {
		a, b abi.Type
		want string
		ok   bool
	}{
		{Nat, Int, "Int", true}, {Decimal, Int, "Decimal", true}, {Decimal, Real, "Real", true}, {tug, ship, "m::Ship", true},
		{Option(abi.Type{Op: abi.TypeBot}), Int, "Int?", true}, {Int, Option(Nat), "Int?", true}, {String, Int, "Top", false},
		{abi.Type{Op: abi.TypeBot}, String, "String", true}, {ship, port, "Top", true},
	} {
		got, ok := e.Join(tt.a, tt.b)
		if Print(got) != tt.want || ok != tt.ok {
			t.Errorf("%s and %s: %s, %t", Print(tt.a), Print(tt.b), Print(got), ok)
		}
	}
}

func TestLiteral(t *testing.T) {
	big9 := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil))
	for _, tt := range []struct {
		kind syntax.LitKind
		text string
		want abi.Value
	}{
		{syntax.IntLit, "42", abi.IntValue(42)},
		{syntax.IntLit, "10000000000000000000000000000000000000000", abi.RatValue(big9)},
		{syntax.DecimalLit, "12.50", abi.RatValue(big.NewRat(25, 2))},
		{syntax.DecimalLit, "3.00", abi.IntValue(3)},
		{syntax.DateLit, "1969-12-31", abi.DayValue(-1)},
		{syntax.DateTimeLit, "1970-01-01T00:00:01Z", abi.Value{Kind: abi.KindInstant, Int: 1}},
		{syntax.MoneyLit, "12.50 EUR", abi.MoneyValue(big.NewRat(25, 2), "EUR")},
	} {
		v, _, ok := Literal(tt.kind, tt.text)
		if !ok || !abi.Equal(v, tt.want) {
			t.Errorf("%s: %+v, %t", tt.text, v, ok)
		}
	}
	for _, tt := range []struct {
		kind syntax.LitKind
		text string
	}{
		{syntax.IntLit, ""}, {syntax.IntLit, "1/2"}, {syntax.IntLit, "1e9"}, {syntax.DecimalLit, "1."}, {syntax.DecimalLit, "."},
		{syntax.DecimalLit, "Inf"}, {syntax.DateLit, "2031-02-30"}, {syntax.MoneyLit, "EUR"}, {syntax.MoneyLit, "3"},
	} {
		if v, _, ok := Literal(tt.kind, tt.text); ok {
			t.Errorf("%q is read as %+v", tt.text, v)
		}
	}
}

func TestPoolKeepsWhatItContinues(t *testing.T) {
	var base Pool
	one := base.Add(abi.IntValue(1))
	next := base.Extend()
	if next.Add(abi.IntValue(1)) != one {
		t.Error("a constant of the base is added again")
	}
	two := next.Add(abi.IntValue(2))
	if two != 1 || len(base.Values) != 1 || next.Add(abi.IntValue(2)) != two {
		t.Errorf("index %d, base %v", two, base.Values)
	}
}
