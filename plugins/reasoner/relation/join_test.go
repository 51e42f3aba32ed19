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
			Left: left.r, Take: takes, Key: 1 - takes, From: uint32(from), To: uint32(left.r.Rows()),
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
		take, key := left.r.Column(takes)[from:], left.r.Column(1 - takes)[from:]
		matches := right.matches([]int{on}, [][]abi.Term{key}, len(key), uint32(lo), uint32(right.r.Rows()))
		for pair := range matches {
			l, r := take[pair[0]], right.r.Column(1 - on)[pair[1]]
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
		for c := range 2 {
			var exact spread
			exact.take(into.r.Column(c))
			if s := into.r.spread(c); s.rows != exact.rows || !s.mixed && s.rows > 0 && (exact.mixed || s.tag != exact.tag || s.top < exact.top) {
				t.Fatalf("the terms of column %d are said to spread %+v, they do %+v", c, s, exact)
			}
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
	j := Join{Left: r, Take: 0, Key: 1, To: uint32(r.Rows()), Index: x, Right: 1, Into: New(2)}
	if j.Start(uint32(r.Rows() - 1)) {
		t.Error("rows beyond the interval would be joined")
	}
	if !j.Start(uint32(r.Rows())) {
		t.Error("a join over the whole index is refused")
	}
}
