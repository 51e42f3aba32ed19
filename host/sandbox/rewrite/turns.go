package rewrite

// turnable says whether a loop is metered where it turns. A loop with a
// br_table in it is how a compiler writes a state machine: many places turn
// it, and all of them would take the way over the one that pays.
func turnable(in instr, f frame) bool {
	return !f.dead && !f.table && in.imm == 0
}

// openTurns opens a loop of the block type typ. A turn costs due; the first is
// paid before the loop, and each other before the branch back:
//
//	pay
//	block typ
//	  loop
//	    block           ; its label is the loop's of the body
//	      body
//	      br 2
//	    end
//	    pay
//	    block
//	      br_if 0 when the fuel is used up
//	      br 1
//	    end
//	    hook
//	    br 0
//	  end
//	end
//
// A test at the head would be right as well, but dear: the call of the hook
// would stand between the head and the body, and what the loop changes would go
// through the stack at each turn, since calls leave nothing in registers. Here
// it stands where the values of the next turn are passed on.
func (e *emitter) openTurns(typ []byte, due uint64) {
	e.pay(due)
	e.put(block)
	e.put(typ...)
	e.put(loop, 0x40, block, 0x40)
	e.blocks += 3
	e.shape.open(frameShape{turns: true, due: due, meters: 2})
}

// closeTurns writes what stands behind the body.
func (e *emitter) closeTurns(due uint64) {
	e.indexed(br, 2)
	e.put(endOp)
	e.take(func() { e.constant64(int64(due)) })
	e.put(block, 0x40)
	e.usedUp()
	e.indexed(brIf, 0)
	e.indexed(br, 1)
	e.put(endOp)
	e.callHook(HookFuel)
	e.indexed(br, 0)
	e.put(endOp, unreachable, endOp)
}

// frameShape is an open block of the body.
type frameShape struct {
	meters int // labels that the meter put up to here, its own included
	turns  bool
	due    uint64 // for a turn
}

// shape is the blocks of the body that are open where the emitter stands.
type shape struct {
	frames  []frameShape // the function's own first
	deepest int          // how many were open at once, the meter's own counted, but for tests
}

// open adds a block that brings f.meters labels of the meter.
func (s *shape) open(f frameShape) {
	if len(s.frames) > 0 {
		f.meters += s.frames[len(s.frames)-1].meters
	}
	s.frames = append(s.frames, f)
	s.deepest = max(s.deepest, len(s.frames)-1+f.meters)
}

func (s *shape) close() frameShape {
	f := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	return f
}

// label gives the number that a label of the body has in the metered body. The
// labels of a br_table keep theirs, as no loop around it is metered so.
func (s *shape) label(l uint32) uint32 {
	top := len(s.frames) - 1
	return l + uint32(s.frames[top].meters-s.frames[top-int(l)].meters)
}
