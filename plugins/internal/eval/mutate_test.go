package eval

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// ledger is a State that keeps tuples in order and a line for each write. Of
// relations below 10 the last column is the value of the others.
type ledger struct {
	table  *term.Table
	tuples [][]abi.Term // relation, then the columns
	log    []string
}

func (l *ledger) Read(rel int, key []abi.Term) (abi.Term, bool, *abi.Failure) {
	for _, x := range l.tuples {
		if int(x[0]) == rel && slices.Equal(x[1:len(x)-1], key) {
			return x[len(x)-1], true, nil
		}
	}
	return 0, false, nil
}

func (l *ledger) ReadAll(rel int, key []abi.Term) ([]abi.Term, *abi.Failure) {
	var values []abi.Term
	for _, x := range l.tuples {
		if int(x[0]) == rel && slices.Equal(x[1:len(x)-1], key) {
			values = append(values, x[len(x)-1])
		}
	}
	return values, nil
}

func (l *ledger) Holds(rel int, tuple []abi.Term) (bool, *abi.Failure) {
	return slices.ContainsFunc(l.tuples, func(x []abi.Term) bool {
		return int(x[0]) == rel && slices.Equal(x[1:], tuple)
	}), nil
}

// Solve takes a body of one scan with fresh slots.
func (l *ledger) Solve(sub *abi.Sub, slots []abi.Term, each func([]abi.Term) bool) *abi.Failure {
	atom := &sub.Body[0]
	for _, x := range slices.Clone(l.tuples) {
		if int(x[0]) != atom.Rel {
			continue
		}
		for i, arg := range atom.Args {
			slots[arg.Index] = x[i+1]
		}
		more := each(slots)
		for _, arg := range atom.Args {
			slots[arg.Index] = term.Unbound
		}
		if !more {
			break
		}
	}
	return nil
}

func (l *ledger) show(verb string, rel int, tuple []abi.Term, at abi.Term) {
	var b []byte
	b = fmt.Appendf(b, "%s %d(", verb, rel)
	for i, x := range tuple {
		if i > 0 {
			b = append(b, ", "...)
		}
		b, _ = l.table.AppendText(b, x)
	}
	b = append(b, ')')
	if at != term.Unbound {
		b, _ = l.table.AppendText(append(b, " at "...), at)
	}
	l.log = append(l.log, string(b))
}

func (l *ledger) Assert(rel int, tuple []abi.Term, at abi.Term) *abi.Failure {
	l.show("assert", rel, tuple, at)
	l.tuples = append(l.tuples, append([]abi.Term{abi.Term(rel)}, tuple...))
	return nil
}

func (l *ledger) Retract(rel int, tuple []abi.Term, wild []bool, at abi.Term) *abi.Failure {
	l.show(fmt.Sprint("retract ", wild), rel, tuple, at)
	l.tuples = slices.DeleteFunc(l.tuples, func(x []abi.Term) bool {
		for i := range tuple {
			if !wild[i] && x[i+1] != tuple[i] {
				return false
			}
		}
		return int(x[0]) == rel
	})
	return nil
}

func (l *ledger) Set(rel int, key []abi.Term, value, at abi.Term) *abi.Failure {
	l.show("set", rel, append(slices.Clone(key), value), at)
	l.tuples = slices.DeleteFunc(l.tuples, func(x []abi.Term) bool {
		return int(x[0]) == rel && slices.Equal(x[1:len(x)-1], key)
	})
	l.tuples = append(l.tuples, slices.Concat([]abi.Term{abi.Term(rel)}, key, []abi.Term{value}))
	return nil
}

func (l *ledger) Default(rel int, key []abi.Term, value, at abi.Term) *abi.Failure {
	l.show("default", rel, append(slices.Clone(key), value), at)
	return nil
}

type mutations struct {
	source
	list []abi.Mutation
	// machine and state of the last run
	machine *Machine
	state   *ledger
}

func (m *mutations) run(t *testing.T, index int, args ...abi.Value) (Outcome, *abi.Failure) {
	t.Helper()
	table := term.New()
	m.machine, m.state = New(table), &ledger{table: table}
	m.machine.Begin(&abi.Call{Now: abi.Value{Kind: abi.KindInstant, Int: 1_700_000_000, Nano: 123_000_000}, Seed: [32]byte{7}})
	if f := m.machine.Load(m.constants, nil, m.list); f != nil {
		t.Fatal(f)
	}
	terms := make([]abi.Term, len(args))
	for i := range args {
		terms[i] = table.Intern(args[i])
	}
	out, f := m.machine.Mutate(index, terms, nil, m.state)
	if len(m.machine.frames) != 0 || m.machine.sp != 0 || len(m.machine.iters) != 0 || m.machine.writer != nil {
		t.Errorf("the machine is not as before")
	}
	return out, f
}

func body(slots int, stmts ...abi.Stmt) abi.Mutation {
	return abi.Mutation{Name: "m::do", Slots: make([]abi.Slot, slots), Body: stmts}
}

func let(slot int, e abi.Expr) abi.Stmt {
	return abi.Stmt{Op: abi.StmtLet, Slot: slot, Exprs: []abi.Expr{e}}
}

func write(o abi.StmtOp, rel int, args ...abi.Expr) abi.Stmt {
	return abi.Stmt{Op: o, Rel: rel, Exprs: args}
}

func TestStatements(t *testing.T) {
	m := &mutations{}
	ann, bob := m.val(abi.NamedValue("m::ann")), m.val(abi.NamedValue("m::bob"))
	date := m.val(abi.DayValue(22464))
	read := func(rel int, key ...abi.Expr) abi.Expr { return abi.Expr{Op: abi.ExprRead, Index: rel, Args: key} }
	scan := func(o abi.SubOp, fold abi.FoldOp, out *abi.Expr) abi.Expr {
		return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: o, Fold: fold, Out: out, Body: []abi.Atom{{
			Op: abi.AtomScan, Rel: 1, Args: []abi.Arg{{Op: abi.ArgSlot, Index: 4}, {Op: abi.ArgSlot, Index: 5}},
		}}}}
	}
	value, double := slot(5), op(abi.ExprMul, slot(5), m.int(2))
	add := func(op abi.AssignOp, s abi.Stmt) abi.Stmt { s.Assign = op; return s }
	result := func(e abi.Expr) abi.Stmt { return abi.Stmt{Op: abi.StmtReturn, Exprs: []abi.Expr{e}} }
	two := []abi.Stmt{write(abi.StmtSet, 1, ann, m.int(3)), write(abi.StmtSet, 1, bob, m.int(5))}

	for _, c := range []struct {
		name   string
		body   abi.Mutation
		log    string
		result string // text, or "" for none
	}{
		{"assert", body(1, write(abi.StmtAssert, 2, ann, bob)), "assert 2(ann, bob)", ""},
		{"assert at", body(1, abi.Stmt{Op: abi.StmtAssert, Rel: 2, Exprs: []abi.Expr{ann}, At: &date}), "assert 2(ann) at 2031-07-04", ""},
		{"retract", body(1, abi.Stmt{Op: abi.StmtRetract, Rel: 2, Exprs: []abi.Expr{ann, m.none()}, Wild: []bool{false, true}}), "retract [false true] 2(ann, none)", ""},
		{"retract leaves wild operands alone", body(1, abi.Stmt{Op: abi.StmtRetract, Rel: 2, Exprs: []abi.Expr{ann, slot(0)}, Wild: []bool{false, true}}), "retract [false true] 2(ann, none)", ""},
		{"set", body(1, write(abi.StmtSet, 1, ann, m.int(3))), "set 1(ann, 3)", ""},
		{"set of a pair", body(1, write(abi.StmtSet, 1, ann, bob, m.int(3))), "set 1(ann, bob, 3)", ""},
		{"set to none", body(1, write(abi.StmtSet, 1, ann, m.none())), "retract [false true] 1(ann, none)", ""},
		{"add to a field", body(1, two[0], add(abi.AssignAdd, write(abi.StmtSet, 1, ann, m.int(4)))), "set 1(ann, 3); set 1(ann, 7)", ""},
		{"a default", body(1, add(abi.AssignDefault, write(abi.StmtSet, 1, ann, m.int(4)))), "default 1(ann, 4)", ""},
		{"an absent default", body(1, add(abi.AssignDefault, write(abi.StmtSet, 1, ann, m.none()))), "", ""},
		{"subtract from a field at", body(1, two[0], func() abi.Stmt {
			s := add(abi.AssignSub, write(abi.StmtSet, 1, ann, m.int(4)))
			s.At = &date
			return s
		}()), "set 1(ann, 3); set 1(ann, -1) at 2031-07-04", ""},
		{"let and return", body(2, let(1, m.int(4)), result(op(abi.ExprAdd, slot(1), m.int(1)))), "", "5"},
		{"return stops", body(1, result(m.int(1)), write(abi.StmtAssert, 2, ann)), "", "1"},
		{"return of nothing", body(1, abi.Stmt{Op: abi.StmtReturn}, write(abi.StmtAssert, 2, ann)), "", ""},
		{"require", body(1, abi.Stmt{Op: abi.StmtRequire, Exprs: []abi.Expr{m.bool(true)}}, write(abi.StmtAssert, 2, ann)), "assert 2(ann)", ""},
		{"if", body(1, abi.Stmt{Op: abi.StmtIf, Exprs: []abi.Expr{m.bool(true)}, Body: two[:1], Else: two[1:]}), "set 1(ann, 3)", ""},
		{"else", body(1, abi.Stmt{Op: abi.StmtIf, Exprs: []abi.Expr{m.bool(false)}, Body: two[:1], Else: two[1:]}), "set 1(bob, 5)", ""},
		{"for", body(2, abi.Stmt{Op: abi.StmtFor, Slot: 1, Exprs: []abi.Expr{m.ints(1, 2)}, Body: []abi.Stmt{write(abi.StmtAssert, 2, slot(1))}}), "assert 2(1); assert 2(2)", ""},
		{"return from for", body(2, abi.Stmt{Op: abi.StmtFor, Slot: 1, Exprs: []abi.Expr{m.ints(1, 2)}, Body: []abi.Stmt{result(slot(1))}}), "", "1"},
		{"expression", body(1, abi.Stmt{Op: abi.StmtExpr, Exprs: []abi.Expr{m.int(1)}}), "", ""},
		{"reads see writes", body(1, two[0], result(op(abi.ExprAdd, read(1, ann), m.int(1)))), "set 1(ann, 3)", "4"},
		{"absent field or", body(1, result(abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinUnwrapOr, Args: []abi.Expr{read(1, ann), m.int(9)}})), "", "9"},
		{"absent field is none", body(1, result(call(abi.BuiltinIsSome, read(1, ann)))), "", "false"},
		{"absent field in match", body(1, result(abi.Expr{Op: abi.ExprMatch, Args: []abi.Expr{read(1, ann)}, Arms: []abi.Arm{{Pattern: abi.Pattern{Op: abi.PatNone}, Body: m.int(8)}}})), "", "8"},
		{"read all", body(1, write(abi.StmtAssert, 2, ann, m.int(2)), write(abi.StmtAssert, 2, ann, m.int(1)), result(abi.Expr{Op: abi.ExprReadAll, Index: 2, Args: []abi.Expr{ann}})), "assert 2(ann, 2); assert 2(ann, 1)", "{1, 2}"},
		{"holds", body(1, two[0], result(op(abi.ExprEq, abi.Expr{Op: abi.ExprHolds, Index: 1, Args: []abi.Expr{ann, m.int(3)}}, m.bool(true)))), "set 1(ann, 3)", "true"},
		{"exists", body(6, two[0], two[1], result(scan(abi.SubExists, 0, nil))), "set 1(ann, 3); set 1(bob, 5)", "true"},
		{"count", body(6, two[0], two[1], result(scan(abi.SubCount, 0, nil))), "set 1(ann, 3); set 1(bob, 5)", "2"},
		{"set of solutions", body(6, two[0], two[1], result(scan(abi.SubSet, 0, &double))), "set 1(ann, 3); set 1(bob, 5)", "{6, 10}"},
		{"list of solutions", body(6, two[1], two[0], result(scan(abi.SubList, 0, &value))), "set 1(bob, 5); set 1(ann, 3)", "[3, 5]"},
		{"only solution", body(6, two[0], result(scan(abi.SubOne, 0, &value))), "set 1(ann, 3)", "3"},
		{"sum of solutions", body(6, two[0], two[1], result(scan(abi.SubFold, abi.FoldSum, &double))), "set 1(ann, 3); set 1(bob, 5)", "16"},
		{"count of solutions", body(6, two[0], two[1], result(scan(abi.SubFold, abi.FoldCount, nil))), "set 1(ann, 3); set 1(bob, 5)", "2"},
		{"writes over solutions", body(6, two[0], two[1],
			abi.Stmt{Op: abi.StmtFor, Slot: 1, Exprs: []abi.Expr{scan(abi.SubSet, 0, &value)}, Body: []abi.Stmt{write(abi.StmtAssert, 2, slot(1))}}),
			"set 1(ann, 3); set 1(bob, 5); assert 2(3); assert 2(5)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m.list = []abi.Mutation{c.body}
			out, f := m.run(t, 0)
			if f != nil {
				t.Fatal(f)
			}
			got := ""
			if out.Result != term.Unbound {
				b, _ := m.state.table.AppendText(nil, out.Result)
				got = string(b)
			}
			if log := strings.Join(m.state.log, "; "); log != c.log || got != c.result {
				t.Errorf("writes %q, result %q; want %q, %q", log, got, c.log, c.result)
			}
		})
	}
}

func TestMutationsThatFail(t *testing.T) {
	m := &mutations{}
	ann := m.val(abi.NamedValue("m::ann"))
	where := abi.Span{Start: 5, End: 9}
	two := []abi.Stmt{write(abi.StmtAssert, 1, ann, m.int(3)), write(abi.StmtAssert, 1, ann, m.int(5))}
	value := slot(2)
	one := abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubOne, Out: &value, Body: []abi.Atom{{
		Op: abi.AtomScan, Rel: 1, Args: []abi.Arg{{Op: abi.ArgSlot, Index: 1}, {Op: abi.ArgSlot, Index: 2}},
	}}}}
	bad := m.divideByZero()
	bad.Span = where
	failing := abi.Expr{Op: abi.ExprSub_, Span: abi.Span{Start: 1, End: 2}, Sub: &abi.Sub{Op: abi.SubSet, Out: &bad, Body: one.Sub.Body}}
	at := func(s abi.Stmt) abi.Stmt { s.Span = where; return s }
	ret := func(e abi.Expr) abi.Stmt { return abi.Stmt{Op: abi.StmtReturn, Exprs: []abi.Expr{e}} }
	one.Span = where
	deep := abi.NoneValue()
	for range abi.MaxValueDepth + 1 {
		deep = abi.Value{Kind: abi.KindList, Items: []abi.Value{deep}}
	}
	for _, c := range []struct {
		name, code, message string
		body                abi.Mutation
	}{
		{"require", abi.FailureRequire, "require x > 1 is false", body(1, at(abi.Stmt{Op: abi.StmtRequire, Text: "x > 1", Exprs: []abi.Expr{m.bool(false)}}))},
		{"require of a number", abi.FailureEval, term.WrongKind.String(), body(1, at(abi.Stmt{Op: abi.StmtRequire, Exprs: []abi.Expr{m.int(1)}}))},
		{"add to a field without value", abi.FailureEval, term.Absent.String(), body(1, at(abi.Stmt{Op: abi.StmtSet, Rel: 1, Assign: abi.AssignAdd, Exprs: []abi.Expr{ann, m.int(1)}}))},
		{"add of a string", abi.FailureEval, term.WrongKind.String(), body(1, two[0], at(abi.Stmt{Op: abi.StmtSet, Rel: 1, Assign: abi.AssignAdd, Exprs: []abi.Expr{ann, m.str("x")}}))},
		{"absent field", abi.FailureEval, term.Absent.String(), body(1, ret(abi.Expr{Op: abi.ExprRead, Index: 1, Args: []abi.Expr{ann}, Span: where}))},
		{"no only solution", abi.FailureEval, term.Absent.String(), body(3, ret(one))},
		{"several solutions", abi.FailureEval, term.Several.String(), body(3, two[0], two[1], ret(one))},
		{"failing result of a solution", abi.FailureEval, term.DivideByZero.String(), body(3, two[0], ret(failing))},
		{"time that is none", abi.FailureEval, term.WrongKind.String(), body(1, func() abi.Stmt {
			s := at(write(abi.StmtAssert, 1, ann))
			n := m.int(1)
			s.At = &n
			return s
		}())},
		{"value that is nested too deeply", abi.FailureEval, "at most 64 levels", body(1, at(write(abi.StmtAssert, 1, m.val(deep))))},
		{"for over a number", abi.FailureEval, term.WrongKind.String(), body(2, at(abi.Stmt{Op: abi.StmtFor, Slot: 1, Exprs: []abi.Expr{m.int(1)}}))},
	} {
		m.list = []abi.Mutation{c.body}
		_, f := m.run(t, 0)
		if f == nil || f.Code != c.code || !strings.Contains(f.Message, c.message) || f.Span != where {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestNewIndividuals(t *testing.T) {
	m := &mutations{}
	m.list = []abi.Mutation{body(2,
		abi.Stmt{Op: abi.StmtNew, Slot: 0, Type: "m::Ship", Rels: []int{10, 11}, Fields: []abi.FieldInit{
			{Relation: 1, Value: m.str("Ada")},
			{Relation: 2, Value: m.none()},
			{Relation: 3, Value: m.ints(2, 1), Each: true},
			{Relation: 4, Value: slot(0)},
		}},
		abi.Stmt{Op: abi.StmtNew, Slot: 1, Type: "m::Crew", Rels: []int{12}},
		abi.Stmt{Op: abi.StmtReturn, Exprs: []abi.Expr{slot(0)}},
	)}
	out, f := m.run(t, 0)
	if f != nil {
		t.Fatal(f)
	}
	ship, _ := m.state.table.AppendText(nil, out.Result)
	crew, _ := m.state.table.AppendText(nil, out.Slots[1])
	want := fmt.Sprintf("assert 10(%[1]s); assert 11(%[1]s); set 1(%[1]s, Ada); assert 3(%[1]s, 2); assert 3(%[1]s, 1); set 4(%[1]s, %[1]s); assert 12(%[2]s)", ship, crew)
	if got := strings.Join(m.state.log, "; "); got != want {
		t.Errorf("writes %s\nwant   %s", got, want)
	}
	if len(out.Minted) != 2 || out.Minted[0] != (Minted{out.Result, "m::Ship"}) || out.Minted[1].Concept != "m::Crew" {
		t.Errorf("minted %v", out.Minted)
	}
	id := m.state.table.Value(out.Result).ID
	stamp := hex.EncodeToString(id[:6])
	if want := fmt.Sprintf("%012x", 1_700_000_000_123); stamp != want || id[6]>>4 != 7 || id[8]>>6 != 2 {
		t.Errorf("id %x: time %s, want %s; version %d, variant %d", id, stamp, want, id[6]>>4, id[8]>>6)
	}
	again, f := m.run(t, 0)
	if f != nil || m.state.table.Value(again.Result).ID != id || m.state.table.Value(again.Slots[1]).ID == id {
		t.Errorf("an equal call made other ids, or one id twice")
	}
}

func TestMutationsCallMutations(t *testing.T) {
	m := &mutations{}
	n := abi.Param{Name: "n"}
	// count(n): if n > 0 { assert 2(n); x = count(n - 1) } return n
	m.list = []abi.Mutation{{
		Name: "count", Params: []abi.Param{n}, Slots: make([]abi.Slot, 2),
		Body: []abi.Stmt{
			{Op: abi.StmtIf, Exprs: []abi.Expr{op(abi.ExprGt, slot(0), m.int(0))}, Body: []abi.Stmt{
				write(abi.StmtAssert, 2, slot(0)),
				{Op: abi.StmtCall, Slot: 1, Index: 0, Exprs: []abi.Expr{op(abi.ExprSub, slot(0), m.int(1))}},
				{Op: abi.StmtCall, Slot: -1, Index: 1},
				write(abi.StmtAssert, 3, slot(1)),
			}},
			{Op: abi.StmtReturn, Exprs: []abi.Expr{slot(0)}},
		},
	}, body(1)}
	out, f := m.run(t, 0, abi.IntValue(2))
	if f != nil || out.Result != m.state.table.Int(2) {
		t.Fatalf("%+v, failure %v", out, f)
	}
	if got, want := strings.Join(m.state.log, "; "), "assert 2(2); assert 2(1); assert 3(0); assert 3(1)"; got != want {
		t.Errorf("writes %s, want %s", got, want)
	}
	if _, f = m.run(t, 0, abi.IntValue(DefaultCalls+1)); f == nil || f.Code != abi.FailureLimit || f.Limit.Limit != abi.LimitCalls {
		t.Errorf("failure %v", f)
	}
	if _, f = m.run(t, 0); f == nil || f.Code != abi.FailureRequest {
		t.Errorf("a call without its argument: %v", f)
	}
	if _, f = m.run(t, 7); f == nil || f.Code != abi.FailureRequest {
		t.Errorf("an unknown mutation: %v", f)
	}
}

func TestStepsShareSlots(t *testing.T) {
	m := &mutations{}
	m.list = []abi.Mutation{body(3, let(2, op(abi.ExprAdd, slot(1), m.int(1))))}
	if _, f := m.run(t, 0); f == nil || f.Code != abi.FailureEval {
		t.Fatalf("a slot without a value: %v", f)
	}
	table := m.state.table
	out, f := m.machine.Mutate(0, nil, []abi.Term{term.Unbound, table.Int(4), term.Unbound}, m.state)
	if f != nil || !slices.Equal(out.Slots, []abi.Term{term.Unbound, table.Int(4), table.Int(5)}) {
		t.Errorf("slots %#x, failure %v", out.Slots, f)
	}
	if _, f := m.machine.Mutate(0, nil, []abi.Term{1}, m.state); f == nil || f.Code != abi.FailureRequest {
		t.Errorf("too few slots: %v", f)
	}
}

func TestMalformedStatementsAreRefused(t *testing.T) {
	m := &mutations{}
	one := m.int(1)
	for name, s := range map[string]abi.Stmt{
		"slot":      let(9, one),
		"operands":  {Op: abi.StmtLet},
		"set":       write(abi.StmtSet, 1, one),
		"statement": {Op: abi.StmtOp(99)},
		"assign":    {Op: abi.StmtSet, Assign: 9, Exprs: []abi.Expr{one, one}},
		"mutation":  {Op: abi.StmtCall, Index: 5},
		"new":       {Op: abi.StmtNew, Slot: -1},
	} {
		machine := New(term.New())
		if f := machine.Load(m.constants, nil, []abi.Mutation{body(1, s)}); f == nil || f.Code != abi.FailureRequest {
			t.Errorf("%s: %v", name, f)
		}
	}
}
