package abi

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestPlainTextsAreReadAsValues: the short way to a string of a dictionary gives
// the value and stops at the byte that the long way does, or reads nothing.
func TestPlainTextsAreReadAsValues(t *testing.T) {
	compare := func(b []byte) (short bool) {
		t.Helper()
		var fast, slow Value
		f, s := Reader{b: b, text: string(b)}, Reader{b: b}
		s.value(&slow, 0)
		if !f.plainText(&fast) {
			if f.off != 0 || !reflect.DeepEqual(fast, Value{}) {
				t.Errorf("%x: read %d bytes and gave %+v up", b, f.off, fast)
			}
			return false
		}
		if s.err != nil || f.off != s.off || !reflect.DeepEqual(fast, slow) {
			t.Errorf("%x: %+v up to %d, the long way %+v up to %d (%v)", b, fast, f.off, slow, s.off, s.err)
		}
		return true
	}
	encoded := func(v Value) []byte {
		var w Writer
		w.Value(&v)
		return w.Buf
	}
	for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 254, 255} {
		for _, v := range []Value{StringValue(strings.Repeat("a", n)), NamedValue(strings.Repeat("z", n))} {
			if b := encoded(v); !compare(b) || !compare(append(b, 0xFF)) {
				t.Errorf("%d bytes are not read the short way", n)
			}
		}
		for at := range n {
			text := bytes.Repeat([]byte("a"), n)
			text[at] = 0x80
			if compare(encoded(StringValue(string(text)))) {
				t.Errorf("byte %d of %d is not UTF-8, and was taken", at, n)
			}
		}
		for b, cut := encoded(StringValue(strings.Repeat("a", n))), 0; cut < len(b); cut++ {
			if compare(b[:cut]) {
				t.Errorf("%d of %d bytes were taken", cut, len(b))
			}
		}
	}
	compare(encoded(StringValue("")))
	compare(encoded(StringValue(strings.Repeat("é", 30))))
	compare(encoded(StringValue(strings.Repeat("a", 256))))
	if compare([]byte{majorArray | 2, byte(KindString), majorText | 24, 3, 'a', 'b', 'c'}) {
		t.Error("a length that is longer than needed was taken")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		b := encoded(StringValue(strings.Repeat("b", random.IntN(40))))
		b[random.IntN(min(len(b), 5))] ^= byte(1 << random.IntN(8))
		compare(b)
	}
}
