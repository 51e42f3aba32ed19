package engine

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// circlesProgram has facts that rest on each other, and of which each pair is
// unfounded only once the one before is known to be.
func circlesProgram() (p abi.Program, next, ok int) {
	b := newBuilder()
	next = b.base("next", 2)
	left, right, ok := b.derived("left", 1), b.derived("right", 1), b.derived("ok", 1)
	// What nothing leads to is ok, and so is what comes after something whose left
	// is false; left and right rest on one another, or on its not being ok.
	b.founded([]int{left, right, ok},
		b.rule(left, slots(0), 2, scan(next, 0, 1), scan(right, 0)),
		b.rule(left, slots(0), 2, scan(next, 0, 1), not(scan(ok, 0))),
		b.rule(right, slots(0), 2, scan(next, 0, 1), scan(left, 0)),
		b.rule(ok, slots(0), 2, scan(next, 0, 1), not(scan(next, -1, 0))),
		b.rule(ok, slots(1), 2, scan(next, 0, 1), not(scan(left, 0))))
	return b.p, next, ok
}

// Games and circles of some size, with many changes: what is decided late rests
// on what was decided early, and circles come and go.
func TestManyChangesOfAWellFoundedModel(t *testing.T) {
	for _, c := range []struct {
		name    string
		program func() (abi.Program, int, int)
		nodes   int
	}{{"a game", winMoveProgram, 30}, {"a sparse game", winMoveProgram, 60}, {"circles", circlesProgram, 25}} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p, base, _ := c.program()
				g := &generated{p: p, bases: []int{base}, facts: map[int][][]int64{}}
				node := rapid.Int64Range(0, int64(c.nodes)-1)
				for range rapid.IntRange(0, 2*c.nodes).Draw(t, "edges") {
					g.facts[base] = append(g.facts[base], []int64{node.Draw(t, "from"), node.Draw(t, "to")})
				}
				s := newScript(t, g)
				kept := 0
				for range 20 {
					x := edit{rel: base, row: []int64{node.Draw(t, "from"), node.Draw(t, "to")}}
					if have := sortedExtent(s.facts[base]); len(have) > 0 && rapid.Bool().Draw(t, "remove") {
						x.remove, x.row = true, rapid.SampledFrom(have).Draw(t, "fact")
						delete(s.facts[base], fmt.Sprint(x.row))
					} else {
						s.facts[base][fmt.Sprint(x.row)] = x.row
					}
					before := s.e.comps[0].ground
					s.assert([]edit{x})
					s.compare()
					if before != nil && s.e.comps[0].ground == before {
						kept++
					}
				}
				if kept == 0 && s.e.least == leastBudget {
					t.Fatal("the model was always made anew")
				}
			})
		})
	}
}
