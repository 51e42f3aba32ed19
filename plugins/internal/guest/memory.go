package guest

import "unsafe"

// memory is what the guest has handed to the host: allocations that wait to be
// lifted, and answers that wait to be freed. The collector would otherwise
// take both, as the host's addresses are nothing that it sees.
type memory struct {
	given   map[uint32][]byte
	answers map[uint32]answered
}

// answered is a return area and what it points to.
type answered struct {
	area    *[3]uint32
	payload []byte
}

// wordBytes is the alignment of every allocation, enough for any type of the
// canonical ABI.
const wordBytes = 8

// realloc is cabi_realloc: a new allocation where old is 0, else one of
// newSize bytes with the contents of old, which is gone.
func (m *memory) realloc(old, oldSize, align, newSize uint32, address func([]byte) uint32) uint32 {
	if newSize == 0 {
		delete(m.given, old)
		return align // no byte is there to be read, but null would be no list
	}
	// The allocator packs small odd sizes, so their alignment needs rounding.
	size := (int(newSize) + wordBytes - 1) &^ (wordBytes - 1)
	b := make([]byte, newSize, size)
	if from, ok := m.given[old]; ok {
		copy(b, from[:min(int(oldSize), len(from))])
		delete(m.given, old)
	}
	if m.given == nil {
		m.given = map[uint32][]byte{}
	}
	ptr := address(b)
	m.given[ptr] = b
	return ptr
}

// take lifts a list<u8> that was written to an allocation.
func (m *memory) take(ptr, size uint32) ([]byte, bool) {
	if size == 0 {
		delete(m.given, ptr)
		return nil, true
	}
	b, ok := m.given[ptr]
	if !ok || int(size) > len(b) {
		return nil, false
	}
	delete(m.given, ptr)
	return b[:size:size], true
}

// keep remembers an answer until release.
func (m *memory) keep(area *[3]uint32, payload []byte, address func(*[3]uint32) uint32) uint32 {
	if m.answers == nil {
		m.answers = map[uint32]answered{}
	}
	ptr := address(area)
	m.answers[ptr] = answered{area, payload}
	return ptr
}

// release forgets the answer whose area is at ptr.
func (m *memory) release(ptr uint32) { delete(m.answers, ptr) }

// bytesAddress is the address of b in linear memory, 0 for an empty b.
func bytesAddress(b []byte) uint32 {
	if len(b) == 0 {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

func areaAddress(a *[3]uint32) uint32 { return uint32(uintptr(unsafe.Pointer(a))) }
