package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// generateGuarded makes a program whose later components deny, fold and nest what
// recursive ones derive, in one another too, and in circles of their own.
func generateGuarded(t *rapid.T) *generated {
	g := &generator{t: t, b: newBuilder()}
	for i := range g.n {
		g.n[i] = g.b.constant(abi.IntValue(int64(i)))
	}
	edge, node := g.b.base("edge", 2), g.b.base("node", 1)
	out := &generated{facts: map[int][][]int64{}, bases: []int{edge, node}}
	for range g.int("edges", 0, 9) {
		out.facts[edge] = append(out.facts[edge], g.tuple(2))
	}
	for range g.int("nodes", 0, 5) {
		out.facts[node] = append(out.facts[node], g.tuple(1))
	}
	bases := []int{edge, edge, node}
	var derived []int
	path := g.b.derived("path", 2)
	first := []abi.Atom{scan(edge, 0, 1)}
	further := [][]abi.Atom{
		{scan(path, 0, 1), scan(edge, 1, 2)}, {scan(edge, 0, 1), scan(path, 1, 2)}, {scan(path, 0, 1), scan(path, 1, 2)},
	}[g.int("shape", 0, 2)]
	g.b.component(true, []int{path}, g.b.rule(path, slots(0, 1), 2, first...), g.b.rule(path, slots(0, 2), 3, further...))
	out.bodies = append(out.bodies, first, further)
	derived = append(derived, path)
	for i := range g.int("components", 1, 4) {
		own := []int{g.b.derived(string(rune('p'+i)), g.int("arity", 1, 2))}
		var rules []int
		for range g.int("rules", 1, 2) {
			c := &clause{g: g}
			body := []abi.Atom{c.scan(bases, 20)}
			for range g.int("scans", 0, 2) {
				switch g.int("of", 0, 3) {
				case 0:
					body = append(body, c.scan(own, 60))
				case 1:
					body = append(body, c.scan(derived, 70))
				default:
					body = append(body, c.scan(bases, 60))
				}
			}
			for range g.int("guarded", 1, 3) {
				body = append(body, c.guarded(derived, 0))
			}
			if g.chance("condition", 30) {
				body = append(body, c.condition(derived)...)
			}
			var args []abi.Arg
			for range g.b.p.Relations[own[0]].Columns {
				args = append(args, c.bound(10))
			}
			rules = append(rules, g.b.rule(own[0], args, c.width, rapid.Permutation(body).Draw(t, "order")...))
			out.bodies = append(out.bodies, body)
		}
		g.b.component(true, own, rules...)
		derived = append(derived, own...)
	}
	out.p = g.b.p
	return out
}

// guarded makes an atom that denies, folds or nests what is derived.
func (c *clause) guarded(derived []int, depth int) abi.Atom {
	g := c.g
	switch kind := g.int("guarded", 0, 4); {
	case kind == 0:
		a := c.inner().scan(derived, 100)
		a.Neg = true
		return a
	case kind == 1:
		return c.fold(derived)
	}
	in := c.inner()
	a := abi.Atom{Op: abi.AtomExists, Neg: g.chance("denied", 60), Body: []abi.Atom{in.scan(derived, 60)}}
	if g.chance("second", 40) {
		a.Body = append(a.Body, in.scan(derived, 60))
	}
	if depth < 2 && g.chance("nested", 50) {
		a.Body = append(a.Body, in.guarded(derived, depth+1))
	}
	return a
}

// unevaluated is an engine with the program and its facts.
func (g *generated) unevaluated(t *rapid.T) *Engine {
	e := drawnEngine(t, 1, 2, 3, defaultBatch)
	if _, f := e.Load(&abi.LoadRequest{Program: g.p}); f != nil {
		t.Fatalf("load: %v", f)
	}
	for _, rel := range g.bases {
		assertInts(t, e, rel, g.facts[rel]...)
	}
	return e
}

// told has the extents of an engine that has evaluated them: the naive evaluator
// takes minutes for some of these programs, and has others to judge that by.
func (g *generated) told(whole *Engine) *oracle {
	o := newOracle(&g.p)
	for rel := range g.p.Relations {
		rows, _ := whole.Derive(&abi.DeriveRequest{Relation: rel})
		for _, row := range frameInts(&rows.Frame) {
			o.add(rel, row)
		}
	}
	return o
}

func TestWhatIsDeniedAndFoldedIsAskedAsFromTheWhole(t *testing.T) {
	ran, asked, levels, untested, whole := 0, 0, 0, 0, 0
	for range 20 { // few of them have levels, and -short looks at few
		if ran > 200 && levels > 0 && untested > 0 && whole > 0 {
			break
		}
		rapid.Check(t, func(t *rapid.T) {
			g := generateGuarded(t)
			g.withQueries()
			e := g.unevaluated(t)
			q := &g.p.Queries[rapid.IntRange(0, len(g.p.Queries)-1).Draw(t, "planned")]
			d, f := e.ask(q.Body, make([]abi.Term, len(q.Slots)), (*component).current)
			if f != nil {
				t.Fatalf("ask: %v\n%s", f, g.print())
			}
			if d != nil {
				if len(d.components()) > 1 {
					levels++
				}
				if len(d.untested) > 0 {
					untested++
				}
				if len(d.whole) > 0 {
					whole++
				}
				d.close()
			}
			n, m := askAll(t, g, e, g.evaluated(t))
			ran, asked = ran+n, asked+m
		})
	}
	t.Logf("%d queries, %d by demand; of the first ones %d had levels, %d tests that ask no more, %d relations read whole", ran, asked, levels, untested, whole)
	if asked*5 < ran || levels == 0 || untested == 0 || whole == 0 {
		t.Error("the programs do not try what they are for")
	}
}

func TestAProofOverWhatIsDeniedAndFoldedIsThatOfTheWhole(t *testing.T) {
	partial := 0
	rapid.Check(t, func(t *rapid.T) {
		g := generateGuarded(t)
		whole := g.evaluated(t)
		partial += proofsAgree(t, g, g.unevaluated(t), whole, g.told(whole))
	})
	t.Logf("%d proofs without the whole", partial)
	if partial == 0 {
		t.Error("no proof was made without evaluating the relation")
	}
}

// A relation that is denied or folded is not evaluated for a question that gives
// terms. Where what asks comes from the answers, a test asks no more, and where
// the answer itself is asked by, the relation is evaluated after all.
func TestWhatIsDeniedIsNotEvaluatedWhole(t *testing.T) {
	const nodes = 300
	b := newBuilder()
	edge, node, last := b.base("edge", 2), b.base("node", 1), b.base("last", 1)
	path := b.derived("path", 2)
	b.component(true, []int{path}, b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)), b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	ask := func(name string, arity int, own bool, bodies ...[]abi.Atom) int {
		rel := b.derived(name, arity)
		args := slots(0, 1)[:arity]
		var rules []int
		for _, body := range bodies {
			for i := range body {
				if own && body[i].Rel < 0 {
					body[i].Rel = rel
				}
			}
			rules = append(rules, b.rule(rel, args, 6, body...))
		}
		b.component(own, []int{rel}, rules...)
		b.p.Queries = append(b.p.Queries, abi.Query{
			Name: name, Body: []abi.Atom{scan(rel, []int{0, 1}[:arity]...)}, Out: args, Truth: -1,
			Params: make([]abi.Param, arity), Slots: make([]abi.Slot, arity), Columns: make([]abi.Column, arity),
		})
		return len(b.p.Queries) - 1
	}
	exists := func(body ...abi.Atom) abi.Atom { return abi.Atom{Op: abi.AtomExists, Body: body} }
	for _, c := range []struct {
		query int
		from  int64
		rows  uint64
		most  uint64 // derived tuples
		whole bool
	}{
		{ask("un", 2, false, []abi.Atom{scan(node, 0), scan(node, 1), not(scan(path, 0, 1))}), 290, 291, 2000, false},
		{ask("count", 2, false, []abi.Atom{scan(node, 0), {Op: abi.AtomFold, Fold: abi.FoldCount, Slot: 1, Over: []int{2}, Body: []abi.Atom{scan(path, 0, 2)}}}), 290, 1, 100, false},
		// The nested bodies use a slot of the same number, each as its own.
		{ask("twice", 1, false, []abi.Atom{scan(node, 0), exists(scan(path, 0, 2), scan(last, 2)), not(exists(scan(path, 0, 2), scan(path, 2, 3), scan(last, 3)))}), 290, 0, 2000, false},
		// Ends of ways that do not lead back, along edges.
		{ask("right", 2, true, []abi.Atom{scan(edge, 0, 1)}, []abi.Atom{scan(edge, 0, 2), not(scan(path, 2, 0)), scan(-1, 2, 1)}), 290, 9, 4000, false},
		{ask("left", 2, true, []abi.Atom{scan(edge, 0, 1)}, []abi.Atom{scan(-1, 0, 2), not(scan(path, 2, 0)), scan(edge, 2, 1)}), 290, 9, 46_000, true},
	} {
		e, whole := load(t, b.p), load(t, b.p)
		for _, x := range []*Engine{e, whole} {
			assertInts(t, x, edge, chainRows(nodes)...)
			for i := range int64(nodes) {
				assertInts(t, x, node, []int64{i})
			}
			assertInts(t, x, last, []int64{nodes - 1})
		}
		q := b.p.Queries[c.query]
		from := abi.IntValue(c.from)
		rows, f := e.Query(&abi.QueryRequest{Query: c.query, Args: []*abi.Value{&from, nil}[:len(q.Params)]})
		if f != nil || rows.Total != c.rows || rows.Work.Derived > c.most || rows.Work.ByDemand != 1 {
			t.Errorf("%s: %+v, %v, want %d rows", q.Name, rows, f, c.rows)
		}
		if e.Stats().Relations[path].Current != c.whole {
			t.Errorf("%s: what it denies was evaluated whole: %v", q.Name, !c.whole)
		}
		read(t, whole, q.Body[0].Rel)
		want, f := whole.Query(&abi.QueryRequest{Query: c.query, Args: []*abi.Value{&from, nil}[:len(q.Params)]})
		if f != nil || !sameFrames(&rows.Frame, &want.Frame) || want.Work.ByDemand != 0 {
			t.Errorf("%s: other rows than from the whole", q.Name)
		}
	}
}
