package abi

import "math/big"

// Kind says what a Value is. The order of the constants is the order of values
// of different kinds in rows, min, max and cursors. Days and instants compare
// with each other by the moment they name.
type Kind uint8

// The kinds of values.
const (
	KindNum     Kind = iota // exact rational: Int, or Rat where it is not an int64
	KindString              // Str
	KindNamed               // individual with a name: Str is its qualified name, "module::name" or a free spelling
	KindMinted              // individual made at run time: ID
	KindSymbol              // payload-less enum constant or axis value: Str is "module::Enum::Tag"
	KindVariant             // enum constant with a payload: Str as for symbols, Items the payload in declared order
	KindStruct              // Str is the struct's qualified name, Items the fields in declared order
	KindList                // Items
	KindSet                 // Items, distinct, in term order
	KindType                // reference to a declared type: Str is its qualified path
	KindInstant             // Int seconds since 1970-01-01T00:00:00Z, Nano
	KindSpan                // duration: Int seconds, Nano (0 to 999,999,999)
	KindMoney               // amount as for KindNum, Str the ISO 4217 currency
	KindF64                 // reserved
	KindTime                // time of day: Int seconds since midnight (0 to 86,399), Nano
	KindMap                 // Items: key, value, key, value, …, in key order
	KindRange               // Items: from, to
	KindPath                // reserved
	KindDay                 // Int days since 1970-01-01
	KindBool                // Int 0 or 1
	KindNone                // the absent value of an optional type
	kindCount
)

// Value is the form of a term outside an instance: self-contained, and equal
// on every machine. Build one with the constructors, which keep the normal
// form: a number that fits int64 has a nil Rat.
type Value struct {
	Kind  Kind
	Int   int64
	Nano  int32
	Str   string
	ID    [16]byte
	Rat   *big.Rat
	Items []Value
}

// Constructors of the common values.
func IntValue(n int64) Value        { return Value{Kind: KindNum, Int: n} }
func StringValue(s string) Value    { return Value{Kind: KindString, Str: s} }
func NamedValue(name string) Value  { return Value{Kind: KindNamed, Str: name} }
func MintedValue(id [16]byte) Value { return Value{Kind: KindMinted, ID: id} }
func SymbolValue(path string) Value { return Value{Kind: KindSymbol, Str: path} }
func TypeValue(path string) Value   { return Value{Kind: KindType, Str: path} }
func DayValue(day int64) Value      { return Value{Kind: KindDay, Int: day} }
func NoneValue() Value              { return Value{Kind: KindNone} }

// BoolValue returns the value of b.
func BoolValue(b bool) Value {
	v := Value{Kind: KindBool}
	if b {
		v.Int = 1
	}
	return v
}

// RatValue returns the number r in normal form.
func RatValue(r *big.Rat) Value {
	v := Value{Kind: KindNum}
	v.setRat(r)
	return v
}

// MoneyValue returns the amount r in currency.
func MoneyValue(r *big.Rat, currency string) Value {
	v := Value{Kind: KindMoney, Str: currency}
	v.setRat(r)
	return v
}

func (v *Value) setRat(r *big.Rat) {
	if r.IsInt() && r.Num().IsInt64() {
		v.Int = r.Num().Int64()
		return
	}
	v.Rat = new(big.Rat).Set(r)
}

// Number returns the exact number of a KindNum or KindMoney value.
func (v Value) Number() *big.Rat {
	if v.Rat != nil {
		return v.Rat
	}
	return new(big.Rat).SetInt64(v.Int)
}

// IsIndividual reports whether v names an individual.
func (v Value) IsIndividual() bool { return v.Kind == KindNamed || v.Kind == KindMinted }

// rank folds days and instants into one place of the kind order.
func (k Kind) rank() Kind {
	if k == KindDay {
		return KindInstant
	}
	return k
}

// Compare orders values: by kind, then by value (numbers by size, strings by
// bytes, named individuals by qualified name, minted ones by id, composite
// values item by item). It returns -1, 0 or 1, and 0 only for equal values,
// but that a day compares equal to no instant: at the same moment the day
// comes first.
func Compare(a, b Value) int {
	if a.Kind != b.Kind {
		ra, rb := a.Kind.rank(), b.Kind.rank()
		if ra != rb {
			return cmpInt(int64(ra), int64(rb))
		}
		return compareMoments(a, b)
	}
	switch a.Kind {
	case KindNum:
		return compareNumbers(a, b)
	case KindMoney:
		if c := cmpString(a.Str, b.Str); c != 0 {
			return c
		}
		return compareNumbers(a, b)
	case KindMinted:
		return cmpString(string(a.ID[:]), string(b.ID[:]))
	case KindDay, KindBool:
		return cmpInt(a.Int, b.Int)
	case KindInstant, KindSpan, KindTime:
		if c := cmpInt(a.Int, b.Int); c != 0 {
			return c
		}
		return cmpInt(int64(a.Nano), int64(b.Nano))
	case KindNone:
		return 0
	}
	if c := cmpString(a.Str, b.Str); c != 0 {
		return c
	}
	for i := 0; i < len(a.Items) && i < len(b.Items); i++ {
		if c := Compare(a.Items[i], b.Items[i]); c != 0 {
			return c
		}
	}
	return cmpInt(int64(len(a.Items)), int64(len(b.Items)))
}

// Equal reports whether a and b are the same value.
func Equal(a, b Value) bool { return Compare(a, b) == 0 }

func compareNumbers(a, b Value) int {
	if a.Rat == nil && b.Rat == nil {
		return cmpInt(a.Int, b.Int)
	}
	return a.Number().Cmp(b.Number())
}

// SecondsPerDay converts between days and instants.
const SecondsPerDay = 86400

func compareMoments(a, b Value) int {
	seconds := func(v Value) int64 {
		if v.Kind == KindDay {
			return v.Int * SecondsPerDay
		}
		return v.Int
	}
	if c := cmpInt(seconds(a), seconds(b)); c != 0 {
		return c
	}
	if c := cmpInt(int64(a.Nano), int64(b.Nano)); c != 0 {
		return c
	}
	if a.Kind == KindDay {
		return -1
	}
	return 1
}

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
