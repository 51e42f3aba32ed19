package rewrite

// instr is one instruction of a body.
type instr struct {
	op         uint16
	start, end uint32 // byte offsets in the module
	imm        uint32 // function index of a call; nesting at a return; label of a branch; parameters of a block
	turns      bool   // a loop that is metered where it turns, and not at its head
}

// frame is an open block while a body is scanned.
type frame struct {
	op       uint16
	segment  int  // that goes on after the end of an if or a loop
	dead     bool // the block as a whole cannot be reached
	thenDead bool // the first arm of an if cannot reach its end
	elseSeen bool
	targeted bool // some live branch goes to the end
	at       int  // the instruction that opens it
	table    bool // a br_table stands in it
}

// bodyScan is what one pass over a body finds out. It is used again for the
// next body.
type bodyScan struct {
	code   []instr
	charge []uint64 // charge[i] is due before instruction i; parallel to code, and one more
	frames []frame
	shapes []frameShape

	params, locals int // locals counts the parameters too
	groups         uint32
	groupsStart    int
	groupsEnd      int
	calls          bool
	bulk           bool
	grows          bool
	blocks         int
	nesting        int
	segment        int
	dead           bool
}

func (b *bodyScan) reset() {
	*b = bodyScan{code: b.code[:0], charge: b.charge[:0], frames: b.frames[:0], shapes: b.shapes[:0]}
}

// scanBody reads the body of a function up to end: checks every index, and
// splits the code into segments with one charge each.
//
// A segment starts at the function's entry, at a loop, in each arm of an if,
// and after a block that some branch leaves. After an if or a loop that no
// branch leaves forward, the segment around it goes on. So code that a forward
// exit skips is charged all the same, and nothing is charged less than once a
// pass.
func (r *rewriter) scanBody(t funcType) {
	b := &r.body
	b.reset()
	r.scanLocals(t)
	b.frames = append(b.frames, frame{op: block})
	b.charge = append(b.charge, entryCost(b.locals-b.params))
	for r.err == nil {
		if r.pos >= r.end {
			r.fail(CodeMalformed, r.pos, "the body ends inside a block")
			return
		}
		at := len(b.code)
		start := r.pos
		b.code = append(b.code, instr{op: uint16(r.byte()), start: uint32(start)})
		b.charge = append(b.charge, 0)
		in := &b.code[at]
		r.operand(in, start)
		in.end = uint32(r.pos)
		if r.err != nil {
			return
		}
		if !b.dead {
			b.charge[b.segment] += cost(in.op)
		}
		if done := r.flow(in, at); done {
			break
		}
	}
	if r.err == nil && r.pos != r.end {
		r.fail(CodeMalformed, r.pos, "the body has %d bytes after its end", r.end-r.pos)
	}
}

// chargeEach puts the charge of every instruction before itself.
func (b *bodyScan) chargeEach() {
	for i := range b.code {
		b.code[i].turns = false
		b.charge[i] = cost(b.code[i].op)
		switch {
		case i == 0:
			b.charge[i] += entryCost(b.locals - b.params)
		case b.code[i-1].op == loop:
			b.charge[i] += loopCost
		}
	}
}

func (r *rewriter) scanLocals(t funcType) {
	b := &r.body
	b.params = len(t.params)
	b.locals = b.params
	b.groups = uint32(r.count(r.opts.Limits.Locals, "groups of locals"))
	b.groupsStart = r.pos
	for i := uint32(0); i < b.groups && r.err == nil; i++ {
		at := r.pos
		n := r.u32()
		r.valueType()
		if r.err == nil && int64(b.locals)+int64(n) > int64(r.opts.Limits.Locals) {
			r.fail(CodeLocals, at, "more than %d locals", r.opts.Limits.Locals)
			return
		}
		b.locals += int(n)
	}
	b.groupsEnd = r.pos
}

// flow follows the control structure. It reports the end of the body.
func (r *rewriter) flow(in *instr, at int) (done bool) {
	b := &r.body
	top := &b.frames[len(b.frames)-1]
	switch in.op {
	case block, loop, ifOp:
		b.blocks++
		b.frames = append(b.frames, frame{op: in.op, segment: b.segment, dead: b.dead, at: at})
		if in.op != block {
			b.segment = at + 1
		}
		if in.op == loop {
			if !b.dead {
				b.charge[b.segment] += loopCost
			}
		}
	case elseOp:
		if top.op != ifOp || top.elseSeen {
			r.fail(CodeMalformed, int(in.start), "an else without its if")
			return true
		}
		top.elseSeen, top.thenDead = true, b.dead
		b.dead = top.dead
		b.segment = at + 1
	case endOp:
		f := *top
		b.frames = b.frames[:len(b.frames)-1]
		if len(b.frames) == 0 {
			return true
		}
		b.code[f.at].turns = f.op == loop && turnable(b.code[f.at], f)
		if f.table {
			b.frames[len(b.frames)-1].table = true
		}
		if f.op == ifOp {
			b.dead = f.dead || (f.elseSeen && f.thenDead && b.dead)
		}
		if f.op != block {
			b.segment = f.segment
		}
		if f.targeted && f.op != loop {
			b.dead = false
			b.segment = at + 1
		}
	case brTable:
		top.table, b.dead = true, true
	case br, returnOp, unreachable:
		b.dead = true
	}
	return false
}

// label checks a branch and marks where it goes.
func (r *rewriter) label(depth uint32, at int) {
	b := &r.body
	if int64(depth) >= int64(len(b.frames)) {
		r.fail(CodeIndexRange, at, "label %d: %d are open", depth, len(b.frames))
		return
	}
	if !b.dead {
		b.frames[len(b.frames)-1-int(depth)].targeted = true
	}
}

func (r *rewriter) ranged(what string, size int) uint32 {
	at := r.pos
	x := r.u32()
	if r.err == nil && int64(x) >= int64(size) {
		r.fail(CodeIndexRange, at, "%s %d: there are %d", what, x, size)
	}
	return x
}

// operand reads what follows the opcode at start.
func (r *rewriter) operand(in *instr, start int) {
	b := &r.body
	switch operandOf(byte(in.op)) {
	case opNone:
		if in.op == returnOp {
			in.imm = uint32(len(b.frames) - 1)
		}
	case opElse, opEnd:
	case opBlock:
		in.imm = r.blockType()
	case opLabel:
		in.imm = r.u32()
		r.label(in.imm, start)
	case opBranchTable:
		n := r.u32()
		if r.err == nil && int64(n) > int64(r.opts.Limits.BranchTable) {
			r.fail(CodeBranchTable, start, "a br_table with %d labels, at most %d are allowed", n, r.opts.Limits.BranchTable)
			return
		}
		for i := uint32(0); i <= n && r.err == nil; i++ {
			r.label(r.u32(), start)
		}
		r.fanOut(int(n), start)
	case opFunc:
		in.imm = r.ranged("function", len(r.functions))
		if r.err == nil {
			r.fanOutOf(r.functions[in.imm], start)
		}
		b.calls = true
	case opRefFunc:
		in.imm = r.ranged("function", len(r.functions))
	case opCallIndirect:
		r.fanOutOf(r.typeIndex(), start)
		r.ranged("table", int(r.tables))
		b.calls = true
	case opLocal:
		r.ranged("local", b.locals)
	case opGlobal:
		x := r.ranged("global", len(r.globals))
		if r.err == nil && in.op == globalSet && !r.globals[x].mutable {
			r.fail(CodeMalformed, start, "global %d is set but not mutable", x)
		}
	case opTable:
		r.ranged("table", int(r.tables))
		if in.op == tableSet {
			r.notSnapshotable("the code writes a table")
		}
	case opMemArg:
		at := r.pos
		if align := r.u32(); align >= 64 {
			r.fail(CodeMultiMemory, at, "a memory operand names its memory")
		}
		r.u32()
		r.needMemory(start)
	case opMemory:
		r.memoryIndex()
		if in.op == memoryGrow {
			b.grows = true
		}
	case opI32:
		r.signed(32)
	case opI64:
		r.signed(64)
	case opF32:
		r.skip(4)
	case opF64:
		r.skip(8)
	case opSelectTypes:
		if n := r.u32(); n != 1 {
			r.fail(CodeMalformed, start, "a select of %d types", n)
		}
		r.valueType()
	case opRefType:
		r.refType()
	case opPrefixFC:
		r.prefixFC(in, start)
	case opSIMD:
		r.fail(CodeSIMD, start, "vector instructions are not accepted: build without SIMD")
	case opThreads:
		r.fail(CodeThreads, start, "atomic instructions are not accepted: build without threads")
	case opExceptions:
		r.fail(CodeExceptions, start, "exception handling is not accepted")
	case opTailCall:
		r.fail(CodeTailCalls, start, "tail calls are not accepted")
	case opGC:
		r.fail(CodeGC, start, "instructions of the GC and function references proposals are not accepted")
	default:
		r.fail(CodeOpcode, start, "0x%02x is no instruction of WebAssembly Core 2.0", in.op)
	}
}

func (r *rewriter) prefixFC(in *instr, start int) {
	b := &r.body
	sub := r.u32()
	if sub > tableFill&0xff {
		r.fail(CodeOpcode, start, "0xfc %d is no instruction of WebAssembly Core 2.0", sub)
		return
	}
	in.op = 0xFC00 | uint16(sub)
	if sub < 8 {
		return
	}
	switch in.op {
	case memoryInit:
		r.dataIndex()
		r.memoryIndex()
	case dataDrop:
		r.dataIndex()
		r.notSnapshotable("the code drops a data segment")
	case memoryCopy:
		r.memoryIndex()
		r.memoryIndex()
	case memoryFill:
		r.memoryIndex()
	case tableInit:
		r.ranged("element segment", int(r.elements))
		r.ranged("table", int(r.tables))
		r.notSnapshotable("the code writes a table")
	case elemDrop:
		r.ranged("element segment", int(r.elements))
		r.notSnapshotable("the code drops an element segment")
	case tableCopy:
		r.ranged("table", int(r.tables))
		r.ranged("table", int(r.tables))
		r.notSnapshotable("the code writes a table")
	case tableGrow:
		r.fail(CodeTableGrow, start, "table.grow is not accepted: declare the table with the size that it needs")
	case tableFill:
		r.ranged("table", int(r.tables))
		r.notSnapshotable("the code writes a table")
	case tableSize:
		r.ranged("table", int(r.tables))
	}
	if bulkShift(in.op) >= 0 {
		b.bulk = true
	}
}

func (r *rewriter) dataIndex() {
	if r.dataCount < 0 {
		r.fail(CodeMalformed, r.pos, "data segments are named but not announced by a data count section")
		return
	}
	r.ranged("data segment", r.dataCount)
}

func (r *rewriter) memoryIndex() {
	at := r.pos
	if x := r.u32(); r.err == nil && x != 0 {
		r.fail(CodeMultiMemory, at, "memory %d is named: one memory is accepted", x)
	}
	r.needMemory(at)
}

func (r *rewriter) needMemory(at int) {
	if r.memories == 0 {
		r.fail(CodeIndexRange, at, "the module has no memory")
	}
}

// blockType gives the number of a block's parameters.
func (r *rewriter) blockType() uint32 {
	at := r.pos
	if at < r.end {
		switch b := r.src[at]; {
		case b == 0x40:
			r.pos++
			return 0
		case b < 0x80 && b >= 0x40:
			r.valueType()
			return 0
		}
	}
	x := r.signed(33)
	if r.err == nil && (x < 0 || x >= int64(len(r.types))) {
		r.fail(CodeIndexRange, at, "type %d: the module has %d types", x, len(r.types))
	}
	if r.err != nil {
		return 0
	}
	params := len(r.types[x].params)
	r.fanOut(params, at)
	r.fanOutOf(uint32(x), at)
	return uint32(params)
}

// fanOut counts what a few bytes of code make the compiler hold in memory: n
// labels of a br_table, or n values.
func (r *rewriter) fanOut(n, at int) {
	r.fan += n
	if most := r.opts.Limits.FanOut; r.err == nil && r.fan > most {
		r.fail(CodeFanOut, at, "more than %d labels of br_tables and results of calls in the module: split it, or return values through memory", most)
	}
}

// fanOutOf counts the results of a call or a block; most have one at most,
// which is not counted.
func (r *rewriter) fanOutOf(typ uint32, at int) {
	if r.err == nil && len(r.types[typ].results) > 1 {
		r.fanOut(len(r.types[typ].results), at)
	}
}
