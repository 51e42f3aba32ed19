package abi

import (
	"math/big"
	"strconv"
)

// AppendValue appends v as CBOR, an array whose first item is the kind:
//
//	number             [0, n] or [0, n, d] with d > 1 in lowest terms
//	text-like          [kind, text] (string, named, symbol, type)
//	minted             [3, 16 bytes]
//	variant, struct    [kind, name, item…]
//	list, set, map,
//	range              [kind, item…]
//	instant, duration  [kind, seconds, nanoseconds]
//	money              [12, currency, n] or [12, currency, n, d]
//	day                [18, days]
//	bool               [19, bool]
//	none               [20]
//
// n and d are integers, or bignums (tags 2 and 3) beyond 64 bits.
func AppendValue(dst []byte, v Value) []byte {
	w := Writer{Buf: dst}
	w.Value(&v)
	return w.Buf
}

// DecodeValue reads a value that is the whole of b.
func DecodeValue(b []byte) (Value, error) {
	r := NewReader(b)
	v := r.Value()
	if err := r.Close(); err != nil {
		err.(*DecodeError).Type = "Value"
		return Value{}, err
	}
	return v, nil
}

// Value writes v. A value of a reserved kind is written so that no reader
// takes it.
func (w *Writer) Value(v *Value) {
	kind := uint64(v.Kind)
	switch v.Kind {
	case KindNum:
		w.number(v, kind, false)
	case KindMoney:
		w.number(v, kind, true)
	case KindString, KindNamed, KindSymbol, KindType:
		w.Array(2)
		w.Uint(kind)
		w.Text(v.Str)
	case KindMinted:
		w.Array(2)
		w.Uint(kind)
		w.Bytes(v.ID[:])
	case KindVariant, KindStruct:
		w.Array(2 + len(v.Items))
		w.Uint(kind)
		w.Text(v.Str)
		w.items(v)
	case KindList, KindSet, KindMap, KindRange:
		w.Array(1 + len(v.Items))
		w.Uint(kind)
		w.items(v)
	case KindInstant, KindSpan, KindTime:
		w.Array(3)
		w.Uint(kind)
		w.Int(v.Int)
		w.Int(int64(v.Nano))
	case KindDay:
		w.Array(2)
		w.Uint(kind)
		w.Int(v.Int)
	case KindBool:
		w.Array(2)
		w.Uint(kind)
		w.Bool(v.Int != 0)
	default:
		w.Array(1)
		w.Uint(kind)
	}
}

func (w *Writer) items(v *Value) {
	for i := range v.Items {
		w.Value(&v.Items[i])
	}
}

func (w *Writer) number(v *Value, kind uint64, money bool) {
	n := 2
	if money {
		n++
	}
	whole := v.Rat == nil || v.Rat.IsInt()
	if !whole {
		n++
	}
	w.Array(n)
	w.Uint(kind)
	if money {
		w.Text(v.Str)
	}
	switch {
	case v.Rat == nil:
		w.Int(v.Int)
	case whole:
		w.Big(v.Rat.Num())
	default:
		w.Big(v.Rat.Num())
		w.Big(v.Rat.Denom())
	}
}

// Big writes an integer of any size.
func (w *Writer) Big(n *big.Int) {
	if n.IsInt64() {
		w.Int(n.Int64())
		return
	}
	if n.IsUint64() {
		w.Uint(n.Uint64())
		return
	}
	m, tag := n, uint64(tagBigPositive)
	if n.Sign() < 0 {
		m, tag = new(big.Int).Not(n), tagBigNegative
		if m.IsUint64() {
			w.head(majorNint, m.Uint64())
			return
		}
	}
	w.head(majorTag, tag)
	w.Bytes(m.Bytes())
}

// Big reads an integer of at most MaxNumberBytes.
func (r *Reader) Big() *big.Int {
	switch r.peek() & 0xe0 {
	case majorUint:
		return new(big.Int).SetUint64(r.Uint())
	case majorNint:
		n := new(big.Int).SetUint64(r.head(majorNint, "an integer"))
		return n.Not(n)
	}
	tag := r.head(majorTag, "an integer")
	if r.err == nil && tag != tagBigPositive && tag != tagBigNegative {
		r.fail("tag " + strconv.FormatUint(tag, 10) + " where an integer is expected")
	}
	b := r.Bytes()
	switch {
	case r.err != nil:
		return new(big.Int)
	case len(b) <= 8 || b[0] == 0:
		r.fail("big integer not in its shortest form")
		return new(big.Int)
	case len(b) > MaxNumberBytes:
		r.fail("number of more than " + strconv.Itoa(MaxNumberBytes) + " bytes")
		return new(big.Int)
	}
	n := new(big.Int).SetBytes(b)
	if tag == tagBigNegative {
		n.Not(n)
	}
	return n
}

// Value reads a value and refuses one that is not in normal form.
func (r *Reader) Value() (v Value) {
	r.value(&v, 0)
	return v
}

// value reads a value into v, which is the zero one.
func (r *Reader) value(v *Value, depth int) {
	if depth > MaxValueDepth {
		r.fail("value nested deeper than " + strconv.Itoa(MaxValueDepth) + " levels")
		return
	}
	n := r.Array() - 1
	kind := r.Uint()
	if r.err == nil && (n < 0 || kind >= uint64(kindCount)) {
		r.fail("unknown kind of value")
	}
	if r.err != nil {
		return
	}
	v.Kind = Kind(kind)
	switch v.Kind {
	case KindNum:
		r.number(v, n)
	case KindMoney:
		v.Str = r.Text()
		r.number(v, n-1)
	case KindString, KindNamed, KindSymbol, KindType:
		r.parts(n, 1)
		v.Str = r.Text()
	case KindMinted:
		r.parts(n, 1)
		b := r.Bytes()
		if r.err == nil && len(b) != len(v.ID) {
			r.fail("id of " + strconv.Itoa(len(b)) + " bytes where 16 are expected")
		}
		copy(v.ID[:], b)
	case KindVariant, KindStruct:
		v.Str = r.Text()
		r.items(v, n-1, depth)
	case KindList, KindSet, KindMap:
		r.items(v, n, depth)
	case KindRange:
		r.parts(n, 2)
		r.items(v, n, depth)
	case KindInstant, KindSpan, KindTime:
		r.parts(n, 2)
		v.Int = r.Int()
		if v.Kind == KindTime && (v.Int < 0 || v.Int >= SecondsPerDay) {
			r.fail("a time of day outside its day")
		}
		nano := r.Uint()
		if nano > 999_999_999 {
			r.fail("nanoseconds above 999,999,999")
		}
		v.Nano = int32(nano)
	case KindDay:
		r.parts(n, 1)
		v.Int = r.Int()
	case KindBool:
		r.parts(n, 1)
		if r.Bool() {
			v.Int = 1
		}
	case KindNone:
		r.parts(n, 0)
	default:
		r.fail("value of the reserved kind " + strconv.Itoa(int(v.Kind)))
	}
	if r.err != nil {
		*v = Value{}
	}
}

// parts checks the number of items that follow the kind.
func (r *Reader) parts(got, want int) {
	if got != want {
		r.fail("value with " + strconv.Itoa(got) + " parts where " + strconv.Itoa(want) + " are expected")
	}
}

func (r *Reader) number(v *Value, n int) {
	if n == 1 && r.peek()&0xe0 != majorTag {
		// The usual case: no big integer is made for a small one.
		if b := r.peek(); b&0x1f < 27 {
			v.Int = r.Int()
			return
		}
	}
	if n != 1 && n != 2 {
		r.parts(n, 1)
		return
	}
	num := r.Big()
	if n == 1 {
		if num.IsInt64() {
			v.Int = num.Int64()
		} else {
			v.Rat = new(big.Rat).SetInt(num)
		}
		return
	}
	den := r.Big()
	if r.err != nil {
		return
	}
	if den.Sign() <= 0 || den.IsInt64() && den.Int64() == 1 {
		r.fail("fraction whose denominator is not above 1")
		return
	}
	if new(big.Int).GCD(nil, nil, new(big.Int).Abs(num), den).Cmp(big.NewInt(1)) != 0 {
		r.fail("fraction that is not in lowest terms")
		return
	}
	v.Rat = new(big.Rat).SetFrac(num, den)
}

func (r *Reader) items(v *Value, n, depth int) {
	if n < 0 {
		r.fail("value without a name")
	}
	if n <= 0 || r.err != nil {
		return
	}
	items := make([]Value, 0, min(n, firstCapacity))
	for i := 0; i < n && r.err == nil; i++ {
		items = append(items, Value{})
		r.value(&items[i], depth+1)
	}
	if r.err != nil {
		return
	}
	step := 1
	switch v.Kind {
	case KindSet:
	case KindMap:
		if step = 2; n%2 != 0 {
			r.fail("map with a key that has no value")
		}
	default:
		step = n
	}
	for i := step; i < n; i += step {
		if Compare(items[i-step], items[i]) >= 0 {
			r.fail("items of a set or keys of a map that are not distinct and in order")
			return
		}
	}
	v.Items = items
}
