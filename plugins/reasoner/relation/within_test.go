package relation

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
)

func TestARangeSelectsWhatIsNotKnownToLieOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		integer := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.SampledFrom([]int64{abi.MinInline, abi.MinInline + 1, abi.MaxInline}))
		g := Everything()
		if rapid.Bool().Draw(t, "bounded") {
			g.Least, g.Most = integer.Draw(t, "least"), integer.Draw(t, "most")
		}
		excluded := rapid.SliceOf(rapid.Uint32Range(0, 100)).Draw(t, "excluded")
		for _, x := range excluded {
			g.Exclude(abi.TagTable | abi.Term(x))
		}
		// Long runs of integers, which are what is dropped by fours.
		term := rapid.Custom(func(t *rapid.T) abi.Term {
			switch rapid.IntRange(0, 20).Draw(t, "kind") {
			case 0:
				return abi.TagTable | abi.Term(rapid.Uint32Range(0, 200).Draw(t, "index"))
			case 1:
				return abi.TagDay | abi.Term(rapid.Uint32Range(0, 3).Draw(t, "day"))
			case 2:
				return abi.True
			}
			x, ok := abi.IntTerm(integer.Draw(t, "integer"))
			if !ok {
				t.Fatal("not inline")
			}
			return x
		})
		terms := rapid.SliceOfN(term, 0, 40).Draw(t, "terms")
		var want []uint32
		for i, x := range terms {
			switch x.Tag() {
			case abi.TagInt:
				if v := x.Inline(); v < g.Least || v > g.Most {
					continue
				}
			case abi.TagTable:
				if slices.Contains(excluded, x.Index()) {
					continue
				}
			}
			want = append(want, 7+uint32(i))
		}
		got := make([]uint32, len(terms))
		if got = got[:g.Select(terms, 7, got)]; !slices.Equal(got, want) {
			t.Fatalf("%v of %v, want %v", got, terms, want)
		}
	})
}
