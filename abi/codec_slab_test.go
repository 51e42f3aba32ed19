package abi

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
)

// largeProgram has lists on both sides of what is cut from slabs, and more
// rules than a list is first given room for.
func largeProgram() Program {
	p := Program{ABI: Version, Module: "large"}
	for i := range 3 * firstCapacity {
		r := Rule{Name: fmt.Sprint("rule", i), Head: i, Span: Span{File: 1, Start: i, End: i * i}}
		for j := range i % 90 {
			r.Args = append(r.Args, Arg{Index: j - 1})
			r.Slots = append(r.Slots, Slot{Name: fmt.Sprint("s", j), Type: Type{Op: TypeList, Args: []Type{{Op: TypeInt}}}})
		}
		for j := range i % 9 {
			r.Body = append(r.Body, Atom{Op: AtomScan, Rel: j << (i % 40), Body: []Atom{{Slot: j, Expr: &Expr{Index: i, Args: []Expr{{}, {Index: j}}}}}})
		}
		p.Rules = append(p.Rules, r)
	}
	return p
}

func TestALargeProgramReadsBackAsWritten(t *testing.T) {
	p := largeProgram()
	wire := p.AppendCBOR(nil)
	var got Program
	if err := got.DecodeCBOR(wire); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, p) {
		t.Fatal("a program reads back otherwise than it was written")
	}
	// Lists that are cut from one slab must not grow into each other.
	for i := range got.Rules {
		got.Rules[i].Args = append(got.Rules[i].Args, Arg{Index: -7})
		got.Rules[i].Body = append(got.Rules[i].Body, Atom{Rel: -7})
	}
	for i := range got.Rules {
		if r := &got.Rules[i]; !reflect.DeepEqual(r.Args[:len(r.Args)-1], p.Rules[i].Args) && len(p.Rules[i].Args) > 0 {
			t.Fatalf("rule %d has other arguments after an append to those of its neighbours", i)
		}
	}
}

func TestALengthAloneTakesLittleRoom(t *testing.T) {
	// A program whose list of relations says that it has as many as there are
	// bytes left, and has none.
	head := Writer{}
	head.Array(13)
	head.Text(Version)
	head.Text("hostile")
	head.Array(0)
	head.Array(0)
	const left = 1 << 20
	head.Array(left)
	wire := append(head.Buf, make([]byte, left)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := new(Program).DecodeCBOR(wire); err == nil {
		t.Fatal("it is read")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 2*longListShare*uint64(len(wire)) {
		t.Fatalf("%d bytes are allocated for a message of %d", used, len(wire))
	}
}

func TestPeekCallReadsWhatARequestBeginsWith(t *testing.T) {
	want := Call{Now: Value{Kind: KindInstant, Int: 7}, Limits: Limits{Memory: 1 << 30, Fuel: 5}}
	for _, m := range []interface{ AppendCBOR([]byte) []byte }{
		&LoadRequest{Call: want, Program: largeProgram()}, &AssertRequest{Call: want}, &QueryRequest{Call: want},
		&ExplainRequest{Call: want, Repairs: 3}, &MutateRequest{Call: want}, &ChecksRequest{Call: want}, &EvaluateRequest{Call: want},
	} {
		if got, err := PeekCall(m.AppendCBOR(nil)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%T: %+v, %v", m, got, err)
		}
	}
	if _, err := PeekCall([]byte("no request")); err == nil {
		t.Error("a call is read where there is none")
	}
}

// BenchmarkDecodeProgram reads a program of 6 MB.
func BenchmarkDecodeProgram(b *testing.B) {
	p := largeProgram()
	wire := p.AppendCBOR(nil)
	b.SetBytes(int64(len(wire)))
	b.ReportAllocs()
	for b.Loop() {
		if err := new(Program).DecodeCBOR(wire); err != nil {
			b.Fatal(err)
		}
	}
}
