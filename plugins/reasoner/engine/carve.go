package engine

// carvings are what the short lists of a program's components are cut from: they
// live as long as the program, and an allocation each would be most of what it
// costs to take it up.
type carvings struct {
	numbers []int
	sources []source
	rules   []*ruleState
}

// carvedAtOnce is the length of a piece that lists are cut from, and
// carvedMost that of the longest list that is.
const (
	carvedAtOnce = 256
	carvedMost   = 16
)

// carve returns a list of n, cut from the rest of a piece where it is short.
func carve[T any](rest *[]T, n int) []T {
	if n > carvedMost {
		return make([]T, n)
	}
	if len(*rest) < n {
		*rest = make([]T, carvedAtOnce)
	}
	out := (*rest)[:n:n]
	*rest = (*rest)[n:]
	return out
}
