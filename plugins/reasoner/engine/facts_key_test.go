package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A frame for a relation with a key does what its rows do one after another,
// whether its keys are new or not, and however long it is.
func TestAFrameForAKeyedRelationIsItsRowsInTurn(t *testing.T) {
	for seed := range uint64(60) {
		d := rand.New(rand.NewPCG(seed, 3))
		b := newBuilder()
		price := b.base("price", 3, [][]int{{0}, {0, 1}, {2}}[seed%3]...)
		e := load(t, b.p)
		key := b.p.Relations[price].Key
		model, changes := map[string][]int64{}, uint64(0)
		fresh := int64(0)
		for range 4 {
			n := []int{1, 5, 3000}[d.IntN(3)]
			few := []int64{3, 2000}[d.IntN(2)]
			mostlyNew := d.IntN(2) == 0
			rows := make([][]int64, n)
			for i := range rows {
				x := d.Int64N(few)
				if mostlyNew && (n < 100 || d.IntN(1000) > 0) {
					fresh++
					x = 10_000 + fresh
				}
				rows[i] = []int64{x, x % 7, x}
				if key[0] == 0 {
					rows[i][2] = d.Int64N(3)
				} else {
					rows[i][0] = d.Int64N(3)
				}
			}
			if d.IntN(4) == 0 {
				remove := intFrame(rows...)
				if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: price, Remove: true, Frame: remove}}}); f != nil {
					t.Fatal(f)
				}
				maps.DeleteFunc(model, func(_ string, have []int64) bool {
					return slices.ContainsFunc(rows, func(row []int64) bool { return slices.Equal(row, have) })
				})
				continue
			}
			changes = 0
			for _, row := range rows {
				var k []int64
				for _, c := range key {
					k = append(k, row[c])
				}
				if have, there := model[fmt.Sprint(k)]; !there || !slices.Equal(have, row) {
					model[fmt.Sprint(k)] = row
					changes++
				}
			}
			r, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: price, Frame: intFrame(rows...)}}})
			if f != nil {
				t.Fatal(f)
			}
			if r.Added != changes {
				t.Fatalf("seed %d: %d rows were added, want %d", seed, r.Added, changes)
			}
			got, f := e.Derive(&abi.DeriveRequest{Relation: price})
			if f != nil {
				t.Fatal(f)
			}
			want := slices.SortedFunc(maps.Values(model), slices.Compare)
			if have := frameInts(&got.Frame); fmt.Sprint(have) != fmt.Sprint(want) {
				t.Fatalf("seed %d: %d tuples, want %d:\n%v\n%v", seed, len(have), len(want), have, want)
			}
		}
	}
}
