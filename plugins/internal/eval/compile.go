package eval

import (
	"math"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// MaxSubDepth bounds how deeply subqueries may be nested in an expression.
const MaxSubDepth = 24

// compiler turns expressions and statements into code. It keeps the work that
// is left on a stack of its own, so a long chain of operators costs no
// recursion; only a subquery's result is compiled by a compiler of its own.
type compiler struct {
	m       *Machine
	code    *Code
	work    []task
	span    abi.Span
	depth   int // operands at this point
	subs    int // subqueries around this one
	failure *abi.Failure
}

// task is one of: compile an expression, compile a statement, do a step.
type task struct {
	expr *abi.Expr
	stmt *abi.Stmt
	step func()
	span abi.Span // of step
}

func (m *Machine) compileInto(code *Code, start func(*compiler)) *abi.Failure {
	c := &compiler{m: m, code: code}
	start(c)
	return c.finish()
}

func (c *compiler) finish() *abi.Failure {
	for len(c.work) > 0 && c.failure == nil {
		t := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		switch {
		case t.expr != nil:
			c.span = t.expr.Span
			c.expr(t.expr)
		case t.stmt != nil:
			c.span = t.stmt.Span
			c.stmt(t.stmt)
		default:
			c.span = t.span
			t.step()
		}
	}
	c.code.simple = isSimple(c.code)
	return c.failure
}

// function compiles an expression whose value ends the code.
func (c *compiler) function(body *abi.Expr) {
	c.then(c.e(body), c.emitLater(opReturn, 0, 0, 0, -1))
}

// then plans tasks to run next, in order.
func (c *compiler) then(tasks ...task) {
	for i := len(tasks) - 1; i >= 0; i-- {
		c.work = append(c.work, tasks[i])
	}
}

func (c *compiler) e(e *abi.Expr) task { return task{expr: e} }

func (c *compiler) do(step func()) task { return task{step: step, span: c.span} }

func (c *compiler) emitLater(op opcode, mode uint8, n int, a uint32, effect int) task {
	return c.do(func() { c.emit(op, mode, n, a, effect) })
}

func (c *compiler) fail(format string, args ...any) {
	if c.failure == nil {
		c.failure = request(format, args...)
		c.failure.Span = c.span
	}
}

// emit appends an instruction; effect is how it changes the number of operands.
func (c *compiler) emit(op opcode, mode uint8, n int, a uint32, effect int) int {
	if n > math.MaxUint16 {
		c.fail("%d operands in one place; at most %d are possible", n, math.MaxUint16)
	}
	c.code.instrs = append(c.code.instrs, instr{op, mode, uint16(n), a})
	c.code.spans = append(c.code.spans, c.span)
	c.depth += effect
	c.code.depth = max(c.code.depth, c.depth)
	return len(c.code.instrs) - 1
}

func (c *compiler) here() uint32 { return uint32(len(c.code.instrs)) }

// land makes the jump at *at go here.
func (c *compiler) land(at *int) task {
	return c.do(func() { c.code.instrs[*at].a = c.here() })
}

// jump emits a jump that land completes.
func (c *compiler) jump(op opcode, at *int, effect int) task {
	return c.do(func() { *at = c.emit(op, 0, 0, 0, effect) })
}

func (c *compiler) slot(i int) uint32 {
	if i < 0 || i >= c.code.slots {
		c.fail("slot %d of %d", i, c.code.slots)
		return 0
	}
	return uint32(i)
}

// bind notes a slot that the code binds for a while.
func (c *compiler) bind(i int) uint32 {
	c.code.scratch = append(c.code.scratch, i)
	return c.slot(i)
}

func (c *compiler) arity(e *abi.Expr, low, high int) bool {
	if len(e.Args) < low || len(e.Args) > high {
		c.fail("operator %d of an expression has %d operands", int(e.Op), len(e.Args))
		return false
	}
	return true
}

// operands plans the operands of e and then an instruction that takes them all
// and pushes a result.
func (c *compiler) operands(e *abi.Expr, op opcode, mode uint8, a uint32) {
	c.listed(e.Args, c.emitLater(op, mode, len(e.Args), a, 1-len(e.Args)))
}

func (c *compiler) listed(args []abi.Expr, last task) {
	c.work = append(c.work, last)
	for i := len(args) - 1; i >= 0; i-- {
		c.work = append(c.work, c.e(&args[i]))
	}
}

// fixed is operands for an operator of exactly n operands.
func (c *compiler) fixed(e *abi.Expr, n int, op opcode, a uint32) {
	if c.arity(e, n, n) {
		c.operands(e, op, 0, a)
	}
}

func (c *compiler) expr(e *abi.Expr) {
	switch e.Op {
	case abi.ExprConst:
		if e.Index < 0 || e.Index >= len(c.m.constants) {
			c.fail("constant %d of %d", e.Index, len(c.m.constants))
			return
		}
		c.emit(opTerm, 0, 0, uint32(c.m.constants[e.Index]), 1)
	case abi.ExprSlot:
		c.emit(opSlot, 0, 0, c.slot(e.Index), 1)
	case abi.ExprNeg:
		c.fixed(e, 1, opNeg, 0)
	case abi.ExprNot:
		c.fixed(e, 1, opNot, 0)
	case abi.ExprAdd, abi.ExprSub, abi.ExprMul, abi.ExprDiv, abi.ExprMod:
		c.binary(e, opAdd+opcode(e.Op-abi.ExprAdd))
	case abi.ExprEq, abi.ExprNe, abi.ExprLt, abi.ExprLe, abi.ExprGt, abi.ExprGe:
		c.binary(e, opEq+opcode(e.Op-abi.ExprEq))
	case abi.ExprAnd, abi.ExprOr:
		c.shortCircuit(e)
	case abi.ExprIn:
		c.fixed(e, 2, opIn, 0)
	case abi.ExprCall:
		if e.Index < 0 || e.Index >= len(c.m.functions) {
			c.fail("function %d of %d", e.Index, len(c.m.functions))
			return
		}
		c.fixed(e, c.m.functions[e.Index].params, opCall, uint32(e.Index))
	case abi.ExprBuiltin:
		c.builtin(e)
	case abi.ExprIf:
		if c.arity(e, 3, 3) {
			c.choice(c.e(&e.Args[0]), c.e(&e.Args[1]), c.e(&e.Args[2]), 1)
		}
	case abi.ExprMatch:
		c.match(e)
	case abi.ExprLet:
		if c.arity(e, 2, 2) {
			s := c.bind(e.Index)
			c.then(c.e(&e.Args[0]), c.emitLater(opStore, 0, 0, s, -1), c.e(&e.Args[1]), c.emitLater(opClear, 0, 0, s, 0))
		}
	case abi.ExprVariant:
		if len(e.Args) == 0 {
			c.emit(opTerm, 0, 0, uint32(c.m.table.Variant(e.Name, nil)), 1)
			return
		}
		c.operands(e, opVariant, 0, c.text(e.Name))
	case abi.ExprStruct:
		c.operands(e, opStruct, 0, c.text(e.Name))
	case abi.ExprField:
		c.fixed(e, 1, opField, uint32(max(e.Index, 0)))
	case abi.ExprWith:
		c.fixed(e, 2, opWith, uint32(max(e.Index, 0)))
	case abi.ExprList:
		c.operands(e, opList, 0, 0)
	case abi.ExprSet:
		c.operands(e, opSet, 0, 0)
	case abi.ExprIndex:
		c.fixed(e, 2, opIndex, 0)
	case abi.ExprSlice:
		c.fixed(e, 3, opSlice, 0)
	case abi.ExprFor:
		if c.arity(e, 2, 3) {
			c.comprehension(e, opListed, 0)
		}
	case abi.ExprFold:
		if e.Fold > abi.FoldList {
			c.fail("fold %d is unknown", int(e.Fold))
			return
		}
		if len(e.Args) == 1 {
			c.operands(e, opFold, 0, uint32(e.Fold))
		} else if c.arity(e, 2, 3) {
			c.comprehension(e, opFolded, uint32(e.Fold))
		}
	case abi.ExprText:
		c.operands(e, opText, 0, 0)
	case abi.ExprIsType:
		if e.Type == nil {
			c.fail("a type test names no type")
			return
		}
		c.code.types = append(c.code.types, e.Type)
		c.fixed(e, 1, opIsType, uint32(len(c.code.types)-1))
	case abi.ExprRead:
		c.operands(e, opRead, 0, uint32(e.Index))
	case abi.ExprReadAll:
		c.operands(e, opReadAll, 0, uint32(e.Index))
	case abi.ExprHolds:
		c.operands(e, opHolds, 0, uint32(e.Index))
	case abi.ExprSub_:
		c.subquery(e)
	default:
		c.fail("operator %d of an expression is unknown", int(e.Op))
	}
}

// binary plans an operator whose right operand goes into the instruction if it
// is a constant or a slot.
func (c *compiler) binary(e *abi.Expr, op opcode) {
	if !c.arity(e, 2, 2) {
		return
	}
	c.then(c.e(&e.Args[0]), c.e(&e.Args[1]), c.do(func() {
		switch e.Args[1].Op {
		case abi.ExprConst, abi.ExprSlot:
			push := c.take()
			mode := uint8(rightTerm)
			if push.op == opSlot {
				mode = rightSlot
			}
			c.emit(op, mode, 2, push.a, 0)
		default:
			c.emit(op, rightTop, 2, 0, -1)
		}
	}))
}

// take takes back the last instruction, which pushes one operand.
func (c *compiler) take() instr {
	last := len(c.code.instrs) - 1
	in := c.code.instrs[last]
	c.code.instrs, c.code.spans = c.code.instrs[:last], c.code.spans[:last]
	c.depth--
	return in
}

func (c *compiler) text(s string) uint32 {
	c.code.texts = append(c.code.texts, s)
	return uint32(len(c.code.texts) - 1)
}

func (c *compiler) shortCircuit(e *abi.Expr) {
	if !c.arity(e, 2, 2) {
		return
	}
	op := opAnd
	if e.Op == abi.ExprOr {
		op = opOr
	}
	at := new(int)
	c.then(c.e(&e.Args[0]), c.jump(op, at, -1), c.e(&e.Args[1]), c.emitLater(opBool, 0, 0, 0, 0), c.land(at))
}

// choice plans "if cond then … else …", both of which leave effect operands.
func (c *compiler) choice(cond, then, els task, effect int) {
	toElse, toEnd := new(int), new(int)
	c.then(
		cond, c.jump(opJumpFalse, toElse, -1),
		then, c.jump(opJump, toEnd, -effect), c.land(toElse),
		els, c.land(toEnd))
}

func (c *compiler) match(e *abi.Expr) {
	if !c.arity(e, 1, 1) {
		return
	}
	tasks := []task{c.optional(&e.Args[0])}
	var ends []*int
	for i := range e.Arms {
		arm := &e.Arms[i]
		p, f := c.m.CompilePattern(&arm.Pattern, c.code.slots)
		if f != nil {
			c.fail("%s", f.Message)
			return
		}
		index := uint32(len(c.code.patterns))
		c.code.patterns = append(c.code.patterns, p)
		next, unguarded, end := new(int), new(int), new(int)
		ends = append(ends, end)
		tasks = append(tasks, c.emitLater(opMatch, 0, 0, index, 1), c.jump(opJumpFalse, next, -1))
		if arm.Guard != nil {
			tasks = append(tasks, c.e(arm.Guard), c.jump(opJumpFalse, unguarded, -1))
		}
		tasks = append(tasks, c.emitLater(opPop, 0, 1, 0, -1), c.e(&arm.Body))
		for _, s := range p.slots {
			tasks = append(tasks, c.emitLater(opClear, 0, 0, c.bind(s), 0))
		}
		tasks = append(tasks, c.jump(opJump, end, 0), c.land(next))
		if arm.Guard != nil {
			tasks = append(tasks, c.land(unguarded))
		}
	}
	tasks = append(tasks, c.emitLater(opFail, 0, 0, uint32(term.NoMatch), 0))
	for _, end := range ends {
		tasks = append(tasks, c.land(end))
	}
	c.then(tasks...)
}

// optional compiles an operand whose absent value is a value: a field that is
// read right there and has none gives none instead of failing.
func (c *compiler) optional(e *abi.Expr) task {
	if e.Op != abi.ExprRead {
		return c.e(e)
	}
	return c.do(func() {
		c.span = e.Span
		c.operands(e, opRead, 1, uint32(e.Index))
	})
}

func (c *compiler) comprehension(e *abi.Expr, end opcode, a uint32) {
	s := c.bind(e.Index)
	done, skip := new(int), new(int)
	again := uint32(0)
	tasks := []task{
		c.e(&e.Args[0]), c.emitLater(opIter, 0, 0, s, -1),
		c.do(func() { again = c.here() }), c.jump(opNext, done, 0),
	}
	if len(e.Args) == 3 {
		tasks = append(tasks, c.e(&e.Args[2]), c.do(func() {
			*skip = c.emit(opJumpFalse, 0, 0, again, -1)
		}))
	}
	tasks = append(tasks,
		c.e(&e.Args[1]), c.emitLater(opGather, 0, 0, 0, -1),
		c.do(func() { c.emit(opJump, 0, 0, again, 0) }),
		c.land(done), c.emitLater(end, 0, 0, a, 1))
	c.then(tasks...)
}

func (c *compiler) subquery(e *abi.Expr) {
	if e.Sub == nil || e.Sub.Op > abi.SubFold || e.Sub.Fold > abi.FoldList {
		c.fail("a subquery is not complete")
		return
	}
	s := sub{Sub: e.Sub}
	needsOut := e.Sub.Op != abi.SubExists && e.Sub.Op != abi.SubCount &&
		!(e.Sub.Op == abi.SubFold && e.Sub.Fold == abi.FoldCount)
	if needsOut {
		if e.Sub.Out == nil || c.subs == MaxSubDepth {
			c.fail("a subquery has no result expression, or is nested more than %d deep", MaxSubDepth)
			return
		}
		s.out = &Code{name: c.code.name, slots: c.code.slots}
		inner := &compiler{m: c.m, code: s.out, subs: c.subs + 1}
		inner.function(e.Sub.Out)
		if f := inner.finish(); f != nil {
			c.failure = f
			return
		}
	}
	c.code.subs = append(c.code.subs, s)
	c.emit(opSolve, 0, 0, uint32(len(c.code.subs)-1), 1)
}
