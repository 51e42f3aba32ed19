package engine

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// smallCosts makes the values of a program with costs few: nodes and lengths are
// the same two numbers.
func (g *generated) smallCosts(t *rapid.T) {
	most := g.p.Components[0].Costs[0].Most
	if most {
		g.least = -1
	}
	for i := range g.p.Constants {
		g.p.Constants[i].Int = g.least + rapid.Int64Range(0, 1).Draw(t, "constant")
	}
	edge := g.bases[1]
	for _, rel := range g.bases {
		nodes := g.facts[rel]
		g.facts[rel] = nil
		for _, tuple := range nodes[:min(len(nodes), 3)] {
			for i := range tuple {
				if tuple[i] %= 2; !most || rel == edge && i == 2 {
					continue
				}
				tuple[i]--
			}
			g.facts[rel] = append(g.facts[rel], tuple)
		}
	}
}

func TestRepairsThroughMinAndMaxAreThoseOfTryingAllSets(t *testing.T) {
	compared, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := generateCosts(t)
		g.smallCosts(t)
		// What reads the circle from outside sums it up: there is no telling of it.
		g.p.Components, g.p.Relations = g.p.Components[:1], g.p.Relations[:len(g.p.Relations)-1]
		g.p.Rules, g.bodies = g.p.Rules[:len(g.p.Rules)-1], g.bodies[:len(g.bodies)-1]
		e, _ := g.start(t)
		n, m := checkRepairs(t, g, e, g.stratified, 2, 2, 3, 12)
		compared, found = compared+n, found+m
	})
	comparedEnough(t, compared, found)
}

// The least way over five nodes is to have one step more: three changes in a circle,
// within the bounds that a search has.
func TestAWayIsMadeLongerByThreeChanges(t *testing.T) {
	b := newBuilder()
	one := b.constant(abi.IntValue(1))
	node, step, way, near := b.base("node", 1), b.base("step", 2), b.derived("way", 3), b.derived("near", 3)
	b.p.Relations[node].Origin = abi.OriginConcept
	b.p.Types = append(b.p.Types, abi.TypeDef{Name: "node", Op: abi.TypeConcept, Extent: node})
	for i := range b.p.Relations[step].Columns {
		b.p.Relations[step].Columns[i].Type = abi.Type{Op: abi.TypeConcept, Name: "node"}
	}
	more := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotExpr(3), constant(one)}}
	is := abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{slots(2)[0], {Op: abi.ArgConst, Index: one}}}
	b.costed(false, []int{way, near}, []int{2, 2},
		b.rule(way, slots(0, 1, 2), 3, scan(step, 0, 1), is),
		b.rule(way, slots(0, 2, 4), 5, scan(near, 0, 1, 3), scan(step, 1, 2), let(4, more)),
		b.rule(near, slots(0, 1, 2), 4, scan(way, 0, 1, -1), best(false, 2, slotExpr(3), []int{3}, scan(way, 0, 1, 3))))
	e := load(t, b.p)
	assertInts(t, e, node, []int64{11}, []int64{12}, []int64{13}, []int64{14}, []int64{15})
	assertInts(t, e, step, []int64{11, 12}, []int64{12, 11}, []int64{12, 13}, []int64{14, 14}, []int64{15, 14})
	got := repairsOf(t, e, near, []int64{11, 13, 3}, abi.MaxRepair, defaultRepairBounds)
	want := []string{
		"step(11, 14) step(14, 12) -step(11, 12)", "step(11, 15) step(14, 13) -step(11, 12)", "step(11, 15) step(14, 13) -step(12, 13)",
		"step(11, 15) step(15, 12) -step(11, 12)", "step(12, 14) step(14, 13) -step(12, 13)", "step(12, 15) step(15, 13) -step(12, 13)",
	}
	if texts := repairTexts(&b.p, got.Repairs); strings.Join(texts, "; ") != strings.Join(want, "; ") || got.MaxSize != 3 || got.Tried != 0 {
		t.Errorf("%q of size %d, of %d tried", texts, got.MaxSize, got.Tried)
	}
}
