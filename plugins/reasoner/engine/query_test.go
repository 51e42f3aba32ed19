package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// query draws a query over the program's relations, whose first slots are
// parameters, and returns it with its body in an order that can be run.
func (g *generated) query(t *rapid.T) (q abi.Query, body []abi.Atom) {
	b := &builder{p: g.p}
	gen := &generator{t: t, b: b}
	for i := range gen.n {
		gen.n[i] = i
	}
	var readable []int
	for i := range g.p.Relations {
		readable = append(readable, i)
	}
	c := &clause{g: gen}
	for range gen.int("scans", 1, 3) {
		body = append(body, c.scan(readable, 40))
	}
	for range gen.int("conditions", 0, 2) {
		body = append(body, c.condition(readable)...)
	}
	q = abi.Query{Name: "q", Slots: make([]abi.Slot, c.width), Body: rapid.Permutation(body).Draw(t, "order"), Truth: -1}
	for i := range gen.int("parameters", 0, min(2, len(c.have))) {
		q.Params = append(q.Params, abi.Param{Name: fmt.Sprint("p", i)})
	}
	for range gen.int("columns", 1, 3) {
		q.Out = append(q.Out, c.bound(10))
		q.Columns = append(q.Columns, abi.Column{Name: "c"})
	}
	return q, body
}

func TestQueriesAgreeWithTheNaiveEvaluator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate(t)
		e, o := g.start(t)
		q, body := g.query(t)
		args, start := make([]*abi.Value, len(q.Params)), env{}
		for i := range q.Params {
			// A parameter whose slot a condition binds, and no scan, may be
			// needed by another: only those of scans are left free.
			if rapid.Bool().Draw(t, "given") || !atomBindsAny(body, i) {
				v := abi.IntValue(int64(rapid.IntRange(0, domain-1).Draw(t, "argument")))
				args[i], start[i] = &v, v.Int
			}
		}
		set := map[string][]int64{}
		o.solve(body, start, func(s env) {
			row := o.args(q.Out, s)
			set[fmt.Sprint(row)] = row
		})
		want := sortedExtent(set)
		request := abi.QueryRequest{Query: len(g.p.Queries), Args: args, Extension: &abi.Extension{Queries: []abi.Query{q}}}
		rows, f := e.Query(&request)
		if f != nil {
			t.Fatalf("query: %v", f)
		}
		if got := frameInts(&rows.Frame); fmt.Sprint(got) != fmt.Sprint(want) || rows.Total != uint64(len(want)) {
			t.Fatalf("rows %v of %d, want %v\nbody %+v\nargs %v\n%s", got, rows.Total, want, q.Body, start, g.print())
		}
		pageThrough(t, e, request, want)
	})
}

func atomBindsAny(body []abi.Atom, slot int) bool {
	return slices.ContainsFunc(body, func(a abi.Atom) bool {
		return a.Op == abi.AtomScan && atomBinds(&a, 64).has(slot)
	})
}

func pageThrough(t *rapid.T, e *Engine, request abi.QueryRequest, want [][]int64) {
	request.Extension = nil
	request.Page.Limit = rapid.Uint64Range(1, 4).Draw(t, "limit")
	var got [][]int64
	for {
		rows, f := e.Query(&request)
		if f != nil {
			t.Fatalf("page after %v: %v", request.Page.After, f)
		}
		page := frameInts(&rows.Frame)
		got = append(got, page...)
		if rows.More != (len(got) < len(want)) || rows.Total != uint64(len(want)) {
			t.Fatalf("after %d of %d rows, More is %v and Total %d", len(got), len(want), rows.More, rows.Total)
		}
		if !rows.More {
			break
		}
		request.Page.After = valuesOf(page[len(page)-1])
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("pages give %v, want %v", got, want)
	}
}

func TestAParameterWithoutArgumentMustBeBoundByTheBody(t *testing.T) {
	b := newBuilder()
	a := b.base("a", 1)
	b.p.Queries = []abi.Query{{
		Name: "q", Params: []abi.Param{{Name: "p"}}, Slots: make([]abi.Slot, 2), Truth: -1,
		Body: []abi.Atom{scan(a, 1), {Op: abi.AtomCmp, Cmp: abi.CmpLt, Args: slots(0, 1)}},
		Out:  slots(1), Columns: []abi.Column{{Name: "x"}},
	}}
	e := load(t, b.p)
	assertInts(t, e, a, []int64{3}, []int64{5})
	if _, f := e.Query(&abi.QueryRequest{Args: []*abi.Value{nil}}); f == nil || f.Code != abi.FailureUnbound {
		t.Errorf("without argument: %v, want %s", f, abi.FailureUnbound)
	}
	four := abi.IntValue(4)
	rows, f := e.Query(&abi.QueryRequest{Args: []*abi.Value{&four}})
	if f != nil || fmt.Sprint(frameInts(&rows.Frame)) != "[[5]]" {
		t.Errorf("with 4: %v, %v", rows, f)
	}
}

func TestTruthTellsBothWhereATupleIsAlsoRefuted(t *testing.T) {
	b := newBuilder()
	plus, minus, c := b.base("C+", 1), b.base("C-", 1), b.derived("C", 1)
	b.p.Relations[c].Asserted, b.p.Relations[c].Refuted = plus, minus
	b.component(false, []int{c}, b.rule(c, slots(0), 1, scan(plus, 0)))
	e := load(t, b.p)
	assertInts(t, e, plus, []int64{1}, []int64{2}, []int64{3})
	assertInts(t, e, minus, []int64{2}, []int64{9})
	rows, f := e.Derive(&abi.DeriveRequest{Relation: c, Tags: true, Page: abi.Page{Limit: 2}})
	if f != nil {
		t.Fatal(f)
	}
	if got := fmt.Sprint(rows.Frame.Truth); got != "[Is Both]" {
		t.Errorf("truth of the rows is %s, want [Is Both]", got)
	}
	if rows.Hidden.Both != 1 || rows.Total != 3 || !rows.More {
		t.Errorf("hidden %+v, total %d, more %v", rows.Hidden, rows.Total, rows.More)
	}
	if fmt.Sprint(rows.Tags) != "[{0 1} {0 1}]" {
		t.Errorf("tags %v", rows.Tags)
	}
	x, f := e.Explain(&abi.ExplainRequest{Relation: c, Tuple: valuesOf([]int64{9})})
	if f != nil || x.Derived {
		t.Fatalf("explain: %+v, %v", x, f)
	}
}
