package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// pointers is an analysis whose rule from holds on finds many rows of refers
// that loaded drops.
func pointers() (b *builder, made, copied, stored, loaded, refers int) {
	b = newBuilder()
	made, copied, stored, loaded = b.base("made", 2), b.base("copied", 2), b.base("stored", 2), b.base("loaded", 2)
	refers = b.derived("refers", 2)
	holds := b.derived("holds", 2)
	b.component(true, []int{refers, holds},
		b.rule(refers, slots(0, 1), 2, scan(made, 0, 1)),
		b.rule(refers, slots(0, 2), 3, scan(copied, 0, 1), scan(refers, 1, 2)),
		b.rule(holds, slots(2, 3), 4, scan(stored, 0, 1), scan(refers, 0, 2), scan(refers, 1, 3)),
		b.rule(refers, slots(0, 3), 4, scan(loaded, 0, 1), scan(refers, 1, 2), scan(holds, 2, 3)))
	return b, made, copied, stored, loaded, refers
}

// With small batches probes look at chosen rows only, and derive what they do
// with large ones, where none does: also when the relation by which rows are
// chosen gains and loses facts.
func TestProbesOfChosenRowsDeriveTheSame(t *testing.T) {
	var used [2]int
	for seed := range uint64(12) {
		d := rand.New(rand.NewPCG(seed, 5))
		b, made, copied, stored, loaded, refers := pointers()
		few, plain := newEngine(1+int(seed%3)), newEngine(defaultBatch)
		both := []*Engine{few, plain}
		for _, e := range both {
			if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
				t.Fatal(f)
			}
		}
		change := func(rel, n int, remove bool) {
			const variables = 100
			var rows [][]int64
			for range n {
				row := []int64{d.Int64N(variables), d.Int64N(variables)}
				if rel == loaded { // mostly through references to nothing
					row[1] = variables - 20 + d.Int64N(2000)
				}
				rows = append(rows, row)
			}
			for _, e := range both {
				if _, f := e.Assert(&abi.AssertRequest{Deltas: []abi.Delta{{Relation: rel, Remove: remove, Frame: intFrame(rows...)}}}); f != nil {
					t.Fatal(f)
				}
			}
		}
		change(made, 40, false)
		change(copied, 110, false)
		change(stored, 30, false)
		change(loaded, 400, false)
		for step := range 6 {
			var got [2]string
			for i, e := range both {
				rows, f := e.Derive(&abi.DeriveRequest{Relation: refers})
				if f != nil {
					t.Fatal(f)
				}
				got[i] = fmt.Sprint(frameInts(&rows.Frame))
			}
			if got[0] != got[1] {
				t.Fatalf("seed %d, step %d:\n%s\nwant\n%s", seed, step, got[0], got[1])
			}
			for i, e := range both {
				if by := e.rels[loaded].data.Index([]int{1}); step == 0 && by.Covers(e.rels[loaded].data.Rows()) {
					if _, fresh := e.rels[refers].data.SemijoinIndex([]int{1}, 0, by); !fresh {
						used[i]++
					}
				}
			}
			switch step {
			case 0, 3:
				change(loaded, 40, false)
			case 1:
				change(made, 3, false)
			case 2:
				change(loaded, 3000, true)
			case 4:
				change(copied, 2000, true)
			}
		}
	}
	if used[0] < 6 || used[1] > 0 {
		t.Fatalf("probes looked at chosen rows %d times with small batches, %d times with large ones", used[0], used[1])
	}
}
