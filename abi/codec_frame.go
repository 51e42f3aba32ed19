package abi

import (
	"encoding/binary"
	"strconv"
)

const (
	frameMagic     = "OXF1"
	frameHead      = 20
	frameHasTruth  = 1
	maxFrameArity  = 1 << 16
	frameWordBytes = 4
	typicalEntry   = 8 // bytes of a dictionary entry, to size its slice at once
)

// AppendCBOR appends the frame as one CBOR byte string. Bit 0 of its flags is
// set iff Truth has an entry. Every column must have Rows terms, and Truth
// none or Rows.
func (f *Frame) AppendCBOR(dst []byte) []byte {
	w := Writer{Buf: dst}
	w.Frame(f)
	return w.Buf
}

// DecodeCBOR reads a frame that is the whole of b.
func (f *Frame) DecodeCBOR(b []byte) error {
	return decode(b, f, "Frame", (*coder).frame)
}

// Frame writes f as a byte string.
func (w *Writer) Frame(f *Frame) {
	var dict Writer
	dict.Array(len(f.Dict))
	for i := range f.Dict {
		dict.Value(&f.Dict[i])
	}
	pad := -len(dict.Buf) & (frameWordBytes - 1)
	size := frameHead + len(dict.Buf) + pad + len(f.Columns)*f.Rows*frameWordBytes + len(f.Truth)
	w.head(majorBytes, uint64(size))

	at := len(w.Buf)
	w.Buf = grow(w.Buf, size)
	out := w.Buf[at:]
	copy(out, frameMagic)
	binary.LittleEndian.PutUint32(out[4:], uint32(f.Rows))
	binary.LittleEndian.PutUint32(out[8:], uint32(len(f.Columns)))
	flags := uint32(0)
	if len(f.Truth) > 0 {
		flags |= frameHasTruth
	}
	binary.LittleEndian.PutUint32(out[12:], flags)
	binary.LittleEndian.PutUint32(out[16:], uint32(len(dict.Buf)))
	out = out[frameHead:]
	out = out[copy(out, dict.Buf)+pad:]
	for _, column := range f.Columns {
		putTerms(out, column[:f.Rows])
		out = out[f.Rows*frameWordBytes:]
	}
	for i, t := range f.Truth {
		out[i] = byte(t)
	}
}

// grow appends n zero bytes.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		at := len(b)
		b = b[:at+n]
		clear(b[at:])
		return b
	}
	return append(b, make([]byte, n)...)
}

func putTerms(out []byte, terms []Term) {
	out = out[:len(terms)*frameWordBytes]
	for i, t := range terms {
		binary.LittleEndian.PutUint32(out[i*frameWordBytes:], uint32(t))
	}
}

// Frame reads a frame. Every term of it is one that Frame.Value can read, and
// no value of the dictionary is one that an inline term could stand for; that
// the values of the dictionary are distinct is left to whoever interns them.
// A frame without columns has at most one row, as a relation is a set.
func (r *Reader) Frame() Frame {
	b := r.Bytes()
	if r.err != nil {
		return Frame{}
	}
	f, err := parseFrame(b, r.base+r.off-len(b))
	if err != nil {
		r.err = err
		r.b = r.b[:r.off]
		return Frame{}
	}
	return f
}

func parseFrame(b []byte, base int) (Frame, error) {
	var f Frame
	bad := func(at int, reason string) (Frame, error) {
		return Frame{}, &DecodeError{Type: "Frame", Offset: base + at, Reason: reason}
	}
	if len(b) < frameHead || string(b[:4]) != frameMagic {
		return bad(0, "no frame head")
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	rows, columns, flags, dictLen := word(4), word(8), word(12), word(16)
	if flags&^frameHasTruth != 0 {
		return bad(12, "unknown flags of a frame")
	}
	truth := flags&frameHasTruth != 0
	if dictLen < 0 || dictLen > len(b)-frameHead {
		return bad(16, "dictionary longer than its frame")
	}
	pad := -dictLen & (frameWordBytes - 1)
	at := frameHead + dictLen + pad
	perRow := uint64(columns) * frameWordBytes
	if truth {
		perRow++
	}
	switch {
	case rows < 0 || columns < 0 || columns > maxFrameArity:
		return bad(8, "frame with more than "+strconv.Itoa(maxFrameArity)+" columns, or sizes out of range")
	case columns == 0 && rows > 1:
		return bad(4, "frame without columns and with more than one row")
	case truth && rows == 0:
		return bad(12, "truth values of no rows")
	case at > len(b) || uint64(rows)*perRow != uint64(len(b)-at):
		return bad(at, "size of a frame that does not fit its rows and columns")
	}
	for i, z := range b[frameHead+dictLen : at] {
		if z != 0 {
			return bad(frameHead+dictLen+i, "padding that is not zero")
		}
	}
	if err := f.readDict(b[frameHead:frameHead+dictLen], base+frameHead); err != nil {
		return Frame{}, err
	}
	f.Rows = rows
	if columns > 0 {
		f.Columns = make([][]Term, columns)
	}
	terms := make([]Term, rows*columns) // one allocation: the size was checked against the input
	for i := range f.Columns {
		f.Columns[i] = terms[i*rows : (i+1)*rows : (i+1)*rows]
		if !getTerms(f.Columns[i], b[at:], uint32(len(f.Dict))) {
			return bad(at, "column "+strconv.Itoa(i)+" with a term that the frame does not define")
		}
		at += rows * frameWordBytes
	}
	if truth {
		f.Truth = make([]Truth4, rows)
		for i, t := range b[at:] {
			if t > byte(Both) {
				return bad(at+i, "unknown truth value")
			}
			f.Truth[i] = Truth4(t)
		}
	}
	return f, nil
}

func (f *Frame) readDict(b []byte, base int) error {
	// Texts are cut from one copy of the dictionary: they are most of it.
	d := Reader{b: b, text: string(b), base: base}
	n := d.Array()
	if n > int(TagInt) {
		d.fail("dictionary of more values than there are terms")
	}
	if n > 0 {
		f.Dict = make([]Value, 0, min(n, max(firstCapacity, len(b)/typicalEntry)))
	}
	for i := 0; i < n && d.err == nil; i++ {
		if len(f.Dict) < cap(f.Dict) {
			f.Dict = f.Dict[:i+1] // zero, as it was made
		} else {
			f.Dict = append(f.Dict, Value{})
		}
		v := &f.Dict[i]
		if d.plainText(v) {
			continue
		}
		if d.value(v, 0); v.Kind == KindString || v.Kind == KindNamed {
			continue
		}
		if _, inline := InlineTerm(*v); inline && d.err == nil {
			d.fail("value in a dictionary that needs no entry")
		}
	}
	return d.Close()
}

// getTerms reads len(dst) terms and reports whether all of them are defined
// in a frame with dict values.
func getTerms(dst []Term, b []byte, dict uint32) bool {
	b = b[:len(dst)*frameWordBytes]
	// One unsigned comparison a kind of term that needs a look: a table term
	// from dict on, and what lies above the last fixed term.
	tables := uint32(TagInt) - dict
	ok := true
	for len(dst) >= 2 { // two at a time: the turn of a loop is what is dear
		w := binary.LittleEndian.Uint64(b)
		t, u := uint32(w), uint32(w>>32)
		dst[0], dst[1] = Term(t), Term(u)
		if t-dict < tables || u-dict < tables || t > uint32(None) || u > uint32(None) {
			ok = false
		}
		dst, b = dst[2:], b[2*frameWordBytes:]
	}
	for i := range dst {
		t := binary.LittleEndian.Uint32(b)
		dst[i] = Term(t)
		if t-dict < tables || t > uint32(None) {
			ok = false
		}
	}
	return ok
}
