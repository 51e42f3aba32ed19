package engine

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// TestEveryStepOfAnEditScriptEqualsAFreshEvaluation is the property that upkeep
// stands on: whatever came and went before, and whatever was read in between,
// all extents are those of an instance that is told the facts as they are now.
func TestEveryStepOfAnEditScriptEqualsAFreshEvaluation(t *testing.T) {
	for _, c := range []struct {
		name     string
		programs func(*rapid.T) *generated
		known    bool
	}{
		{"joins along chains", generateChains, false},
		{"anything", generate, false},
		{"the well-founded model", generateFounded, false},
		{"what may be: open worlds, intervals, undefined inputs", generateEveryKind, false},
		{"recursion through min and max", generateCosts, true}, // another cost may make a circle that ends nowhere
		{"recursion through min and max in an open world", generateOpenCosts, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := newScript(t, c.programs(t))
				s.known = c.known
				for range rapid.IntRange(1, 12).Draw(t, "steps") {
					s.step()
				}
			})
		})
	}
}

// script edits the facts of a program and compares after every step.
type script struct {
	t     *rapid.T
	g     *generated
	e     *Engine
	facts []map[string][]int64 // by relation
	known bool                 // only facts come that the program came with
}

func newScript(t *rapid.T, g *generated) *script {
	s := &script{t: t, g: g, e: drawnEngine(t, 1, 3, defaultBatch)}
	// So that upkeep is given up, and removed rows are dropped, in small cases too.
	s.e.least = rapid.SampledFrom([]int{-1 << 20, 0, rapid.IntRange(-20, 20).Draw(t, "bindings"), 20, leastBudget, leastBudget}).Draw(t, "budget")
	s.e.few = rapid.SampledFrom([]int{1, 4, fewHoles}).Draw(t, "holes")
	if _, f := s.e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
		t.Fatalf("load: %v", f)
	}
	for range g.p.Relations {
		s.facts = append(s.facts, map[string][]int64{})
	}
	for rel, rows := range g.facts {
		for _, row := range rows {
			s.facts[rel][fmt.Sprint(row)] = row
		}
		assertInts(t, s.e, rel, rows...)
	}
	return s
}

// edit is one fact that comes or goes.
type edit struct {
	rel    int
	remove bool
	row    []int64
}

// draw draws edits: half of them take a fact that is there.
func (s *script) draw() []edit {
	var out []edit
	for range rapid.IntRange(1, 4).Draw(s.t, "edits") {
		x := edit{rel: rapid.SampledFrom(s.g.bases).Draw(s.t, "base")}
		x.remove = rapid.Bool().Draw(s.t, "remove")
		if have := sortedExtent(s.facts[x.rel]); x.remove && len(have) > 0 {
			x.row = rapid.SampledFrom(have).Draw(s.t, "fact")
		} else if first := s.g.facts[x.rel]; s.known && len(first) > 0 {
			x.row = rapid.SampledFrom(first).Draw(s.t, "fact")
		} else if s.known {
			continue
		} else {
			x.row = (&generator{t: s.t}).tuple(len(s.g.p.Relations[x.rel].Columns))
		}
		if x.remove {
			delete(s.facts[x.rel], fmt.Sprint(x.row))
		} else {
			s.facts[x.rel][fmt.Sprint(x.row)] = x.row
		}
		out = append(out, x)
	}
	return out
}

func (s *script) step() {
	edits := s.draw()
	if rapid.IntRange(0, 3).Draw(s.t, "as a mutation") == 0 {
		s.mutate(edits)
	} else {
		s.assert(edits)
	}
	switch rapid.IntRange(0, 6).Draw(s.t, "then") {
	case 0: // nothing reads
		return
	case 1: // something is read, and the rest falls behind
		rel := rapid.IntRange(0, len(s.g.p.Relations)-1).Draw(s.t, "read")
		if _, f := s.e.Derive(&abi.DeriveRequest{Relation: rel}); f != nil {
			s.t.Fatalf("derive: %v", f)
		}
		return
	case 2: // something is explained, and so brought to its canonical form
		rel := rapid.IntRange(0, len(s.g.p.Relations)-1).Draw(s.t, "explain")
		if _, f := s.e.Derive(&abi.DeriveRequest{Relation: rel, Tags: true}); f != nil {
			s.t.Fatalf("derive: %v", f)
		}
	case 3: // what would derive a tuple is looked for, and so other facts are assumed
		if s.known {
			break // another cost may make a circle that ends nowhere
		}
		rel := rapid.IntRange(0, len(s.g.p.Relations)-1).Draw(s.t, "repair")
		tuple := valuesOf((&generator{t: s.t}).tuple(len(s.g.p.Relations[rel].Columns)))
		if _, f := s.e.Explain(&abi.ExplainRequest{Relation: rel, Tuple: tuple, Repairs: 1}); f != nil {
			s.t.Fatalf("explain: %v", f)
		}
	}
	s.compare()
}

func (s *script) assert(edits []edit) {
	if len(edits) == 0 {
		return
	}
	var deltas []abi.Delta
	for _, x := range edits {
		deltas = append(deltas, abi.Delta{Relation: x.rel, Remove: x.remove, Frame: intFrame(x.row)})
	}
	if _, f := s.e.Assert(&abi.AssertRequest{Deltas: deltas}); f != nil {
		s.t.Fatalf("assert: %v", f)
	}
}

// mutate makes the edits in a mutation, and compares the changes that it reports
// with the extents before and after.
func (s *script) mutate(edits []edit) {
	m, extension := abi.Mutation{Name: "m"}, &abi.Extension{}
	for _, x := range edits {
		st := abi.Stmt{Op: abi.StmtAssert, Rel: x.rel, Slot: -1}
		if x.remove {
			st.Op, st.Wild = abi.StmtRetract, make([]bool, len(x.row))
		}
		for _, n := range x.row {
			st.Exprs = append(st.Exprs, abi.Expr{Op: abi.ExprConst, Index: len(s.e.prog.Constants) + len(extension.Constants)})
			extension.Constants = append(extension.Constants, abi.IntValue(n))
		}
		m.Body = append(m.Body, st)
	}
	extension.Mutations = []abi.Mutation{m}
	before := s.extents(s.e)
	out, f := s.e.Mutate(&abi.MutateRequest{Mutation: len(s.e.prog.Mutations), Delta: true, Extension: extension})
	if f != nil {
		s.t.Fatalf("mutate: %v", f)
	}
	after := s.extents(s.e)
	reported := map[int]abi.Change{}
	for _, c := range out.Changes {
		reported[c.Relation] = c
	}
	for rel := range s.g.p.Relations {
		if !s.e.reported(rel) {
			continue
		}
		c := reported[rel]
		added, removed := difference(after[rel], before[rel]), difference(before[rel], after[rel])
		if got := frameInts(&c.Added); fmt.Sprint(got) != fmt.Sprint(added) {
			s.t.Fatalf("%v were added to %s, want %v", got, s.g.p.Relations[rel].Name, added)
		}
		if got := frameInts(&c.Removed); fmt.Sprint(got) != fmt.Sprint(removed) {
			s.t.Fatalf("%v were removed from %s, want %v", got, s.g.p.Relations[rel].Name, removed)
		}
	}
}

// extents reads what is true of all relations.
func (s *script) extents(e *Engine) []map[string][]int64 {
	var out []map[string][]int64
	for rel := range s.g.p.Relations {
		is, _ := model(s.t, e, rel)
		m := map[string][]int64{}
		for _, row := range is {
			m[fmt.Sprint(row)] = row
		}
		out = append(out, m)
	}
	return out
}

// fresh returns an instance without history that has the facts as they are now.
func (s *script) fresh() *Engine {
	fresh := newEngine(defaultBatch)
	if _, f := fresh.Load(&abi.LoadRequest{Program: s.g.p}); f != nil {
		s.t.Fatalf("load: %v", f)
	}
	for rel, rows := range s.facts {
		assertInts(s.t, fresh, rel, sortedExtent(rows)...)
	}
	return fresh
}

// compare compares all extents with those of an instance without history.
func (s *script) compare() {
	fresh := s.fresh()
	for rel := range s.g.p.Relations {
		is, can := model(s.t, s.e, rel)
		wantIs, wantCan := model(s.t, fresh, rel)
		if fmt.Sprint(is, can) != fmt.Sprint(wantIs, wantCan) {
			s.t.Fatalf("%s has\n%v and undefined %v, want\n%v and %v\nrules: %s", s.g.p.Relations[rel].Name, is, can, wantIs, wantCan, s.g.print())
		}
	}
	for _, c := range s.e.comps {
		if !c.current() || c.founded || c.costs != nil {
			continue
		}
		s.checkSupport(c)
		if c.upper != nil {
			swapUpper(s.e, c)
			s.checkSupport(c)
			swapUpper(s.e, c)
		}
	}
}

// swapUpper makes what may be of a component's relations what holds, and back.
func swapUpper(e *Engine, c *component) {
	for i, rel := range c.rels {
		r := e.rels[rel]
		r.data, c.upper.extents[i] = c.upper.extents[i], r.data
	}
	e.upper = !e.upper
}

// checkSupport sees to it that every tuple of the component is derived from
// tuples of lower rounds.
func (s *script) checkSupport(c *component) {
	u := &upkeep{e: s.e, c: c, id: s.e.rels[c.rels[0]].comp}
	for _, rel := range c.rels {
		data := s.e.rels[rel].data
		for _, at := range liveRows(data) {
			rule, round := data.Tag(at)
			if rule < 0 || round == 0 {
				s.t.Fatalf("row %v of %s has no rule", data.Row(nil, at), s.g.p.Relations[rel].Name)
			}
			f := u.unsupported(rel, []uint32{at}, &window{comp: u.id, round: round}, func(*ruleState, []uint32) {
				s.t.Fatalf("row %v of %s, of round %d, has no support of lower rounds%s", data.Row(nil, at), s.g.p.Relations[rel].Name, round, s.g.print())
			}, nil)
			if f != nil {
				s.t.Fatalf("support: %v", f)
			}
		}
	}
	u.release()
}

// The removal of a fact that few tuples rest on is not paid for with an
// evaluation of all: the extents stay, and lose rows.
func TestARemovalKeepsTheExtents(t *testing.T) {
	p, edge, path := closureProgram()
	e := load(t, p)
	var rows [][]int64
	for i := range int64(50) {
		rows = append(rows, []int64{i, i + 1}, []int64{100 + i, 101 + i})
	}
	rows = append(rows, []int64{100, 0}, []int64{0, 100}) // a circle between two chains
	assertInts(t, e, edge, rows...)
	data := read(t, e, path)
	for _, x := range []struct {
		row []int64
		n   int
	}{{[]int64{49, 50}, -51}, {[]int64{100, 0}, -52}} {
		before := data.Live()
		if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Remove: true, Frame: intFrame(x.row)}}}); f != nil {
			t.Fatal(f)
		}
		now := read(t, e, path)
		if now.Live()-before != x.n {
			t.Errorf("the removal of %v changes the number of paths by %d, want %d", x.row, now.Live()-before, x.n)
		}
		if now != data {
			t.Errorf("the removal of %v, on which %d paths rest, made a new extent", x.row, -x.n)
		}
	}
}

func read(t *testing.T, e *Engine, rel int) *relation.Relation {
	t.Helper()
	if _, f := e.Derive(&abi.DeriveRequest{Relation: rel, Page: abi.Page{Limit: 1}}); f != nil {
		t.Fatal(f)
	}
	return e.rels[rel].data
}

func TestNumbersLeaveAHeapInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Uint64Range(0, 50), 0, 40).Draw(t, "numbers")
		var h heap
		for _, n := range numbers {
			h.push(n)
		}
		var out []uint64
		for len(h) > 0 {
			out = append(out, h.pop())
		}
		slices.Sort(numbers)
		if !slices.Equal(numbers, out) {
			t.Fatalf("%v, want %v", out, numbers)
		}
	})
}

// Rows that come to be in doubt lie behind those that were looked at, as a round
// takes support from later ones only, and each is looked at once.
func TestRowsInDoubtAreTakenOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rows = 300
		var d doubts
		waiting, least := map[uint32]bool{}, uint32(0)
		seen := map[uint32]bool{}
		for least < rows && rapid.IntRange(0, 9).Draw(t, "go on") > 0 {
			for range rapid.IntRange(0, 5).Draw(t, "rows") {
				at := rapid.Uint32Range(least, rows-1).Draw(t, "row")
				first := len(waiting) == 0 && !seen[at]
				if d.add(at, rows) != first {
					t.Fatalf("row %d is the only one: %v", at, !first)
				}
				if !seen[at] {
					seen[at], waiting[at] = true, true
				}
			}
			for range rapid.IntRange(0, 4).Draw(t, "taken") {
				if d.wait != len(waiting) {
					t.Fatalf("%d rows wait, want %d", d.wait, len(waiting))
				}
				if len(waiting) == 0 {
					break
				}
				want := slices.Min(slices.Collect(maps.Keys(waiting)))
				if at := d.take(); at != want {
					t.Fatalf("row %d, want %d", at, want)
				}
				delete(waiting, want)
				least = want + 1
			}
		}
	})
}

// Where a relation has been evaluated whole, a query that gives terms does not go
// past it after a change: to keep it up to date costs less.
func TestAQueryAfterAChangeFindsTheExtentKeptUpToDate(t *testing.T) {
	p, edge, path := closureProgram()
	p.Queries = []abi.Query{{Name: "from", Params: []abi.Param{{Name: "x", Type: p.Relations[edge].Columns[0].Type}},
		Slots: make([]abi.Slot, 2), Body: []abi.Atom{scan(path, 0, 1)}, Out: slots(1), Columns: p.Relations[edge].Columns[:1], Truth: -1}}
	e := load(t, p)
	assertInts(t, e, edge, chainRows(40)...)
	data := read(t, e, path)
	assertInts(t, e, edge, []int64{39, 40})
	rows, f := e.Query(&abi.QueryRequest{Args: []*abi.Value{valueOf(20)}})
	if f != nil || rows.Total != 20 {
		t.Fatalf("%v, %v, want 20 rows", rows, f)
	}
	if now := e.rels[path].data; now != data || !e.comps[e.rels[path].comp].current() {
		t.Error("the query went past the extent")
	}
}

func valueOf(n int64) *abi.Value {
	v := abi.IntValue(n)
	return &v
}
