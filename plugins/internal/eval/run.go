package eval

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

const unbound = term.Unbound

// frame is a caller that waits for its callee's result. Its slots are the
// slice that run was given (base < 0), or m.regs from base on.
type frame struct {
	code *Code
	pc   int
	base int
	iter int
}

// iterator ranges a slot over items; mark is where what it gathers begins.
type iterator struct {
	items []abi.Term
	next  int
	slot  uint32
	mark  int
}

// run runs code to its return. The stacks are as before when it is back.
func (m *Machine) run(code *Code, slots []abi.Term) (abi.Term, bool, *abi.Failure) {
	if m.nest >= MaxNesting {
		return 0, false, breach(abi.LimitCalls, MaxNesting, MaxNesting+1, "bodies that are solved inside expressions are nested too deeply", abi.Span{})
	}
	m.nest++
	sp, regs, iters, items, frames, depth := m.sp, len(m.regs), len(m.iters), len(m.items), len(m.frames), m.depth
	x, ok, f := m.loop(code, slots)
	m.nest--
	m.sp = sp
	if !ok {
		// A return leaves the other stacks as it found them.
		m.depth = depth
		m.regs, m.iters, m.items, m.frames = m.regs[:regs], m.iters[:iters], m.items[:items], m.frames[:frames]
	}
	return x, ok, f
}

// reserve makes room for the operands of code above sp.
func (m *Machine) reserve(sp, depth int) []abi.Term {
	if sp+depth > len(m.stack) {
		stack := make([]abi.Term, max(2*len(m.stack), sp+depth, 64))
		copy(stack, m.stack)
		m.stack = stack
	}
	return m.stack
}

// enter pushes slots for a callee with the given arguments.
func (m *Machine) enter(c *Code, args []abi.Term) (base int, regs []abi.Term) {
	base = len(m.regs)
	m.regs = append(m.regs, args...)
	for i := len(args); i < c.slots; i++ {
		m.regs = append(m.regs, unbound)
	}
	return base, m.regs[base : base+c.slots]
}

func (m *Machine) loop(code *Code, outer []abi.Term) (abi.Term, bool, *abi.Failure) {
	var (
		t       = m.table
		regs    = outer
		base    = -1
		iter    = len(m.iters)
		bottom  = len(m.frames)
		sp      = m.sp
		st      = m.reserve(sp, code.depth)
		instrs  = code.instrs
		pc      = 0
		fault   term.Fault
		failure *abi.Failure
	)
	for {
		in := instrs[pc]
		pc++
		// The common instructions come first: a guest's switch is a search.
		if in.op == opSlot {
			x := regs[in.a]
			if x != unbound {
				st[sp] = x
				sp++
				continue
			}
			fault = term.Absent
		} else if in.op <= opGe {
			var b abi.Term
			switch in.m {
			case rightTop:
				sp--
				b = st[sp]
			case rightTerm:
				b = abi.Term(in.a)
			default:
				if b = regs[in.a]; b == unbound {
					fault = term.Absent
				}
			}
			a := st[sp-1]
			if a.Tag() == abi.TagInt && b.Tag() == abi.TagInt {
				if x, ok := inlineInts(in.op, a.Inline(), b.Inline()); ok {
					st[sp-1] = x
					continue
				}
			}
			if fault == term.OK {
				st[sp-1], fault = m.binary(in.op, a, b)
			}
		} else {
			switch in.op {
			case opTerm:
				st[sp] = abi.Term(in.a)
				sp++
			case opStore:
				sp--
				regs[in.a] = st[sp]
			case opClear:
				regs[in.a] = unbound
			case opPop:
				sp -= int(in.n)
			case opBool:
				if x := st[sp-1]; x != abi.True && x != abi.False {
					fault = term.WrongKind
				}
			case opJump:
				pc = int(in.a)
			case opJumpFalse:
				sp--
				switch st[sp] {
				case abi.False:
					pc = int(in.a)
				case abi.True:
				default:
					fault = term.WrongKind
				}
			case opAnd, opOr:
				switch x := st[sp-1]; {
				case x != abi.True && x != abi.False:
					fault = term.WrongKind
				case (x == abi.False) == (in.op == opAnd):
					pc = int(in.a)
				default:
					sp--
				}
			case opOrElse:
				if st[sp-1] != abi.None {
					pc = int(in.a)
				} else {
					sp--
				}
			case opCall, opMutate:
				callee := m.functions
				if in.op == opMutate {
					callee = m.mutations
				}
				if m.depth >= m.maxCalls {
					failure = breach(abi.LimitCalls, m.maxCalls, m.depth+1, "calls are nested too deeply: "+callee[in.a].name, code.spans[pc-1])
					break
				}
				m.depth++
				m.frames = append(m.frames, frame{code, pc, base, iter})
				code = callee[in.a]
				instrs = code.instrs
				sp -= int(in.n)
				base, regs = m.enter(code, st[sp:sp+int(in.n)])
				st = m.reserve(sp, code.depth)
				pc, iter = 0, len(m.iters)
			case opReturn:
				x := st[sp-1]
				if len(m.iters) > iter {
					m.items = m.items[:m.iters[iter].mark]
					m.iters = m.iters[:iter]
				}
				if len(m.frames) == bottom {
					return x, true, nil
				}
				m.depth--
				m.regs = m.regs[:base]
				f := m.frames[len(m.frames)-1]
				m.frames = m.frames[:len(m.frames)-1]
				code, pc, base, iter = f.code, f.pc, f.base, f.iter
				instrs = code.instrs
				if base < 0 {
					regs = outer
				} else {
					regs = m.regs[base : base+code.slots]
				}
			case opIter:
				sp--
				k := t.Kind(st[sp])
				if k != abi.KindList && k != abi.KindSet {
					fault = term.WrongKind
					break
				}
				m.iters = append(m.iters, iterator{t.Items(st[sp]), 0, in.a, len(m.items)})
			case opNext:
				it := &m.iters[len(m.iters)-1]
				if it.next == len(it.items) {
					regs[it.slot] = unbound
					pc = int(in.a)
					break
				}
				regs[it.slot] = it.items[it.next]
				it.next++
			case opGather:
				sp--
				if m.items = append(m.items, st[sp]); len(m.items) > term.MaxItems {
					fault = term.LargeList
				}
			case opListed, opFolded, opDone:
				mark := m.iters[len(m.iters)-1].mark
				m.iters = m.iters[:len(m.iters)-1]
				switch in.op {
				case opListed:
					st[sp] = t.List(m.items[mark:])
					sp++
				case opFolded:
					st[sp], fault = m.fold(abi.FoldOp(in.a), m.items[mark:])
					sp++
				}
				m.items = m.items[:mark]
			case opFail:
				// A match that has no arm for none is asked for a value.
				if fault = term.Fault(in.a); fault == term.NoMatch && st[sp-1] == abi.None {
					fault = term.Absent
				}
			case opMatch:
				st[sp] = abi.BoolTerm(code.patterns[in.a].Match(st[sp-1], regs))
				sp++
			case opSolve:
				m.sp = sp
				var x abi.Term
				var ok bool
				x, ok, fault, failure = m.solve(&code.subs[in.a], regs)
				if !ok {
					// The result expression failed, and has said where.
					return 0, false, nil
				}
				st = m.reserve(m.sp, code.depth)
				if base >= 0 {
					regs = m.regs[base : base+code.slots]
				}
				st[sp] = x
				sp++
			case opNeg, opNot, opIn, opBuiltin, opVariant, opStruct, opList, opSet,
				opField, opWith, opIndex, opSlice, opFold, opText, opIsType:
				sp -= int(in.n)
				operands := st[sp : sp+int(in.n)]
				var x abi.Term
				if x, fault = m.compute(code, in, operands); fault == term.WrongKind && len(operands) > 0 && operands[0] == abi.None {
					fault = term.Absent
				}
				st[sp] = x
				sp++
			default:
				m.sp = sp
				fault, failure = m.effect(code, in, st[:sp])
				sp = m.sp
				st = m.reserve(sp, code.depth)
				if base >= 0 {
					regs = m.regs[base : base+code.slots]
				}
			}
		}
		if fault != term.OK || failure != nil {
			return m.stop(code, code.spans[pc-1], fault, failure)
		}
	}
}

// stop ends a run that has no value.
func (m *Machine) stop(code *Code, span abi.Span, fault term.Fault, failure *abi.Failure) (abi.Term, bool, *abi.Failure) {
	if failure != nil {
		if failure.Span == (abi.Span{}) {
			failure.Span = span
		}
		return 0, false, failure
	}
	m.fault, m.faultSpan, m.faultIn = fault, span, code.name
	if b := fault.Breach(); b != nil {
		f := m.Fault()
		f.Limit = b
		return 0, false, f
	}
	return 0, false, nil
}

// inlineInts computes with two integers that are their own terms, where the
// result is one too.
func inlineInts(op opcode, a, b int64) (abi.Term, bool) {
	switch op {
	case opAdd:
		return abi.IntTerm(a + b)
	case opSub:
		return abi.IntTerm(a - b)
	case opMul:
		return abi.IntTerm(a * b)
	case opEq:
		return abi.BoolTerm(a == b), true
	case opNe:
		return abi.BoolTerm(a != b), true
	case opLt:
		return abi.BoolTerm(a < b), true
	case opLe:
		return abi.BoolTerm(a <= b), true
	case opGt:
		return abi.BoolTerm(a > b), true
	case opGe:
		return abi.BoolTerm(a >= b), true
	}
	return 0, false
}

func (m *Machine) binary(op opcode, a, b abi.Term) (abi.Term, term.Fault) {
	if op < opEq && (a == abi.None || b == abi.None) {
		return 0, term.Absent
	}
	switch op {
	case opAdd:
		return m.table.Add(a, b)
	case opSub:
		return m.table.Sub(a, b)
	case opMul:
		return m.table.Mul(a, b)
	case opDiv:
		return m.table.Div(a, b)
	case opMod:
		return m.table.Mod(a, b)
	case opEq:
		return abi.BoolTerm(a == b), term.OK
	case opNe:
		return abi.BoolTerm(a != b), term.OK
	}
	order, fault := m.table.Order(a, b)
	switch op {
	case opLt:
		return abi.BoolTerm(order < 0), fault
	case opLe:
		return abi.BoolTerm(order <= 0), fault
	case opGt:
		return abi.BoolTerm(order > 0), fault
	}
	return abi.BoolTerm(order >= 0), fault
}
