package main

import (
	"encoding/binary"
	"errors"
	"strings"
)

// The major types of CBOR that the contract uses.
const (
	majorUint = iota
	majorNegative
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple
)

var errShort = errors.New("the message ends too early")
var errShape = errors.New("the message has another shape than the contract's")

// reader reads CBOR. The first error stays, and all that is read after it is
// zero.
type reader struct {
	b   []byte
	err error
}

// head reads the head of an item: its major type, and a number.
func (r *reader) head() (major byte, n uint64) {
	if r.err == nil && len(r.b) == 0 {
		r.err = errShort
	}
	if r.err != nil {
		return 0, 0
	}
	major, n = r.b[0]>>5, uint64(r.b[0]&31)
	size := 0
	if n >= 24 && n <= 27 {
		size = 1 << (n - 24)
	} else if n > 27 {
		r.err = errShape // of indefinite length, which the contract never is
	}
	if len(r.b) < 1+size {
		r.err = errShort
	}
	if r.err != nil {
		return 0, 0
	}
	if size > 0 {
		var wide [8]byte
		copy(wide[8-size:], r.b[1:1+size])
		n = binary.BigEndian.Uint64(wide[:])
	}
	r.b = r.b[1+size:]
	return major, n
}

// length reads the head of something whose items need at least a byte each.
func (r *reader) length(want byte) int {
	major, n := r.head()
	switch {
	case r.err != nil:
		return 0
	case major != want:
		r.err = errShape
		return 0
	case n > uint64(len(r.b)):
		r.err = errShort
		return 0
	}
	return int(n)
}

func (r *reader) array() int { return r.length(majorArray) }

// fields reads the head of a struct of n fields.
func (r *reader) fields(n int) {
	if r.array() != n && r.err == nil {
		r.err = errShape
	}
}

// bytes is a part of the message; it is not copied.
func (r *reader) bytes() []byte { return r.cut(r.length(majorBytes)) }

func (r *reader) text() string { return string(r.cut(r.length(majorText))) }

func (r *reader) cut(n int) []byte {
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// skip passes over one item, whatever it is, and returns its bytes. It does
// not call itself, so that no nesting is too deep.
func (r *reader) skip() []byte {
	from := r.b
	for left := uint64(1); left > 0 && r.err == nil; left-- {
		major, n := r.head()
		if major >= majorBytes && major <= majorMap && n > uint64(len(r.b)) {
			r.err = errShort
			break
		}
		switch major {
		case majorBytes, majorText:
			r.cut(int(n))
		case majorArray:
			left += n
		case majorMap:
			left += 2 * n
		case majorTag:
			left++
		}
	}
	return from[:len(from)-len(r.b)]
}

// writer writes CBOR with the shortest heads, as the host demands.
type writer struct{ b []byte }

func (w *writer) head(major byte, n uint64) {
	switch {
	case n < 24:
		w.b = append(w.b, major<<5|byte(n))
	case n < 1<<8:
		w.b = append(w.b, major<<5|24, byte(n))
	case n < 1<<16:
		w.b = binary.BigEndian.AppendUint16(append(w.b, major<<5|25), uint16(n))
	case n < 1<<32:
		w.b = binary.BigEndian.AppendUint32(append(w.b, major<<5|26), uint32(n))
	default:
		w.b = binary.BigEndian.AppendUint64(append(w.b, major<<5|27), n)
	}
}

func (w *writer) array(n int)     { w.head(majorArray, uint64(n)) }
func (w *writer) unsigned(n uint) { w.head(majorUint, uint64(n)) }

func (w *writer) text(s string) {
	s = strings.ToValidUTF8(s, "\uFFFD") // a text that is not UTF-8 is refused
	w.head(majorText, uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) boolean(yes bool) {
	if yes {
		w.b = append(w.b, 0xf5)
	} else {
		w.b = append(w.b, 0xf4)
	}
}
