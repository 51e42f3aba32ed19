package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func TestCallsBeforeLoadAndASecondLoadAreRefused(t *testing.T) {
	e := New()
	if _, f := e.Derive(&abi.DeriveRequest{}); f == nil || f.Code != abi.FailureState {
		t.Errorf("derive before load: %v", f)
	}
	p, _, _ := closureProgram()
	if _, f := e.Load(&abi.LoadRequest{Program: p}); f != nil {
		t.Fatal(f)
	}
	if _, f := e.Load(&abi.LoadRequest{Program: p}); f == nil || f.Code != abi.FailureState {
		t.Errorf("second load: %v", f)
	}
}

func TestRequestsThatDoNotFitTheProgramAreRefused(t *testing.T) {
	p, edge, path := closureProgram()
	one := abi.IntValue(1)
	bad := abi.Frame{Rows: 1, Columns: [][]abi.Term{{abi.TagTable | 5}, {abi.TagInt}}}
	ragged := abi.Frame{Rows: 2, Columns: [][]abi.Term{{abi.TagInt}, {abi.TagInt}}}
	for name, call := range map[string]func(e *Engine) *abi.Failure{
		"assert to a derived relation": func(e *Engine) *abi.Failure {
			_, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: path, Frame: intFrame([]int64{1, 2})}}})
			return f
		},
		"assert out of range": func(e *Engine) *abi.Failure {
			_, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: 9}}})
			return f
		},
		"assert of another arity": func(e *Engine) *abi.Failure {
			_, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: intFrame([]int64{1})}}})
			return f
		},
		"a term that is not in the dictionary": func(e *Engine) *abi.Failure {
			_, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: bad}}})
			return f
		},
		"columns of other lengths": func(e *Engine) *abi.Failure {
			_, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: ragged}}})
			return f
		},
		"derive out of range": func(e *Engine) *abi.Failure {
			_, f := e.Derive(&abi.DeriveRequest{Relation: -1})
			return f
		},
		"a page after a row of another arity": func(e *Engine) *abi.Failure {
			_, f := e.Derive(&abi.DeriveRequest{Relation: path, Page: abi.Page{After: []abi.Value{one}}})
			return f
		},
		"query out of range": func(e *Engine) *abi.Failure {
			_, f := e.Query(&abi.QueryRequest{})
			return f
		},
		"explain of another arity": func(e *Engine) *abi.Failure {
			_, f := e.Explain(&abi.ExplainRequest{Relation: path, Tuple: []abi.Value{one}})
			return f
		},
		"a path that the proof does not have": func(e *Engine) *abi.Failure {
			_, f := e.Explain(&abi.ExplainRequest{Relation: path, Tuple: []abi.Value{one, abi.IntValue(2)}, Path: []uint32{7}})
			return f
		},
		"an alternative that is not there": func(e *Engine) *abi.Failure {
			_, f := e.Explain(&abi.ExplainRequest{Relation: path, Tuple: []abi.Value{one, abi.IntValue(2)}, Alternative: 3})
			return f
		},
		"compute out of range": func(e *Engine) *abi.Failure {
			_, f := e.Compute(&abi.ComputeRequest{Function: 4})
			return f
		},
		"mutate out of range": func(e *Engine) *abi.Failure {
			_, f := e.Mutate(&abi.MutateRequest{Mutation: 4})
			return f
		},
		"check out of range": func(e *Engine) *abi.Failure {
			_, f := e.Checks(&abi.ChecksRequest{Check: 3})
			return f
		},
		"an extension that refers to nothing": func(e *Engine) *abi.Failure {
			_, f := e.Query(&abi.QueryRequest{Extension: &abi.Extension{Queries: []abi.Query{{Body: []abi.Atom{scan(77, 0)}, Truth: -1}}}})
			return f
		},
		"an expression over slots that are not there": func(e *Engine) *abi.Failure {
			x := slotExpr(5)
			_, f := e.Compute(&abi.ComputeRequest{Expr: &x})
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := load(t, p)
			assertInts(t, e, edge, []int64{1, 2})
			if f := call(e); f == nil || f.Code != abi.FailureRequest {
				t.Errorf("%v, want %s", f, abi.FailureRequest)
			}
		})
	}
}

func TestAKeyedRelationKeepsOneTupleAKey(t *testing.T) {
	b := newBuilder()
	age, old := b.base("age", 2, 0), b.derived("old", 1)
	limit := b.constant(abi.IntValue(60))
	b.component(false, []int{old}, b.rule(old, slots(0), 2, scan(age, 0, 1),
		abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpGt, Args: []abi.Arg{{Op: abi.ArgSlot, Index: 1}, {Op: abi.ArgConst, Index: limit}}}))
	e := load(t, b.p)
	extent := func(rel int) string {
		rows, f := e.Derive(&abi.DeriveRequest{Relation: rel})
		if f != nil {
			t.Fatal(f)
		}
		return fmt.Sprint(frameInts(&rows.Frame))
	}
	assertInts(t, e, age, []int64{1, 50}, []int64{2, 70}, []int64{1, 65}, []int64{2, 70})
	if got := extent(age); got != "[[1 65] [2 70]]" {
		t.Errorf("ages %s", got)
	}
	if got := extent(old); got != "[[1] [2]]" {
		t.Errorf("old %s", got)
	}
	assertInts(t, e, age, []int64{1, 50}) // a row that was there before, and was replaced
	if got := extent(old); got != "[[2]]" {
		t.Errorf("old after the change: %s", got)
	}
	r, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: age, Remove: true, Frame: intFrame([]int64{2, 70}, []int64{1, 99})}}})
	if f != nil || r.Removed != 1 {
		t.Fatalf("removed %+v, %v", r, f)
	}
	if got := extent(age); got != "[[1 50]]" {
		t.Errorf("ages after the removal: %s", got)
	}
}

func TestAnExtensionBringsRulesOfItsOwn(t *testing.T) {
	p, edge, path := closureProgram()
	e := load(t, p)
	assertInts(t, e, edge, []int64{1, 2}, []int64{2, 3}, []int64{3, 1}, []int64{4, 1})
	loops := len(p.Relations)
	x := &abi.Extension{
		Relations:  []abi.Relation{{Name: "loops", Role: abi.Derived, Origin: abi.OriginAux, Columns: make([]abi.Column, 1), Asserted: -1, Refuted: -1}},
		Rules:      []abi.Rule{{Name: "loops", Head: loops, Args: slots(0), Slots: make([]abi.Slot, 1), Body: []abi.Atom{scan(path, 0, 0)}}},
		Components: []abi.Component{{Relations: []int{loops}, Rules: []int{len(p.Rules)}, Stratum: 1}},
		Queries:    []abi.Query{{Name: "q", Slots: make([]abi.Slot, 1), Body: []abi.Atom{scan(loops, 0)}, Out: slots(0), Columns: make([]abi.Column, 1), Truth: -1}},
	}
	rows, f := e.Query(&abi.QueryRequest{Extension: x})
	if f != nil || fmt.Sprint(frameInts(&rows.Frame)) != "[[1] [2] [3]]" {
		t.Fatalf("%+v, %v", rows, f)
	}
}

func TestComputeReadsTheState(t *testing.T) {
	b := newBuilder()
	one := b.constant(abi.IntValue(1))
	a, twice := b.base("a", 1), b.derived("twice", 1)
	double := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotExpr(0), slotExpr(0)}}
	b.component(false, []int{twice}, b.rule(twice, slots(1), 2, scan(a, 0), abi.Atom{Op: abi.AtomLet, Slot: 1, Expr: &double}))
	// fn f(x) = if twice(x) then 1 + count of a(_) else x
	count := abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubCount, Body: []abi.Atom{scan(a, 1)}, Over: []int{1}}}
	body := abi.Expr{Op: abi.ExprIf, Args: []abi.Expr{
		{Op: abi.ExprHolds, Index: twice, Args: []abi.Expr{slotExpr(0)}},
		{Op: abi.ExprAdd, Args: []abi.Expr{constant(one), count}},
		slotExpr(0),
	}}
	b.p.Functions = []abi.Function{{Name: "f", Params: make([]abi.Param, 1), Slots: make([]abi.Slot, 2), Body: body}}
	e := load(t, b.p)
	assertInts(t, e, a, []int64{2}, []int64{5})
	for arg, want := range map[int64]int64{4: 3, 10: 3, 5: 5} {
		r, f := e.Compute(&abi.ComputeRequest{Function: 0, Args: []abi.Value{abi.IntValue(arg)}})
		if f != nil || r.Value.Int != want {
			t.Errorf("f(%d) = %+v, %v, want %d", arg, r, f, want)
		}
	}
	four := abi.IntValue(4)
	expr := abi.Expr{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{slotExpr(0)}}
	r, f := e.Compute(&abi.ComputeRequest{Expr: &expr, Slots: []*abi.Value{&four}})
	if f != nil || r.Value.Int != 3 {
		t.Errorf("expression: %+v, %v", r, f)
	}
}

func TestARecursiveFunctionOverSubqueriesIsStopped(t *testing.T) {
	b := newBuilder()
	a := b.base("a", 1)
	// fn f(x) = count { a(y), f(y) == f(y) }: it calls itself from inside a body.
	self := abi.Expr{Op: abi.ExprEq, Args: []abi.Expr{
		{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{slotExpr(1)}},
		{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{slotExpr(1)}},
	}}
	body := abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubCount, Over: []int{1},
		Body: []abi.Atom{scan(a, 1), {Op: abi.AtomFilter, Expr: &self}}}}
	b.p.Functions = []abi.Function{{Name: "f", Params: make([]abi.Param, 1), Slots: make([]abi.Slot, 2), Body: body}}
	e := load(t, b.p)
	assertInts(t, e, a, []int64{1})
	if r, f := e.Compute(&abi.ComputeRequest{Function: 0, Args: []abi.Value{abi.IntValue(1)}}); f == nil || f.Code != abi.FailureLimit {
		t.Errorf("%+v, %v, want a limit", r, f)
	}
}
