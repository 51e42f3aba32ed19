package term

import (
	"math"
	"math/big"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Int interns the integer n.
func (t *Table) Int(n int64) abi.Term {
	if x, ok := abi.IntTerm(n); ok {
		return x
	}
	return t.small(n, 1)
}

// small interns n/d, which is in lowest terms.
func (t *Table) small(n int64, d uint32) abi.Term {
	if d == 1 {
		if x, ok := abi.IntTerm(n); ok {
			return x
		}
	}
	e := entry{kind: abi.KindNum, name: d}
	e.setInt64(n)
	return t.fixed(e)
}

// Rat interns the number r, which is copied.
func (t *Table) Rat(r *big.Rat) abi.Term {
	if n, d := r.Num(), r.Denom(); n.IsInt64() && d.IsInt64() && d.Int64() <= math.MaxUint32 {
		return t.small(n.Int64(), uint32(d.Int64()))
	}
	h := hashBig(r)
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		e := &t.entries[t.slots[i]-1]
		if e.hash == h && e.kind == abi.KindNum && e.big && t.bigs[e.lo].Cmp(r) == 0 {
			return abi.TagTable | abi.Term(t.slots[i]-1)
		}
	}
	t.bigs = append(t.bigs, new(big.Rat).Set(r))
	return t.insert(i, entry{kind: abi.KindNum, big: true, hash: h, lo: uint32(len(t.bigs) - 1)})
}

func hashBig(r *big.Rat) uint32 {
	h := mix(uint64(r.Sign()) ^ 0x62)
	for _, part := range [2]*big.Int{r.Num(), r.Denom()} {
		for _, b := range part.Bytes() {
			h = mix(h ^ uint64(b))
		}
		h = mix(h ^ 0x100)
	}
	return uint32(h)
}

// number takes the number x apart: n/d, or b where it is not small. The caller
// knows that x is a number, and changes nothing in b.
func (t *Table) number(x abi.Term) (n int64, d uint32, b *big.Rat) {
	if x.Tag() == abi.TagInt {
		return x.Inline(), 1, nil
	}
	e := &t.entries[x.Index()]
	if e.big {
		return 0, 0, t.bigs[e.lo]
	}
	return e.int64(), e.name, nil
}

// rat returns the number x as a rational that must not be changed.
func (t *Table) rat(x abi.Term) *big.Rat {
	n, d, b := t.number(x)
	if b != nil {
		return b
	}
	return ratOf(n, d)
}

// Int64 returns x as an integer; ok is false if it is none, or does not fit.
func (t *Table) Int64(x abi.Term) (n int64, ok bool) {
	if x.Tag() == abi.TagInt {
		return x.Inline(), true
	}
	if t.Kind(x) != abi.KindNum {
		return 0, false
	}
	n, d, b := t.number(x)
	return n, b == nil && d == 1
}

// IsInteger reports whether x is a whole number of any size.
func (t *Table) IsInteger(x abi.Term) bool {
	if x.Tag() == abi.TagInt {
		return true
	}
	if t.Kind(x) != abi.KindNum {
		return false
	}
	_, d, b := t.number(x)
	return d == 1 || b != nil && b.IsInt()
}

// Sign returns the sign of the number or amount of money x, 0 for others.
func (t *Table) Sign(x abi.Term) int {
	switch t.Kind(x) {
	case abi.KindNum:
	case abi.KindMoney:
		x = t.Amount(x)
	default:
		return 0
	}
	n, _, b := t.number(x)
	switch {
	case b != nil:
		return b.Sign()
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// Money interns an amount, which is a number, of a currency, which is a string.
func (t *Table) Money(amount, currency abi.Term) abi.Term {
	return t.fixed(entry{kind: abi.KindMoney, name: uint32(currency), lo: uint32(amount)})
}

// Amount returns the number of the money x.
func (t *Table) Amount(x abi.Term) abi.Term { return abi.Term(t.entries[x.Index()].lo) }
