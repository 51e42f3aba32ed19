package term

import (
	"encoding/binary"
	"unsafe"

	"github.com/ox-mcp/ox-mcp/abi"
)

// The hash only has to spread well and be the same on every machine: a
// multiplication and a shift for each eight bytes.
const (
	hashOdd64 = 0x9e3779b97f4a7c15
	hashOdd   = 0x9e3779b1
)

func mix(h uint64) uint64 {
	h *= hashOdd64
	return h ^ h>>32
}

func hashText(seed uint32, s string) uint32 {
	h := mix(uint64(seed)<<32 ^ uint64(len(s)))
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for len(b) >= 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var tail uint64
	for i, c := range b {
		tail |= uint64(c) << (8 * i)
	}
	return uint32(mix(h ^ tail))
}

func hashWords(seed, a, b, c uint32) uint32 {
	h := mix(uint64(seed)<<32 ^ uint64(a))
	return uint32(mix(h ^ uint64(c)<<32 ^ uint64(b)))
}

func hashTerms(seed uint32, items []abi.Term) uint32 {
	h := mix(uint64(seed)<<32 ^ uint64(len(items)))
	for _, x := range items {
		h = mix(h ^ uint64(x))
	}
	return uint32(h)
}
