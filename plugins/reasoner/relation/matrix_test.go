package relation

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

// square returns every pair below n in batches of a column.
func square(r *Relation, n int, tag abi.Term) (added int) {
	a, b := make([]abi.Term, n), make([]abi.Term, n)
	for x := range n {
		for y := range n {
			a[y], b[y] = tag|abi.Term(x), tag|abi.Term(y)
		}
		added += r.InsertBatch([][]abi.Term{a, b}, n)
	}
	return added
}

func TestADenseRelationGoesOverToAMatrixAndBack(t *testing.T) {
	pair := func(a, b abi.Term) [][]abi.Term { return [][]abi.Term{{a}, {b}} }
	r := New(2)
	if added := square(r, 100, abi.TagInt); added != 100*100 {
		t.Fatalf("%d pairs added, want %d", added, 100*100)
	}
	if r.matrix == nil {
		t.Fatal("100 x 100 pairs of small integers are kept in a hash set")
	}
	if added := square(r, 100, abi.TagInt); added != 0 {
		t.Fatalf("%d pairs added again", added)
	}
	// Larger payloads make the matrix grow.
	if added := square(r, 150, abi.TagInt); added != 150*150-100*100 || r.matrix == nil {
		t.Fatalf("%d pairs added after growth, want %d", added, 150*150-100*100)
	}
	// A row is found although the matrix knows no rows, and those that come
	// after are found too.
	for range 2 {
		if at, ok := r.Find([]abi.Term{abi.TagInt | 149, abi.TagInt | 7}); !ok || r.Column(1)[at] != abi.TagInt|7 {
			t.Fatalf("a pair is not found: row %d, %v", at, ok)
		}
		if n := r.Members(pair(abi.TagInt|150, abi.TagInt|7), 1, 0, uint32(r.Rows()), true, make([]uint32, 1)); n != 0 {
			t.Fatal("a pair is found that was never added")
		}
	}
	if added := r.InsertBatch(pair(abi.TagInt|150, abi.TagInt|7), 1); added != 1 {
		t.Fatalf("%d added, want 1", added)
	}
	if n := r.Members(pair(abi.TagInt|150, abi.TagInt|7), 1, 0, uint32(r.Rows()), true, make([]uint32, 1)); n != 1 {
		t.Fatal("a pair is not found after the matrix grew by it")
	}
	for want, tuple := range map[int][][]abi.Term{
		1: pair(abi.TagInt|150, abi.TagInt|7),
		0: pair(abi.TagInt|150, abi.TagInt|8),
	} {
		if n := r.Members(tuple, 1, 0, uint32(r.Rows()), true, make([]uint32, 1)); n != want {
			t.Fatalf("%v: %d members, want %d", tuple, n, want)
		}
	}
	if n := r.Members(pair(abi.TagTable|150, abi.TagInt|7), 1, 0, uint32(r.Rows()), false, make([]uint32, 1)); n != 1 {
		t.Fatal("a pair of another kind is found")
	}
	// A far payload, then another kind of term, cannot be in a matrix.
	if added := r.InsertBatch(pair(abi.TagInt|1<<25, abi.TagInt|7), 1); added != 1 || r.matrix != nil {
		t.Fatalf("a far payload: %d added, matrix kept: %v", added, r.matrix != nil)
	}
	if added := r.InsertBatch(pair(abi.True, abi.TagInt|7), 1); added != 1 {
		t.Fatalf("another kind: %d added", added)
	}
	if added := square(r, 150, abi.TagInt); added != 0 {
		t.Fatalf("%d pairs added again after the matrix was given up", added)
	}
	if added := square(r, 150, abi.TagTable); added != 150*150 {
		t.Fatalf("%d pairs of another kind added, want %d", added, 150*150)
	}
}

func TestAMatrixTakesSingleTuples(t *testing.T) {
	r := New(2)
	square(r, 100, abi.TagTable)
	tuple := []abi.Term{abi.TagTable | 3, abi.TagTable | 200}
	if _, added := r.Insert(tuple); !added {
		t.Fatal("a new pair is taken for an old one")
	}
	if _, added := r.Insert(tuple); added {
		t.Fatal("an old pair is taken for a new one")
	}
	if added := square(r, 201, abi.TagTable); added != 201*201-100*100-1 {
		t.Fatalf("%d added, want %d", added, 201*201-100*100-1)
	}
}

func TestSelections(t *testing.T) {
	a, b := []abi.Term{1, 2, 3, 4}, []abi.Term{1, 5, 3, 6}
	rows := make([]uint32, 4)
	if n := SelectEqual(a, b, true, rows); n != 2 || rows[0] != 0 || rows[1] != 2 {
		t.Errorf("equal rows %v", rows[:n])
	}
	if n := SelectEqual(a, b, false, rows); n != 2 || rows[0] != 1 || rows[1] != 3 {
		t.Errorf("other rows %v", rows[:n])
	}
	tuples, at := []uint32{7, 8, 9}, []uint32{3, 2, 0}
	if n := KeepEqual(a, b, tuples, at); n != 2 || tuples[0] != 8 || at[0] != 2 || tuples[1] != 9 || at[1] != 0 {
		t.Errorf("kept %v, %v", tuples[:n], at[:n])
	}
	dst := make([]abi.Term, 2)
	if Gather(dst, a, []uint32{3, 1}); dst[0] != 4 || dst[1] != 2 {
		t.Errorf("gathered %v", dst)
	}
}

// Rows that come in the order of their first column make the matrix grow again and
// again, and each time costs what has come so far: so it grows by a share.
func TestAMatrixOfRowsInOrderIsSeldomFilledAnew(t *testing.T) {
	const nodes = 1000
	r := New(2)
	var last *uint64
	filled := 0
	for a := range nodes {
		var cols [2][]abi.Term
		for b := range nodes {
			if (a*7+b*13)%9 == 0 {
				cols[0], cols[1] = append(cols[0], abi.TagInt|abi.Term(a+100)), append(cols[1], abi.TagInt|abi.Term(b+100))
			}
		}
		r.InsertBatch(cols[:], len(cols[0]))
		if r.matrix != nil && &r.matrix.bits[0] != last {
			last = &r.matrix.bits[0]
			filled++
		}
	}
	if r.matrix == nil || filled > 20 {
		t.Errorf("the matrix was filled %d times (there is one at the end: %v)", filled, r.matrix != nil)
	}
}
