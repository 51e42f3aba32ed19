package term

import (
	"fmt"
	"testing"
)

// TestTextsSpread: names that differ in a number fill a table of slots about as
// chance would, which is 0.31 steps each for this many.
func TestTextsSpread(t *testing.T) {
	const n, size = 50_000, 1 << 17
	for _, format := range []string{"%d", "thing %d", "root::thing%d", "the name of thing %d", "name of %d!", "%09d", "%016d", "%09d is its name", "%d%[1]d%[1]d"} {
		taken := make([]bool, size)
		steps := 0
		for i := range n {
			k := hashText(1, fmt.Sprintf(format, i)) % size
			for ; taken[k]; k = (k + 1) % size {
				steps++
			}
			taken[k] = true
		}
		if steps > n*45/100 {
			t.Errorf("%s: %.2f steps each", format, float64(steps)/n)
		}
	}
}
