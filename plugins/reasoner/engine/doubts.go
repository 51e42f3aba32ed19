package engine

import "math/bits"

// doubts are the rows of a relation that are or were in doubt. They are taken in
// their order, and none comes to be in doubt that lies before one that was taken,
// so that to find the next is to go on from the last: a change may put hundreds of
// thousands in doubt.
type doubts struct {
	bits []uint64 // bit a row; nil: none was in doubt
	next uint32   // no row before it waits
	wait int      // rows that are still to be taken
}

// add puts a row, one of so many, in doubt, unless it has been. It reports whether
// it is the only one that waits.
func (d *doubts) add(at uint32, rows int) (only bool) {
	if d.bits == nil {
		d.bits = make([]uint64, (rows+63)/64)
	}
	bit := uint64(1) << (at & 63)
	if d.bits[at>>6]&bit != 0 {
		return false
	}
	d.bits[at>>6] |= bit
	if d.wait++; d.wait == 1 || at < d.next {
		d.next = at
	}
	return d.wait == 1
}

// first returns the first row that waits; there is one.
func (d *doubts) first() uint32 {
	at := d.next >> 6
	word := d.bits[at] & (^uint64(0) << (d.next & 63))
	for word == 0 {
		at++
		word = d.bits[at]
	}
	d.next = at<<6 + uint32(bits.TrailingZeros64(word))
	return d.next
}

// take returns the first row that waits, which no longer does.
func (d *doubts) take() uint32 {
	at := d.first()
	d.next, d.wait = at+1, d.wait-1
	return at
}
