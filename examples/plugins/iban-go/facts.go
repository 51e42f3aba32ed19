//go:build wasip1

package main

import (
	"errors"
	"fmt"
	"unsafe"
)

// scan is ox:plugin/facts. The host calls cabi_realloc before it returns, so
// that it must not be marked noescape.
//
//go:wasmimport ox:plugin/facts@0.1.0 scan
func scan(request unsafe.Pointer, size uint32, area unsafe.Pointer)

// scanAll calls visit with each row of a relation that the check's body names,
// a page after the other.
func scanAll(relation string, visit func(f *Frame, row int)) error {
	var after [][]byte
	for {
		request := scanRequest(relation, after)
		area := new([3]uint32)
		scan(unsafe.Pointer(unsafe.SliceData(request)), uint32(len(request)), unsafe.Pointer(area))
		answer := take(area[1], area[2])
		if area[0]&0xff != 0 { // the discriminant is one byte
			return fmt.Errorf("the facts of %s: %w", relation, errors.New(failureMessage(answer)))
		}
		f, next, err := parseScan(answer)
		if err != nil {
			return err
		}
		for row := range f.Rows {
			visit(&f, row)
		}
		if len(next) == 0 {
			return nil
		}
		after = next
	}
}
