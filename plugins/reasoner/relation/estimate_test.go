package relation

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func TestFanoutIsNearTheTruth(t *testing.T) {
	for _, c := range []struct{ rows, keys int }{
		{10, 10}, {10, 2}, {500, 500}, {500, 5}, {20000, 20000}, {20000, 10}, {20000, 300}, {20000, 2000},
	} {
		r := New(2)
		state := uint64(1)
		for i := range c.rows {
			state = state*6364136223846793005 + 1442695040888963407
			key := int(state>>33) % c.keys
			if c.keys == c.rows {
				key = i
			}
			r.Insert([]abi.Term{abi.TagTable | abi.Term(key), abi.TagInt | abi.Term(i)})
		}
		want := float64(c.rows) / float64(c.keys)
		sampled := r.Fanout([]int{0})
		if sampled < want/3 || sampled > want*3 {
			t.Errorf("%d rows of %d keys: fan-out %.1f from a sample, want about %.1f", c.rows, c.keys, sampled, want)
		}
		r.Index([]int{0}).Cover(r.Rows())
		if indexed := r.Fanout([]int{0}); indexed < want*0.99 || indexed > want*1.5 {
			t.Errorf("%d rows of %d keys: fan-out %.1f from the index, want about %.1f", c.rows, c.keys, indexed, want)
		}
	}
}
