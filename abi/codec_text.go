package abi

import "encoding/binary"

// plainText reads a string or the name of an individual, of at most 255 bytes
// of ASCII: nearly all that dictionaries have. It is value without its calls,
// which take most of the time in a guest. Where it gives false, it read nothing.
func (r *Reader) plainText(v *Value) bool {
	b := r.b[r.off:]
	if r.err != nil || r.text == "" || len(b) < 4 || b[0] != majorArray|2 || b[1] != byte(KindString) && b[1] != byte(KindNamed) {
		return false
	}
	n, at := int(b[2])-majorText, 3
	if b[2] == majorText|24 && b[3] >= 24 {
		n, at = int(b[3]), 4
	} else if n < 0 || n >= 24 {
		return false
	}
	if n > len(b)-at || !ascii(b[at:at+n]) {
		return false
	}
	at += r.off
	v.Kind, v.Str = Kind(b[1]), r.text[at:at+n]
	r.off = at + n
	return true
}

// ascii says whether no byte of b is above 127.
func ascii(b []byte) bool {
	const high = 0x8080808080808080
	if len(b) < 8 {
		for _, c := range b {
			if c >= 0x80 {
				return false
			}
		}
		return true
	}
	last := b[len(b)-8:]
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&high != 0 {
			return false
		}
		b = b[8:]
	}
	return binary.LittleEndian.Uint64(last)&high == 0
}
