package engine

import (
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Of a fact with more derivations by a rule than are counted, the least are its
// alternatives, as many by each rule whether the canonical one is among them or not,
// in whichever order the rows came.
func TestTheAlternativesAreTheLeastOfMany(t *testing.T) {
	b := newBuilder()
	owns, rents, drives := b.base("owns", 2), b.base("rents", 2), b.derived("drives", 1)
	b.component(false, []int{drives},
		b.rule(drives, slots(0), 2, scan(owns, 0, 1)),
		b.rule(drives, slots(0), 2, scan(rents, 0, 1)))
	const many = 5000 // more than are found at a time
	var up [][]int64
	for n := range int64(many) {
		up = append(up, []int64{1, n})
	}
	down := slices.Clone(up)
	slices.Reverse(down)
	for _, c := range []struct {
		name         string
		owned        [][]int64
		rented       [][]int64
		alternatives uint32
	}{
		{"least first", up, nil, maxDerivations},
		{"least last", down, nil, maxDerivations},
		{"one more than is counted", down[many-maxDerivations-1:], nil, maxDerivations},
		{"as many as are counted", down[many-maxDerivations:], nil, maxDerivations - 1},
		{"by another rule, too", down, down, 2 * maxDerivations},
	} {
		e := load(t, b.p)
		assertInts(t, e, owns, c.owned...)
		assertInts(t, e, rents, c.rented...)
		for _, n := range []uint32{0, 1, 2, maxDerivations - 1} {
			x, f := e.Explain(&abi.ExplainRequest{Relation: drives, Tuple: valuesOf([]int64{1}), MaxDepth: 2, MaxNodes: 10, Alternative: n})
			if f != nil {
				t.Fatalf("%s: %v", c.name, f)
			}
			if got := x.Nodes[1].Tuple[1].Int; got != int64(n) {
				t.Errorf("%s: derivation %d is of owns(1, %d), want owns(1, %d)", c.name, n, got, n)
			}
			if got := x.Nodes[0].Alternatives; n == 0 && got != c.alternatives {
				t.Errorf("%s: %d alternatives, want %d", c.name, got, c.alternatives)
			}
		}
	}
}
