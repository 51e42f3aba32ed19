package abi

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// The major types of CBOR.
const (
	majorUint  = 0 << 5
	majorNint  = 1 << 5
	majorBytes = 2 << 5
	majorText  = 3 << 5
	majorArray = 4 << 5
	majorMap   = 5 << 5
	majorTag   = 6 << 5
	majorOther = 7 << 5

	cborFalse = 0xf4
	cborTrue  = 0xf5
	cborNull  = 0xf6

	tagBigPositive = 2
	tagBigNegative = 3
)

// Writer appends deterministic CBOR to Buf.
type Writer struct{ Buf []byte }

func (w *Writer) head(major byte, n uint64) {
	switch {
	case n < 24:
		w.Buf = append(w.Buf, major|byte(n))
	case n < 1<<8:
		w.Buf = append(w.Buf, major|24, byte(n))
	case n < 1<<16:
		w.Buf = binary.BigEndian.AppendUint16(append(w.Buf, major|25), uint16(n))
	case n < 1<<32:
		w.Buf = binary.BigEndian.AppendUint32(append(w.Buf, major|26), uint32(n))
	default:
		w.Buf = binary.BigEndian.AppendUint64(append(w.Buf, major|27), n)
	}
}

// Uint writes an unsigned integer.
func (w *Writer) Uint(n uint64) { w.head(majorUint, n) }

// Int writes a signed integer.
func (w *Writer) Int(n int64) {
	if n < 0 {
		w.head(majorNint, uint64(-1-n))
	} else {
		w.head(majorUint, uint64(n))
	}
}

// Bool writes false or true.
func (w *Writer) Bool(b bool) {
	if b {
		w.Buf = append(w.Buf, cborTrue)
	} else {
		w.Buf = append(w.Buf, cborFalse)
	}
}

// Null writes null.
func (w *Writer) Null() { w.Buf = append(w.Buf, cborNull) }

// Array opens an array of n items, which must follow.
func (w *Writer) Array(n int) { w.head(majorArray, uint64(n)) }

// Bytes writes a byte string.
func (w *Writer) Bytes(b []byte) {
	w.head(majorBytes, uint64(len(b)))
	w.Buf = append(w.Buf, b...)
}

// Text writes a text string. CBOR has no text that is not UTF-8, so each run
// of bytes that is not becomes one U+FFFD.
func (w *Writer) Text(s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	w.head(majorText, uint64(len(s)))
	w.Buf = append(w.Buf, s...)
}
