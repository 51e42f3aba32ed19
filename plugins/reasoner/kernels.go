//go:build wasip1

package main

import "unsafe"

// Kernels are made where they are granted; the engine can do without them.

//go:wasmimport ox:plugin/kernel-if-granted@0.1.0 load
func loadKernel(module unsafe.Pointer, size uint32) int32

//go:wasmimport ox:plugin/kernel-if-granted@0.1.0 call
func callKernel(kernel, function uint32, values unsafe.Pointer, count uint32) int32

// hostKernels are loaded and called by the host.
type hostKernels struct{}

func (hostKernels) Load(module []byte) int32 {
	return loadKernel(unsafe.Pointer(unsafe.SliceData(module)), uint32(len(module)))
}

func (hostKernels) Call(handle int32, values *uint64) bool {
	return callKernel(uint32(handle), 0, unsafe.Pointer(values), 1) == 0
}

func init() { reasoner.UseKernels(hostKernels{}) }
