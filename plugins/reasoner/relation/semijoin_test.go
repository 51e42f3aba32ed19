package relation

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// An index of chosen rows finds those rows that the index of all finds and
// whose term the other relation has, while both relations grow.
func TestASemijoinIndexFindsTheRowsThatAJoinKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, other := newModel(t, 3), newModel(t, 2)
		on := rapid.SampledFrom([][]int{{0}, {1}, {0, 2}, {0, 1, 2}}).Draw(t, "on")
		column, by := rapid.IntRange(0, 2).Draw(t, "column"), []int{rapid.IntRange(0, 1).Draw(t, "by")}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			cols, n := m.batch(t)
			m.r.InsertBatch(cols, n)
			if rapid.Bool().Draw(t, "the other grows") {
				cols, n := other.batch(t)
				other.r.InsertBatch(cols, min(n, 40))
			}
			keys := other.r.Index(by)
			keys.Cover(other.r.Rows())
			x, fresh := m.r.SemijoinIndex(on, column, keys)
			x.Cover(m.r.Rows())
			if again, made := m.r.SemijoinIndex(on, column, keys); again != x || made {
				t.Fatalf("made anew with nothing changed (fresh before: %v)", fresh)
			}
			all := m.r.Index(on)
			all.Cover(m.r.Rows())
			for row := range min(m.r.Rows(), 50) {
				var key []abi.Term
				for _, c := range on {
					key = append(key, m.r.Column(c)[row])
				}
				var want []uint32
				for at, ok := all.First(key); ok; at, ok = all.Next(at) {
					if _, there := keys.First([]abi.Term{m.r.Column(column)[at]}); there {
						want = append(want, at)
					}
				}
				probe := Probe{Index: x, Hi: uint32(m.r.Rows())}
				var each [][]abi.Term
				for i := range key {
					each = append(each, key[i:i+1])
				}
				probe.Start(each, 1)
				tuples, rows := make([]uint32, len(want)+1), make([]uint32, len(want)+1)
				n := probe.Next(tuples, rows)
				if n != len(want) {
					t.Fatalf("%d rows, want %d", n, len(want))
				}
				for i, at := range want {
					if rows[i] != at {
						t.Fatalf("row %d, want %d", rows[i], at)
					}
				}
			}
		}
	})
}
