package eval

import "github.com/ox-mcp/ox-mcp/abi"

// mutation compiles a body; without a return its result is Unbound.
func (c *compiler) mutation(body []abi.Stmt) {
	c.then(c.block(body), c.do(c.emitNoResult))
}

func (c *compiler) emitNoResult() {
	c.emit(opTerm, 0, 0, uint32(unbound), 1)
	c.emit(opReturn, 0, 0, 0, -1)
}

func (c *compiler) s(s *abi.Stmt) task { return task{stmt: s} }

func (c *compiler) block(body []abi.Stmt) task {
	return c.do(func() {
		for i := len(body) - 1; i >= 0; i-- {
			c.work = append(c.work, c.s(&body[i]))
		}
	})
}

func (c *compiler) stmt(s *abi.Stmt) {
	need := func(low, high int) bool {
		if len(s.Exprs) < low || high >= 0 && len(s.Exprs) > high {
			c.fail("statement %d has %d operands", int(s.Op), len(s.Exprs))
			return false
		}
		return true
	}
	switch s.Op {
	case abi.StmtRequire:
		if need(1, 1) {
			c.listed(s.Exprs, c.emitLater(opRequire, 0, 0, c.text(s.Text), -1))
		}
	case abi.StmtLet:
		if need(1, 1) {
			c.listed(s.Exprs, c.emitLater(opStore, 0, 0, c.slot(s.Slot), -1))
		}
	case abi.StmtNew:
		c.create(s)
	case abi.StmtAssert:
		c.write(s, opAssert, 0, uint32(s.Rel))
	case abi.StmtRetract:
		wild := make([]bool, len(s.Exprs))
		copy(wild, s.Wild)
		c.code.retracts = append(c.code.retracts, retract{s.Rel, wild})
		c.write(s, opRetract, 0, uint32(len(c.code.retracts)-1))
	case abi.StmtSet:
		if s.Assign > abi.AssignDefault {
			c.fail("assignment %d is unknown", int(s.Assign))
		} else if need(2, -1) {
			c.write(s, opAssign, uint8(s.Assign)<<1, uint32(s.Rel))
		}
	case abi.StmtFor:
		if need(1, 1) {
			c.loop(s)
		}
	case abi.StmtIf:
		if need(1, 1) {
			c.choice(c.e(&s.Exprs[0]), c.block(s.Body), c.block(s.Else), 0)
		}
	case abi.StmtCall:
		c.call(s)
	case abi.StmtReturn:
		if need(0, 1) {
			if len(s.Exprs) == 0 {
				c.emitNoResult()
			} else {
				c.function(&s.Exprs[0])
			}
		}
	case abi.StmtExpr:
		if need(1, 1) {
			c.listed(s.Exprs, c.emitLater(opPop, 0, 1, 0, -1))
		}
	default:
		c.fail("statement %d is unknown", int(s.Op))
	}
}

// write plans the operands and the time of a write. A wild operand may be any
// expression, also one that has no value, so it is not evaluated.
func (c *compiler) write(s *abi.Stmt, op opcode, mode uint8, a uint32) {
	n := len(s.Exprs)
	var tasks []task
	for i := range s.Exprs {
		if i < len(s.Wild) && s.Wild[i] && s.Op == abi.StmtRetract {
			tasks = append(tasks, c.emitLater(opTerm, 0, 0, uint32(abi.None), 1))
		} else {
			tasks = append(tasks, c.e(&s.Exprs[i]))
		}
	}
	pops := n
	if s.At != nil {
		tasks = append(tasks, c.e(s.At))
		mode |= 1
		pops++
	}
	c.then(append(tasks, c.emitLater(op, mode, n, a, -pops))...)
}

// create plans a new individual. Its fields' values are evaluated before any
// of them is written, and may mention it.
func (c *compiler) create(s *abi.Stmt) {
	slot := c.slot(s.Slot)
	c.emit(opMint, 0, 0, c.text(s.Type), 1)
	c.emit(opStore, 0, 0, slot, -1)
	var tasks []task
	for i := range s.Fields {
		tasks = append(tasks, c.e(&s.Fields[i].Value))
	}
	for _, rel := range s.Rels {
		tasks = append(tasks, c.emitLater(opSlot, 0, 0, slot, 1), c.emitLater(opAssert, 0, 1, uint32(rel), -1))
	}
	values := len(s.Fields)
	tasks = append(tasks, c.emitLater(opSlot, 0, 0, slot, 1))
	for i := range s.Fields {
		mode := uint8(0)
		if s.Fields[i].Each {
			mode = 1
		}
		tasks = append(tasks, c.emitLater(opInit, mode, values+1-i, uint32(s.Fields[i].Relation), 0))
	}
	c.then(append(tasks, c.emitLater(opPop, 0, values+1, 0, -values-1))...)
}

func (c *compiler) loop(s *abi.Stmt) {
	slot := c.slot(s.Slot)
	done := new(int)
	again := uint32(0)
	c.then(
		c.e(&s.Exprs[0]), c.emitLater(opIter, 0, 0, slot, -1),
		c.do(func() { again = c.here() }), c.jump(opNext, done, 0),
		c.block(s.Body), c.do(func() { c.emit(opJump, 0, 0, again, 0) }),
		c.land(done), c.emitLater(opDone, 0, 0, 0, 0))
}

func (c *compiler) call(s *abi.Stmt) {
	if s.Index < 0 || s.Index >= len(c.m.mutations) || len(s.Exprs) != c.m.mutations[s.Index].params {
		c.fail("mutation %d of %d, with %d operands", s.Index, len(c.m.mutations), len(s.Exprs))
		return
	}
	after := c.emitLater(opPop, 0, 1, 0, -1)
	if s.Slot >= 0 {
		after = c.emitLater(opStore, 0, 0, c.slot(s.Slot), -1)
	}
	c.work = append(c.work, after)
	c.listed(s.Exprs, c.emitLater(opMutate, 0, len(s.Exprs), uint32(s.Index), 1-len(s.Exprs)))
}
