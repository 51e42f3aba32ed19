package abi

import (
	"encoding/binary"
	"strconv"
	"strings"
	"testing"
)

func twoByTwo() *Frame {
	b := FrameBuilder{Arity: 2}
	b.Add([]Value{NamedValue("a"), IntValue(-3)})
	b.Add([]Value{NamedValue("b"), NoneValue()})
	f := b.Frame()
	f.Truth = []Truth4{Is, Both}
	return &f
}

// content is the frame inside its byte string.
func content(t *testing.T, f *Frame) []byte {
	t.Helper()
	r := NewReader(f.AppendCBOR(nil))
	b := r.Bytes()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return append([]byte(nil), b...)
}

func TestFrameLayout(t *testing.T) {
	b := content(t, twoByTwo())
	dict := "\x82\x82\x02\x61a\x82\x02\x61b"
	want := "OXF1" + "\x02\x00\x00\x00" + "\x02\x00\x00\x00" + "\x01\x00\x00\x00" + "\x09\x00\x00\x00" +
		dict + "\x00\x00\x00" +
		"\x00\x00\x00\x00" + "\x01\x00\x00\x00" +
		"\xfd\xff\xff\x7f" + "\x02\x00\x00\xc0" +
		"\x01\x03"
	if string(b) != want {
		t.Fatalf("% x\nwant\n% x", b, want)
	}
}

func TestFrameDoesNotAliasItsInput(t *testing.T) {
	wire := twoByTwo().AppendCBOR(nil)
	var f Frame
	if err := f.DecodeCBOR(wire); err != nil {
		t.Fatal(err)
	}
	for i := range wire {
		wire[i] = 0xee
	}
	row := f.Row(nil, 1)
	if row[0].Str != "b" || row[1].Kind != KindNone || f.Value(f.Columns[1][0]).Int != -3 || f.Truth[1] != Both {
		t.Fatalf("%+v", f)
	}
}

func TestHostileFramesAreRefused(t *testing.T) {
	put := func(at int, n uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], n); return b }
	}
	dict := func(wire string, b []byte) []byte {
		binary.LittleEndian.PutUint32(b[16:], uint32(len(wire)))
		out := append(append([]byte(nil), b[:frameHead]...), wire...)
		out = append(out, make([]byte, -len(wire)&3)...)
		return append(out, b[frameHead+12:]...)
	}
	for _, c := range []struct {
		name string
		want string
		harm func([]byte) []byte
	}{
		{"nothing", "head", func([]byte) []byte { return nil }},
		{"other magic", "head", func(b []byte) []byte { b[3] = '2'; return b }},
		{"more rows", "does not fit", put(4, 3)},
		{"very many rows", "does not fit", put(4, 1<<32-1)},
		{"more columns", "does not fit", put(8, 3)},
		{"very many columns", "columns", put(8, 1<<32-1)},
		{"sizes whose product wraps", "columns", func(b []byte) []byte { return put(4, 1<<31)(put(8, 1<<31)(b)) }},
		{"no columns", "without columns", put(8, 0)},
		{"unknown flag", "flags", put(12, 3)},
		{"truth not announced", "does not fit", put(12, 0)},
		{"long dictionary", "longer than its frame", put(16, 1<<32-1)},
		{"dictionary up to the end", "does not fit", func(b []byte) []byte { return put(16, uint32(len(b)-frameHead))(b) }},
		{"short dictionary", "does not fit", put(16, 8)},
		{"padding that is not zero", "padding", func(b []byte) []byte { b[frameHead+9] = 1; return b }},
		{"term of no dictionary entry", "does not define", put(frameHead+12, 2)},
		{"table term in the last row", "does not define", put(frameHead+16, 1<<30-1)},
		{"unknown fixed term", "does not define", put(frameHead+12, uint32(TagFixed|3))},
		{"unknown truth", "truth value", func(b []byte) []byte { b[len(b)-1] = 4; return b }},
		{"a byte more", "does not fit", func(b []byte) []byte { return append(b, 0) }},
		{"a byte less", "does not fit", func(b []byte) []byte { return b[:len(b)-1] }},
		{"dictionary of a small integer", "needs no entry", func(b []byte) []byte { return dict("\x82\x82\x02\x61a\x82\x00\x05", b) }},
		{"dictionary with a longer head", "array", func(b []byte) []byte { return dict("\xa1\x82\x02\x61a\x82\x00\x05", b) }},
		{"dictionary with more behind", "after the end", func(b []byte) []byte { return dict("\x82\x82\x02\x61a\x82\x02\x61b\xf6", b) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w Writer
			w.Bytes(c.harm(content(t, twoByTwo())))
			var f Frame
			err := f.DecodeCBOR(w.Buf)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%+v, %v; want an error with %q", f, err, c.want)
			}
		})
	}
}

func TestFrameWithoutColumnsHasAtMostOneRow(t *testing.T) {
	for rows, ok := range []bool{true, true, false} {
		var f Frame
		if err := f.DecodeCBOR((&Frame{Rows: rows}).AppendCBOR(nil)); (err == nil) != ok {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

func bigFrame(dict int) *Frame {
	f := &Frame{Rows: 100_000, Columns: make([][]Term, 3)}
	for i := range dict {
		f.Dict = append(f.Dict, NamedValue("module::individual"+strconv.Itoa(i)))
	}
	for c := range f.Columns {
		f.Columns[c] = make([]Term, f.Rows)
		for i := range f.Columns[c] {
			if dict > 0 {
				f.Columns[c][i] = Term((i * (c + 1)) % dict)
			} else {
				f.Columns[c][i] = TagInt | Term(i)
			}
		}
	}
	return f
}

func BenchmarkFrame(b *testing.B) {
	for _, dict := range []int{0, 1000, 100_000} {
		f := bigFrame(dict)
		wire := f.AppendCBOR(nil)
		b.Run("encode/dict="+strconv.Itoa(dict), func(b *testing.B) {
			b.SetBytes(int64(len(wire)))
			buf := make([]byte, 0, len(wire))
			for b.Loop() {
				buf = f.AppendCBOR(buf[:0])
			}
		})
		b.Run("decode/dict="+strconv.Itoa(dict), func(b *testing.B) {
			b.SetBytes(int64(len(wire)))
			b.ReportAllocs()
			for b.Loop() {
				var out Frame
				if err := out.DecodeCBOR(wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
