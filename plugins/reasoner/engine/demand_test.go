package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// withQueries adds to a program a query for each derived relation, and one for
// the body of each rule, whose first slots are parameters.
func (g *generated) withQueries() {
	query := func(name string, width, params int, body []abi.Atom, out []abi.Arg) {
		q := abi.Query{Name: name, Body: body, Out: out, Truth: -1}
		for range params {
			q.Params = append(q.Params, abi.Param{Name: "p", Type: abi.Type{Op: abi.TypeInt}})
		}
		for range width {
			q.Slots = append(q.Slots, abi.Slot{Type: abi.Type{Op: abi.TypeInt}})
		}
		for range out {
			q.Columns = append(q.Columns, abi.Column{Type: abi.Type{Op: abi.TypeInt}})
		}
		g.p.Queries = append(g.p.Queries, q)
	}
	for rel := range g.p.Relations {
		r := &g.p.Relations[rel]
		if r.Role != abi.Derived {
			continue
		}
		var args []abi.Arg
		for i := range r.Columns {
			args = append(args, abi.Arg{Op: abi.ArgSlot, Index: i})
		}
		query(r.Name, len(args), len(args), []abi.Atom{{Op: abi.AtomScan, Rel: rel, Args: args}}, args)
	}
	for i := range g.p.Rules {
		r := &g.p.Rules[i]
		binds := newSlotSet(len(r.Slots))
		for j := range g.bodies[i] {
			binds.addAll(atomBinds(&g.bodies[i][j], len(r.Slots)))
		}
		var out []abi.Arg
		for _, s := range binds.list() {
			out = append(out, abi.Arg{Op: abi.ArgSlot, Index: s})
		}
		query("body of "+r.Name, len(r.Slots), min(2, len(r.Slots)), r.Body, out)
	}
}

// askAll runs queries with random arguments and holds the answers against those
// of an engine that has all relations evaluated. It returns how many it ran, and
// how many of them left the relations that they read as they were.
func askAll(t *rapid.T, g *generated, e, whole *Engine) (ran, asked int) {
	for range rapid.IntRange(1, 6).Draw(t, "queries") {
		at := rapid.IntRange(0, len(g.p.Queries)-1).Draw(t, "query")
		q := &g.p.Queries[at]
		args := make([]*abi.Value, len(q.Params))
		binds := newSlotSet(len(q.Slots))
		for i := range q.Body {
			binds.addAll(atomBinds(&q.Body[i], len(q.Slots)))
		}
		for i := range args {
			if !binds.has(i) || rapid.IntRange(0, 3).Draw(t, "given") > 0 {
				v := abi.IntValue(rapid.Int64Range(0, domain).Draw(t, "argument"))
				args[i] = &v
			}
		}
		request := abi.QueryRequest{Query: at, Args: args}
		before := slices.Clone(e.Stats().Relations)
		got, f := e.Query(&request)
		if f != nil {
			t.Fatalf("query %s: %v\n%s", q.Name, f, g.print())
		}
		want, f := whole.Query(&request)
		if f != nil {
			t.Fatalf("query %s over what is evaluated: %v\n%s", q.Name, f, g.print())
		}
		ran++
		if got.Total != want.Total || got.Hidden != want.Hidden || !sameFrames(&got.Frame, &want.Frame) {
			t.Fatalf("query %s of %v by demand: %v\nevaluated whole: %v\nfacts %v\n%s", q.Name, args, frameInts(&got.Frame), frameInts(&want.Frame), g.facts, g.print())
		}
		after := e.Stats().Relations
		if len(after) != len(g.p.Relations) || len(e.comps) != len(g.p.Components) {
			t.Fatalf("a query leaves %d relations and %d components, the program has %d and %d", len(after), len(e.comps), len(g.p.Relations), len(g.p.Components))
		}
		stays := false
		for i := range q.Body {
			if rel := q.Body[i].Rel; q.Body[i].Op == abi.AtomScan && g.p.Relations[rel].Role == abi.Derived {
				stays = stays || !before[rel].Current && !after[rel].Current
			}
		}
		if stays {
			asked++
		}
	}
	return ran, asked
}

func sameFrames(a, b *abi.Frame) bool {
	if a.Rows != b.Rows || !slices.Equal(a.Truth, b.Truth) {
		return false
	}
	for i := range a.Rows {
		if !slices.EqualFunc(a.Row(nil, i), b.Row(nil, i), abi.Equal) {
			return false
		}
	}
	return true
}

// evaluated is an engine that has evaluated all relations of the program.
func (g *generated) evaluated(t *rapid.T) *Engine {
	e := New()
	if _, f := e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
		t.Fatalf("load: %v", f)
	}
	for _, rel := range g.bases {
		assertInts(t, e, rel, g.facts[rel]...)
	}
	for rel := range g.p.Relations {
		if _, f := e.Derive(&abi.DeriveRequest{Relation: rel}); f != nil {
			t.Fatalf("derive: %v", f)
		}
	}
	return e
}

func TestWhatIsAskedIsAnsweredAsFromTheWhole(t *testing.T) {
	ran, asked := 0, 0
	for range 5 { // -short looks at few programs
		rapid.Check(t, func(t *rapid.T) {
			g := generate(t)
			g.withQueries()
			e, _ := g.start(t)
			n, m := askAll(t, g, e, g.evaluated(t))
			ran, asked = ran+n, asked+m
		})
		if asked*20 >= ran {
			break
		}
	}
	t.Logf("%d queries, %d by demand", ran, asked)
	if asked*20 < ran {
		t.Errorf("only %d of %d queries were answered by demand", asked, ran)
	}
}

func TestWhatIsAskedUnderTheWellFoundedModelIsAnsweredAsFromTheWhole(t *testing.T) {
	ran, asked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := generateFounded(t)
		g.withQueries()
		e, _ := g.startFounded(t)
		n, m := askAll(t, g, e, g.evaluated(t))
		ran, asked = ran+n, asked+m
	})
	t.Logf("%d queries, %d by demand", ran, asked)
}

// A relation that is asked from most sides is evaluated whole, which costs less;
// but if that passes a limit, it is asked all the same.
func TestWhatCostsMoreToAskIsEvaluatedWhole(t *testing.T) {
	p, edge, path := closureProgram()
	args := slots(0, 1)
	p.Queries = []abi.Query{{
		Name: "ask", Body: []abi.Atom{scan(path, 0, 1)}, Out: args, Truth: -1,
		Params: []abi.Param{{Name: "a"}, {Name: "b"}}, Slots: make([]abi.Slot, 2), Columns: make([]abi.Column, 2),
	}}
	const nodes = 1000
	near, far := abi.IntValue(10), abi.IntValue(700)
	for _, c := range []struct {
		name   string
		limit  uint64
		args   []*abi.Value
		total  uint64
		stays  bool
		failed bool
	}{
		{"from one node", 0, []*abi.Value{&far, nil}, nodes - 701, true, false},
		{"to one node near the start", 0, []*abi.Value{nil, &near}, 10, true, false},
		{"to one node far on", 0, []*abi.Value{nil, &far}, 700, false, false},
		{"to one node far on, where the whole passes a limit", 400_000, []*abi.Value{nil, &far}, 700, true, false},
		{"the same where asking does, too", 220_000, []*abi.Value{nil, &far}, 0, true, true},
	} {
		e := load(t, p)
		if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: chainEdges(nodes)}}}); f != nil {
			t.Fatal(f)
		}
		rows, f := e.Query(&abi.QueryRequest{Call: abi.Call{Limits: abi.Limits{Derived: c.limit}}, Args: c.args})
		if c.failed {
			if f == nil || f.Limit == nil {
				t.Errorf("%s: %v, %v: want a limit", c.name, rows, f)
			}
		} else if f != nil || rows.Total != c.total {
			t.Errorf("%s: %v, %v, want %d rows", c.name, rows, f, c.total)
		}
		if current := e.Stats().Relations[path].Current; current == c.stays {
			t.Errorf("%s: the relation is up to date: %v", c.name, current)
		}
	}
}

func TestARelationThatIsAskedOftenIsEvaluatedWhole(t *testing.T) {
	p, edge, path := closureProgram()
	p.Queries = []abi.Query{{
		Name: "ask", Body: []abi.Atom{scan(path, 0, 1)}, Out: slots(0, 1), Truth: -1,
		Params: []abi.Param{{Name: "a"}, {Name: "b"}}, Slots: make([]abi.Slot, 2), Columns: make([]abi.Column, 2),
	}}
	const nodes = 200
	e := load(t, p)
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: chainEdges(nodes)}}}); f != nil {
		t.Fatal(f)
	}
	whole := 0
	for i := range int64(nodes - 1) {
		from := abi.IntValue(i)
		rows, f := e.Query(&abi.QueryRequest{Args: []*abi.Value{&from, nil}})
		if f != nil || rows.Total != uint64(nodes-1-i) {
			t.Fatalf("node %d reaches %v, %v", i, rows, f)
		}
		if e.Stats().Relations[path].Current {
			whole++
		}
	}
	if whole == 0 || whole == nodes-1 {
		t.Errorf("%d of %d queries found the relation whole: it should be asked at first, and be there later", whole, nodes-1)
	}
}

// Concepts with several others above them reach what is at the bottom by more
// ways than anyone can count.
func TestWhatCopiesBaseRelationsIsKnownOnce(t *testing.T) {
	b := newBuilder()
	edge, base := b.base("edge", 2), b.base("base", 1)
	left, right := base, base
	for range 200 {
		above := [2]int{b.derived("left", 1), b.derived("right", 1)}
		for _, head := range above {
			b.component(false, []int{head}, b.rule(head, slots(0), 1, scan(left, 0)), b.rule(head, slots(0), 1, scan(right, 0)))
		}
		left, right = above[0], above[1]
	}
	path := b.derived("path", 2)
	b.component(true, []int{path},
		b.rule(path, slots(0, 1), 2, scan(left, 0), scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.p.Queries = []abi.Query{{
		Name: "ask", Body: []abi.Atom{scan(path, 0, 1)}, Out: slots(0, 1), Truth: -1,
		Params: []abi.Param{{Name: "a"}, {Name: "b"}}, Slots: make([]abi.Slot, 2), Columns: make([]abi.Column, 2),
	}}
	e := load(t, b.p)
	assertInts(t, e, base, []int64{1})
	assertInts(t, e, edge, []int64{1, 2}, []int64{2, 3})
	from := abi.IntValue(1)
	rows, f := e.Query(&abi.QueryRequest{Args: []*abi.Value{&from, nil}})
	if f != nil || rows.Total != 2 {
		t.Errorf("%v, %v, want 2 rows", rows, f)
	}
}
