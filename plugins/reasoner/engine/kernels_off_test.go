//go:build !(wasip1 && kernels)

package engine

// withKernels has the engine make kernels, where tests run in a guest that can.
func withKernels(*Engine) {}
