//go:build wasip1

// Command nonsense is a check evaluator for tests. Its answers are none; which
// one it gives is in the name of the check.
package main

import (
	"bytes"
	"unsafe"
)

func main() {}

var held [][]byte

//go:wasmexport cabi_realloc
func realloc(_, _, _, size uint32) uint32 {
	b := make([]byte, size+1)
	held = append(held, b)
	return address(b)
}

//go:wasmexport ox:plugin/check-evaluator@0.1.0#describe
func describe() uint32 {
	b := []byte("\x84\x650.1.0\x6fcheck-evaluator\x68nonsense\x611")
	return area(0, len(b), b) + 4 // the area of a plain list has no first word
}

//go:wasmexport ox:plugin/check-evaluator@0.1.0#evaluate
func evaluate(at, size uint32) uint32 {
	request := held[len(held)-1][:size]
	for _, mode := range []struct {
		name    string
		failed  uint32
		claimed int // bytes, where that is not what there is
		answer  string
	}{
		{"few_verdicts", 0, 0, "\x81\x80"},
		{"many_verdicts", 0, 0, "\x81\x83\x84\xf5\x00\x60\x60\x84\xf5\x00\x60\x60\x84\xf5\x00\x60\x60"},
		{"no_cbor", 0, 0, "\xff\xff\xff\xff"},
		{"no_severity", 0, 0, "\x81\x81\x84\xf4\x09\x60\x60"},
		{"no_utf8", 0, 0, "\x81\x81\x84\xf4\x00\x61\xff\x60"},
		{"a_huge_length", 0, 0, "\x81\x9b\x7f\xff\xff\xff\xff\xff\xff\xff"},
		{"too_much", 0, 1 << 30, "\x81"},
		{"outside_of_memory", 0, 8 << 20, "\x81"},
		{"no_failure", 1, 0, "\x81\x80"},
		{"no_discriminant", 7, 0, "\x81\x80"},
	} {
		if bytes.Contains(request, []byte(mode.name)) {
			if mode.claimed == 0 {
				mode.claimed = len(mode.answer)
			}
			return area(mode.failed, mode.claimed, []byte(mode.answer))
		}
	}
	switch {
	case bytes.Contains(request, []byte("area_far_away")):
		return 0xffff_fff0
	case bytes.Contains(request, []byte("no_end")):
		for n := 0; ; n++ {
			held[0][0] = byte(n)
		}
	case bytes.Contains(request, []byte("no_bottom")):
		return deeper(size)
	}
	panic("on purpose")
}

func deeper(n uint32) uint32 {
	if n == 0 {
		return 0
	}
	return deeper(n+1) + 1
}

// area makes a return area and gives its address.
func area(failed uint32, size int, payload []byte) uint32 {
	words := &[3]uint32{failed, address(payload), uint32(size)}
	b := unsafe.Slice((*byte)(unsafe.Pointer(words)), unsafe.Sizeof(*words))
	held = append(held, b, payload)
	return address(b)
}

func address(b []byte) uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}
