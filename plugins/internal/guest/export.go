//go:build wasip1

package guest

// wall is this instance's only memory: exports are functions without a
// receiver, so what outlives a call has nowhere else to be.
var wall memory

// Realloc is the body of cabi_realloc.
func Realloc(old, oldSize, align, newSize uint32) uint32 {
	return wall.realloc(old, oldSize, align, newSize, bytesAddress)
}

// Handle is the body of an export that takes a list<u8> and gives a
// result<list<u8>, list<u8>>. It returns the address of the return area.
func Handle(ptr, size uint32, handler Handler) uint32 {
	var discriminant uint32
	var payload []byte
	if request, ok := wall.take(ptr, size); ok {
		discriminant, payload = answer(request, handler)
	} else {
		discriminant, payload = 1, badPointer(ptr, size).AppendCBOR(nil)
	}
	area := &[3]uint32{discriminant, bytesAddress(payload), uint32(len(payload))}
	return wall.keep(area, payload, areaAddress)
}

// Give is the body of an export without parameters that gives a list<u8>, as
// describe and stats do. It returns the address of the return area.
func Give(payload []byte) uint32 {
	area := &[3]uint32{bytesAddress(payload), uint32(len(payload))}
	return wall.keep(area, payload, areaAddress)
}

// Post is the body of each cabi_post_ export: it frees the answer whose return
// area is at ptr.
func Post(ptr uint32) { wall.release(ptr) }
