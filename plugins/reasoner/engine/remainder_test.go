package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A leg that is missing at the end of a way of a given length has what the way
// before it leaves, whatever the order in which the rule's body is walked.
func TestALegHasWhatTheWayBeforeItLeaves(t *testing.T) {
	b := newBuilder()
	number := abi.Type{Op: abi.TypeInt}
	node, leg, way := b.base("node", 1), b.base("leg", 3), b.derived("way", 3)
	b.p.Relations[node].Origin = abi.OriginConcept
	b.p.Types = append(b.p.Types, abi.TypeDef{Name: "node", Op: abi.TypeConcept, Extent: node})
	for c := range 2 {
		b.p.Relations[leg].Columns[c].Type = abi.Type{Op: abi.TypeConcept, Name: "node"}
	}
	b.p.Relations[leg].Columns[2].Type = number
	sum := abi.Expr{Op: abi.ExprAdd, Args: []abi.Expr{slotExpr(3), slotExpr(4)}}
	b.component(true, []int{way},
		b.rule(way, slots(0, 1, 2), 3, scan(leg, 0, 1, 2)),
		b.rule(way, slots(0, 2, 5), 6, scan(way, 0, 1, 3), scan(leg, 1, 2, 4), let(5, sum)))
	e := load(t, b.p)
	assertInts(t, e, node, []int64{101}, []int64{102}, []int64{103}, []int64{104})
	assertInts(t, e, leg, []int64{101, 102, 2}, []int64{102, 103, 1})
	got := repairTexts(&b.p, repairsOf(t, e, way, []int64{101, 104, 50}, abi.MaxRepair, defaultRepairBounds).Repairs)
	slices.Sort(got)
	want := "leg(101, 104, 50); leg(102, 104, 48); leg(103, 104, 47)"
	if texts := strings.Join(got, "; "); texts != want {
		t.Errorf("%s, not %s", texts, want)
	}
}
