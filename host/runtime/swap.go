package runtime

type swaps struct{}
