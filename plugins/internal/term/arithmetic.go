package term

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Op is an arithmetic operator of two operands.
type Op uint8

// The arithmetic operators.
const (
	OpAdd Op = iota
	OpSub
	OpMul
	OpDiv
	OpMod
)

// Add returns a + b: numbers, money of one currency, strings, durations, a
// date or date-time and a duration.
func (t *Table) Add(a, b abi.Term) (abi.Term, Fault) {
	if a.Tag() == abi.TagInt && b.Tag() == abi.TagInt {
		return t.Int(a.Inline() + b.Inline()), OK
	}
	return t.arithmetic(OpAdd, a, b)
}

// Sub returns a - b: numbers, money of one currency, durations, two moments, a
// date or date-time and a duration.
func (t *Table) Sub(a, b abi.Term) (abi.Term, Fault) {
	if a.Tag() == abi.TagInt && b.Tag() == abi.TagInt {
		return t.Int(a.Inline() - b.Inline()), OK
	}
	return t.arithmetic(OpSub, a, b)
}

// Mul returns a * b: numbers, or money or a duration and a number.
func (t *Table) Mul(a, b abi.Term) (abi.Term, Fault) {
	if a.Tag() == abi.TagInt && b.Tag() == abi.TagInt {
		return t.Int(a.Inline() * b.Inline()), OK
	}
	return t.arithmetic(OpMul, a, b)
}

// Div returns the exact a / b: numbers, money or a duration by a number, money
// by money of its currency, a duration by a duration.
func (t *Table) Div(a, b abi.Term) (abi.Term, Fault) { return t.arithmetic(OpDiv, a, b) }

// Mod returns a - b * floor(a/b) of two numbers: it has the sign of b.
func (t *Table) Mod(a, b abi.Term) (abi.Term, Fault) { return t.arithmetic(OpMod, a, b) }

// Neg returns -a: a number, money or a duration.
func (t *Table) Neg(a abi.Term) (abi.Term, Fault) {
	switch t.Kind(a) {
	case abi.KindNum:
		return t.numbers(OpSub, zero, a)
	case abi.KindMoney:
		n, f := t.numbers(OpSub, zero, t.Amount(a))
		return t.Money(n, t.Name(a)), f
	case abi.KindSpan:
		return t.scaleSpan(a, OpMul, minusOne)
	}
	return 0, WrongKind
}

// Abs returns the absolute value of a number, money or duration.
func (t *Table) Abs(a abi.Term) (abi.Term, Fault) {
	switch t.Kind(a) {
	case abi.KindNum, abi.KindMoney:
		if t.Sign(a) >= 0 {
			return a, OK
		}
	case abi.KindSpan:
		if s, _ := t.seconds(a); s >= 0 {
			return a, OK
		}
	}
	return t.Neg(a)
}

const (
	zero     = abi.TagInt
	minusOne = abi.TagInt | abi.PayloadMask
)

func (t *Table) arithmetic(op Op, a, b abi.Term) (abi.Term, Fault) {
	ka, kb := t.Kind(a), t.Kind(b)
	switch {
	case ka == abi.KindNum && kb == abi.KindNum:
		return t.numbers(op, a, b)
	case ka == abi.KindMoney || kb == abi.KindMoney:
		return t.money(op, a, b, ka, kb)
	case ka == abi.KindString && kb == abi.KindString && op == OpAdd:
		return t.concat(a, b)
	}
	return t.moments(op, a, b, ka, kb)
}

func (t *Table) concat(a, b abi.Term) (abi.Term, Fault) {
	x, y := t.Str(a), t.Str(b)
	if len(x)+len(y) > MaxTextBytes {
		return 0, LargeText
	}
	return t.String(x + y), OK
}

func (t *Table) money(op Op, a, b abi.Term, ka, kb abi.Kind) (abi.Term, Fault) {
	switch {
	case ka == kb:
		if op == OpMul || op == OpMod {
			return 0, WrongKind
		}
		if t.Name(a) != t.Name(b) {
			return 0, Currencies
		}
		n, f := t.numbers(op, t.Amount(a), t.Amount(b))
		if f != OK || op == OpDiv {
			return n, f
		}
		return t.Money(n, t.Name(a)), OK
	case kb == abi.KindNum && (op == OpMul || op == OpDiv):
		n, f := t.numbers(op, t.Amount(a), b)
		if f != OK {
			return 0, f
		}
		return t.Money(n, t.Name(a)), OK
	case ka == abi.KindNum && op == OpMul:
		return t.money(op, b, a, kb, ka)
	case op != OpAdd && op != OpSub || ka != abi.KindNum && kb != abi.KindNum:
		return 0, WrongKind
	case t.currencies(a, b):
		return 0, Currencies
	case kb == abi.KindNum:
		return a, OK
	case op == OpSub:
		return t.Neg(b)
	}
	return b, OK
}

// numbers computes with two numbers: in 64 bits where that is exact, else with
// big rationals.
func (t *Table) numbers(op Op, a, b abi.Term) (abi.Term, Fault) {
	na, da, ba := t.number(a)
	nb, db, bb := t.number(b)
	if ba == nil && bb == nil {
		if nb == 0 && (op == OpDiv || op == OpMod) {
			return 0, DivideByZero
		}
		if n, d, ok := smallOp(op, na, int64(da), nb, int64(db)); ok {
			if x, ok := t.lowest(n, d); ok {
				return x, OK
			}
		}
	}
	return t.bigNumbers(op, t.rat(a), t.rat(b))
}

// smallOp computes na/da op nb/db as n/d, d > 0, not in lowest terms; ok is
// false where it does not fit. nb is not 0 for a division.
func smallOp(op Op, na, da, nb, db int64) (n, d int64, ok bool) {
	switch op {
	case OpAdd, OpSub:
		if op == OpSub {
			if nb == math.MinInt64 {
				return 0, 0, false
			}
			nb = -nb
		}
		if da == db {
			n, ok = addInt64(na, nb)
			return n, da, ok
		}
		x, okx := mulInt64(na, db)
		y, oky := mulInt64(nb, da)
		d, okd := mulInt64(da, db)
		n, ok = addInt64(x, y)
		return n, d, ok && okx && oky && okd
	case OpMul:
		n, okn := mulInt64(na, nb)
		d, okd := mulInt64(da, db)
		return n, d, okn && okd
	case OpDiv:
		n, okn := mulInt64(na, db)
		d, okd := mulInt64(da, nb)
		if d < 0 {
			if n == math.MinInt64 || d == math.MinInt64 {
				return 0, 0, false
			}
			n, d = -n, -d
		}
		return n, d, okn && okd
	default:
		if da != 1 || db != 1 || nb == -1 {
			return 0, 0, false
		}
		n = na % nb
		if n != 0 && (n < 0) != (nb < 0) {
			n += nb
		}
		return n, 1, true
	}
}

// lowest interns n/d, d > 0; ok is false if it is not small.
func (t *Table) lowest(n, d int64) (abi.Term, bool) {
	if d != 1 {
		if g := int64(gcd(magnitude(n), uint64(d))); g > 1 {
			n, d = n/g, d/g
		}
		if d > math.MaxUint32 {
			return 0, false
		}
	}
	return t.small(n, uint32(d)), true
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func addInt64(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func mulInt64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func ratBits(r *big.Rat) int { return r.Num().BitLen() + r.Denom().BitLen() }

func (t *Table) bigNumbers(op Op, a, b *big.Rat) (abi.Term, Fault) {
	if ratBits(a)+ratBits(b) > 2*MaxNumberBits {
		return 0, LargeNumber
	}
	r := new(big.Rat)
	switch op {
	case OpAdd:
		r.Add(a, b)
	case OpSub:
		r.Sub(a, b)
	case OpMul:
		r.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return 0, DivideByZero
		}
		r.Quo(a, b)
		if op == OpMod {
			q := new(big.Rat).SetInt(floor(r))
			r.Sub(a, q.Mul(q, b))
		}
	}
	return t.bounded(r)
}

// bounded interns r unless it is too large.
func (t *Table) bounded(r *big.Rat) (abi.Term, Fault) {
	if ratBits(r) > MaxNumberBits {
		return 0, LargeNumber
	}
	return t.Rat(r), OK
}

// floor returns the largest integer that is not above r.
func floor(r *big.Rat) *big.Int {
	// Denominators are positive, so Euclidean division rounds down.
	return new(big.Int).Div(r.Num(), r.Denom())
}

// Rounding says how Round treats what lies between two results.
type Rounding uint8

// The roundings.
const (
	HalfAway Rounding = iota // to the nearest, a half away from zero
	HalfEven                 // to the nearest, a half to the even neighbour
	TowardZero
)

// MaxDigits bounds the digits of Round, on both sides of the point.
const MaxDigits = 1000

// Round rounds a number or an amount of money to that many digits after the
// point; negative digits count before it.
func (t *Table) Round(x abi.Term, digits int64, mode Rounding) (abi.Term, Fault) {
	if digits > MaxDigits || digits < -MaxDigits {
		return 0, OutOfRange
	}
	switch t.Kind(x) {
	case abi.KindMoney:
		n, f := t.Round(t.Amount(x), digits, mode)
		if f != OK {
			return 0, f
		}
		return t.Money(n, t.Name(x)), OK
	case abi.KindNum:
	default:
		return 0, WrongKind
	}
	if digits >= 0 && t.IsInteger(x) {
		return x, OK
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(digits, -digits)), nil))
	if digits < 0 {
		scale.Inv(scale)
	}
	r := new(big.Rat).Mul(t.rat(x), scale)
	r.SetInt(roundInt(r, mode))
	return t.bounded(r.Quo(r, scale))
}

func roundInt(r *big.Rat, mode Rounding) *big.Int {
	q, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if mode == TowardZero || rest.Sign() == 0 {
		return q
	}
	half := rest.Abs(rest).Lsh(rest, 1).Cmp(r.Denom())
	if half > 0 || half == 0 && (mode == HalfAway || q.Bit(0) == 1) {
		q.Add(q, big.NewInt(int64(r.Sign())))
	}
	return q
}
