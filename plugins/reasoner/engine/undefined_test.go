package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// startFounded loads the program and its facts.
func (g *generated) startFounded(t *rapid.T) (*Engine, *foundedOracle) {
	e := drawnEngine(t, 1, 2, 3, defaultBatch)
	if _, f := e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
		t.Fatalf("load: %v", f)
	}
	for _, rel := range g.bases {
		assertInts(t, e, rel, g.facts[rel]...)
	}
	return e, g.alternate(g.facts)
}

func TestProofsUnderTheWellFoundedModelAreFounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generateFounded(t)
		e, o := g.startFounded(t)
		rel, tuple, ok := g.fact(t, o.low)
		if !ok {
			return
		}
		request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 100, MaxNodes: 5000}
		x, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v\n%s", f, g.print())
		}
		if !x.Derived {
			t.Fatalf("a true fact has no proof: %+v", *x)
		}
		newProofChecker(t, g, o.low, x.Nodes).check(true)
		for _, n := range x.Nodes {
			if n.Kind == abi.ProofAbsent && n.Relation >= 0 {
				for _, row := range sortedExtent(o.high.extents[n.Relation]) {
					if fitsPattern(n.Tuple, row) {
						t.Fatalf("a proof rests on the absence of %v, which is not false", row)
					}
				}
			}
		}
		for n := range min(x.Nodes[0].Alternatives, 3) {
			request.Alternative = n + 1
			other, f := e.Explain(&request)
			if f != nil {
				t.Fatalf("alternative %d: %v", n+1, f)
			}
			newProofChecker(t, g, o.low, other.Nodes).check(false)
		}
	})
}

func fitsPattern(pattern []*abi.Value, row []int64) bool {
	for i, v := range pattern {
		if v != nil && v.Int != row[i] {
			return false
		}
	}
	return true
}

func TestWhyNotTellsUndefinedFromFalse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generateFounded(t)
		e, o := g.startFounded(t)
		var rels []int
		for _, c := range g.p.Components {
			rels = append(rels, c.Relations...)
		}
		rel := rapid.SampledFrom(rels).Draw(t, "relation")
		tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
		if open := difference(o.high.extents[rel], o.low.extents[rel]); len(open) > 0 && rapid.Bool().Draw(t, "undefined") {
			tuple = rapid.SampledFrom(open).Draw(t, "tuple")
		}
		if o.low.has(rel, tuple) {
			return
		}
		x, f := e.Explain(&abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 4, MaxNodes: 40})
		if f != nil {
			t.Fatalf("explain: %v\n%s", f, g.print())
		}
		if x.Derived || len(x.WhyNot) == 0 {
			t.Fatalf("a fact that is not true is not explained: %+v", *x)
		}
		undefined := slices.ContainsFunc(x.WhyNot[0].Attempts, func(a abi.Attempt) bool { return a.Reason == abi.ReasonUndefined })
		if want := o.high.has(rel, tuple); undefined != want {
			t.Fatalf("%v is said to be undefined: %v, want %v\n%+v\n%s", tuple, undefined, want, *x, g.print())
		}
		for _, n := range x.WhyNot {
			for _, a := range n.Attempts {
				against := o.high
				if a.Reason == abi.ReasonUndefined {
					against = o.low
				}
				g.checkAttempt(t, against, len(x.WhyNot), &a)
			}
		}
	})
}

func TestAMutationOfAWellFoundedProgramReportsWhatBecameTrueAndCeasedToBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generateFounded(t)
		check := rapid.SampledFrom(g.p.Components[0].Relations).Draw(t, "check")
		g.p.Checks = []abi.Check{{Name: "check", Relation: check, Rule: g.ruleOf(check)}}
		e, before := g.startFounded(t)
		now := newOracle(&g.p)
		for _, rel := range g.bases {
			for _, r := range g.facts[rel] {
				now.add(rel, r)
			}
		}
		m := g.mutation(t, now)
		facts := map[int][][]int64{}
		for _, rel := range g.bases {
			facts[rel] = sortedExtent(now.extents[rel])
		}
		after := g.alternate(facts)
		out, f := e.Mutate(&abi.MutateRequest{Mutation: 0, Delta: true, Extension: &abi.Extension{Mutations: []abi.Mutation{m}}})
		if f != nil {
			t.Fatalf("mutate: %v", f)
		}
		changed := map[int]abi.Change{}
		for _, c := range out.Changes {
			changed[c.Relation] = c
		}
		for rel, r := range g.p.Relations {
			if r.Role != abi.Derived {
				continue
			}
			c := changed[rel]
			was, is := before.low.extents[rel], after.low.extents[rel]
			got := fmt.Sprint(frameInts(&c.Added), frameInts(&c.Removed))
			if want := fmt.Sprint(difference(is, was), difference(was, is)); got != want {
				t.Fatalf("%s changed by %s, want %s", r.Name, got, want)
			}
		}
		var violations [][]int64
		for _, v := range out.Violations {
			violations = append(violations, frameInts(&v.Frame)...)
		}
		if want := difference(after.low.extents[check], before.low.extents[check]); fmt.Sprint(violations) != fmt.Sprint(want) {
			t.Fatalf("new violations %v, want %v", violations, want)
		}
		g.compareFounded(t, e, facts)
	})
}

func TestAQueryTellsWhatIsUndefined(t *testing.T) {
	p, move, win := winMoveProgram()
	p.Queries = []abi.Query{
		{Name: "won", Slots: make([]abi.Slot, 2), Body: []abi.Atom{scan(win, 0), scan(move, 0, 1)}, Out: slots(1), Columns: make([]abi.Column, 1), Truth: -1},
		{Name: "lost", Slots: make([]abi.Slot, 2), Body: []abi.Atom{scan(move, 0, 1), not(scan(win, 1))}, Out: slots(1), Columns: make([]abi.Column, 1), Truth: -1},
	}
	e := load(t, p)
	assertInts(t, e, move, []int64{1, 2}, []int64{2, 1}, []int64{3, 4}, []int64{3, 1})
	for i, want := range []string{"[[1] [4]] [[2]]", "[[4]] [[1] [2]]"} {
		rows, f := e.Query(&abi.QueryRequest{Query: i, Page: abi.Page{Limit: 2}})
		if f != nil {
			t.Fatal(f)
		}
		is, can := split(rows)
		rest, f := e.Query(&abi.QueryRequest{Query: i, Page: abi.Page{After: rows.Frame.Row(nil, 1)}})
		if f != nil {
			t.Fatal(f)
		}
		moreIs, moreCan := split(rest)
		got := fmt.Sprint(append(is, moreIs...), append(can, moreCan...))
		if got != want || int(rows.Hidden.Can) != len(can)+len(moreCan) || !rows.More || rest.More {
			t.Errorf("query %d gives %s and hides %+v, want %s", i, got, rows.Hidden, want)
		}
	}
}

func TestAnExpressionDoesNotTakeUndefinedForFalse(t *testing.T) {
	p, move, win := winMoveProgram()
	exists := func(a ...abi.Atom) abi.Expr {
		return abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubExists, Body: a}}
	}
	p.Functions = []abi.Function{
		{Name: "won", Body: abi.Expr{Op: abi.ExprHolds, Index: win, Args: []abi.Expr{slotExpr(0)}}},
		{Name: "wins", Body: exists(scan(win, 0))},
		{Name: "loses", Body: exists(scan(move, -1, 0), not(scan(win, 0)))},
		{Name: "count", Body: abi.Expr{Op: abi.ExprSub_, Sub: &abi.Sub{Op: abi.SubCount, Over: []int{1}, Body: []abi.Atom{scan(move, 0, 1), not(scan(win, 1))}}}},
	}
	for i := range p.Functions {
		p.Functions[i].Params, p.Functions[i].Slots = make([]abi.Param, 1), make([]abi.Slot, 2)
	}
	e := load(t, p)
	assertInts(t, e, move, []int64{1, 2}, []int64{2, 1}, []int64{3, 4}, []int64{3, 1})
	for _, c := range []struct {
		function int
		arg      int64
		want     string // the value, or undefined
	}{
		{0, 3, "true"}, {0, 4, "false"}, {0, 1, "undefined"},
		{1, 3, "true"}, {1, 4, "false"}, {1, 2, "undefined"},
		{2, 4, "true"}, {2, 3, "false"}, {2, 1, "undefined"},
		{3, 4, "0"}, {3, 3, "undefined"}, {3, 1, "undefined"},
	} {
		r, f := e.Compute(&abi.ComputeRequest{Function: c.function, Args: []abi.Value{abi.IntValue(c.arg)}})
		got := "undefined"
		switch {
		case f != nil && (f.Code != abi.FailureUndefined || !strings.Contains(f.Message, "undefined")):
			t.Fatalf("%s(%d): %v", p.Functions[c.function].Name, c.arg, f)
		case f == nil && r.Value.Kind == abi.KindBool:
			got = fmt.Sprint(r.Value.Int != 0)
		case f == nil:
			got = fmt.Sprint(r.Value.Int)
		}
		if got != c.want {
			t.Errorf("%s(%d) is %s, want %s", p.Functions[c.function].Name, c.arg, got, c.want)
		}
	}
}
