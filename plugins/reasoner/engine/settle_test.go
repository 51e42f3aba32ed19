package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// What reads a component that is always evaluated anew goes on by the difference:
// its extent stays, and gains and loses rows.
func TestReadersOfAWellFoundedComponentGoOnByTheDifference(t *testing.T) {
	p, move, win := winMoveProgram()
	e := load(t, p)
	var rows [][]int64
	for i := range int64(200) {
		rows = append(rows, []int64{i, i + 1})
	}
	assertInts(t, e, move, rows...)
	safe := win + 2
	data := read(t, e, safe)
	before := data.Live()
	assertInts(t, e, move, []int64{300, 301}, []int64{301, 302}, []int64{302, 303})
	now := read(t, e, safe)
	if now != data {
		t.Error("three moves more made a new extent of what reads the game")
	}
	if got := now.Live() - before; got != 2 {
		t.Errorf("%d tuples more, want 2", got)
	}
	if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: move, Remove: true, Frame: intFrame([]int64{302, 303})}}}); f != nil {
		t.Fatal(f)
	}
	now = read(t, e, safe)
	if now != data {
		t.Error("a move less made a new extent of what reads the game")
	}
	if got := now.Live() - before; got != 1 {
		t.Errorf("%d tuples more, want 1", got)
	}
}

// Nothing that reads a component is evaluated again because it was explained.
func TestAnExplanationLeavesReadersAsTheyAre(t *testing.T) {
	b := newBuilder()
	edge, path, both := b.base("edge", 2), b.derived("path", 2), b.derived("both", 2)
	b.component(true, []int{path}, b.rule(path, slots(0, 1), 2, scan(edge, 0, 1)),
		b.rule(path, slots(0, 2), 3, scan(path, 0, 1), scan(edge, 1, 2)))
	b.component(false, []int{both}, b.rule(both, slots(0, 1), 2, scan(path, 0, 1), scan(path, 1, 0)))
	e := load(t, b.p)
	assertInts(t, e, edge, chainRows(30)...)
	read(t, e, both)
	assertInts(t, e, edge, []int64{29, 0})
	data := read(t, e, both)
	if _, f := e.Derive(&abi.DeriveRequest{Relation: path, Tags: true}); f != nil {
		t.Fatal(f)
	}
	assertInts(t, e, edge, []int64{29, 1})
	if now := read(t, e, both); now != data || now.Live() != 900 {
		t.Errorf("a new extent: %v; %d tuples, want 900", now != data, now.Live())
	}
	if n := e.work.Rounds; n > 8 {
		t.Errorf("%d rounds after an edge that changes nothing", n)
	}
}

func chainRows(n int64) (out [][]int64) {
	for i := range n - 1 {
		out = append(out, []int64{i, i + 1})
	}
	return out
}
