package rewrite

import (
	"bytes"
	"encoding/binary"
)

// WholeExport is the function () -> i64 that Outline adds to both forms.
const WholeExport = ReservedPrefix + "whole"

// outlineSection is the custom section of an outline that holds the digest.
const outlineSection = ReservedPrefix + "outline"

// Outlined is a metered module in the forms that Outline gives it.
type Outlined struct {
	// Whole is the module with a function WholeExport that gives Tag(digest).
	Whole []byte
	// Outline is Whole with unreachable for every body, without the data
	// section if Data has it, and with the digest.
	Outline []byte
	// Data is what a new memory holds, for Segments; nil where the module's own
	// data section stays, because code may name its segments or one of them
	// does not fit the memory.
	Data []byte
}

// Outline gives the forms of a metered module that is no kernel. The digest, of
// eight bytes or more, is that of the metered module: the outline holds it, so
// that different modules have different outlines. The error is a *Refusal of
// bytes that are not Rewrite's.
//
// All that a runtime needs to make instances but code is in the outline, so one
// that has the machine code of Whole need not read it again.
func Outline(metered, digest []byte) (*Outlined, error) {
	o := outliner{cursor: cursor{src: metered, end: len(metered)}}
	o.read()
	types, typ := o.items(1)
	_, imported := o.items(2) // functions, all of them
	functions, n := o.items(3)
	exports, exported := o.items(7)
	code, bodies := o.items(10)
	if o.err == nil && (bodies != n || typ == 0 || imported == 0 || exported == 0) {
		o.fail(CodeMalformed, -1, "a metered module has types, imports, exports, and a body for each function")
	}
	if o.err != nil {
		return nil, o.err
	}
	o.sections[1] = append(vector(typ+1, types), 0x60, 0, 1, typeI64)
	o.sections[3] = appendU32(vector(n+1, functions), typ)
	o.sections[7] = appendU32(append(appendName(vector(exported+1, exports), WholeExport), 0), imported+n)

	tells := append(appendS64([]byte{0, i64Const}, int64(Tag(digest))), endOp)
	o.sections[10] = append(appendU32(vector(n+1, code), uint32(len(tells))), tells...)
	out := &Outlined{Whole: o.write(nil)}
	o.sections[10] = vector(n+1, bytes.Repeat([]byte{3, 0, unreachable, endOp}, int(n)+1))
	if o.dataFits() {
		out.Data = o.sections[11]
		delete(o.sections, 11)
	}
	out.Outline = o.write(append(appendName(nil, outlineSection), digest...))
	return out, nil
}

// dataFits reports whether the host can write the data segments into a new
// memory in place of the runtime.
func (o *outliner) dataFits() bool {
	if _, named := o.sections[12]; named {
		return false
	}
	segments, err := Segments(o.sections[11])
	_, memories := o.items(5)
	if err != nil || len(segments) == 0 || memories != 1 {
		return false
	}
	c := cursor{src: o.sections[5], pos: 2, end: len(o.sections[5])}
	minimum := c.u32()
	return c.err == nil && Fit(segments, minimum)
}

// Tag is what WholeExport gives in the whole module of a digest.
func Tag(digest []byte) uint64 { return binary.LittleEndian.Uint64(digest) }

// vector is the section of n items.
func vector(n uint32, items []byte) []byte {
	return append(appendU32(make([]byte, 0, len(items)+64), n), items...)
}

// outliner takes a metered module apart and puts it together again.
type outliner struct {
	cursor
	sections map[byte][]byte // by number
}

// read takes the module apart. Rewrite leaves one custom section at most.
func (o *outliner) read() {
	o.sections = map[byte][]byte{}
	o.skip(8)
	for o.more() {
		id := o.byte()
		size := int(o.u32())
		start := o.pos
		o.skip(size)
		if _, twice := o.sections[id]; twice {
			o.fail(CodeMalformed, start, "section %d is there twice", id)
		}
		if o.err == nil {
			o.sections[id] = o.src[start:o.pos]
		}
	}
}

// items gives what follows the number of a section's items, and that number.
func (o *outliner) items(id byte) (rest []byte, n uint32) {
	s := o.sections[id]
	if len(s) == 0 {
		return nil, 0
	}
	c := cursor{src: s, end: len(s)}
	n = c.u32()
	if o.err == nil {
		o.err = c.err
	}
	return s[c.pos:], n
}

// write puts the sections together, with the custom section extra if it is not
// nil.
func (o *outliner) write(extra []byte) []byte {
	size := 8 + len(extra) + 16
	for _, s := range o.sections {
		size += len(s) + 6
	}
	out := append(make([]byte, 0, size), o.src[:8]...)
	put := func(id byte, body []byte) {
		out = append(appendU32(append(out, id), uint32(len(body))), body...)
	}
	for _, id := range [...]byte{1, 2, 3, 4, 5, 6, 7, 9, 12, 10, 11, 0} {
		if s, ok := o.sections[id]; ok {
			put(id, s)
		}
	}
	if extra != nil {
		put(0, extra)
	}
	return out
}
