package term

import (
	"math/big"

	"github.com/ox-mcp/ox-mcp/abi"
)

// moments computes with dates, date-times and durations. A date is the moment
// at which it begins; a date plus a duration is the date in which the moment
// that far off falls.
func (t *Table) moments(op Op, a, b abi.Term, ka, kb abi.Kind) (abi.Term, Fault) {
	isMoment := func(k abi.Kind) bool { return k == abi.KindDay || k == abi.KindInstant }
	switch {
	case isMoment(ka) && kb == abi.KindSpan && (op == OpAdd || op == OpSub):
		return t.shift(op, a, b, ka)
	case ka == abi.KindSpan && isMoment(kb) && op == OpAdd:
		return t.shift(op, b, a, kb)
	case isMoment(ka) && isMoment(kb) && op == OpSub,
		ka == abi.KindTime && kb == abi.KindTime && op == OpSub,
		ka == abi.KindSpan && kb == abi.KindSpan && (op == OpAdd || op == OpSub):
		s, n, f := t.combine(op, a, b)
		if f != OK {
			return 0, f
		}
		return t.Span(s, n), OK
	case ka == abi.KindSpan && kb == abi.KindNum && (op == OpMul || op == OpDiv):
		return t.scaleSpan(a, op, b)
	case ka == abi.KindNum && kb == abi.KindSpan && op == OpMul:
		return t.scaleSpan(b, op, a)
	case ka == abi.KindSpan && kb == abi.KindSpan && op == OpDiv:
		d := t.spanNanos(b)
		if d.Sign() == 0 {
			return 0, DivideByZero
		}
		return t.bounded(new(big.Rat).SetFrac(t.spanNanos(a), d))
	}
	return 0, WrongKind
}

func (t *Table) shift(op Op, moment, span abi.Term, kind abi.Kind) (abi.Term, Fault) {
	s, n, f := t.combine(op, moment, span)
	switch {
	case f != OK:
		return 0, f
	case kind == abi.KindDay:
		return t.Day(floorDiv(s, abi.SecondsPerDay)), OK
	}
	return t.Instant(s, n), OK
}

// combine adds or subtracts in seconds and nanoseconds.
func (t *Table) combine(op Op, a, b abi.Term) (int64, int32, Fault) {
	sa, na := t.seconds(a)
	sb, nb := t.seconds(b)
	nano := int64(na) + int64(nb)
	s, ok := addInt64(sa, sb)
	if op == OpSub {
		nano = int64(na) - int64(nb)
		s = sa - sb
		ok = (s < sa) == (sb > 0)
	}
	carry := floorDiv(nano, nanosPerSecond)
	s, ok2 := addInt64(s, carry)
	if !ok || !ok2 {
		return 0, 0, OutOfRange
	}
	return s, int32(nano - carry*nanosPerSecond), OK
}

func (t *Table) spanNanos(x abi.Term) *big.Int {
	s, n := t.seconds(x)
	r := new(big.Int).Mul(big.NewInt(s), big.NewInt(nanosPerSecond))
	return r.Add(r, big.NewInt(int64(n)))
}

// scaleSpan multiplies or divides a duration by a number, rounded down to a
// nanosecond.
func (t *Table) scaleSpan(span abi.Term, op Op, by abi.Term) (abi.Term, Fault) {
	factor := t.rat(by)
	if op == OpDiv {
		if factor.Sign() == 0 {
			return 0, DivideByZero
		}
		factor = new(big.Rat).Inv(factor)
	}
	r := new(big.Rat).SetInt(t.spanNanos(span))
	return t.spanOf(floor(r.Mul(r, factor)))
}

func (t *Table) spanOf(nanos *big.Int) (abi.Term, Fault) {
	s, n := new(big.Int).DivMod(nanos, big.NewInt(nanosPerSecond), new(big.Int))
	if !s.IsInt64() {
		return 0, OutOfRange
	}
	return t.Span(s.Int64(), int32(n.Int64())), OK
}

// Days turns a duration into its whole days, cut toward zero, and a number of
// days into a duration.
func (t *Table) Days(x abi.Term) (abi.Term, Fault) {
	switch t.Kind(x) {
	case abi.KindSpan:
		s, n := t.seconds(x)
		if s < 0 && n > 0 {
			s++ // the nanoseconds count upward from s, so what is left is nearer to zero
		}
		return t.Int(s / abi.SecondsPerDay), OK
	case abi.KindNum:
		r := new(big.Rat).SetInt64(abi.SecondsPerDay * nanosPerSecond)
		return t.spanOf(floor(r.Mul(r, t.rat(x))))
	}
	return 0, WrongKind
}
