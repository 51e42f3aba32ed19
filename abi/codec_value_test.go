package abi

import (
	"bytes"
	"math"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValuesHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genValue(t, 0), genValue(t, 0)
		wa, wb := AppendValue(nil, a), AppendValue(nil, b)
		if Equal(a, b) && a.Kind == b.Kind != bytes.Equal(wa, wb) {
			t.Fatalf("%+v and %+v are equal: %v, their encodings: %v", a, b, Equal(a, b), bytes.Equal(wa, wb))
		}
		got, err := DecodeValue(wa)
		if err != nil {
			t.Fatal(err)
		}
		if got.Kind != a.Kind || !Equal(got, a) || !bytes.Equal(AppendValue(nil, got), wa) {
			t.Fatalf("wrote %+v, read %+v", a, got)
		}
	})
}

func TestValueEncodings(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 64)
	for _, c := range []struct {
		value Value
		wire  string
	}{
		{IntValue(0), "\x82\x00\x00"},
		{IntValue(-1), "\x82\x00\x20"},
		{IntValue(math.MaxInt64), "\x82\x00\x1b\x7f\xff\xff\xff\xff\xff\xff\xff"},
		{IntValue(math.MinInt64), "\x82\x00\x3b\x7f\xff\xff\xff\xff\xff\xff\xff"},
		{RatValue(new(big.Rat).SetInt(new(big.Int).SetUint64(math.MaxUint64))), "\x82\x00\x1b\xff\xff\xff\xff\xff\xff\xff\xff"},
		{RatValue(new(big.Rat).SetInt(new(big.Int).Neg(huge))), "\x82\x00\x3b\xff\xff\xff\xff\xff\xff\xff\xff"},
		{RatValue(new(big.Rat).SetInt(huge)), "\x82\x00\xc2\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00"},
		{RatValue(big.NewRat(-1, 3)), "\x83\x00\x20\x03"},
		{MoneyValue(big.NewRat(5, 2), "EUR"), "\x84\x0c\x63EUR\x05\x02"},
		{StringValue("é"), "\x82\x01\x62\xc3\xa9"},
		{BoolValue(true), "\x82\x13\xf5"},
		{NoneValue(), "\x81\x14"},
		{DayValue(-1), "\x82\x12\x20"},
		{Value{Kind: KindInstant, Int: 1, Nano: 2}, "\x83\x0a\x01\x02"},
		{Value{Kind: KindList, Items: []Value{NoneValue()}}, "\x82\x07\x81\x14"},
		{Value{Kind: KindVariant, Str: "E::A", Items: []Value{IntValue(1)}}, "\x83\x05\x64E::A\x82\x00\x01"},
	} {
		if got := AppendValue(nil, c.value); string(got) != c.wire {
			t.Errorf("%+v: % x, want % x", c.value, got, c.wire)
		}
		if got, err := DecodeValue([]byte(c.wire)); err != nil || !Equal(got, c.value) {
			t.Errorf("% x: %+v, %v", c.wire, got, err)
		}
	}
}

func TestValuesThatAreNotInNormalFormAreRefused(t *testing.T) {
	bytes9 := "\xc2\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00"
	for _, c := range []struct{ name, wire, want string }{
		{"denominator of one", "\x83\x00\x02\x01", "not above 1"},
		{"denominator of zero", "\x83\x00\x02\x00", "not above 1"},
		{"negative denominator", "\x83\x00\x02\x22", "not above 1"},
		{"not in lowest terms", "\x83\x00\x02\x04", "lowest terms"},
		{"zero as a fraction", "\x83\x00\x00\x04", "lowest terms"},
		{"big and not in lowest terms", "\x83\x00" + bytes9 + "\x02", "lowest terms"},
		{"number of three parts", "\x84\x00\x01\x02\x03", "parts"},
		{"number of none", "\x81\x00", "parts"},
		{"number that is a text", "\x82\x00\x61a", "integer"},
		{"number too long", "\x82\x00\xc2\x59\x10\x01\x01" + strings.Repeat("a", MaxNumberBytes), "4096"},
		{"set out of order", "\x83\x08\x82\x00\x02\x82\x00\x01", "in order"},
		{"set with the same twice", "\x83\x08\x82\x00\x01\x82\x00\x01", "distinct"},
		{"map out of order", "\x85\x0f\x82\x00\x02\x81\x14\x82\x00\x01\x81\x14", "in order"},
		{"map without its last value", "\x82\x0f\x81\x14", "no value"},
		{"range of one", "\x82\x10\x81\x14", "parts"},
		{"nanoseconds of a second", "\x83\x0a\x00\x1a\x3b\x9a\xca\x00", "nanoseconds"},
		{"negative nanoseconds", "\x83\x0a\x00\x20", "unsigned"},
		{"time after its day", "\x83\x0e\x1a\x00\x01\x51\x80\x00", "outside its day"},
		{"time before its day", "\x83\x0e\x20\x00", "outside its day"},
		{"id of 15 bytes", "\x82\x03\x4f123456789012345", "16 are expected"},
		{"none of two parts", "\x82\x14\x00", "parts"},
		{"bool that is a number", "\x82\x13\x01", "boolean"},
		{"reserved kind", "\x81\x0d", "reserved"},
		{"unknown kind", "\x81\x18\x63", "unknown kind"},
		{"no kind", "\x80", "integer"},
		{"no array", "\x00", "array"},
		{"struct without a name", "\x81\x06", "ends"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := DecodeValue([]byte(c.wire))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%+v, %v; want an error with %q", v, err, c.want)
			}
		})
	}
}

func TestValuesNestAsDeepAsTheyMay(t *testing.T) {
	nest := func(n int) Value {
		v := NoneValue()
		for range n {
			v = Value{Kind: KindList, Items: []Value{v}}
		}
		return v
	}
	if _, err := DecodeValue(AppendValue(nil, nest(MaxValueDepth))); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeValue(AppendValue(nil, nest(MaxValueDepth+1))); err == nil {
		t.Fatal("a deeper value is read")
	}
}

// A length is no reason to allocate: what is not there is not made room for.
func TestHostileLengthsAllocateLittle(t *testing.T) {
	var wire []byte
	for range MaxValueDepth {
		w := Writer{Buf: wire}
		w.Array(60_000)
		w.Uint(uint64(KindList))
		wire = w.Buf
	}
	wire = append(wire, make([]byte, 60_000)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := DecodeValue(wire); err == nil {
		t.Fatal("taken")
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Fatalf("%d bytes allocated for a message of %d", got, len(wire))
	}
}
