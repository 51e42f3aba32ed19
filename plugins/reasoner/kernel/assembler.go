package kernel

// assembler writes the instructions of a function. Blocks are named by how deep
// they lie, so that a branch knows its way out. What is called in many places is
// not inlined: that would be 140 kB more of a guest, which is read at each start.
type assembler struct {
	code  []byte
	depth int
}

// Instructions that take no operand.
const (
	opEnd    = 0x0B
	opSelect = 0x1B

	i32Eqz  = 0x45
	i32Eq   = 0x46
	i32Ne   = 0x47
	i32LtU  = 0x49
	i32GtU  = 0x4B
	i32LeU  = 0x4D
	i32GeU  = 0x4F
	i32Add  = 0x6A
	i32Sub  = 0x6B
	i32And  = 0x71
	i32Or   = 0x72
	i32Xor  = 0x73
	i32Shl  = 0x74
	i32ShrU = 0x76
	i64Add  = 0x7C
	i64Mul  = 0x7E
	i64And  = 0x83
	i64Or   = 0x84
	i64Xor  = 0x85
	i64Shl  = 0x86
	i64ShrU = 0x88
	wrap    = 0xA7 // i64 to i32
	extend  = 0xAD // i32 to i64, unsigned
)

//go:noinline
func (a *assembler) op(ops ...byte) { a.code = append(a.code, ops...) }

//go:noinline
func unsigned(b []byte, x uint64) []byte {
	for ; x >= 0x80; x >>= 7 {
		b = append(b, byte(x)|0x80)
	}
	return append(b, byte(x))
}

//go:noinline
func signed(b []byte, x int64) []byte {
	for x < -64 || x >= 64 {
		b = append(b, byte(x)&0x7F|0x80)
		x >>= 7
	}
	return append(b, byte(x)&0x7F)
}

//go:noinline
func (a *assembler) get(local int) { a.code = unsigned(append(a.code, 0x20), uint64(local)) }

//go:noinline
func (a *assembler) set(local int) { a.code = unsigned(append(a.code, 0x21), uint64(local)) }

//go:noinline
func (a *assembler) tee(local int) { a.code = unsigned(append(a.code, 0x22), uint64(local)) }

//go:noinline
func (a *assembler) i32(x int32) { a.code = signed(append(a.code, 0x41), int64(x)) }

//go:noinline
func (a *assembler) i64(x int64) { a.code = signed(append(a.code, 0x42), x) }

//go:noinline
func (a *assembler) access(op byte, align, offset uint64) {
	a.code = unsigned(unsigned(append(a.code, op), align), offset)
}
func (a *assembler) load32(offset int)  { a.access(0x28, 2, uint64(offset)) }
func (a *assembler) load64(offset int)  { a.access(0x29, 3, uint64(offset)) }
func (a *assembler) store32(offset int) { a.access(0x36, 2, uint64(offset)) }
func (a *assembler) store64(offset int) { a.access(0x37, 3, uint64(offset)) }

// block and loop open what end closes, and return its name.
func (a *assembler) block() int { return a.open(0x02) }
func (a *assembler) loop() int  { return a.open(0x03) }
func (a *assembler) iff() int   { return a.open(0x04) }

//go:noinline
func (a *assembler) open(op byte) int {
	a.op(op, 0x40)
	a.depth++
	return a.depth
}

//go:noinline
func (a *assembler) end() {
	a.op(opEnd)
	a.depth--
}

//go:noinline
func (a *assembler) br(to int) { a.code = unsigned(append(a.code, 0x0C), uint64(a.depth-to)) }

//go:noinline
func (a *assembler) brIf(to int) { a.code = unsigned(append(a.code, 0x0D), uint64(a.depth-to)) }

//go:noinline
func vector(b []byte, body []byte) []byte { return append(unsigned(b, uint64(len(body))), body...) }

//go:noinline
func text(b []byte, s string) []byte { return append(unsigned(b, uint64(len(s))), s...) }

//go:noinline
func section(b []byte, id byte, body []byte) []byte { return vector(append(b, id), body) }

// module is a kernel of one function, run, from an address to nothing, with longs
// locals of 64 bits and then words of 32.
func module(from, memory string, longs, words int, code []byte) []byte {
	b := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	b = section(b, 1, []byte{1, 0x60, 1, 0x7F, 0})
	b = section(b, 2, append(text(text([]byte{1}, from), memory), 2, 0, 0))
	b = section(b, 3, []byte{1, 0})
	b = section(b, 7, append(text([]byte{1}, "run"), 0, 0))
	f := append(unsigned([]byte{2}, uint64(longs)), 0x7E)
	f = append(append(unsigned(f, uint64(words)), 0x7F), code...)
	return section(b, 10, vector([]byte{1}, append(f, opEnd)))
}
