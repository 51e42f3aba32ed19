package term

import (
	"cmp"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Compare orders terms as abi.Compare orders their values: -1, 0 or 1, and 0
// only for a == b. Unbound comes last.
func (t *Table) Compare(a, b abi.Term) int {
	if a == b {
		return 0
	}
	// Of two composite values the first items that differ decide, so this loop
	// goes down one path and needs no stack.
	for {
		if a&b&abi.TagMask == abi.TagInt && a.Tag() == b.Tag() {
			return cmp.Compare(a.Inline(), b.Inline())
		}
		ka, kb := t.Kind(a), t.Kind(b)
		if ka != kb {
			return t.compareKinds(a, b, ka, kb)
		}
		if !isComposite(ka) {
			return t.compareLeaves(a, b, ka)
		}
		if hasName(ka) && t.Name(a) != t.Name(b) {
			return strings.Compare(t.Str(a), t.Str(b))
		}
		x, y := t.Items(a), t.Items(b)
		i := 0
		for i < len(x) && i < len(y) && x[i] == y[i] {
			i++
		}
		if i == len(x) || i == len(y) {
			return cmp.Compare(len(x), len(y))
		}
		a, b = x[i], y[i]
	}
}

func (t *Table) compareKinds(a, b abi.Term, ka, kb abi.Kind) int {
	if ka == abi.KindDay && kb == abi.KindInstant {
		if c := t.compareMoments(a, b); c != 0 {
			return c
		}
		return -1
	}
	if ka == abi.KindInstant && kb == abi.KindDay {
		if c := t.compareMoments(a, b); c != 0 {
			return c
		}
		return 1
	}
	return cmp.Compare(rank(ka), rank(kb))
}

// rank gives days the place of instants in the order of kinds.
func rank(k abi.Kind) abi.Kind {
	if k == abi.KindDay {
		return abi.KindInstant
	}
	return k
}

func (t *Table) compareMoments(a, b abi.Term) int {
	sa, na := t.seconds(a)
	sb, nb := t.seconds(b)
	if c := cmp.Compare(sa, sb); c != 0 {
		return c
	}
	return cmp.Compare(na, nb)
}

func (t *Table) compareLeaves(a, b abi.Term, k abi.Kind) int {
	switch k {
	case abi.KindNum:
		return t.compareNumbers(a, b)
	case abi.KindMoney:
		if t.Name(a) != t.Name(b) {
			return strings.Compare(t.Str(a), t.Str(b))
		}
		return t.compareNumbers(t.Amount(a), t.Amount(b))
	case abi.KindDay:
		na, _ := t.DayNumber(a)
		nb, _ := t.DayNumber(b)
		return cmp.Compare(na, nb)
	case abi.KindInstant, abi.KindSpan, abi.KindTime:
		return t.compareMoments(a, b)
	case abi.KindBool, abi.KindNone:
		return cmp.Compare(a, b)
	}
	return strings.Compare(t.Str(a), t.Str(b))
}

func (t *Table) compareNumbers(a, b abi.Term) int {
	na, da, ba := t.number(a)
	nb, db, bb := t.number(b)
	if ba == nil && bb == nil {
		if da == db {
			return cmp.Compare(na, nb)
		}
		x, okx := mulInt64(na, int64(db))
		y, oky := mulInt64(nb, int64(da))
		if okx && oky {
			return cmp.Compare(x, y)
		}
	}
	return t.rat(a).Cmp(t.rat(b))
}

// Order is Compare for values that a program compares: amounts of different
// currencies have no order, nor have one with a currency and a plain number but
// zero, and where there is no value there is nothing to compare.
func (t *Table) Order(a, b abi.Term) (int, Fault) {
	if a == abi.None || b == abi.None {
		return 0, Absent
	}
	if a != b && t.currencies(a, b) {
		return 0, Currencies
	}
	return t.Compare(a, b), OK
}

// currencies reports whether a and b are amounts that do not go together: of
// two currencies, or of one and of none. Zero without a currency, which is the
// sum of nothing, goes with each.
func (t *Table) currencies(a, b abi.Term) bool {
	switch ka, kb := t.Kind(a), t.Kind(b); {
	case ka == abi.KindMoney && kb == abi.KindMoney:
		return t.Name(a) != t.Name(b)
	case ka == abi.KindMoney && kb == abi.KindNum:
		return b != zero
	case ka == abi.KindNum && kb == abi.KindMoney:
		return a != zero
	}
	return false
}
