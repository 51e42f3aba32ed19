package engine

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// proofsAgree explains facts with an engine that has evaluated nothing, and with
// one that has all. It returns how many were proved without evaluating their
// relation.
func proofsAgree(t *rapid.T, g *generated, e, whole *Engine, o *oracle) (partial int) {
	for range 8 {
		rel := rapid.SampledFrom(g.p.Components[rapid.IntRange(0, len(g.p.Components)-1).Draw(t, "component")].Relations).Draw(t, "relation")
		tuple := (&generator{t: t}).tuple(len(g.p.Relations[rel].Columns))
		if drawn, fact, ok := g.fact(t, o); ok && rapid.IntRange(0, 4).Draw(t, "by chance") > 0 {
			rel, tuple = drawn, fact
		}
		request := abi.ExplainRequest{Relation: rel, Tuple: valuesOf(tuple), MaxDepth: 100, MaxNodes: 5000}
		got, f := e.Explain(&request)
		if f != nil {
			t.Fatalf("explain: %v\n%s", f, g.print())
		}
		if got.Derived && !e.Stats().Relations[rel].Current {
			partial++
		}
		want, f := whole.Explain(&request)
		if f != nil {
			t.Fatalf("explain over what is evaluated: %v", f)
		}
		got.Work, want.Work = abi.Work{}, abi.Work{}
		if a, b := got.AppendCBOR(nil), want.AppendCBOR(nil); !bytes.Equal(a, b) {
			t.Fatalf("%s%v is explained by\n%s\n%+v\nand over what is evaluated by\n%s\n%+v\nfacts %v\n%s", g.p.Relations[rel].Name, tuple,
				sketch(e, got.Nodes), got.WhyNot, sketch(whole, want.Nodes), want.WhyNot, g.facts, g.print())
		}
		if n, m := len(e.comps), len(e.rels); n != len(g.p.Components) || m != len(g.p.Relations) {
			t.Fatalf("an explanation leaves %d components and %d relations", n, m)
		}
	}
	return partial
}

func TestAProofOfWhatIsAskedIsThatOfTheWhole(t *testing.T) {
	partial := 0
	for range 20 { // few programs have such proofs, and -short looks at few
		rapid.Check(t, func(t *rapid.T) {
			g := generate(t)
			e, o := g.start(t)
			partial += proofsAgree(t, g, e, g.evaluated(t), o)
		})
		if partial >= 3 {
			break
		}
	}
	t.Logf("%d proofs without the whole", partial)
	if partial < 3 {
		t.Errorf("only %d proofs were made without evaluating the relation", partial)
	}
}

func TestAProofUnderTheWellFoundedModelIsThatOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generateFounded(t)
		e, o := g.startFounded(t)
		proofsAgree(t, g, e, g.evaluated(t), o.low)
	})
}

// What an explanation costs is the same each time: also where it rests on several
// relations that are read whole, and one of these on another.
func TestAnExplanationCostsTheSameEachTime(t *testing.T) {
	b := newBuilder()
	edge, node := b.base("edge", 2), b.base("node", 1)
	path, far, goal := b.derived("path", 2), b.derived("far", 1), b.derived("goal", 1)
	b.component(true, []int{path}, b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.component(false, []int{far}, b.rule(far, slots(0), 3, scan(path, 0, 1), scan(path, 1, 2), scan(edge, 2, 0)))
	b.component(false, []int{goal}, b.rule(goal, slots(0), 1, scan(node, 0), not(scan(path, 0, 0)), not(scan(far, 0))))
	var first abi.Work
	for i := range 100 { // the order of a small map seldom changes
		e := load(t, b.p)
		assertInts(t, e, edge, chainRows(20)...)
		assertInts(t, e, node, []int64{3}, []int64{60})
		read(t, e, far)
		assertInts(t, e, edge, chainRows(50)...)
		x, f := e.Explain(&abi.ExplainRequest{Relation: goal, Tuple: valuesOf([]int64{60})})
		if f != nil || !x.Derived {
			t.Fatalf("%+v, %v", x, f)
		}
		if i == 0 {
			first = x.Work
		} else if x.Work != first {
			t.Fatalf("the same explanation took %+v and then %+v", first, x.Work)
		}
	}
}
