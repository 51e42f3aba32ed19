package lower

import (
	"slices"
	"testing"
)

func TestConnectedGivesWhatIsReadFirst(t *testing.T) {
	// 0 reads 1, 1 and 2 read each other, 2 reads 3; 4 stands alone.
	edges := [][]edge{{{to: 1}}, {{to: 2}}, {{to: 1}, {to: 3}}, nil, nil}
	var got [][]int
	for _, scc := range connected(5, edges) {
		slices.Sort(scc)
		got = append(got, scc)
	}
	want := [][]int{{3}, {1, 2}, {0}, {4}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v", got)
	}
}

func TestConnectedTakesLongChains(t *testing.T) {
	const n = 200_000
	edges := make([][]edge, n)
	for i := range n - 1 {
		edges[i] = []edge{{to: i + 1}}
	}
	got := connected(n, edges)
	if len(got) != n || got[0][0] != n-1 || got[n-1][0] != 0 {
		t.Errorf("%d components", len(got))
	}
}
