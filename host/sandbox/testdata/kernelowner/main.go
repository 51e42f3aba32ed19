//go:build wasip1

// Kernelowner is a Go guest that has a kernel sum a column of its own.
package main

import "unsafe"

//go:wasmimport ox:plugin/kernel@0.1.0 load
func load(module unsafe.Pointer, size uint32) int32

//go:wasmimport ox:plugin/kernel@0.1.0 call
func call(kernel, function uint32, values unsafe.Pointer, count uint32) int32

var (
	kernel []byte
	column []uint32
)

// room is where the kernel of n bytes is to be written.
//
//go:wasmexport room
func room(n int32) int32 {
	kernel = make([]byte, n)
	return int32(uintptr(unsafe.Pointer(unsafe.SliceData(kernel))))
}

//go:wasmexport load
func loaded() int32 { return load(unsafe.Pointer(unsafe.SliceData(kernel)), uint32(len(kernel))) }

// fill makes a column of the numbers below n.
//
//go:wasmexport fill
func fill(n int32) {
	column = make([]uint32, n)
	for i := range column {
		column[i] = uint32(i)
	}
}

// sum is what function 0 of the kernel makes of the column's address and
// length, or the status.
//
//go:wasmexport sum
func sum() int64 {
	values := [2]uint64{uint64(uintptr(unsafe.Pointer(unsafe.SliceData(column)))), uint64(len(column))}
	if status := call(0, 0, unsafe.Pointer(&values), 2); status != 0 {
		return int64(status)
	}
	return int64(values[0])
}

func main() {}
