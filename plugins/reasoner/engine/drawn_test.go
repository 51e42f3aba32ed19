package engine

import "pgregory.net/rapid"

// drawnEngine returns an engine with batches of one of the sizes, small ones of
// which make steps stop and resume as large data does, and which may plan every
// rule, as it does over many rows.
func drawnEngine(t *rapid.T, sizes ...int) *Engine {
	e := newEngine(rapid.SampledFrom(sizes).Draw(t, "batch"))
	e.handful = rapid.SampledFrom([]int{0, 4, handfulRows}).Draw(t, "handful")
	withKernels(e)
	return e
}
