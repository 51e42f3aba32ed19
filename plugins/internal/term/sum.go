package term

import (
	"math/big"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Sum adds up numbers, money of one currency or durations without interning
// what lies between. Its zero value is the sum of nothing, which is 0.
type Sum struct {
	count    int64
	kind     abi.Kind
	currency abi.Term
	n, d     int64    // the sum as a fraction, while big is nil
	big      *big.Rat // numbers; nanoseconds of durations
	some     bool     // something other than zero without a currency was added
}

// Add adds x.
func (s *Sum) Add(t *Table, x abi.Term) Fault {
	kind := t.Kind(x)
	switch {
	case kind != abi.KindNum && kind != abi.KindMoney && kind != abi.KindSpan:
		return WrongKind
	case s.count == 0:
		s.kind, s.currency, s.d = kind, t.Name(x), 1
	case x == zero && s.kind == abi.KindMoney:
		s.count++
		return OK
	case s.nothing() && kind == abi.KindMoney:
		s.kind, s.currency = kind, t.Name(x)
	case s.kind != kind && s.kind != abi.KindSpan && kind != abi.KindSpan:
		return Currencies
	case s.kind != kind:
		return WrongKind
	case s.currency != t.Name(x):
		return Currencies
	}
	s.count++
	s.some = s.some || x != zero
	switch kind {
	case abi.KindSpan:
		return s.addBig(new(big.Rat).SetInt(t.spanNanos(x)))
	case abi.KindMoney:
		x = t.Amount(x)
	}
	n, d, b := t.number(x)
	if b == nil && s.big == nil {
		if sum, den, ok := smallOp(OpAdd, s.n, s.d, n, int64(d)); ok {
			if den != 1 {
				g := int64(gcd(magnitude(sum), uint64(den)))
				sum, den = sum/g, den/g
			}
			s.n, s.d = sum, den
			return OK
		}
	}
	return s.addBig(t.rat(x))
}

// nothing reports whether only zeros without a currency were added.
func (s *Sum) nothing() bool { return s.kind == abi.KindNum && !s.some }

func (s *Sum) addBig(r *big.Rat) Fault {
	if s.big == nil {
		s.big = big.NewRat(s.n, s.d)
	}
	if s.big.Add(s.big, r); ratBits(s.big) > MaxNumberBits {
		return LargeNumber
	}
	return OK
}

// AgainstMean compares x, which could be added, with the mean of what was added,
// of which there is something: -1, 0 or 1. It interns nothing.
func (s *Sum) AgainstMean(t *Table, x abi.Term) int {
	var one *big.Rat
	switch t.Kind(x) {
	case abi.KindSpan:
		one = new(big.Rat).SetInt(t.spanNanos(x))
	case abi.KindMoney:
		one = t.rat(t.Amount(x))
	default:
		one = t.rat(x)
	}
	sum := s.big
	if sum == nil {
		sum = big.NewRat(s.n, s.d)
	}
	return new(big.Rat).Mul(one, big.NewRat(s.count, 1)).Cmp(sum)
}

// Total interns the sum.
func (s *Sum) Total(t *Table) (abi.Term, Fault) {
	if s.count == 0 {
		return zero, OK
	}
	if s.kind == abi.KindSpan {
		return t.spanOf(floor(s.big))
	}
	r := s.big
	if r == nil {
		r = big.NewRat(s.n, s.d)
	}
	x := t.Rat(r)
	if s.kind == abi.KindMoney {
		x = t.Money(x, s.currency)
	}
	return x, OK
}
