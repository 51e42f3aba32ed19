package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// reachable counts the pairs (x, y) with a path from x to y.
func reachable(nodes int, edges *abi.Frame) int {
	next := make([][]int64, nodes)
	for _, e := range frameInts(edges) {
		next[e[0]] = append(next[e[0]], e[1])
	}
	total := 0
	for from := range nodes {
		seen := make([]bool, nodes)
		for stack := next[from]; len(stack) > 0; {
			at := stack[len(stack)-1]
			stack = stack[: len(stack)-1 : len(stack)-1]
			if seen[at] {
				continue
			}
			seen[at] = true
			total++
			stack = append(stack, next[at]...)
		}
	}
	return total
}

// TestClosuresOfALargerGraph is large enough for the head to become a matrix,
// for batches to fill, and for joins to be cut off in between.
func TestClosuresOfALargerGraph(t *testing.T) {
	const nodes = 220
	edges := randomEdges(nodes, 2*nodes)
	want := reachable(nodes, &edges)
	for name, recursion := range map[string]func(edge, path int) (args []abi.Arg, slots int, body []abi.Atom){
		"left": func(edge, path int) ([]abi.Arg, int, []abi.Atom) {
			return slots(0, 2), 3, []abi.Atom{scan(path, 0, 1), scan(edge, 1, 2)}
		},
		"right": func(edge, path int) ([]abi.Arg, int, []abi.Atom) {
			return slots(0, 2), 3, []abi.Atom{scan(edge, 0, 1), scan(path, 1, 2)}
		},
		"double": func(edge, path int) ([]abi.Arg, int, []abi.Atom) {
			return slots(0, 2), 3, []abi.Atom{scan(path, 0, 1), scan(path, 1, 2)}
		},
		"by a third": func(edge, path int) ([]abi.Arg, int, []abi.Atom) {
			return slots(0, 2), 4, []abi.Atom{scan(path, 0, 1), scan(edge, 1, 2), scan(edge, 2, 3)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			edge, path := b.base("edge", 2), b.derived("path", 2)
			rules := []int{b.rule(path, slots(0, 1), 2, scan(edge, 0, 1))}
			args, width, body := recursion(edge, path)
			rules = append(rules, b.rule(path, args, width, body...))
			if name == "by a third" { // only steps to nodes that lead on; the rest step as they are
				rules = append(rules, b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
			}
			b.component(true, []int{path}, rules...)
			e := load(t, b.p)
			if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: edges}}}); f != nil {
				t.Fatal(f)
			}
			rows, f := e.Derive(&abi.DeriveRequest{Relation: path, Page: abi.Page{Limit: 1}})
			if f != nil || rows.Total != uint64(want) {
				t.Fatalf("%d pairs, want %d (%v)", rows.Total, want, f)
			}
			// One more edge, by what it adds.
			more := intFrame([]int64{0, 1}, []int64{1, 0}, []int64{5, 0})
			if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: edge, Frame: more}}}); f != nil {
				t.Fatal(f)
			}
			grown := intFrame(append(frameInts(&edges), frameInts(&more)...)...)
			rows, f = e.Derive(&abi.DeriveRequest{Relation: path, Page: abi.Page{Limit: 1}})
			if want := reachable(nodes, &grown); f != nil || rows.Total != uint64(want) {
				t.Fatalf("%d pairs after three more edges, want %d (%v)", rows.Total, want, f)
			}
		})
	}
}
