package main

import (
	"encoding/binary"
	"errors"
)

// Request is the part of an EvaluateRequest that this plugin reads.
type Request struct {
	Check string // the check's qualified name
	Frame Frame  // its bindings
}

// Verdict is the word on one row. Drop says that it is no violation.
type Verdict struct {
	Drop     bool
	Severity Severity
	Code     string
	Message  string
}

// Severity is how bad a violation is.
type Severity uint

// The severities.
const (
	Error Severity = iota
	Warning
	Info
	Hint
)

// Value is one value. Raw is its CBOR; Int and Text are what is in it where it
// is of one of the kinds below.
type Value struct {
	Kind uint64
	Int  int64  // of a whole number and a day
	Text string // of a text, and the name of an individual or a symbol
	Raw  []byte
}

// The kinds of values that Int and Text can hold.
const (
	KindNumber     = 0
	KindText       = 1
	KindIndividual = 2
	KindSymbol     = 4
	KindDay        = 18
	KindBool       = 19
	KindNone       = 20
)

// Frame is a table. Its cells are 32-bit words: a small value, or the index of
// one in the dictionary.
type Frame struct {
	Rows, Columns int
	words         []byte
	dict          []Value
}

const frameHead = 20

// Cell is the value of a row in a column; both begin at 0.
func (f *Frame) Cell(row, column int) Value {
	word := binary.LittleEndian.Uint32(f.words[4*(column*f.Rows+row):])
	switch payload := word & (1<<30 - 1); word >> 30 {
	case 0:
		return f.dict[payload]
	case 1:
		return Value{Kind: KindNumber, Int: int64(int32(word<<2) >> 2)}
	case 2:
		return Value{Kind: KindDay, Int: int64(int32(word<<2) >> 2)}
	default:
		if payload < 2 {
			return Value{Kind: KindBool, Int: int64(payload)}
		}
		return Value{Kind: KindNone}
	}
}

// parseRequest reads an EvaluateRequest: [call, check, constants, functions,
// payload, columns, frame].
func parseRequest(b []byte) (*Request, error) {
	r := &reader{b: b}
	q := &Request{}
	r.fields(7)
	r.skip()
	q.Check = r.text()
	for range 4 {
		r.skip()
	}
	q.Frame = r.frame()
	return q, r.err
}

// frame reads a frame, and refuses one with a word that Cell could not read.
func (r *reader) frame() Frame {
	b := r.bytes()
	if r.err != nil {
		return Frame{}
	}
	if len(b) < frameHead || string(b[:4]) != "OXF1" {
		r.err = errShape
		return Frame{}
	}
	rows, columns := uint64(binary.LittleEndian.Uint32(b[4:])), uint64(binary.LittleEndian.Uint32(b[8:]))
	dict := uint64(binary.LittleEndian.Uint32(b[16:]))
	begin := frameHead + (dict+3)&^3
	if begin > uint64(len(b)) || columns > 1<<16 || 4*rows*columns > uint64(len(b))-begin || columns == 0 && rows > 1 {
		r.err = errShort
		return Frame{}
	}
	f := Frame{Rows: int(rows), Columns: int(columns), words: b[begin : begin+4*rows*columns]}
	d := &reader{b: b[frameHead : frameHead+dict]}
	for range d.array() {
		f.dict = append(f.dict, d.value())
	}
	for i := 0; i < len(f.words); i += 4 {
		if word := binary.LittleEndian.Uint32(f.words[i:]); word>>30 == 0 && word >= uint32(len(f.dict)) {
			d.err = errShape
		}
	}
	r.err = d.err
	return f
}

// value reads a value: an array whose first item is the kind.
func (r *reader) value() Value {
	v := Value{Raw: r.skip()}
	if r.err != nil {
		return v
	}
	in := &reader{b: v.Raw}
	parts := in.array()
	_, v.Kind = in.head()
	switch v.Kind {
	case KindNumber, KindDay:
		// A fraction, and what is beyond 64 bits, is in Raw alone.
		if major, n := in.head(); parts == 2 && n < 1<<63 {
			switch major {
			case majorUint:
				v.Int = int64(n)
			case majorNegative:
				v.Int = -1 - int64(n)
			}
		}
	case KindText, KindIndividual, KindSymbol:
		v.Text = in.text()
	}
	r.err = in.err
	return v
}

// description writes a Description: [abi, world, name, version].
func description(name, version string) []byte {
	var w writer
	w.array(4)
	for _, s := range []string{"0.1.0", "check-evaluator", name, version} {
		w.text(s)
	}
	return w.b
}

// response writes an EvaluateResponse: a list of verdicts.
func response(verdicts []Verdict) []byte {
	var w writer
	w.array(1)
	w.array(len(verdicts))
	for _, v := range verdicts {
		w.array(4)
		w.boolean(v.Drop)
		w.unsigned(uint(v.Severity))
		w.text(v.Code)
		w.text(v.Message)
	}
	return w.b
}

// badRequest is an error of the host's message, not of the rule.
type badRequest struct{ error }

// failure writes a Failure: [code, message, span, limit, rule].
func failure(err error) []byte {
	code := "eval"
	if errors.As(err, &badRequest{}) {
		code = "bad_request"
	}
	var w writer
	w.array(5)
	w.text(code)
	w.text(err.Error())
	w.array(3)
	for range 3 {
		w.unsigned(0)
	}
	w.b = append(w.b, 0xf6, 0x20) // no limit, and no rule: null, -1
	return w.b
}
