package relation

import (
	"math/rand/v2"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func number(n int64) abi.Term {
	t, _ := abi.IntTerm(n)
	return t
}

// Lanes say of a pair what the set of all rows would: they are asked while the
// relation grows, for more first terms than are kept open.
func TestLanesFindTheRowsThatTheSetFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r, plain := New(2), map[[2]abi.Term]uint32{}
	side := int32(300)
	for step := range 30 {
		var cols [2][]abi.Term
		for range 1000 {
			a, b := number(int64(rng.Int32N(side))), number(int64(rng.Int32N(side)))
			cols[0], cols[1] = append(cols[0], a), append(cols[1], b)
		}
		r.InsertBatch(cols[:], len(cols[0]))
		for row := len(plain); row < r.Rows(); row++ {
			plain[[2]abi.Term{r.Column(0)[row], r.Column(1)[row]}] = uint32(row)
		}
		if step == 20 {
			side = 390 // the matrix grows
		}
		if step >= 10 && r.matrix == nil {
			t.Fatalf("step %d: %d rows have no matrix", step, r.Rows())
		}
		for range 200 {
			a, b := number(int64(rng.Int32N(side+3))), number(int64(rng.Int32N(side+3)))
			want, there := plain[[2]abi.Term{a, b}]
			if at, ok := r.Find([]abi.Term{a, b}); ok != there || ok && at != want {
				t.Fatalf("step %d: row %d, %v of a pair that is in row %d, %v", step, at, ok, want, there)
			}
			lo, hi := uint32(rng.IntN(r.Rows())), uint32(rng.IntN(r.Rows()))
			tuples := make([]uint32, 1)
			inside := there && want >= lo && want < hi
			if n := r.Members([][]abi.Term{{a}, {b}}, 1, lo, hi, true, tuples); (n == 1) != inside {
				t.Fatalf("step %d: a pair of row %d, %v is said to be in [%d, %d): %d", step, want, there, lo, hi, n)
			}
		}
	}
	if r.lanes.fills < laneFills {
		t.Errorf("only %d lanes were filled: the way to the set is not tested", r.lanes.fills)
	}
}
