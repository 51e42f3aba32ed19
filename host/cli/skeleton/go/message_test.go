package main

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// asked is a request with a value of each kind that a plugin may meet.
func asked() *abi.EvaluateRequest {
	b := abi.FrameBuilder{Arity: 2}
	for _, v := range []abi.Value{
		abi.IntValue(7), abi.IntValue(-7), abi.IntValue(math.MaxInt64), abi.IntValue(math.MinInt64), abi.StringValue("19-1"), abi.SymbolValue("m::E::A"),
		abi.DayValue(-3), abi.DayValue(1 << 40), abi.BoolValue(true), abi.BoolValue(false), abi.NoneValue(), abi.MintedValue([16]byte{1}),
		abi.RatValue(big.NewRat(1, 3)), abi.RatValue(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 90))), abi.MoneyValue(big.NewRat(5, 2), "EUR"),
		{Kind: abi.KindList, Items: []abi.Value{abi.IntValue(1), {Kind: abi.KindList}}},
		{Kind: abi.KindStruct, Str: "m::S", Items: []abi.Value{abi.StringValue(strings.Repeat("x", 300))}},
	} {
		b.Add([]abi.Value{abi.NamedValue("m::a"), v})
	}
	text := abi.Expr{Op: abi.ExprText, Args: []abi.Expr{{Op: abi.ExprSlot, Index: 1}}}
	return &abi.EvaluateRequest{
		Call: abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: abi.Limits{Fuel: math.MaxUint64}}, Check: "m::c", Constants: []abi.Value{abi.StringValue("C")},
		Payload: abi.Payload{Message: text}, Columns: []abi.Column{{Name: "a"}, {Name: "b"}}, Frame: b.Frame(),
	}
}

func TestARequestIsReadAsTheHostWritesIt(t *testing.T) {
	want := asked()
	q, err := parseRequest(want.AppendCBOR(nil))
	if err != nil || q.Check != "m::c" || q.Frame.Rows != want.Frame.Rows || q.Frame.Columns != 2 {
		t.Fatalf("%+v, %v", q, err)
	}
	for i := range want.Frame.Rows {
		row := want.Frame.Row(nil, i)
		if v := q.Frame.Cell(i, 0); v.Kind != KindIndividual || v.Text != "m::a" {
			t.Errorf("row %d: %+v", i, v)
		}
		have := q.Frame.Cell(i, 1)
		if have.Kind != uint64(row[1].Kind) || have.Int != whole(row[1]) || have.Text != named(row[1]) {
			t.Errorf("row %d: %+v, want %+v", i, have, row[1])
		}
		if have.Raw != nil {
			if v, err := abi.DecodeValue(have.Raw); err != nil || !abi.Equal(v, row[1]) {
				t.Errorf("row %d: its bytes are %+v, %v", i, v, err)
			}
		}
	}
}

// whole and named are what a Value of this package holds of v.
func whole(v abi.Value) int64 {
	switch {
	case v.Kind == abi.KindNum && v.Rat == nil, v.Kind == abi.KindDay, v.Kind == abi.KindBool:
		return v.Int
	}
	return 0
}

func named(v abi.Value) string {
	switch v.Kind {
	case abi.KindString, abi.KindNamed, abi.KindSymbol:
		return v.Str
	}
	return ""
}

func TestAnswersAreReadByTheHost(t *testing.T) {
	long := strings.Repeat("ä", 40_000)
	var verdicts []Verdict
	for i := range 300 {
		verdicts = append(verdicts, Verdict{Drop: i%2 == 0, Severity: Severity(i % 4), Code: "C", Message: long[:2*(i%30)]})
	}
	verdicts = append(verdicts, Verdict{Message: long}, Verdict{Message: "no \xff UTF-8"})
	var r abi.EvaluateResponse
	if err := r.DecodeCBOR(response(verdicts)); err != nil || len(r.Verdicts) != len(verdicts) {
		t.Fatalf("%d verdicts, %v", len(r.Verdicts), err)
	}
	for i, v := range r.Verdicts {
		w := verdicts[i]
		if v.Drop != w.Drop || uint(v.Severity) != uint(w.Severity) || v.Code != w.Code || v.Message != strings.ToValidUTF8(w.Message, "\uFFFD") {
			t.Errorf("verdict %d: %+v", i, v)
		}
	}
	var d abi.Description
	if err := d.DecodeCBOR(description("n", "v")); err != nil || d != (abi.Description{ABI: abi.Version, World: abi.WorldEvaluator, Name: "n", Version: "v"}) {
		t.Errorf("%+v, %v", d, err)
	}
	for err, code := range map[error]string{errors.New("no"): abi.FailureEval, badRequest{errShape}: abi.FailureRequest} {
		var f abi.Failure
		if e := f.DecodeCBOR(failure(err)); e != nil || f.Code != code || f.Message != err.Error() || f.Rule != -1 {
			t.Errorf("%+v, %v", f, e)
		}
	}
}

func TestTheRuleDropsWhatAddsUp(t *testing.T) {
	b := abi.FrameBuilder{Arity: 1}
	for _, s := range []string{"19", "1-9", "18", "", "x"} {
		b.Add([]abi.Value{abi.StringValue(s)})
	}
	request := abi.EvaluateRequest{Check: "c", Columns: []abi.Column{{Name: "s"}}, Frame: b.Frame()}
	q, err := parseRequest(request.AppendCBOR(nil))
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := decide(q)
	if err != nil || len(verdicts) != 5 {
		t.Fatalf("%v, %v", verdicts, err)
	}
	for i, v := range verdicts {
		if want := i != 2; v.Drop != want {
			t.Errorf("row %d: %+v", i, v)
		}
	}
}

// FuzzRequest: whatever is read is a request whose cells can all be read, or
// an error. A host that another wrote may send anything.
func FuzzRequest(f *testing.F) {
	whole := asked().AppendCBOR(nil)
	f.Add(whole)
	for i := 0; i < len(whole); i += 7 {
		f.Add(whole[:i])
		changed := append([]byte{}, whole...)
		changed[i] ^= 0xff
		f.Add(changed)
	}
	f.Add([]byte("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte(strings.Repeat("\x81", 10_000)))
	f.Fuzz(func(t *testing.T, b []byte) {
		q, err := parseRequest(b)
		if err != nil {
			return
		}
		for row := range q.Frame.Rows {
			for column := range q.Frame.Columns {
				q.Frame.Cell(row, column)
			}
		}
	})
}
