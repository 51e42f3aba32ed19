package guest

import "testing"

func TestTheGoalIsTwiceWhatIsAllocated(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		allocated, goal uint64
		want            int
	}{
		{3 * mib, 8 * mib, 100},
		{4 * mib, 8 * mib, 100},
		{40 * mib, 8 * mib, 1900},
		{1 * mib, 0, 100},
	} {
		got := percentFor(c.allocated, c.goal)
		if got != c.want {
			t.Errorf("%d allocated, goal %d: %d %%, want %d", c.allocated, c.goal, got, c.want)
		}
		if alive := c.goal / 2; got != defaultPercent && alive*uint64(100+got)/100 != 2*c.allocated {
			t.Errorf("%d allocated, goal %d: %d %% make a goal of %d", c.allocated, c.goal, got, alive*uint64(100+got)/100)
		}
	}
}
