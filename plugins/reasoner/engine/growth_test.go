package engine

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/relation"
)

// What reads a relation is not told of tuples that left it and came back.
func TestWhatCameBackIsNoChange(t *testing.T) {
	data := relation.New(2)
	pair := func(a, b abi.Term) []abi.Term { return []abi.Term{a, b} }
	data.Insert(pair(1, 2))
	data.Insert(pair(3, 4))
	move := func(tuple []abi.Term) {
		at, ok := data.Find(tuple)
		if !ok {
			t.Fatalf("%v is not there", tuple)
		}
		data.Remove(at)
		data.Insert(tuple)
	}

	seen := see(data)
	move(pair(1, 2))
	if x := seen.diff(); !x.none() {
		t.Errorf("one tuple left and came back: rows %d to %d are new, %v gone, want no change", x.lo, x.hi, x.gone)
	}
	data.Insert(pair(5, 6))
	if x := seen.diff(); x.none() || x.gone != nil || x.arrived() == nil {
		t.Errorf("a tuple came beside it: %+v, want what arrived and nothing gone", x)
	}

	seen = see(data)
	at, _ := data.Find(pair(3, 4))
	data.Remove(at)
	move(pair(1, 2))
	if x := seen.diff(); x.gone == nil || x.gone.Live() != 1 || x.arrived() != nil {
		t.Errorf("one left, another left and came back: %+v, want one gone and none arrived", x)
	}
}
