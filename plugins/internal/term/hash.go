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
	hashEnd   = 0xd6e8feb86659fd93
)

func mix(h uint64) uint64 {
	h *= hashOdd64
	return h ^ h>>32
}

// hashText takes the last eight bytes as one word, which may have bytes that the
// word before it has: a byte at a time takes seven turns. Words that repeat need
// the second multiplication at the end; without it names that end in a number
// meet five times as often.
func hashText(seed uint32, s string) uint32 {
	h := uint64(seed)<<32 ^ uint64(len(s))
	all := unsafe.Slice(unsafe.StringData(s), len(s))
	var last uint64
	if len(all) < 8 {
		for i, c := range all {
			last |= uint64(c) << (8 * i)
		}
	} else {
		for b := all; len(b) > 8; b = b[8:] {
			h = (h ^ binary.LittleEndian.Uint64(b)) * hashOdd64
			h ^= h >> 29
		}
		last = binary.LittleEndian.Uint64(all[len(all)-8:])
	}
	h = (h ^ last) * hashOdd64
	h ^= h >> 32
	return uint32(h * hashEnd >> 32)
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
