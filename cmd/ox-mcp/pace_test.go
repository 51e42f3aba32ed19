package main

import "testing"

func TestTheHeapGrowsToWhatIsAimedAt(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		alive uint64
		want  int
	}{
		{0, 400},
		{40 * mib, 400},
		{80 * mib, 400},
		{100 * mib, 300},
		{200 * mib, 100},
		{350 * mib, 50},
		{400 * mib, 100},
		{4000 * mib, 100},
	} {
		got := percentFor(c.alive)
		if got != c.want {
			t.Errorf("%d MiB alive: %d %%, want %d", c.alive/mib, got, c.want)
		}
	}
}
