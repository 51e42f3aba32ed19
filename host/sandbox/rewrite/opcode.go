package rewrite

// operand says what follows an opcode.
type operand uint8

const (
	opNone operand = iota
	opBlock
	opElse
	opEnd
	opLabel
	opBranchTable
	opFunc
	opCallIndirect
	opLocal
	opGlobal
	opTable
	opMemArg
	opMemory
	opI32
	opI64
	opF32
	opF64
	opSelectTypes
	opRefType
	opRefFunc
	opPrefixFC
	opUnknown
	opSIMD
	opThreads
	opExceptions
	opTailCall
	opGC
)

// Opcodes that the rewriter looks at. Those behind the 0xFC prefix are
// 0xFC00 plus their number.
const (
	unreachable  = 0x00
	nop          = 0x01
	block        = 0x02
	loop         = 0x03
	ifOp         = 0x04
	elseOp       = 0x05
	endOp        = 0x0B
	br           = 0x0C
	brIf         = 0x0D
	brTable      = 0x0E
	returnOp     = 0x0F
	call         = 0x10
	callIndirect = 0x11
	selectOp     = 0x1B
	localGet     = 0x20
	localSet     = 0x21
	localTee     = 0x22
	globalGet    = 0x23
	globalSet    = 0x24
	tableSet     = 0x26
	memoryGrow   = 0x40
	i32Const     = 0x41
	i64Const     = 0x42
	f32Const     = 0x43
	f64Const     = 0x44
	i32Eq        = 0x46
	i32LtS       = 0x48
	i32LtU       = 0x49
	i64LtS       = 0x53
	i32Add       = 0x6A
	i32Sub       = 0x6B
	i64Sub       = 0x7D
	i64Shl       = 0x86
	i64ShrU      = 0x88
	i64ExtendU   = 0xAD
	refNull      = 0xD0
	refFunc      = 0xD2

	memoryInit = 0xFC08
	dataDrop   = 0xFC09
	memoryCopy = 0xFC0A
	memoryFill = 0xFC0B
	tableInit  = 0xFC0C
	elemDrop   = 0xFC0D
	tableCopy  = 0xFC0E
	tableGrow  = 0xFC0F
	tableSize  = 0xFC10
	tableFill  = 0xFC11
)

// operandOf gives what follows a one-byte opcode of Core 2.0, or why there is
// no such instruction.
func operandOf(op byte) operand {
	switch {
	case op >= block && op <= ifOp:
		return opBlock
	case op == elseOp:
		return opElse
	case op == endOp:
		return opEnd
	case op == br, op == brIf:
		return opLabel
	case op == brTable:
		return opBranchTable
	case op == call:
		return opFunc
	case op == callIndirect:
		return opCallIndirect
	case op <= nop, op == returnOp, op == 0x1A, op == selectOp, op == 0xD1:
		return opNone
	case op == 0x1C:
		return opSelectTypes
	case op >= localGet && op <= localTee:
		return opLocal
	case op == globalGet, op == globalSet:
		return opGlobal
	case op == 0x25, op == tableSet:
		return opTable
	case op >= 0x28 && op <= 0x3E:
		return opMemArg
	case op == 0x3F, op == memoryGrow:
		return opMemory
	case op == i32Const:
		return opI32
	case op == i64Const:
		return opI64
	case op == f32Const:
		return opF32
	case op == f64Const:
		return opF64
	case op >= 0x45 && op <= 0xC4:
		return opNone
	case op == refNull:
		return opRefType
	case op == refFunc:
		return opRefFunc
	case op == 0xFC:
		return opPrefixFC
	case op == 0xFD:
		return opSIMD
	case op == 0xFE:
		return opThreads
	case op >= 0x06 && op <= 0x0A, op == 0x18, op == 0x19, op == 0x1F:
		return opExceptions
	case op == 0x12, op == 0x13, op == 0x15:
		return opTailCall
	case op == 0x14, op >= 0xD3 && op <= 0xD6, op == 0xFB:
		return opGC
	}
	return opUnknown
}

// Value types.
const (
	typeI32       = 0x7F
	typeI64       = 0x7E
	typeF32       = 0x7D
	typeF64       = 0x7C
	typeV128      = 0x7B
	typeFuncref   = 0x70
	typeExternref = 0x6F
)

// valueType reads a value type.
func (c *cursor) valueType() byte {
	at := c.pos
	t := c.byte()
	switch t {
	case typeI32, typeI64, typeF32, typeF64, typeFuncref, typeExternref:
	case typeV128:
		c.fail(CodeSIMD, at, "the vector type v128 is not accepted: build without SIMD")
	case 0x69, 0x74:
		c.fail(CodeExceptions, at, "exception references are not accepted")
	case 0x63, 0x64, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x71, 0x72, 0x73:
		c.fail(CodeGC, at, "typed references are not accepted")
	default:
		c.fail(CodeMalformed, at, "0x%02x is no value type", t)
	}
	return t
}

func (c *cursor) refType() byte {
	at := c.pos
	t := c.valueType()
	if c.err == nil && t != typeFuncref && t != typeExternref {
		c.fail(CodeMalformed, at, "0x%02x is no reference type", t)
	}
	return t
}
