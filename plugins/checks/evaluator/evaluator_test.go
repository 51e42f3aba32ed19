package evaluator

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func constant(i int) abi.Expr { return abi.Expr{Op: abi.ExprConst, Index: i} }
func slot(i int) abi.Expr     { return abi.Expr{Op: abi.ExprSlot, Index: i} }
func text(args ...abi.Expr) abi.Expr {
	return abi.Expr{Op: abi.ExprText, Args: args}
}

// overdue asks about a check with the columns lease and days.
func overdue(rows ...[2]abi.Value) *abi.EvaluateRequest {
	b := abi.FrameBuilder{Arity: 2}
	for _, r := range rows {
		b.Add(r[:])
	}
	severity := func(s string) abi.Value { return abi.SymbolValue("std::core::Severity::" + s) }
	return &abi.EvaluateRequest{
		Check: "m::overdue",
		Constants: []abi.Value{
			severity("Warning"), severity("Info"), abi.IntValue(30), abi.StringValue("LEASE-1"),
			abi.StringValue(" is overdue by "), abi.StringValue(" days"), abi.IntValue(90),
		},
		Functions: []abi.Function{{
			Name: "m::share", Params: []abi.Param{{Name: "days"}}, Slots: make([]abi.Slot, 1),
			Body: abi.Expr{Op: abi.ExprDiv, Args: []abi.Expr{constant(6), slot(0)}},
		}},
		Payload: abi.Payload{
			Severity: abi.Expr{Op: abi.ExprIf, Args: []abi.Expr{
				{Op: abi.ExprGt, Args: []abi.Expr{slot(1), constant(2)}}, constant(0), constant(1),
			}},
			Code:    constant(3),
			Message: text(slot(0), constant(4), slot(1), constant(5)),
		},
		Columns: []abi.Column{{Name: "lease"}, {Name: "days"}},
		Frame:   b.Frame(),
	}
}

func row(name string, days int64) [2]abi.Value {
	return [2]abi.Value{abi.NamedValue("m::" + name), abi.IntValue(days)}
}

func TestEachViolationGetsItsVerdict(t *testing.T) {
	got, f := Evaluate(overdue(row("flat", 31), row("house", 3)))
	if f != nil {
		t.Fatal(f)
	}
	want := []abi.Verdict{
		{Severity: abi.SeverityWarning, Code: "LEASE-1", Message: "flat is overdue by 31 days"},
		{Severity: abi.SeverityInfo, Code: "LEASE-1", Message: "house is overdue by 3 days"},
	}
	if len(got.Verdicts) != 2 || got.Verdicts[0] != want[0] || got.Verdicts[1] != want[1] {
		t.Errorf("got %+v, want %+v", got.Verdicts, want)
	}
	if got, f = Evaluate(overdue()); f != nil || len(got.Verdicts) != 0 {
		t.Errorf("no rows: %+v, failure %v", got, f)
	}
}

func TestAPayloadThatFailsHidesNoViolation(t *testing.T) {
	r := overdue(row("flat", 0), row("house", 3))
	r.Payload.Message = text(slot(0), abi.Expr{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{slot(1)}})
	got, f := Evaluate(r)
	if f != nil {
		t.Fatal(f)
	}
	if v := got.Verdicts[0]; v.Drop || v.Code != "LEASE-1" || !strings.Contains(v.Message, "division by zero") {
		t.Errorf("a row that fails: %+v", v)
	}
	if v := got.Verdicts[1]; v.Message != "house30" {
		t.Errorf("the row after it: %+v", v)
	}
	r = overdue(row("flat", 1))
	r.Payload.Severity, r.Payload.Code = constant(3), slot(1)
	if got, f = Evaluate(r); f != nil {
		t.Fatal(f)
	}
	if v := got.Verdicts[0]; v.Severity != abi.SeverityError || v.Code != "" || !strings.Contains(v.Message, "severity:") || !strings.Contains(v.Message, "code:") {
		t.Errorf("parts of the wrong kind: %+v", v)
	}
	r.Constants[0] = abi.SymbolValue("m::Colour::Red")
	r.Payload.Severity, r.Payload.Code = constant(0), constant(3)
	if got, f = Evaluate(r); f != nil || got.Verdicts[0].Severity != abi.SeverityError || !strings.Contains(got.Verdicts[0].Message, "m::Colour::Red") {
		t.Errorf("a severity that is none: %+v, failure %v", got, f)
	}
}

func TestPayloadsMayBindSlots(t *testing.T) {
	r := overdue(row("flat", 4))
	r.Payload.Message = abi.Expr{Op: abi.ExprLet, Index: 2, Args: []abi.Expr{slot(0), text(slot(2))}}
	if got, f := Evaluate(r); f != nil || got.Verdicts[0].Message != "flat" {
		t.Errorf("%+v, failure %v", got, f)
	}
}

func TestRequestsThatDoNotFitAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*abi.EvaluateRequest){
		"columns":  func(r *abi.EvaluateRequest) { r.Columns = r.Columns[:1] },
		"constant": func(r *abi.EvaluateRequest) { r.Payload.Code = constant(99) },
		"function": func(r *abi.EvaluateRequest) {
			r.Payload.Message = abi.Expr{Op: abi.ExprCall, Index: 4}
		},
		"dictionary": func(r *abi.EvaluateRequest) { r.Frame.Dict = nil },
		"short column": func(r *abi.EvaluateRequest) {
			r.Frame.Columns[1] = nil
		},
		"reading": func(r *abi.EvaluateRequest) {
			r.Payload.Message = text(abi.Expr{Op: abi.ExprRead, Index: 0, Args: []abi.Expr{slot(0)}})
		},
	} {
		r := overdue(row("flat", 4))
		spoil(r)
		if _, f := Evaluate(r); f == nil || f.Code != abi.FailureRequest {
			t.Errorf("%s: %v", name, f)
		}
	}
}

func TestLimitsEndTheCall(t *testing.T) {
	r := overdue(row("flat", 4))
	r.Functions[0].Body = abi.Expr{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{slot(0)}}
	r.Payload.Message = text(abi.Expr{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{slot(1)}})
	r.Call.Limits.Calls = 100
	if _, f := Evaluate(r); f == nil || f.Code != abi.FailureLimit || f.Limit.Allowed != 100 {
		t.Errorf("failure %v", f)
	}
}
