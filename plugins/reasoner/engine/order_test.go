package engine

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// Whatever the columns have, many rows come in the order that comparing them
// gives.
func TestManyRowsAreInTheOrderOfTheirValues(t *testing.T) {
	columns := map[string]func(r *rand.Rand) abi.Value{
		"names":       func(r *rand.Rand) abi.Value { return abi.NamedValue(fmt.Sprintf("root::n%d", r.Intn(90))) },
		"many texts":  func(r *rand.Rand) abi.Value { return abi.StringValue(fmt.Sprint(r.Intn(5000))) },
		"few numbers": func(r *rand.Rand) abi.Value { return abi.IntValue(r.Int63n(40) - 20) },
		"numbers":     func(r *rand.Rand) abi.Value { return abi.IntValue(r.Int63n(1<<29) - 1<<28) },
		"ends": func(r *rand.Rand) abi.Value {
			return abi.IntValue([]int64{abi.MinInline, -1, 0, abi.MaxInline}[r.Intn(4)])
		},
		"2,048":    func(r *rand.Rand) abi.Value { return abi.IntValue(r.Int63n(2048)) },
		"large":    func(r *rand.Rand) abi.Value { return abi.IntValue(r.Int63n(9) << 40) },
		"days":     func(r *rand.Rand) abi.Value { return abi.DayValue(r.Int63n(100_000) - 50_000) },
		"one":      func(r *rand.Rand) abi.Value { return abi.IntValue(7) },
		"both":     func(r *rand.Rand) abi.Value { return abi.IntValue(r.Int63n(9) << (10 * r.Intn(4))) },
		"booleans": func(r *rand.Rand) abi.Value { return abi.BoolValue(r.Intn(2) == 0) },
	}
	for first, a := range columns {
		for second, b := range columns {
			r := rand.New(rand.NewSource(int64(len(first)*31 + len(second))))
			e := New()
			for i := range 100 { // numbers of terms are not in the order of values
				e.terms.Intern(abi.NamedValue(fmt.Sprintf("root::n%d", (i*37)%100)))
			}
			rel := relation.New(2)
			for range fewToOrder + 1 + r.Intn(900) {
				rel.Insert([]abi.Term{e.terms.Intern(a(r)), e.terms.Intern(b(r))})
			}
			rel.Remove(uint32(rel.Rows() / 2))
			got, want := liveRows(rel), liveRows(rel)
			cols := columnsOf(rel)
			e.orderRows(cols, got)
			slices.SortFunc(want, e.compareRowsOf(cols))
			if !slices.Equal(got, want) {
				t.Errorf("%s and %s: another order than by comparing", first, second)
			}
		}
	}
}

// pagesOf reads all pages from after on.
func pagesOf(t *testing.T, ask func(p abi.Page) (*abi.Rows, *abi.Failure), limit uint64, after []abi.Value) (out [][]int64) {
	t.Helper()
	for {
		rows, f := ask(abi.Page{Limit: limit, After: after})
		if f != nil {
			t.Fatal(f)
		}
		page := frameInts(&rows.Frame)
		out = append(out, page...)
		if !rows.More {
			return out
		}
		after = valuesOf(page[len(page)-1])
	}
}

// Pages of answers that are kept are those of an engine that keeps none, whatever
// is asked and changed in between.
func TestKeptAnswersAreThoseOfNow(t *testing.T) {
	b := newBuilder()
	edge, two := b.base("edge", 2), b.derived("two", 2)
	b.component(false, []int{two}, b.rule(two, slots(0, 2), 3, scan(edge, 0, 1), scan(edge, 1, 2)))
	b.p.Queries = []abi.Query{{
		Name: "from", Params: []abi.Param{{Name: "a"}}, Slots: make([]abi.Slot, 2), Truth: -1,
		Body: []abi.Atom{scan(two, 0, 1)}, Out: slots(0, 1), Columns: make([]abi.Column, 2),
	}}
	r := rand.New(rand.NewSource(5))
	e := load(t, b.p)
	holds := map[[2]int64]bool{}
	change := func(e *Engine, remove bool, x [2]int64) {
		if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Remove: remove, Frame: intFrame([]int64{x[0], x[1]})}}}); f != nil {
			t.Fatal(f)
		}
	}
	for range 300 {
		x := [2]int64{r.Int63n(40), r.Int63n(40)}
		holds[x] = true
		change(e, false, x)
	}
	kept := 0
	for range 60 {
		if r.Intn(3) == 0 {
			x := [2]int64{r.Int63n(40), r.Int63n(40)}
			holds[x] = !holds[x]
			change(e, !holds[x], x)
		}
		cold := load(t, b.p)
		for x, in := range holds {
			if in {
				change(cold, false, x)
			}
		}
		args := []*abi.Value{nil}
		if r.Intn(2) == 0 {
			a := abi.IntValue(r.Int63n(40))
			args[0] = &a
		}
		ask := func(e *Engine) func(p abi.Page) (*abi.Rows, *abi.Failure) {
			return func(p abi.Page) (*abi.Rows, *abi.Failure) {
				return e.Query(&abi.QueryRequest{Args: args, Page: p})
			}
		}
		if r.Intn(3) == 0 {
			ask = func(e *Engine) func(p abi.Page) (*abi.Rows, *abi.Failure) {
				return func(p abi.Page) (*abi.Rows, *abi.Failure) {
					return e.Derive(&abi.DeriveRequest{Relation: two, Page: p})
				}
			}
		}
		limit, after := uint64(1+r.Intn(400)), []abi.Value(nil)
		if r.Intn(2) == 0 {
			after = valuesOf([]int64{r.Int63n(40), r.Int63n(40)})
		}
		want := pagesOf(t, ask(cold), 0, after)
		if got := pagesOf(t, ask(e), limit, after); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("pages of %d after %v have %d rows, want %d", limit, after, len(got), len(want))
		}
		kept = max(kept, len(e.answers))
	}
	if kept < 2 || kept > maxAnswers {
		t.Errorf("%d answers are kept, want 2 to %d", kept, maxAnswers)
	}
}

// An answer that takes more than its part of the memory is not kept.
func TestALargeAnswerIsNotKept(t *testing.T) {
	b := newBuilder()
	a := b.base("a", 1)
	e := load(t, b.p)
	for i := range int64(1000) {
		assertInts(t, e, a, []int64{i})
	}
	for _, c := range []struct {
		memory uint64
		kept   int
	}{{1 << 14, 0}, {1 << 20, 1}} {
		req := &abi.DeriveRequest{Relation: a, Page: abi.Page{Limit: 3, After: valuesOf([]int64{500})}}
		req.Call.Limits.Memory = c.memory
		if _, f := e.Derive(req); f != nil || len(e.answers) != c.kept {
			t.Errorf("with %d bytes of memory %d answers are kept, want %d; %v", c.memory, len(e.answers), c.kept, f)
		}
	}
}

func TestNothingAndTheEmptyTupleHaveAnOrder(t *testing.T) {
	b := newBuilder()
	none, flag := b.base("none", 2), b.base("flag", 0)
	e := load(t, b.p)
	assertInts(t, e, flag, []int64{})
	for rel, want := range map[int]int{none: 0, flag: 1} {
		for _, limit := range []uint64{0, 1, 500} {
			rows, f := e.Derive(&abi.DeriveRequest{Relation: rel, Page: abi.Page{Limit: limit}})
			if f != nil || rows.Frame.Rows != want || rows.More {
				t.Errorf("%+v, %v; want %d rows", rows, f, want)
			}
		}
		if got := len(e.sortedRows(e.rels[rel].data)); got != want {
			t.Errorf("%d rows, want %d", got, want)
		}
	}
}
