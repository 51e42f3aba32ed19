package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// circles is a program whose bodies go round: triangles, squares of which all
// are joined, a recursive relation that is tested by another, and a count of
// the triangles at a node.
func circles() (b *builder, edge, mark int, derived []int) {
	b = newBuilder()
	edge, mark = b.base("edge", 2), b.base("mark", 2)
	three, four, near, many := b.derived("three", 3), b.derived("four", 4), b.derived("near", 2), b.derived("many", 2)
	b.component(false, []int{three}, b.rule(three, slots(0, 1, 2), 3, scan(edge, 0, 1), scan(edge, 1, 2), scan(edge, 2, 0)))
	b.component(false, []int{four}, b.rule(four, slots(0, 1, 2, 3), 4,
		scan(edge, 0, 1), scan(edge, 1, 2), scan(edge, 0, 2), scan(edge, 2, 3), scan(mark, 0, 3), scan(edge, 1, 3)))
	b.component(true, []int{near},
		b.rule(near, slots(0, 1), 2, scan(mark, 0, 1)),
		b.rule(near, slots(0, 2), 3, scan(near, 0, 1), scan(edge, 1, 2), scan(mark, 2, 0)))
	b.component(false, []int{many}, b.rule(many, slots(0, 3), 4, scan(mark, 0, -1),
		abi.Atom{Op: abi.AtomFold, Fold: abi.FoldCount, Slot: 3, Body: []abi.Atom{scan(edge, 0, 1), scan(edge, 1, 2), scan(mark, 2, 0)}}))
	return b, edge, mark, []int{three, four, near, many}
}

// ways returns how many probes of the engine's plans are met.
func (e *Engine) ways() (n int) {
	for _, rs := range e.rules {
		for _, p := range rs.plans {
			if p != nil {
				n += p.met()
			}
		}
	}
	return n
}

func (p *plan) met() (n int) {
	for _, s := range p.steps {
		if s.meet != nil && s.meet.on {
			n++
		}
		if s.nested != nil {
			n += s.nested.plan.met()
		}
	}
	return n
}

// With small batches probes are met, and derive what a naive evaluator does:
// at first, and after facts have come and gone.
func TestProbesThatAreMetDeriveTheSame(t *testing.T) {
	met := 0
	for seed := range uint64(12) {
		d := rand.New(rand.NewPCG(seed, 7))
		b, edge, mark, derived := circles()
		e := newEngine(1 + int(seed%4))
		if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
			t.Fatal(f)
		}
		o := newOracle(&b.p)
		var bodies [][]abi.Atom
		for _, r := range b.p.Rules {
			bodies = append(bodies, r.Body)
		}
		change := func(rel, n int, remove bool) {
			var rows [][]int64
			for range n {
				// Most edges begin or end at one of two nodes.
				x, y := d.Int64N(14), d.Int64N(14)
				switch d.IntN(3) {
				case 0:
					x = d.Int64N(2)
				case 1:
					y = d.Int64N(2)
				}
				rows = append(rows, []int64{x, y})
				if remove {
					delete(o.extents[rel], fmt.Sprint(rows[len(rows)-1]))
				} else {
					o.add(rel, rows[len(rows)-1])
				}
			}
			if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Remove: remove, Frame: intFrame(rows...)}}}); f != nil {
				t.Fatal(f)
			}
		}
		change(edge, 45, false)
		change(mark, 30, false)
		for step := range 6 {
			o.evaluate(bodies)
			for _, rel := range derived {
				rows, f := e.Derive(&abi.DeriveRequest{Relation: rel})
				if f != nil {
					t.Fatal(f)
				}
				got, want := frameInts(&rows.Frame), [][]int64{}
				for _, tuple := range o.extents[rel] {
					want = append(want, tuple)
				}
				slices.SortFunc(want, slices.Compare)
				slices.SortFunc(got, slices.Compare)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("seed %d, step %d, %s:\n%v\nwant\n%v", seed, step, b.p.Relations[rel].Name, got, want)
				}
			}
			met += e.ways()
			switch step {
			case 0, 3:
				change(mark, 10, false)
			case 1, 4:
				change(edge, 20, true)
			case 2:
				change(edge, 25, false)
			}
		}
	}
	if met < 100 {
		t.Fatalf("probes were met %d times in 72 steps", met)
	}
}

// Around a node where all edges meet, what is looked at grows as the edges do,
// and not as their square.
func TestWorkAroundAHub(t *testing.T) {
	const leaves = 20_000
	b := newBuilder()
	edge, three := b.base("edge", 2), b.derived("three", 3)
	b.component(false, []int{three}, b.rule(three, slots(0, 1, 2), 3, scan(edge, 0, 1), scan(edge, 1, 2), scan(edge, 2, 0)))
	e := load(t, b.p)
	rows := [][]int64{{0, 0}}
	for i := range int64(leaves) {
		rows = append(rows, []int64{0, i + 1}, []int64{i + 1, 0})
	}
	assertInts(t, e, edge, rows...)
	got, f := e.Derive(&abi.DeriveRequest{Relation: three, Page: abi.Page{Limit: 1}})
	if f != nil {
		t.Fatal(f)
	}
	if want := uint64(3*leaves + 1); got.Total != want {
		t.Fatalf("%d triangles, want %d", got.Total, want)
	}
	made := 0
	for _, p := range e.rules[0].plans {
		if p != nil {
			for _, s := range p.steps {
				made += s.made
			}
		}
	}
	if most := 20 * leaves; made > most {
		t.Fatalf("%d bindings were made, where %d rows suffice", made, most)
	}
}
