package abi

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

// DecodeError says why bytes are no message of the contract. The peer that
// wrote them is at fault, or speaks another version of the contract.
type DecodeError struct {
	Type   string // what was read, if known: "LoadRequest"
	Offset int    // byte at which the fault was noticed
	Reason string
}

func (e *DecodeError) Error() string {
	s := "abi: cannot decode"
	if e.Type != "" {
		s += " " + e.Type
	}
	return s + " at byte " + strconv.Itoa(e.Offset) + ": " + e.Reason
}

// Reader reads deterministic CBOR and refuses every other form: longer heads
// than needed, indefinite lengths, text that is not UTF-8. The first error
// sticks: from then on every method gives a zero value, and Close the error.
// What it returns does not alias its input, but for Bytes.
type Reader struct {
	b     []byte
	text  string // if set, a copy of b that texts are cut from
	off   int
	base  int // offset of b in the message, for errors
	depth int
	err   error
}

// NewReader returns a Reader of b.
func NewReader(b []byte) *Reader { return &Reader{b: b} }

// Err returns the first error, a *DecodeError, or nil.
func (r *Reader) Err() error { return r.err }

// Close returns the first error; bytes that are left over are one.
func (r *Reader) Close() error {
	if r.err == nil && r.off < len(r.b) {
		r.fail(strconv.Itoa(len(r.b)-r.off) + " bytes after the end")
	}
	return r.err
}

func (r *Reader) fail(reason string) {
	if r.err == nil {
		r.err = &DecodeError{Offset: r.base + r.off, Reason: reason}
		r.b = r.b[:r.off] // so that nothing that is there is read without a look at err
	}
}

// Enter counts one level of nesting; false (and an error) where that is more
// than limit. Each true is paired with a Leave.
func (r *Reader) Enter(limit int) bool {
	if r.err != nil {
		return false
	}
	if r.depth >= limit {
		r.fail("nested deeper than " + strconv.Itoa(limit) + " levels")
		return false
	}
	r.depth++
	return true
}

// Leave ends a level of nesting.
func (r *Reader) Leave() { r.depth-- }

// head reads a head of the given major type.
func (r *Reader) head(major byte, want string) uint64 {
	if r.err != nil {
		return 0
	}
	if r.off >= len(r.b) {
		r.fail("ends where " + want + " is expected")
		return 0
	}
	if r.b[r.off]&0xe0 != major {
		r.fail("expected " + want + ", found " + describe(r.b[r.off]))
		return 0
	}
	return r.argument()
}

// argument reads the number of the head at off.
func (r *Reader) argument() uint64 {
	low := r.b[r.off] & 0x1f
	if low < 24 {
		r.off++
		return uint64(low)
	}
	if low > 27 {
		r.fail("indefinite or reserved length")
		return 0
	}
	size := 1 << (low - 24)
	if len(r.b)-r.off-1 < size {
		r.fail("ends inside a head")
		return 0
	}
	var n, least uint64
	switch p := r.b[r.off+1:]; size {
	case 1:
		n, least = uint64(p[0]), 24
	case 2:
		n, least = uint64(binary.BigEndian.Uint16(p)), 1<<8
	case 4:
		n, least = uint64(binary.BigEndian.Uint32(p)), 1<<16
	default:
		n, least = binary.BigEndian.Uint64(p), 1<<32
	}
	if n < least {
		r.fail("number not in its shortest form")
		return 0
	}
	r.off += 1 + size
	return n
}

func describe(b byte) string {
	switch b & 0xe0 {
	case majorUint:
		return "an unsigned integer"
	case majorNint:
		return "a negative integer"
	case majorBytes:
		return "a byte string"
	case majorText:
		return "a text"
	case majorArray:
		return "an array"
	case majorMap:
		return "a map"
	case majorTag:
		return "a tag"
	}
	switch b {
	case cborFalse, cborTrue:
		return "a boolean"
	case cborNull:
		return "null"
	}
	return "a float or another simple value"
}

// tiny is the greatest number that its head holds.
const tiny = 23

// peek returns the next byte, or 0xff (a break, which nothing accepts).
func (r *Reader) peek() byte {
	if uint(r.off) >= uint(len(r.b)) {
		return 0xff
	}
	return r.b[r.off]
}

// skip consumes the next byte if it is b, and reports whether it was.
func (r *Reader) skip(b byte) bool {
	if uint(r.off) < uint(len(r.b)) && r.b[r.off] == b {
		r.off++
		return true
	}
	return false
}

// Uint reads an unsigned integer.
func (r *Reader) Uint() uint64 { return r.head(majorUint, "an unsigned integer") }

// Uint32 reads an unsigned integer below 2^32.
func (r *Reader) Uint32() uint32 {
	n := r.Uint()
	if n > math.MaxUint32 {
		r.fail("integer " + strconv.FormatUint(n, 10) + " is out of range")
		return 0
	}
	return uint32(n)
}

// Int reads an integer that fits an int64.
func (r *Reader) Int() int64 {
	if n, ok := r.short(); ok {
		return n
	}
	return r.long()
}

// short reads an integer from -1 on whose head has at most four more bytes.
// Nearly all are of this kind, and a guest pays for each call.
func (r *Reader) short() (n int64, ok bool) {
	if uint(r.off) >= uint(len(r.b)) {
		return 0, false
	}
	switch b := r.b[r.off:]; {
	case b[0] <= tiny:
		r.off++
		return int64(b[0]), true
	case b[0] == majorUint|24 && len(b) > 1 && b[1] > tiny:
		r.off += 2
		return int64(b[1]), true
	case b[0] == majorUint|25 && len(b) > 2 && b[1] != 0:
		r.off += 3
		return int64(b[1])<<8 | int64(b[2]), true
	case b[0] == majorUint|26 && len(b) > 4 && b[1]|b[2] != 0:
		r.off += 5
		return int64(binary.BigEndian.Uint32(b[1:5])), true
	case b[0] == majorNint:
		r.off++
		return -1, true
	}
	return 0, false
}

func (r *Reader) long() int64 {
	major := byte(majorUint)
	if r.peek()&0xe0 == majorNint {
		major = majorNint
	}
	n := r.head(major, "an integer")
	if n > math.MaxInt64 {
		r.fail("integer does not fit 64 bits")
		return 0
	}
	if major == majorNint {
		return -1 - int64(n)
	}
	return int64(n)
}

// Bool reads a boolean.
func (r *Reader) Bool() bool {
	switch b := r.peek(); {
	case r.err != nil:
		return false
	case b == cborFalse || b == cborTrue:
		r.off++
		return b == cborTrue
	}
	r.head(majorOther, "a boolean")
	r.fail("expected a boolean")
	return false
}

// Null consumes a null if one is next, and reports whether it was.
func (r *Reader) Null() bool {
	if r.peek() == cborNull {
		r.off++
		return true
	}
	return false
}

// Array opens an array and returns its number of items, at most the number of
// bytes left.
func (r *Reader) Array() int {
	if b := r.peek(); b&0xe0 == majorArray && b&0x1f <= tiny && int(b&0x1f) < len(r.b)-r.off {
		r.off++
		return int(b & 0x1f)
	}
	return r.length(r.head(majorArray, "an array"))
}

// length checks that n items of at least a byte can follow.
func (r *Reader) length(n uint64) int {
	left := len(r.b) - r.off
	if n > uint64(left) {
		r.fail("length " + strconv.FormatUint(n, 10) + " is more than the " + strconv.Itoa(left) + " bytes left can hold")
		return 0
	}
	return int(n)
}

// Fields opens an array that must have n items.
func (r *Reader) Fields(n int) {
	if got := r.Array(); r.err == nil && got != n {
		r.fail("array of " + strconv.Itoa(got) + " items where " + strconv.Itoa(n) + " are expected")
	}
}

// Bytes reads a byte string and returns it as a part of the input.
func (r *Reader) Bytes() []byte {
	n := r.length(r.head(majorBytes, "a byte string"))
	if r.err != nil {
		return nil
	}
	b := r.b[r.off : r.off+n : r.off+n]
	r.off += n
	return b
}

// Text reads a text.
func (r *Reader) Text() string {
	var n int
	if b := r.peek(); b&0xe0 == majorText && b&0x1f <= tiny && int(b&0x1f) < len(r.b)-r.off {
		n = int(b & 0x1f)
		r.off++
	} else if n = r.length(r.head(majorText, "a text")); r.err != nil {
		return ""
	}
	b := r.b[r.off : r.off+n]
	if !utf8.Valid(b) {
		r.fail("text that is not UTF-8")
		return ""
	}
	r.off += n
	if r.text != "" {
		return r.text[r.off-n : r.off]
	}
	return string(b)
}
