package engine

import (
	"testing"

	"pgregory.net/rapid"
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
	t.Logf("%d searches were compared, %d of them with repairs", compared, found)
	if compared < 10 || found < 5 {
		t.Errorf("%d searches were compared, %d of them with repairs: too few to mean anything", compared, found)
	}
}
