package main

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

func slot(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }

// program is head(Args) :- a(left), b(right) over relations of integers.
func program(head, left, right []abi.Arg, slots int) abi.Program {
	relation := func(name string, role abi.Role, arity int) abi.Relation {
		return abi.Relation{Name: name, Role: role, Columns: make([]abi.Column, arity), Asserted: -1, Refuted: -1}
	}
	return abi.Program{
		ABI: abi.Version, Constants: []abi.Value{abi.IntValue(1)},
		Relations: []abi.Relation{relation("a", abi.Base, len(left)), relation("b", abi.Base, len(right)), relation("h", abi.Derived, len(head))},
		Rules: []abi.Rule{{
			Head: 2, Args: head, Slots: make([]abi.Slot, slots),
			Body: []abi.Atom{{Op: abi.AtomScan, Rel: 0, Args: left}, {Op: abi.AtomScan, Rel: 1, Args: right}},
		}},
		Components: []abi.Component{{Relations: []int{2}, Rules: []int{0}}},
	}
}

func frame(rows [][2]int64) abi.Frame {
	b := abi.FrameBuilder{Arity: 2}
	for _, r := range rows {
		b.Add([]abi.Value{abi.IntValue(r[0]), abi.IntValue(r[1])})
	}
	return b.Frame()
}

func loaded(t interface{ Fatal(...any) }, p abi.Program, a, b [][2]int64) *joiner {
	j := new(joiner)
	if _, failure := j.load(&abi.LoadRequest{Program: p}); failure != nil {
		t.Fatal(failure)
	}
	if _, failure := j.assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: 0, Frame: frame(a)}, {Relation: 1, Frame: frame(b)}}}); failure != nil {
		t.Fatal(failure)
	}
	return j
}

func rows(t interface{ Fatal(...any) }, j *joiner, q abi.DeriveRequest) (out [][2]int64, more bool) {
	q.Relation = 2
	r, failure := j.derive(&q)
	if failure != nil {
		t.Fatal(failure)
	}
	for i := range r.Frame.Rows {
		row := r.Frame.Row(nil, i)
		out = append(out, [2]int64{row[0].Int, row[1].Int})
	}
	return out, r.More
}

func TestJoinIsTheNestedLoop(t *testing.T) {
	pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int64 {
		return [2]int64{rapid.Int64Range(0, 4).Draw(t, "x"), rapid.Int64Range(0, 4).Draw(t, "y")}
	}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := pairs.Draw(t, "a"), pairs.Draw(t, "b")
		p := program([]abi.Arg{slot(0), slot(2)}, []abi.Arg{slot(0), slot(1)}, []abi.Arg{slot(1), slot(2)}, 3)
		got, _ := rows(t, loaded(t, p, a, b), abi.DeriveRequest{})
		want := map[[2]int64]bool{}
		for _, x := range a {
			for _, y := range b {
				if x[1] == y[0] {
					want[[2]int64{x[0], y[1]}] = true
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
		for i, r := range got {
			if !want[r] {
				t.Fatalf("%v, want %v", got, want)
			}
			if i > 0 && (r[0] < got[i-1][0] || r[0] == got[i-1][0] && r[1] <= got[i-1][1]) {
				t.Fatalf("rows out of order: %v", got)
			}
		}
	})
}

func TestConstantsAndRepeatedSlotsNarrowTheJoin(t *testing.T) {
	p := program([]abi.Arg{slot(0), {Op: abi.ArgConst}}, []abi.Arg{slot(0), slot(0)}, []abi.Arg{{Op: abi.ArgConst}, {}}, 1)
	got, _ := rows(t, loaded(t, p, [][2]int64{{1, 2}, {3, 3}}, [][2]int64{{2, 2}, {1, 9}}), abi.DeriveRequest{})
	if len(got) != 1 || got[0] != [2]int64{3, 1} {
		t.Fatalf("%v, want [[3 1]]", got)
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	var a [][2]int64
	for i := range int64(7) {
		a = append(a, [2]int64{i, i})
	}
	p := program([]abi.Arg{slot(0), slot(1)}, []abi.Arg{slot(0), slot(1)}, []abi.Arg{slot(0), slot(1)}, 2)
	j := loaded(t, p, a, a)
	page, seen := abi.Page{Limit: 3}, ""
	for {
		got, more := rows(t, j, abi.DeriveRequest{Page: page})
		for _, r := range got {
			seen += strconv.FormatInt(r[0], 10)
		}
		seen += "|"
		if !more {
			break
		}
		last := got[len(got)-1]
		page.After = []abi.Value{abi.IntValue(last[0]), abi.IntValue(last[1])}
	}
	if seen != "012|345|6|" {
		t.Fatal(seen)
	}
}

func TestRemovedTuplesAreGone(t *testing.T) {
	p := program([]abi.Arg{slot(0), slot(1)}, []abi.Arg{slot(0), slot(1)}, []abi.Arg{slot(0), slot(1)}, 2)
	j := loaded(t, p, [][2]int64{{1, 1}, {2, 2}}, [][2]int64{{1, 1}, {2, 2}})
	r, failure := j.assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: 0, Remove: true, Frame: frame([][2]int64{{1, 1}, {5, 5}})}}})
	if failure != nil || r.Removed != 1 {
		t.Fatalf("%+v %v", r, failure)
	}
	if got, _ := rows(t, j, abi.DeriveRequest{}); len(got) != 1 || got[0][0] != 2 {
		t.Fatal(got)
	}
}

func TestRequestsThatDoNotFitAreRefused(t *testing.T) {
	p := program([]abi.Arg{slot(0), slot(1)}, []abi.Arg{slot(0), slot(1)}, []abi.Arg{slot(0), slot(1)}, 2)
	for _, c := range []struct {
		name string
		do   func(*joiner) *abi.Failure
	}{
		{"assert of a derived relation", func(j *joiner) *abi.Failure {
			_, f := j.assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: 2, Frame: frame(nil)}}})
			return f
		}},
		{"assert of another arity", func(j *joiner) *abi.Failure {
			_, f := j.assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: 0}}})
			return f
		}},
		{"relation out of range", func(j *joiner) *abi.Failure {
			_, f := j.derive(&abi.DeriveRequest{Relation: 3})
			return f
		}},
		{"negation", func(*joiner) *abi.Failure {
			bad := p
			bad.Rules = []abi.Rule{p.Rules[0]}
			bad.Rules[0].Body = []abi.Atom{p.Rules[0].Body[0], p.Rules[0].Body[1]}
			bad.Rules[0].Body[1].Neg = true
			_, f := new(joiner).load(&abi.LoadRequest{Program: bad})
			return f
		}},
		{"head that nothing binds", func(*joiner) *abi.Failure {
			bad := program([]abi.Arg{slot(2)}, []abi.Arg{slot(0)}, []abi.Arg{slot(1)}, 3)
			_, f := new(joiner).load(&abi.LoadRequest{Program: bad})
			return f
		}},
		{"program that does not hold together", func(*joiner) *abi.Failure {
			bad := program([]abi.Arg{slot(9)}, []abi.Arg{slot(0)}, []abi.Arg{slot(1)}, 3)
			_, f := new(joiner).load(&abi.LoadRequest{Program: bad})
			return f
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := c.do(loaded(t, p, nil, nil)); f == nil || f.Code != abi.FailureRequest {
				t.Fatalf("%+v, want a refusal", f)
			}
		})
	}
}
