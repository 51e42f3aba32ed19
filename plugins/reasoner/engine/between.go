package engine

import (
	"math/big"

	"github.com/ox-mcp/ox-mcp/abi"
)

// measured reports whether the values of a type are one after another: numbers,
// amounts, text, and times.
func measured(t *abi.Type) bool {
	_, ok := digitsOf(t)
	return ok || t.Op == abi.TypeString
}

// digitsOf returns how many digits after the point the values of a type are
// counted in: numbers, amounts, days, and seconds.
func digitsOf(t *abi.Type) (digits int, ok bool) {
	switch t.Op {
	case abi.TypeNat, abi.TypeInt, abi.TypeDate:
		return 0, true
	case abi.TypeMoney:
		return 2, true
	case abi.TypeDateTime, abi.TypeTime, abi.TypeDuration:
		return 9, true
	case abi.TypeReal, abi.TypeDecimal:
		return 60, true
	}
	return 0, false
}

// between returns a value of all the types that lies in a range and is free: one
// of few digits, and of these the one next to the lower end, or if there is none
// to the upper. sure says that where none is found there is none.
func (e *Engine) between(types []*abi.Type, c cell, currency string, free func(abi.Term) bool) (x abi.Term, found, sure bool) {
	t := types[0]
	if t.Op == abi.TypeString {
		x, found = e.wordBetween(c, free)
		return x, found, false
	}
	if t.Op == abi.TypeMoney && currency == "" {
		return 0, false, false
	}
	most, sure := 60, t.Op != abi.TypeMoney
	var lo, hi *big.Rat
	narrow := func(above, below *big.Rat) {
		if above != nil && (lo == nil || lo.Cmp(above) < 0) {
			lo = above
		}
		if below != nil && (hi == nil || hi.Cmp(below) > 0) {
			hi = below
		}
	}
	for _, t := range types {
		digits, ok := digitsOf(t)
		if !ok {
			return 0, false, true
		}
		most = min(most, digits)
		narrow(rangeOf(t))
	}
	sure = sure && most < 60
	for i, end := range [...]abi.Term{c.above, c.below} {
		if end == unbound {
			continue
		}
		at, ok := measure(t, e.terms.Value(end))
		if !ok {
			return 0, false, false
		}
		if i == 0 {
			narrow(at, nil)
		} else {
			narrow(nil, at)
		}
	}
	step := big.NewRat(1, 1)
	for range most + 1 {
		by, at := step, new(big.Rat)
		switch {
		case lo != nil:
			at = stepsBelow(lo, step)
			at.Add(at, step)
		case hi != nil:
			at = stepsBelow(new(big.Rat).Neg(hi), step)
			at.Neg(at.Add(at, step))
			by = new(big.Rat).Neg(step)
		}
		for (lo == nil || at.Cmp(lo) > 0) && (hi == nil || at.Cmp(hi) < 0) {
			if x := e.terms.Intern(ofMeasure(t, at, currency)); free(x) {
				return x, true, true
			}
			at = new(big.Rat).Add(at, by)
		}
		step = new(big.Rat).Quo(step, big.NewRat(10, 1))
	}
	return 0, false, sure
}

// stepsBelow returns the greatest multiple of step that is not above x.
func stepsBelow(x, step *big.Rat) *big.Rat {
	n := new(big.Rat).Quo(x, step)
	whole := new(big.Int).Div(n.Num(), n.Denom()) // rounds down, as the divisor is positive
	return n.Mul(n.SetInt(whole), step)
}

// rangeOf returns what all values of a type are above and below; nil is nothing.
func rangeOf(t *abi.Type) (above, below *big.Rat) {
	switch {
	case t.Op == abi.TypeTime:
		return big.NewRat(-1, 1_000_000_000), big.NewRat(abi.SecondsPerDay, 1)
	case t.Op == abi.TypeNat:
		above = big.NewRat(-1, 1)
	}
	if t.Op != abi.TypeNat && t.Op != abi.TypeInt || t.Name == "" {
		return above, nil
	}
	end := new(big.Int).Lsh(big.NewInt(1), uint(bitsOf(t)))
	if t.Op == abi.TypeInt {
		above = new(big.Rat).SetInt(new(big.Int).Sub(new(big.Int).Neg(end), big.NewInt(1)))
	}
	return above, new(big.Rat).SetInt(end)
}

// measure returns what a value is as a number of the unit of a type's values.
func measure(t *abi.Type, v abi.Value) (*big.Rat, bool) {
	switch v.Kind {
	case abi.KindNum, abi.KindMoney:
		return v.Number(), (v.Kind == abi.KindMoney) == (t.Op == abi.TypeMoney)
	case abi.KindDay:
		return big.NewRat(v.Int, 1), t.Op == abi.TypeDate
	case abi.KindInstant, abi.KindSpan, abi.KindTime:
		at := big.NewRat(int64(v.Nano), 1_000_000_000)
		return at.Add(at, big.NewRat(v.Int, 1)), t.Op != abi.TypeDate
	}
	return nil, false
}

// ofMeasure returns the value of a type that a number of its unit is.
func ofMeasure(t *abi.Type, at *big.Rat, currency string) abi.Value {
	kind := abi.KindInstant
	switch t.Op {
	case abi.TypeMoney:
		return abi.MoneyValue(at, currency)
	case abi.TypeDate:
		return abi.DayValue(at.Num().Int64())
	case abi.TypeTime:
		kind = abi.KindTime
	case abi.TypeDuration:
		kind = abi.KindSpan
	case abi.TypeDateTime:
	default:
		return abi.RatValue(at)
	}
	whole := stepsBelow(at, big.NewRat(1, 1))
	nano := new(big.Rat).Sub(at, whole)
	nano.Mul(nano, big.NewRat(1_000_000_000, 1))
	return abi.Value{Kind: kind, Int: whole.Num().Int64(), Nano: int32(nano.Num().Int64())}
}

// wordBetween returns a text that lies in a range and is free.
func (e *Engine) wordBetween(c cell, free func(abi.Term) bool) (abi.Term, bool) {
	start := ""
	if c.above != unbound {
		start = e.terms.Value(c.above).Str
	}
	// The letters first, one more each time that these are taken.
	for word := start; len(word) < len(start)+4; word += "z" {
		for _, next := range "abcdefghijklmnopqrstuvwxyzA0! " {
			if x := e.terms.Intern(abi.StringValue(word + string(next))); e.inside(x, c) && free(x) {
				return x, true
			}
		}
	}
	return 0, false
}
