package relation

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

func TestJoinAddsWhatTheTwoScansGive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left, right, into := newModel(t, 2), newModel(t, 2), newModel(t, 2)
		right.term = left.term
		for _, m := range []*model{left, right, into} {
			cols, n := m.batch(t)
			m.r.InsertBatch(cols, n)
		}
		on := rapid.IntRange(0, 1).Draw(t, "on")
		x := right.r.Index([]int{on})
		x.Cover(right.r.Rows())
		if right.r.Rows() == 0 || left.r.Rows() == 0 {
			return
		}
		from := rapid.IntRange(0, left.r.Rows()).Draw(t, "from")
		lo := rapid.IntRange(0, right.r.Rows()).Draw(t, "lo")
		takes, swap := rapid.IntRange(0, 1).Draw(t, "takes"), rapid.Bool().Draw(t, "swap")
		j := Join{
			Left: left.r.Column(takes)[from:], Key: left.r.Column(1 - takes)[from:],
			Index: x, Right: 1 - on, Lo: uint32(lo), Into: into.r, Swap: swap,
		}
		if !j.Start(uint32(right.r.Rows())) {
			if x.dense {
				t.Fatal("a join over a dense index is refused")
			}
			return
		}
		want := map[string]bool{}
		for row := range uint32(into.r.Rows()) {
			want[fmt.Sprint(into.r.Row(nil, row))] = true
		}
		before := len(want)
		matches := right.matches([]int{on}, [][]abi.Term{j.Key}, len(j.Key), uint32(lo), uint32(right.r.Rows()))
		for pair := range matches {
			l, r := j.Left[pair[0]], right.r.Column(1 - on)[pair[1]]
			if swap {
				l, r = r, l
			}
			want[fmt.Sprint([]abi.Term{l, r})] = true
		}
		limit, total := rapid.IntRange(1, 5000).Draw(t, "limit"), 0
		for {
			added, done := j.Run(limit)
			if total += added; added > limit {
				t.Fatalf("%d added, at most %d were asked for", added, limit)
			}
			if done {
				break
			}
		}
		if total != len(want)-before {
			t.Fatalf("%d tuples added, want %d", total, len(want)-before)
		}
		into.want = want
		into.check(t)
	})
}

func TestAJoinNeedsAnIndexThatEndsWhereItDoes(t *testing.T) {
	r := New(2)
	square(r, 10, abi.TagInt)
	x := r.Index([]int{0})
	x.Cover(r.Rows())
	j := Join{Left: r.Column(0), Key: r.Column(1), Index: x, Right: 1, Into: New(2)}
	if j.Start(uint32(r.Rows() - 1)) {
		t.Error("rows beyond the interval would be joined")
	}
	if !j.Start(uint32(r.Rows())) {
		t.Error("a join over the whole index is refused")
	}
}
