package abi

import (
	"bytes"
	"reflect"
	"testing"
)

// boundaries are numbers on both sides of each length of a head.
var boundaries = []int{0, 1, 23, 24, 255, 256, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32}

// What is read at once has the values that it has field by field, wherever it
// stands in the message.
func TestUsualFieldsAreReadAsTheyWereWritten(t *testing.T) {
	var p Program
	p.ABI = Version
	for _, n := range boundaries {
		span := Span{File: n, Start: boundaries[len(boundaries)-1] - n, End: n}
		p.Relations = append(p.Relations,
			Relation{Asserted: -1, Refuted: -1, Span: span},
			Relation{Asserted: n, Refuted: -1, Mut: true, Columns: []Column{{Type: Type{Op: TypeInt}}, {Type: Type{Op: TypeNat, Name: "u8"}}, {Type: Type{Op: TypeList, Args: []Type{{Op: typeOpCount - 1}}}}}})
		scan := Atom{Op: AtomScan, Rel: n, Args: []Arg{{}, {Op: ArgSlot, Index: n}, {Op: ArgConst, Index: n}}, Neg: n%2 == 0, Span: span}
		compare := Atom{Op: AtomCmp, Cmp: CmpLt, Args: scan.Args, Span: span}
		filter := Atom{Op: AtomFilter, Expr: &Expr{Op: ExprIsType, Type: &Type{Op: TypeInt}, Args: []Expr{{Op: ExprSlot, Index: n, Span: span}}}, Span: span}
		p.Rules = append(p.Rules, Rule{Body: []Atom{scan, compare, filter, {Op: AtomExists, Body: []Atom{scan}}}, Span: span})
	}
	wire := p.AppendCBOR(nil)
	var back Program
	if err := back.DecodeCBOR(wire); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Relations, p.Relations) || !reflect.DeepEqual(back.Rules, p.Rules) {
		t.Fatal("the program is another one")
	}
	if again := back.AppendCBOR(nil); !bytes.Equal(again, wire) {
		t.Fatal("the program is written otherwise")
	}
	for cut := len(wire) - 1; cut > 0; cut -= 1 + cut/50 {
		if err := new(Program).DecodeCBOR(wire[:cut]); err == nil {
			t.Fatalf("the first %d of %d bytes are a program", cut, len(wire))
		}
	}
}

// A form that is not the shortest is refused, also where a usual one is looked for.
func TestUsualFieldsHaveOneForm(t *testing.T) {
	padding := []byte("\x83\x00\x00\x00\x83\x00\x00\x00\x83\x00\x00\x00\x83\x00\x00\x00")
	for _, c := range []struct {
		name string
		b    string
		read func(c *coder)
	}{
		{"span with a long zero", "\x83\x18\x00\x00\x00", func(c *coder) { c.span(new(Span)) }},
		{"span with two bytes for one", "\x83\x00\x19\x00\xff\x00", func(c *coder) { c.span(new(Span)) }},
		{"span with four bytes for two", "\x83\x00\x00\x1a\x00\x00\xff\xff", func(c *coder) { c.span(new(Span)) }},
		{"argument with two bytes for one", "\x82\x01\x19\x00\xff", func(c *coder) { c.arg(new(Arg)) }},
		{"argument of an unknown kind", "\x82\x03\x00", func(c *coder) { c.arg(new(Arg)) }},
		{"type of an unknown kind", "\x83\x17\x60\x80", func(c *coder) { c.typ(new(Type)) }},
	} {
		r := coder{r: NewReader(append([]byte(c.b), padding...))}
		if c.read(&r); r.r.Err() == nil {
			t.Errorf("%s is read", c.name)
		}
	}
}
