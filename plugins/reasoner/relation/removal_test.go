package relation

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

// What has changed since a moment is told by the numbers of rows and of removed
// rows then, and tags stay with their rows, also when the removed ones are
// dropped.
func TestARelationTellsWhatChangedSinceAMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, tags := New(1), map[abi.Term]uint32{}
		live := map[abi.Term]bool{}
		change := func(round uint32) {
			r.Begin(int(round), round)
			for range rapid.IntRange(0, 8).Draw(t, "changes") {
				x := abi.TagInt | abi.Term(rapid.IntRange(0, 20).Draw(t, "term"))
				if at, ok := r.Find([]abi.Term{x}); ok != live[x] {
					t.Fatalf("%v is there: %v", x, ok)
				} else if ok {
					r.Remove(at)
					delete(live, x)
				} else {
					r.Insert([]abi.Term{x})
					live[x], tags[x] = true, round
				}
			}
		}
		change(1)
		change(2)
		if rapid.Bool().Draw(t, "compact") {
			r.Compact()
			if r.Rows() != len(live) || len(r.Removed()) != 0 {
				t.Fatalf("%d rows after dropping the removed ones, want %d", r.Rows(), len(live))
			}
		}
		rows, removed := r.Rows(), len(r.Removed())
		then := map[abi.Term]bool{}
		for x := range live {
			then[x] = true
		}
		change(3)
		change(4)
		var gained, lost, old, want []abi.Term
		for _, at := range r.Gained(rows, removed) {
			gained = append(gained, r.Column(0)[at])
		}
		if gone := r.Lost(rows, removed); gone != nil {
			lost = slices.Clone(gone.Column(0))
		}
		before := r.At(rows, removed)
		for at := range uint32(before.Rows()) {
			if !before.Dead(at) {
				old = append(old, before.Column(0)[at])
			}
		}
		equal := func(what string, got []abi.Term, a, b map[abi.Term]bool) {
			want = want[:0]
			for x := range a {
				if !b[x] {
					want = append(want, x)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
		equal("gained", gained, live, then)
		equal("lost", lost, then, live)
		equal("before", old, then, nil)
		if rapid.Bool().Draw(t, "compact again") {
			r.Compact()
		}
		for x := range live {
			at, _ := r.Find([]abi.Term{x})
			if rule, round := r.Tag(at); round != tags[x] || rule != int(round) {
				t.Fatalf("%v is of rule %d, round %d, want %d", x, rule, round, tags[x])
			}
			if n := r.Before(tags[x]); int(at) < n {
				t.Fatalf("row %d of round %d is among the %d before it", at, tags[x], n)
			}
		}
		r.Begin(5, 5)
		for i := range r.tags[1:] {
			if r.tags[i].start >= r.tags[i+1].start || r.tags[i].round > r.tags[i+1].round {
				t.Fatalf("the segments are not in order: %v", r.tags)
			}
		}
	})
}
