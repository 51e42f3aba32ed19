package eval

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// busy is a state whose answers cost evaluation on the same machine, as those
// of an engine that brings rules up to date on demand.
type busy struct {
	solver
	m *Machine
}

func (b busy) Read(rel int, key []abi.Term) (abi.Term, bool, *abi.Failure) {
	x, f := b.m.Call(rel, []abi.Term{b.m.table.Int(3000)})
	return x, true, f
}

func TestStateMayEvaluateOnTheSameMachine(t *testing.T) {
	s := &source{}
	functions := []abi.Function{sumTo(s)}
	// f(a) = [a, read 0(), a, for x in [10, 20]: x + read 0()]
	read := op(abi.ExprRead)
	functions = append(functions, abi.Function{
		Name: "f", Params: make([]abi.Param, 1), Slots: make([]abi.Slot, 3),
		Body: op(abi.ExprList, slot(0), read, slot(0),
			abi.Expr{Op: abi.ExprFor, Index: 1, Args: []abi.Expr{s.ints(10, 20), op(abi.ExprAdd, read, slot(1))}}),
	})
	caller := op(abi.ExprList, s.int(7), abi.Expr{Op: abi.ExprCall, Index: 1, Args: []abi.Expr{s.int(5)}}, s.int(8))
	table := term.New()
	m := New(table)
	m.Reader = busy{solver{table}, m}
	if f := m.Load(s.constants, functions, nil); f != nil {
		t.Fatal(f)
	}
	c, f := m.Compile(&caller, 0)
	if f != nil {
		t.Fatal(f)
	}
	x, f := m.EvalStrict(c, nil)
	if f != nil {
		t.Fatal(f)
	}
	got, _ := table.AppendText(nil, x)
	if want := "[7, [5, 4501500, 5, [4501510, 4501520]], 8]"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRecursionThroughBodiesIsALimit(t *testing.T) {
	s := &source{}
	again := abi.Expr{Op: abi.ExprCall, Index: 0, Args: []abi.Expr{slot(0)}}
	fn := abi.Function{
		Name: "f", Params: make([]abi.Param, 1), Slots: make([]abi.Slot, 4),
		Body: abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubSet, Out: &again}},
	}
	table := term.New()
	m := New(table)
	m.Reader = solver{table}
	if f := m.Load(s.constants, []abi.Function{fn}, nil); f != nil {
		t.Fatal(f)
	}
	for range 2 { // the second time from the same state
		if _, f := m.Call(0, []abi.Term{abi.True}); f == nil || f.Code != abi.FailureLimit || f.Limit.Limit != abi.LimitCalls {
			t.Fatalf("failure %v", f)
		}
		if m.nest != 0 || m.depth != 0 || m.sp != 0 || len(m.regs) != 0 || len(m.frames) != 0 {
			t.Fatal("the stacks are not as before")
		}
	}
}
