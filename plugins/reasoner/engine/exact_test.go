package engine

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A limit that stops a proof, for which what was kept up to date is evaluated
// again from scratch, takes nothing from what the next call reads.
func TestALimitThatStopsAProofLeavesTheExtents(t *testing.T) {
	b := newBuilder()
	edge := b.base("edge", 2)
	path, end := b.derived("path", 2), b.derived("end", 1)
	b.component(true, []int{path},
		b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.component(false, []int{end}, b.rule(end, slots(1), 2, scan(path, 0, 1), not(scan(edge, 1, -1))))
	for _, last := range []int{path, end} {
		e := load(t, b.p)
		assertInts(t, e, edge, []int64{1, 2}, []int64{2, 3}, []int64{3, 4}, []int64{2, 4})
		read := func(l abi.Limits, tags bool) (string, *abi.Failure) {
			rows, f := e.Derive(&abi.DeriveRequest{Call: abi.Call{Limits: l}, Relation: last, Tags: tags})
			if f != nil {
				return "", f
			}
			return fmt.Sprint(frameInts(&rows.Frame)), nil
		}
		if _, f := read(abi.Limits{}, false); f != nil {
			t.Fatal(f)
		}
		remove := []abi.Delta{{Relation: edge, Remove: true, Frame: intFrame([]int64{2, 4})}}
		if _, f := e.Assert(&abi.AssertRequest{Deltas: remove}); f != nil {
			t.Fatal(f)
		}
		want, f := read(abi.Limits{}, false)
		if f != nil || want == "[]" {
			t.Fatal(want, f)
		}
		for range 2 {
			_, f := read(abi.Limits{Rounds: 1}, true)
			if last == end { // its own rounds are few: the proof comes to the paths
				_, f = e.Explain(&abi.ExplainRequest{Call: abi.Call{Limits: abi.Limits{Rounds: 1}}, Relation: end, Tuple: valuesOf([]int64{4})})
			}
			if f == nil {
				t.Fatal("the proof is not stopped")
			}
		}
		if got, f := read(abi.Limits{}, false); f != nil || got != want {
			t.Errorf("%s has %s after the limit, want %s (%v)", b.p.Relations[last].Name, got, want, f)
		}
	}
}
