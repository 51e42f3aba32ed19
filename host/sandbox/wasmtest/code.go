package wasmtest

// Empty is the block type of a block without results.
const Empty = 0x40

// Op returns an instruction without operands.
func Op(op byte) []byte { return []byte{op} }

// Opcodes that tests name.
const (
	Unreachable = 0x00
	Nop         = 0x01
	Else        = 0x05
	End         = 0x0B
	Return      = 0x0F
	Drop        = 0x1A
	Select      = 0x1B
	I32Eqz      = 0x45
	I32Eq       = 0x46
	I32LtS      = 0x48
	I32LtU      = 0x49
	I32GtU      = 0x4B
	I32Add      = 0x6A
	I32Sub      = 0x6B
	I32Mul      = 0x6C
	I32DivU     = 0x6E
	I32And      = 0x71
	I32Xor      = 0x73
	I64Add      = 0x7C
	F64Add      = 0xA0
)

func indexed(op byte, x uint32) []byte { return U32([]byte{op}, x) }

// The instructions that take operands.
func I32Const(v int32) []byte                  { return S64([]byte{0x41}, int64(v)) }
func I64Const(v int64) []byte                  { return S64([]byte{0x42}, v) }
func LocalGet(x uint32) []byte                 { return indexed(0x20, x) }
func LocalSet(x uint32) []byte                 { return indexed(0x21, x) }
func LocalTee(x uint32) []byte                 { return indexed(0x22, x) }
func GlobalGet(x uint32) []byte                { return indexed(0x23, x) }
func GlobalSet(x uint32) []byte                { return indexed(0x24, x) }
func Call(f uint32) []byte                     { return indexed(0x10, f) }
func CallIndirect(typ, table uint32) []byte    { return U32(indexed(0x11, typ), table) }
func Block(blockType byte) []byte              { return []byte{0x02, blockType} }
func Loop(blockType byte) []byte               { return []byte{0x03, blockType} }
func If(blockType byte) []byte                 { return []byte{0x04, blockType} }
func Br(label uint32) []byte                   { return indexed(0x0C, label) }
func BrIf(label uint32) []byte                 { return indexed(0x0D, label) }
func RefFunc(f uint32) []byte                  { return indexed(0xD2, f) }
func I32Load(offset uint32) []byte             { return U32([]byte{0x28, 2}, offset) }
func I32Store(offset uint32) []byte            { return U32([]byte{0x36, 2}, offset) }
func I32Load8U(offset uint32) []byte           { return U32([]byte{0x2D, 0}, offset) }
func MemorySize() []byte                       { return []byte{0x3F, 0} }
func MemoryGrow() []byte                       { return []byte{0x40, 0} }
func Bulk(sub uint32, operands ...byte) []byte { return append(U32([]byte{0xFC}, sub), operands...) }

// BrTable branches to labels[i] for i on the stack, else to otherwise.
func BrTable(otherwise uint32, labels ...uint32) []byte {
	b := U32([]byte{0x0E}, uint32(len(labels)))
	for _, l := range labels {
		b = U32(b, l)
	}
	return U32(b, otherwise)
}

// Numbers of instructions for Bulk.
const (
	MemoryInit = 8
	DataDrop   = 9
	MemoryCopy = 10
	MemoryFill = 11
	TableInit  = 12
	ElemDrop   = 13
	TableCopy  = 14
	TableGrow  = 15
	TableSize  = 16
	TableFill  = 17
)
