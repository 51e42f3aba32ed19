package rewrite

// The fuel schedule. docs/fuel.md states it for people; a change of any of
// these figures needs a new Version.

// cost is the charge of one instruction. The ends and beginnings of blocks
// are free; a turn of a loop costs loopCost.
func cost(op uint16) uint64 {
	switch op {
	case nop, block, loop, elseOp, endOp:
		return 0
	}
	return 1
}

// loopCost is the charge of a turn of a loop.
const loopCost uint64 = 1

// entryCost is the charge of a function's entry: the frame, and the locals
// that are set to zero.
func entryCost(locals int) uint64 { return 2 + uint64(locals)/8 }

// bulkShift gives the charge of a bulk instruction of n bytes or elements as
// n >> shift, and -1 for other instructions.
func bulkShift(op uint16) int {
	switch op {
	case memoryInit, memoryCopy, memoryFill:
		return 6
	case tableInit, tableCopy, tableFill:
		return 3
	}
	return -1
}

// growShift gives the charge of memory.grow by n pages as n << growShift. A
// request above the format's own maximum is charged as that maximum.
const growShift = 10
