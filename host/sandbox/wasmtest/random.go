package wasmtest

// Random writes a valid module that the choices decide: every byte string
// gives one, and the same bytes give the same module. Its exports "f0", "f1", …
// have the type (i32, i64) -> i64; no call runs for ever, though it may run
// long. The module uses control structure of all kinds, calls, memory, bulk
// instructions, globals and tables.
func Random(choices []byte) []byte {
	r := &random{choices: choices}
	b := &r.Builder
	r.typ = b.Type([]byte{I32, I64}, []byte{I64})
	b.Memory(1)
	b.Table(0, 8)
	b.Global(I32, true, I32Const(7))
	b.Global(I64, true, I64Const(-7))
	b.Global(F64, true, []byte{0x44, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F})
	b.Export("memory", KindMemory, 0)
	functions := 1 + r.pick(5)
	for i := range functions {
		r.function(uint32(i))
	}
	all := make([]uint32, min(functions, 8))
	for i := range all {
		all[i] = uint32(i)
	}
	b.Element(0, all...)
	b.PassiveData([]byte("some passive data"))
	b.Data(100, []byte("some active data"))
	return b.Bytes()
}

// random holds the choices that are left and the function being written.
type random struct {
	Builder
	choices []byte
	at      int
	typ     uint32
	index   uint32
	labels  []byte // result type of each open block, Empty for none; Loop's too
	loops   int    // open loops, which each have a counter
	budget  int    // instructions that the function may still grow by
}

// The locals of every function: two parameters, two numbers of each type, and
// the counters of loops that are open at the same time.
const (
	paramI32   = 0
	paramI64   = 1
	localsI32  = 2
	localsI64  = 4
	counters   = 6
	loopsMost  = 3
	noBranches = 0xFF // label that no random branch may take: a loop's that counts at its end
)

func (r *random) pick(n int) int {
	if r.at >= len(r.choices) {
		return 0
	}
	r.at++
	return int(r.choices[r.at-1]) % n
}

func (r *random) function(index uint32) {
	r.index, r.budget, r.loops = index, 200, 0
	r.labels = []byte{I64}
	var code []byte
	for range 1 + r.pick(6) {
		code = append(code, r.statement(3)...)
	}
	code = append(code, r.value(I64, 4)...)
	r.Export("f"+string(rune('0'+index)), KindFunc, r.Func(r.typ, []byte{I32, I32, I64, I64, I32, I32, I32}, code))
}

// value is code that leaves one value of type t.
func (r *random) value(t byte, depth int) []byte {
	r.budget--
	constant := I32Const(int32(r.pick(256)) - 100)
	local := LocalGet(uint32([...]int{paramI32, localsI32, localsI32 + 1}[r.pick(3)]))
	if t == I64 {
		constant = I64Const(int64(r.pick(256)) - 100)
		local = LocalGet(uint32([...]int{paramI64, localsI64, localsI64 + 1}[r.pick(3)]))
	}
	if depth == 0 || r.budget <= 0 {
		return constant
	}
	sub := func(t byte) []byte { return r.value(t, depth-1) }
	switch r.pick(13) {
	case 0:
		return constant
	case 1, 2:
		return local
	case 3, 4:
		// add, sub, mul, and, or, xor, shl, rotl; i64's are 0x12 higher.
		op := [...]byte{0x6A, 0x6B, 0x6C, 0x71, 0x72, 0x73, 0x74, 0x77}[r.pick(8)]
		if t == I64 {
			op += 0x12
		}
		return concat(sub(t), sub(t), Op(op))
	case 5:
		// div_u and rem_u trap on zero.
		op := [...]byte{0x6E, 0x70}[r.pick(2)]
		if t == I64 {
			op += 0x12
		}
		return concat(sub(t), sub(t), Op(op))
	case 6:
		return r.typed(0x02, t, func() []byte { return concat(r.statement(depth-1), sub(t)) })
	case 7:
		condition := sub(I32)
		return concat(condition, r.typed(0x04, t, func() []byte {
			return concat(r.statement(depth-1), sub(t), Op(Else), sub(t))
		}))
	case 8:
		return concat(sub(t), sub(t), sub(I32), Op(Select))
	case 9:
		if t == I64 {
			return r.call(depth)
		}
		return concat(sub(I64), Op(0xA7)) // i32.wrap_i64
	case 10:
		if t == I64 {
			return concat(sub(I32), Op(0xAC+byte(r.pick(2)))) // extend
		}
		return concat(r.address(depth), I32Load(uint32(r.pick(64))))
	case 11:
		return r.once(t, depth)
	}
	if t == I64 {
		return GlobalGet(1)
	}
	return [][]byte{GlobalGet(0), MemorySize(), concat(I32Const(int32(r.pick(3))), MemoryGrow()), Bulk(TableSize, 0)}[r.pick(4)]
}

// address is mostly inside the first page.
func (r *random) address(depth int) []byte {
	return concat(r.value(I32, depth-1), I32Const(0x1FFF), Op(I32And))
}

func (r *random) call(depth int) []byte {
	args := concat(r.value(I32, depth-1), r.value(I64, depth-1))
	if r.index == 0 {
		return concat(args, Op(Drop), Op(Drop), I64Const(1))
	}
	callee := uint32(r.pick(int(r.index)))
	if r.pick(3) == 0 {
		return concat(args, I32Const(int32(callee)), CallIndirect(r.typ, 0))
	}
	return concat(args, Call(callee))
}

// typed is a block that leaves a value.
func (r *random) typed(op, t byte, body func() []byte) []byte {
	r.labels = append(r.labels, t)
	code := concat([]byte{op, t}, body(), Op(End))
	r.labels = r.labels[:len(r.labels)-1]
	return code
}

// statement is code that leaves the stack as it was.
func (r *random) statement(depth int) []byte {
	r.budget--
	if depth == 0 || r.budget <= 0 {
		return Op(Nop)
	}
	sub := func(t byte) []byte { return r.value(t, depth-1) }
	switch r.pick(14) {
	case 0, 1:
		return concat(sub(I32), LocalSet(uint32(localsI32+r.pick(2))))
	case 2:
		return concat(sub(I64), LocalSet(uint32(localsI64+r.pick(2))))
	case 3:
		return concat(r.address(depth), sub(I32), I32Store(uint32(r.pick(64))))
	case 4:
		return concat(sub(I64), GlobalSet(1))
	case 5:
		return concat(GlobalGet(2), GlobalGet(2), Op(F64Add), GlobalSet(2))
	case 6:
		return r.block(func() []byte { return concat(r.statement(depth-1), r.statement(depth-1)) })
	case 7:
		return r.loop(depth)
	case 8, 9:
		return r.branch(depth)
	case 10:
		return r.bulk(depth)
	case 11:
		return concat(sub(I64), Op(Drop))
	case 12:
		condition := sub(I32)
		r.labels = append(r.labels, Empty)
		code := concat(condition, If(Empty), r.statement(depth-1))
		if r.pick(2) == 0 {
			code = concat(code, Op(Else), r.statement(depth-1))
		}
		r.labels = r.labels[:len(r.labels)-1]
		return concat(code, Op(End))
	}
	return concat(sub(I32), GlobalSet(0))
}

func (r *random) block(body func() []byte) []byte {
	r.labels = append(r.labels, Empty)
	code := concat(Block(Empty), body(), Op(End))
	r.labels = r.labels[:len(r.labels)-1]
	return code
}

// once is a loop that leaves a value and does not turn.
func (r *random) once(t byte, depth int) []byte {
	r.labels = append(r.labels, noBranches)
	code := concat([]byte{0x03, t}, r.statement(depth-1), r.value(t, depth-1), Op(End))
	r.labels = r.labels[:len(r.labels)-1]
	return code
}

// loop turns up to eight times: it counts at its end, or at its head, so that
// any branch may turn it.
func (r *random) loop(depth int) []byte {
	if r.loops == loopsMost {
		return Op(Nop)
	}
	counter := uint32(counters + r.loops)
	r.loops++
	if r.pick(2) == 0 {
		r.labels = append(r.labels, Empty, Empty)
		code := concat(I32Const(int32(1+r.pick(8))), LocalSet(counter), Block(Empty), Loop(Empty),
			LocalGet(counter), Op(I32Eqz), BrIf(1), LocalGet(counter), I32Const(1), Op(I32Sub), LocalSet(counter),
			r.statement(depth-1), r.statement(depth-1), r.statement(depth-1), Br(0), Op(End), Op(End))
		r.labels = r.labels[:len(r.labels)-2]
		r.loops--
		return code
	}
	r.labels = append(r.labels, noBranches)
	code := concat(I32Const(int32(1+r.pick(8))), LocalSet(counter), Loop(Empty),
		r.statement(depth-1), r.statement(depth-1),
		LocalGet(counter), I32Const(1), Op(I32Sub), LocalTee(counter), BrIf(0), Op(End))
	r.labels = r.labels[:len(r.labels)-1]
	r.loops--
	return code
}

// branch leaves some open block, for sure or perhaps.
func (r *random) branch(depth int) []byte {
	label := r.pick(len(r.labels))
	t := r.labels[len(r.labels)-1-label]
	// The stack must be as it was afterwards, so what leaves for sure stands
	// in an if of its own.
	switch {
	case t == noBranches:
		return Op(Nop)
	case t == Empty && r.pick(3) == 0:
		return concat(r.value(I32, depth-1), BrIf(uint32(label)))
	case t == Empty && r.pick(2) == 0:
		return concat(r.value(I32, depth-1), If(Empty),
			r.value(I32, depth-1), BrTable(uint32(label+1), 0, uint32(label+1)), Op(End))
	case t == Empty:
		return concat(r.value(I32, depth-1), If(Empty), Br(uint32(label+1)), Op(End))
	}
	condition := r.value(I32, depth-1)
	value := r.value(t, depth-1)
	if t == I64 && label == len(r.labels)-1 && r.pick(2) == 0 {
		return concat(condition, If(Empty), value, Op(Return), Op(End))
	}
	return concat(condition, If(Empty), value, Br(uint32(label+1)), Op(End))
}

func (r *random) bulk(depth int) []byte {
	size := I32Const(int32(r.pick(256)))
	switch r.pick(4) {
	case 0:
		return concat(r.address(depth), r.value(I32, depth-1), size, Bulk(MemoryFill, 0))
	case 1:
		return concat(r.address(depth), r.address(depth), size, Bulk(MemoryCopy, 0, 0))
	case 2:
		return concat(r.address(depth), I32Const(2), I32Const(int32(r.pick(20))), Bulk(MemoryInit, 0, 0))
	}
	return concat(I32Const(int32(r.pick(8))), I32Const(int32(r.pick(8))), I32Const(int32(r.pick(3))), Bulk(TableCopy, 0, 0))
}

func concat(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
