package engine

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// distProgram is how far each node is from a start: way(y,n) :- start(y,n).
// way(y,n) :- dist(x,m), leg(x,y,k), n = m + k. dist(y,n) :- way(y,_), n = min way(y).
// And what follows from it: the nodes that are reached, and those at the end.
func distProgram() (p abi.Program, start, leg, dist int) {
	b := newBuilder()
	start, leg = b.base("start", 2), b.base("leg", 3)
	way, dist := b.derived("way", 2), b.derived("dist", 2)
	end := b.derived("end", 1)
	b.costed(false, []int{way, dist}, []int{1, 1},
		b.rule(way, slots(0, 1), 2, scan(start, 0, 1)),
		b.rule(way, slots(1, 4), 5, scan(dist, 0, 2), scan(leg, 0, 1, 3), let(4, sum(2, 3))),
		b.rule(dist, slots(0, 1), 3, scan(way, 0, -1), best(false, 1, slotExpr(2), []int{2}, scan(way, 0, 2))))
	b.component(false, []int{end}, b.rule(end, slots(0), 2, scan(dist, 0, 1), not(scan(leg, 0, -1, -1))))
	return b.p, start, leg, dist
}

// Ways in graphs of some size, with many changes: legs of length 0 make circles
// of ways that are equally short, which must not hold one another up.
func TestManyChangesOfShortestWays(t *testing.T) {
	for _, c := range []struct {
		name  string
		all   bool
		nodes int64
		legs  int
	}{{"from one node", false, 30, 80}, {"between all", true, 9, 25}} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := &generated{facts: map[int][][]int64{}}
				var leg int
				if c.all {
					g.p, leg, _ = wayProgram()
				} else {
					var start int
					g.p, start, leg, _ = distProgram()
					g.facts[start] = [][]int64{{0, 0}}
				}
				node, length := rapid.Int64Range(0, c.nodes-1), rapid.Int64Range(0, 4)
				row := func() []int64 { return []int64{node.Draw(t, "from"), node.Draw(t, "to"), length.Draw(t, "length")} }
				for range rapid.IntRange(0, c.legs).Draw(t, "legs") {
					g.facts[leg] = append(g.facts[leg], row())
				}
				s := newScript(t, g)
				kept := 0
				for range 15 {
					var edits []edit
					for range rapid.IntRange(1, 3).Draw(t, "edits") {
						x := edit{rel: leg, row: row()}
						if have := sortedExtent(s.facts[leg]); len(have) > 0 && rapid.Bool().Draw(t, "remove") {
							x.remove, x.row = true, rapid.SampledFrom(have).Draw(t, "fact")
							delete(s.facts[leg], fmt.Sprint(x.row))
						} else {
							s.facts[leg][fmt.Sprint(x.row)] = x.row
						}
						edits = append(edits, x)
					}
					before := s.e.comps[0].offers
					s.assert(edits)
					s.compare()
					if before != nil && s.e.comps[0].offers == before {
						kept++
					}
				}
				if kept == 0 && s.e.least == leastBudget {
					t.Fatal("the ways were always found anew")
				}
			})
		})
	}
}
