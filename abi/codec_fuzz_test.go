package abi

import (
	"bytes"
	"math/big"
	"reflect"
	"testing"
)

// mustRepeat holds the codec to its promise: what it reads it writes back in
// the very same bytes.
func mustRepeat(t *testing.T, m message, wire []byte) bool {
	t.Helper()
	if err := m.DecodeCBOR(wire); err != nil {
		return false
	}
	if again := m.AppendCBOR(nil); !bytes.Equal(again, wire) {
		t.Fatalf("%T read from\n% x\nis written as\n% x", m, wire, again)
	}
	return true
}

// seeds are a full message, and an empty one, of each type.
func seeds() (wires [][]byte) {
	for _, m := range messages() {
		full := reflect.New(reflect.TypeOf(m).Elem())
		fill(full.Elem(), 0)
		wires = append(wires, m.AppendCBOR(nil), full.Interface().(message).AppendCBOR(nil))
	}
	return wires
}

func FuzzDecodeMessage(f *testing.F) {
	for i, wire := range seeds() {
		f.Add(uint8(i/2), wire)
	}
	f.Fuzz(func(t *testing.T, which uint8, wire []byte) {
		all := messages()
		mustRepeat(t, all[int(which)%len(all)], wire)
	})
}

func FuzzDecodeFrame(f *testing.F) {
	f.Add(new(Frame).AppendCBOR(nil))
	f.Add(twoByTwo().AppendCBOR(nil))
	f.Add((&Frame{Rows: 1}).AppendCBOR(nil))
	f.Fuzz(func(t *testing.T, wire []byte) {
		var frame Frame
		if !mustRepeat(t, &frame, wire) {
			return
		}
		for i := range frame.Rows {
			if got := len(frame.Row(nil, i)); got != len(frame.Columns) {
				t.Fatalf("row of %d values in %d columns", got, len(frame.Columns))
			}
		}
	})
}

func FuzzDecodeValue(f *testing.F) {
	for _, v := range []Value{IntValue(-1), StringValue("text"), RatValue(big.NewRat(1, 3)), {Kind: KindSet, Items: []Value{IntValue(1), NoneValue()}}} {
		f.Add(AppendValue(nil, v))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		v, err := DecodeValue(wire)
		if err != nil {
			return
		}
		if again := AppendValue(nil, v); !bytes.Equal(again, wire) {
			t.Fatalf("read from\n% x\nwritten as\n% x", wire, again)
		}
		if !Equal(v, v) {
			t.Fatalf("%+v is not itself", v)
		}
	})
}

func FuzzDecodeProgram(f *testing.F) {
	f.Add(new(Program).AppendCBOR(nil))
	f.Add(harbour().AppendCBOR(nil))
	f.Fuzz(func(t *testing.T, wire []byte) {
		var p Program
		if mustRepeat(t, &p, wire) {
			_ = p.Validate()
		}
	})
}
