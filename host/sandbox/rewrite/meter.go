package rewrite

// codeSection scans, checks and meters every body.
func (r *rewriter) codeSection() {
	at := r.pos
	n := r.count(r.opts.Limits.Items, "bodies")
	if r.err == nil && n != len(r.functions)-int(r.imports) {
		r.fail(CodeMalformed, at, "%d functions are declared, %d have a body", len(r.functions)-int(r.imports), n)
		return
	}
	out := make([]byte, 0, len(r.src[r.start:r.end])*5/4)
	out = appendU32(out, uint32(n))
	var body []byte
	sectionEnd := r.end
	for i := 0; i < n && r.err == nil; i++ {
		size := int(r.u32())
		start := r.pos
		r.skip(size)
		if r.err != nil {
			return
		}
		r.pos, r.end = start, start+size
		t := r.types[r.functions[int(r.imports)+i]]
		r.scanBody(t)
		r.result.Calls = r.result.Calls || r.body.calls
		if r.err == nil {
			if r.opts.Exact {
				r.body.chargeEach()
			}
			body = r.emit(body[:0], t)
			r.bodyLimits(start, len(body))
		}
		if r.err != nil {
			r.err.Function = int(r.imports) + i
			return
		}
		out = append(appendU32(out, uint32(len(body))), body...)
		r.end = sectionEnd
	}
	r.bodies = n
	r.sections[10] = out
}

// emitter writes a metered body.
type emitter struct {
	copier
	fuel, depth, hook uint32 // indexes
	fuelLocal         uint32 // i64
	countLocal        uint32 // i32
	grownLocal        uint32 // i32
	blocks            int
	shape             shape
	counted           bool // the function counts its frame
}

func (e *emitter) put(b ...byte)                 { e.out = append(e.out, b...) }
func (e *emitter) indexed(op byte, x uint32)     { e.out = appendU32(append(e.out, op), x) }
func (e *emitter) constant32(v int32)            { e.out = appendS64(append(e.out, i32Const), int64(v)) }
func (e *emitter) constant64(v int64)            { e.out = appendS64(append(e.out, i64Const), v) }
func (e *emitter) callHook(kind int32)           { e.hookWith(kind, func() { e.constant32(0) }) }
func (e *emitter) hookWith(kind int32, a func()) { e.constant32(kind); a(); e.indexed(call, e.hook) }

// open begins an if without results.
func (e *emitter) open() {
	e.put(ifOp, 0x40)
	e.blocks++
}

// pay takes amount off the fuel, without a test.
func (e *emitter) pay(amount uint64) {
	e.indexed(globalGet, e.fuel)
	e.constant64(int64(amount))
	e.put(i64Sub)
	e.indexed(globalSet, e.fuel)
}

// take takes what amount pushes off the fuel, and leaves what is left in the
// local.
func (e *emitter) take(amount func()) {
	e.indexed(globalGet, e.fuel)
	amount()
	e.put(i64Sub)
	e.indexed(localTee, e.fuelLocal)
	e.indexed(globalSet, e.fuel)
}

// usedUp pushes whether the fuel in the local is used up.
func (e *emitter) usedUp() {
	e.indexed(localGet, e.fuelLocal)
	e.constant64(0)
	e.put(i64LtS)
}

// payAndTest takes what amount pushes off the fuel and calls the hook if it
// is used up.
func (e *emitter) payAndTest(amount func()) {
	e.take(amount)
	e.seldom(HookFuel, e.usedUp)
}

// seldom calls the hook where the condition holds. The compiler lays code out
// in the order in which it comes, and gives the registers to the way that comes
// first: so the call stands behind a branch around it. As an if it would cost a
// tight loop a sixth.
func (e *emitter) seldom(kind int32, condition func()) {
	e.put(block, 0x40, block, 0x40)
	e.blocks += 2
	condition()
	e.indexed(brIf, 0)
	e.indexed(br, 1)
	e.put(endOp)
	e.callHook(kind)
	e.put(endOp)
}

// emit writes the metered form of the scanned body to dst.
//
// A function that calls counts its frame: its code stands in a block of its
// own, which every way out leaves through the block's end. A function that
// calls nothing adds one frame at most, and is not counted.
func (r *rewriter) emit(dst []byte, t funcType) []byte {
	b := &r.body
	e := emitter{
		copier: copier{src: r.src, from: b.groupsStart, out: dst},
		fuel:   r.fuelIndex(), depth: r.depthIndex(), hook: r.imports,
		fuelLocal: uint32(b.locals), countLocal: uint32(b.locals) + 1, grownLocal: uint32(b.locals) + 2,
		counted: b.calls, shape: shape{frames: b.shapes[:0]},
	}
	needCount := b.calls || b.bulk || b.grows
	groups := b.groups + 1
	if needCount {
		groups++
	}
	e.out = appendU32(e.out, groups)
	e.upTo(b.groupsEnd)
	e.put(1, typeI64)
	b.locals++
	if needCount {
		e.put(2, typeI32)
		b.locals += 2
	}

	e.payAndTest(func() { e.constant64(int64(b.charge[0])) })
	e.shape.open(frameShape{})
	if e.counted {
		e.enter(r.wrapType(t.results))
	}
	for i := range b.code {
		in := &b.code[i]
		if i > 0 {
			e.segment(&b.code[i-1], b.charge[i], int(in.start))
		}
		e.instruction(in, r, b.charge[i+1])
	}
	e.upTo(r.end)
	if e.counted {
		e.leave()
	}
	b.blocks += e.blocks
	b.nesting = e.shape.deepest + 2 // of a test
	if e.counted {
		b.nesting++
	}
	b.shapes = e.shape.frames
	return e.out
}

// segment pays what is due before the instruction at start.
func (e *emitter) segment(before *instr, due uint64, start int) {
	switch {
	case before.turns: // the first turn was paid before the loop
	case before.op == loop:
		e.upTo(start)
		e.payAndTest(func() { e.constant64(int64(due)) })
	case due > 0:
		e.upTo(start)
		e.pay(due)
	}
}

// enter counts the frame and opens the block around the body.
func (e *emitter) enter(blockType int64) {
	e.indexed(globalGet, e.depth)
	e.constant32(1)
	e.put(i32Sub)
	e.indexed(localTee, e.countLocal)
	e.indexed(globalSet, e.depth)
	e.seldom(HookDepth, func() {
		e.indexed(localGet, e.countLocal)
		e.constant32(0)
		e.put(i32LtS)
	})
	e.put(block)
	e.out = appendS64(e.out, blockType)
	e.blocks++
}

// leave gives the frame back, after the end of the block around the body.
func (e *emitter) leave() {
	e.indexed(globalGet, e.depth)
	e.constant32(1)
	e.put(i32Add)
	e.indexed(globalSet, e.depth)
	e.put(endOp)
}

// instruction writes in; due is what the segment costs that it begins, if any.
func (e *emitter) instruction(in *instr, r *rewriter, due uint64) {
	start, end := int(in.start), int(in.end)
	switch in.op {
	case block, ifOp:
		e.shape.open(frameShape{})
	case loop:
		if !in.turns {
			e.shape.open(frameShape{})
			return
		}
		e.upTo(start)
		e.openTurns(e.src[start+1:end], due)
		e.from = end
	case endOp:
		if f := e.shape.close(); f.turns {
			e.upTo(start)
			e.closeTurns(f.due)
			e.from = end
		}
	case br, brIf:
		e.index(start+1, end, e.shape.label(in.imm))
	case returnOp:
		if e.counted {
			e.upTo(start)
			e.indexed(br, e.shape.label(in.imm))
			e.from = end
		}
	case call, refFunc:
		e.index(start+1, end, r.shift(in.imm))
	case memoryGrow:
		e.upTo(start)
		e.grow()
		e.from = end
	default:
		if shift := bulkShift(in.op); shift >= 0 {
			e.upTo(start)
			e.bulk(shift)
		}
	}
}

// bulk pays for the n items that a bulk instruction is about to touch; n is
// on the stack and stays there.
func (e *emitter) bulk(shift int) {
	e.indexed(localSet, e.countLocal)
	e.payAndTest(func() {
		e.indexed(localGet, e.countLocal)
		e.put(i64ExtendU)
		e.constant64(int64(shift))
		e.put(i64ShrU)
	})
	e.indexed(localGet, e.countLocal)
}

// grow pays for the pages that are asked for, grows the memory, and tells the
// host of a refusal.
func (e *emitter) grow() {
	e.indexed(localSet, e.countLocal)
	e.payAndTest(func() {
		e.indexed(localGet, e.countLocal)
		e.constant32(maxPages)
		e.indexed(localGet, e.countLocal)
		e.constant32(maxPages)
		e.put(i32LtU, selectOp, i64ExtendU)
		e.constant64(growShift)
		e.put(i64Shl)
	})
	e.indexed(localGet, e.countLocal)
	e.put(memoryGrow, 0)
	e.indexed(localTee, e.grownLocal)
	e.constant32(-1)
	e.put(i32Eq)
	e.open()
	e.hookWith(HookGrow, func() { e.indexed(localGet, e.countLocal) })
	e.put(endOp)
	e.indexed(localGet, e.grownLocal)
}

// bodyLimits holds a metered body to the limits.
func (r *rewriter) bodyLimits(start, size int) {
	b, l := &r.body, r.opts.Limits
	weight := b.blocks * b.locals
	r.work += b.blocks*b.blocks + weight
	over := func(code Code, have, allowed int, what string) {
		if have > allowed {
			r.fail(code, start, "%d %s after metering, at most %d are allowed: split the function", have, what, allowed)
		}
	}
	over(CodeBodySize, size, l.BodyBytes, "bytes of code")
	over(CodeBlocks, b.blocks, l.Blocks, "blocks")
	over(CodeNesting, b.nesting, l.Nesting, "blocks in each other")
	over(CodeLocals, b.locals, l.Locals, "locals")
	over(CodeBlockLocals, weight, l.BlockLocals, "blocks times locals")
	over(CodeWork, r.work, l.Work, "units of compile work (blocks² + blocks × locals, of the module so far)")
}
