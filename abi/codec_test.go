package abi

import (
	"fmt"
	"math/big"
	"reflect"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"
)

// message is what every top-level type of the contract is.
type message interface {
	AppendCBOR(dst []byte) []byte
	DecodeCBOR(b []byte) error
}

// messages lists a fresh one of each top-level type.
func messages() []message {
	return []message{
		new(Program), new(Frame), new(Description), new(Failure),
		new(LoadRequest), new(LoadResponse), new(AssertRequest), new(AssertResponse),
		new(QueryRequest), new(Rows), new(DeriveRequest), new(ExplainRequest), new(Explanation),
		new(ComputeRequest), new(ComputeResponse), new(MutateRequest), new(MutateResponse),
		new(ChecksRequest), new(ChecksResponse), new(Stats), new(EvaluateRequest), new(EvaluateResponse),
		new(ScanRequest), new(ScanResponse),
	}
}

func TestMessagesReadBackAsWritten(t *testing.T) {
	for _, m := range messages() {
		typ := reflect.TypeOf(m).Elem()
		t.Run(typ.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := generate(t, typ)
				wire := in.AppendCBOR([]byte("prefix"))[len("prefix"):]
				out := reflect.New(typ).Interface().(message)
				if err := out.DecodeCBOR(wire); err != nil {
					t.Fatalf("%v\n% x", err, wire)
				}
				if !same(reflect.ValueOf(in), reflect.ValueOf(out)) {
					t.Fatalf("wrote %+v\nread %+v", in, out)
				}
			})
		})
	}
}

// The generator fills every field with something that is not zero, so a field
// that the codec forgets is a field that this test finds.
func TestEveryFieldIsCoded(t *testing.T) {
	for _, m := range messages() {
		typ := reflect.TypeOf(m).Elem()
		t.Run(typ.Name(), func(t *testing.T) {
			in := reflect.New(typ)
			fill(in.Elem(), 0)
			out := reflect.New(typ)
			if err := out.Interface().(message).DecodeCBOR(in.Interface().(message).AppendCBOR(nil)); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(in.Interface(), out.Interface()) {
				t.Fatalf("wrote %+v\nread %+v", in.Interface(), out.Interface())
			}
		})
	}
}

func TestWireFormIsCoreDeterministicCBOR(t *testing.T) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	dec, err := cbor.DecOptions{
		BigIntDec: cbor.BigIntDecodePointer, MaxNestedLevels: 1024, IndefLength: cbor.IndefLengthForbidden,
	}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages() {
		typ := reflect.TypeOf(m).Elem()
		t.Run(typ.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := generate(t, typ)
				wire := in.AppendCBOR(nil)
				var tree any
				if err := dec.Unmarshal(wire, &tree); err != nil {
					t.Fatal(err)
				}
				again, err := enc.Marshal(tree)
				if err != nil {
					t.Fatal(err)
				}
				if string(again) != string(wire) {
					t.Fatalf("ours   % x\ntheirs % x", wire, again)
				}
			})
		})
	}
}

// A peer that writes arrays of fields with a library is understood.
func TestMessagesOfAnotherEncoderAreRead(t *testing.T) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	type span struct {
		_    struct{} `cbor:",toarray"`
		File int
		From int
		To   int
	}
	type breach struct {
		_       struct{} `cbor:",toarray"`
		Limit   string
		Allowed uint64
		Used    uint64
	}
	type failure struct {
		_       struct{} `cbor:",toarray"`
		Code    string
		Message string
		Span    span
		Limit   *breach
		Rule    int
	}
	rapid.Check(t, func(t *rapid.T) {
		theirs := failure{
			Code: rapid.String().Draw(t, "code"), Message: rapid.String().Draw(t, "message"),
			Span: span{File: rapid.Int().Draw(t, "file"), From: rapid.Int().Draw(t, "from"), To: rapid.Int().Draw(t, "to")},
			Rule: rapid.Int().Draw(t, "rule"),
		}
		want := Failure{
			Code: theirs.Code, Message: theirs.Message, Rule: theirs.Rule,
			Span: Span{File: theirs.Span.File, Start: theirs.Span.From, End: theirs.Span.To},
		}
		if rapid.Bool().Draw(t, "limited") {
			theirs.Limit = &breach{Limit: "fuel", Allowed: rapid.Uint64().Draw(t, "allowed"), Used: rapid.Uint64().Draw(t, "used")}
			want.Limit = &Breach{Limit: "fuel", Allowed: theirs.Limit.Allowed, Used: theirs.Limit.Used}
		}
		wire, err := enc.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		var got Failure
		if err := got.DecodeCBOR(wire); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestNumbersOfAnotherEncoderAreRead(t *testing.T) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := RatValue(genRat(t))
		var theirs any = []any{uint64(KindNum), want.Number().Num()}
		if !want.Number().IsInt() {
			theirs = []any{uint64(KindNum), want.Number().Num(), want.Number().Denom()}
		}
		wire, err := enc.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeValue(wire)
		if err != nil {
			t.Fatal(err)
		}
		if !Equal(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestDecodeRefusesEveryTruncation(t *testing.T) {
	for _, m := range messages() {
		typ := reflect.TypeOf(m).Elem()
		in := reflect.New(typ)
		fill(in.Elem(), 0)
		wire := in.Interface().(message).AppendCBOR(nil)
		for n := range wire {
			if err := reflect.New(typ).Interface().(message).DecodeCBOR(wire[:n]); err == nil {
				t.Fatalf("%s: the first %d of %d bytes decode", typ.Name(), n, len(wire))
			}
		}
		if err := reflect.New(typ).Interface().(message).DecodeCBOR(append(wire, 0)); err == nil {
			t.Fatalf("%s: a byte after the end is taken", typ.Name())
		}
	}
}

func TestDecodeErrorLeavesTheMessageAlone(t *testing.T) {
	m := Description{Name: "kept"}
	if err := m.DecodeCBOR([]byte{0x84, 0x61, 'x'}); err == nil || m.Name != "kept" {
		t.Fatalf("%v, %+v", err, m)
	}
}

func TestDecodeStopsAtMaxDepth(t *testing.T) {
	nest := func(n int) *Program {
		x := Expr{Op: ExprSlot}
		for range n {
			x = Expr{Op: ExprNot, Args: []Expr{x}}
		}
		return &Program{Functions: []Function{{Body: x}}}
	}
	var p Program
	if err := p.DecodeCBOR(nest(MaxDepth - 1).AppendCBOR(nil)); err != nil {
		t.Fatal(err)
	}
	if err := p.DecodeCBOR(nest(MaxDepth).AppendCBOR(nil)); err == nil {
		t.Fatal("an expression of more than MaxDepth levels is read")
	}
	if err := p.DecodeCBOR(nest(100_000).AppendCBOR(nil)); err == nil {
		t.Fatal("an expression of 100,000 levels is read")
	}
}

func TestTextThatIsNotUTF8IsMended(t *testing.T) {
	in := Failure{Message: "bad \xff\xfe byte"}
	var out Failure
	if err := out.DecodeCBOR(in.AppendCBOR(nil)); err != nil || out.Message != "bad \uFFFD byte" {
		t.Fatalf("%q, %v", out.Message, err)
	}
}

func TestReaderRefusesOtherFormsOfCBOR(t *testing.T) {
	for _, c := range []struct {
		name string
		wire []byte
		read func(*Reader)
	}{
		{"integer with a long head", []byte{0x18, 0x17}, func(r *Reader) { r.Uint() }},
		{"integer with a longer head", []byte{0x19, 0x00, 0xff}, func(r *Reader) { r.Uint() }},
		{"integer with a four byte head", []byte{0x1a, 0, 0, 0xff, 0xff}, func(r *Reader) { r.Uint() }},
		{"integer with an eight byte head", []byte{0x1b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, func(r *Reader) { r.Uint() }},
		{"integer beyond int64", []byte{0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0}, func(r *Reader) { r.Int() }},
		{"negative beyond int64", []byte{0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0}, func(r *Reader) { r.Int() }},
		{"indefinite array", []byte{0x9f, 0xff}, func(r *Reader) { r.Array() }},
		{"indefinite text", []byte{0x7f, 0xff}, func(r *Reader) { r.Text() }},
		{"reserved length", []byte{0x9c}, func(r *Reader) { r.Array() }},
		{"array longer than the input", []byte{0x9a, 0xff, 0xff, 0xff, 0xff}, func(r *Reader) { r.Array() }},
		{"text longer than the input", []byte{0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, func(r *Reader) { r.Text() }},
		{"text that is not UTF-8", []byte{0x61, 0xff}, func(r *Reader) { r.Text() }},
		{"float for a boolean", []byte{0xf9, 0, 0}, func(r *Reader) { r.Bool() }},
		{"null for a boolean", []byte{0xf6}, func(r *Reader) { r.Bool() }},
		{"undefined for null", []byte{0xf7}, func(r *Reader) { r.Null() }},
		{"small big integer", []byte{0xc2, 0x41, 1}, func(r *Reader) { r.Big() }},
		{"big integer with a leading zero", []byte{0xc2, 0x49, 0, 1, 1, 1, 1, 1, 1, 1, 1}, func(r *Reader) { r.Big() }},
		{"other tag", []byte{0xc4, 0x49, 1, 1, 1, 1, 1, 1, 1, 1, 1}, func(r *Reader) { r.Big() }},
		{"nothing", nil, func(r *Reader) { r.Uint() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(c.wire)
			c.read(r)
			if err := r.Close(); err == nil {
				t.Fatal("taken")
			}
		})
	}
}

func ExampleDecodeError() {
	var d Description
	fmt.Println(d.DecodeCBOR([]byte{0x84, 0x65, '0', '.', '1', '.', '0', 0x01}))
	// Output: abi: cannot decode Description at byte 7: expected a text, found an unsigned integer
}

func genRat(t *rapid.T) *big.Rat {
	num := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "numerator"))
	if rapid.Bool().Draw(t, "negative") {
		num.Neg(num)
	}
	den := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "denominator"))
	if den.Sign() == 0 || rapid.Bool().Draw(t, "whole") {
		den.SetInt64(1)
	}
	return new(big.Rat).SetFrac(num, den)
}
