package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// counterProgram has a component that never ends, one that reads it, and one
// that does not; checks over the last two.
func counterProgram() (p abi.Program, seed, counter, reads, apart int) {
	b := newBuilder()
	one := b.constant(abi.IntValue(1))
	seed = b.base("seed", 1)
	counter, reads, apart = b.derived("counter", 1), b.derived("reads", 1), b.derived("apart", 1)
	next := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotExpr(0), constant(one)}}
	r0 := b.rule(counter, slots(0), 1, scan(seed, 0))
	r1 := b.rule(counter, slots(1), 2, scan(counter, 0), abi.Atom{Op: abi.AtomLet, Slot: 1, Expr: &next})
	r2 := b.rule(reads, slots(0), 1, scan(counter, 0))
	r3 := b.rule(apart, slots(0), 1, scan(seed, 0))
	b.component(true, []int{counter}, r0, r1)
	b.component(false, []int{reads}, r2)
	b.component(false, []int{apart}, r3)
	b.p.Checks = []abi.Check{{Name: "on reads", Relation: reads, Rule: r2}, {Name: "on apart", Relation: apart, Rule: r3}}
	b.p.Mutations = []abi.Mutation{{Name: "m", Body: []abi.Stmt{{Op: abi.StmtAssert, Rel: seed, Exprs: []abi.Expr{constant(one)}}}}}
	return b.p, seed, counter, reads, apart
}

func TestARuleThatNeverEndsIsStoppedByALimit(t *testing.T) {
	for _, c := range []struct {
		limits abi.Limits
		name   string
		used   uint64
	}{
		{abi.Limits{Rounds: 50}, abi.LimitRounds, 51},
		{abi.Limits{Derived: 70}, abi.LimitDerived, 71},
		{abi.Limits{Rounds: 50, Derived: 1000}, abi.LimitRounds, 51},
	} {
		t.Run(fmt.Sprint(c.limits.Rounds, c.limits.Derived), func(t *testing.T) {
			p, seed, counter, reads, apart := counterProgram()
			e := load(t, p)
			assertInts(t, e, seed, []int64{0})
			call := abi.Call{Limits: c.limits}
			for _, rel := range []int{counter, reads, counter} {
				_, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: rel})
				if f == nil || f.Code != abi.FailureLimit || f.Limit == nil || f.Rule != 1 {
					t.Fatalf("relation %d: %+v, want the limit %s at rule 1", rel, f, c.name)
				}
				if f.Limit.Limit != c.name || f.Limit.Used != c.used {
					t.Fatalf("breach %+v, want %s with %d used", *f.Limit, c.name, c.used)
				}
			}
			rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: apart})
			if f != nil || rows.Total != 1 {
				t.Fatalf("what does not depend on the failed component: %+v, %v", rows, f)
			}
			checks, f := e.Checks(&abi.ChecksRequest{Call: call, Check: -1})
			if f != nil {
				t.Fatal(f)
			}
			if len(checks.Breached) != 1 || checks.Breached[0].Check != 0 || checks.Breached[0].Rule != 1 || checks.Breached[0].Limit.Limit != c.name {
				t.Errorf("breached %+v, want check 0 by %s", checks.Breached, c.name)
			}
			if len(checks.Violations) != 1 || checks.Violations[0].Check != 1 || checks.Violations[0].Frame.Rows != 1 {
				t.Errorf("violations %+v, want one of check 1", checks.Violations)
			}
			if _, f := e.Mutate(&abi.MutateRequest{Call: call}); f == nil || f.Code != abi.FailureLimit {
				t.Errorf("a write that a failed check depends on: %v, want the limit", f)
			}
		})
	}
}

func TestAFailedComponentIsTriedAgainWithinWiderLimits(t *testing.T) {
	p, edge, path := closureProgram()
	e := load(t, p)
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: chainEdges(30)}}}); f != nil {
		t.Fatal(f)
	}
	derive := func(rounds uint64) *abi.Failure {
		_, f := e.Derive(&abi.DeriveRequest{Call: abi.Call{Limits: abi.Limits{Rounds: rounds}}, Relation: path})
		return f
	}
	if f := derive(10); f == nil || f.Limit.Allowed != 10 {
		t.Fatalf("10 rounds: %v", f)
	}
	if f := derive(9); f == nil || f.Limit.Allowed != 10 {
		t.Fatalf("9 rounds after 10 failed: %v, want the same failure without another try", f)
	}
	if f := derive(100); f != nil {
		t.Fatalf("100 rounds: %v", f)
	}
	if f := derive(1); f != nil {
		t.Fatalf("a read of what is up to date costs no round: %v", f)
	}
}

func TestALimitStopsAQueryThatIsAProduct(t *testing.T) {
	b := newBuilder()
	a := b.base("a", 1)
	b.p.Queries = []abi.Query{{Name: "q", Slots: make([]abi.Slot, 3), Truth: -1,
		Body: []abi.Atom{scan(a, 0), scan(a, 1), scan(a, 2)}, Out: slots(0, 1, 2), Columns: make([]abi.Column, 3)}}
	e := load(t, b.p)
	var rows [][]int64
	for i := range int64(100) {
		rows = append(rows, []int64{i})
	}
	assertInts(t, e, a, rows...)
	_, f := e.Query(&abi.QueryRequest{Call: abi.Call{Limits: abi.Limits{Derived: 5000}}})
	if f == nil || f.Limit == nil || f.Limit.Limit != abi.LimitDerived {
		t.Fatalf("a million rows: %v, want the limit %s", f, abi.LimitDerived)
	}
}

func TestWorkIsWhatTheCallDerived(t *testing.T) {
	p, edge, path := closureProgram()
	e := load(t, p)
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: chainEdges(10)}}}); f != nil {
		t.Fatal(f)
	}
	for _, want := range []abi.Work{{Rounds: 10, Derived: 45}, {}} {
		rows, f := e.Derive(&abi.DeriveRequest{Relation: path})
		if f != nil || rows.Work != want {
			t.Errorf("work %+v, want %+v (%v)", rows.Work, want, f)
		}
	}
	s := e.Stats()
	if s.Tuples != 54 || s.Relations[path].Tuples != 45 || !s.Relations[path].Current {
		t.Errorf("stats %+v", s)
	}
}
