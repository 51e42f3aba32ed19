package eval

import "github.com/ox-mcp/ox-mcp/abi"

// simpleDepth bounds the operands of code that simple runs.
const simpleDepth = 8

// isSimple says whether code has only instructions that simple knows. They
// have no effects, so simple may give up half way.
func isSimple(c *Code) bool {
	if c.depth > simpleDepth {
		return false
	}
	for _, in := range c.instrs {
		switch in.op {
		case opDiv, opMod:
			return false
		case opTerm, opSlot, opNot, opBool, opJump, opJumpFalse, opAnd, opOr, opReturn:
		default:
			if in.op > opGe {
				return false
			}
		}
	}
	return true
}

// simple runs code over small integers and truth values, which is what the
// expressions of most rules are; in a guest it costs a fraction of the general
// loop. ok is false where a value of another kind, or a fault, turns up.
func simple(instrs []instr, slots []abi.Term) (x abi.Term, ok bool) {
	var st [simpleDepth]abi.Term
	sp := 0
	for pc := 0; pc < len(instrs); {
		in := &instrs[pc]
		pc++
		if in.op > opGe {
			switch in.op {
			case opSlot:
				if x = slots[in.a]; x == unbound {
					return 0, false
				}
				st[sp&(simpleDepth-1)] = x
				sp++
				continue
			case opTerm:
				st[sp&(simpleDepth-1)] = abi.Term(in.a)
				sp++
				continue
			case opReturn:
				return st[(sp-1)&(simpleDepth-1)], true
			case opJump:
				pc = int(in.a)
				continue
			}
			top := &st[(sp-1)&(simpleDepth-1)]
			if *top != abi.True && *top != abi.False {
				return 0, false
			}
			switch in.op {
			case opNot:
				*top ^= 1
			case opAnd, opOr:
				if (*top == abi.False) == (in.op == opAnd) {
					pc = int(in.a)
				} else {
					sp--
				}
			case opJumpFalse:
				sp--
				if *top == abi.False {
					pc = int(in.a)
				}
			}
			continue
		}
		var b abi.Term
		switch in.m {
		case rightTerm:
			b = abi.Term(in.a)
		case rightSlot:
			b = slots[in.a]
		default:
			sp--
			b = st[sp&(simpleDepth-1)]
		}
		top := &st[(sp-1)&(simpleDepth-1)]
		a := *top
		if a.Tag() != abi.TagInt || b.Tag() != abi.TagInt {
			if in.op != opEq && in.op != opNe || b == unbound {
				return 0, false
			}
			*top = abi.BoolTerm((a == b) == (in.op == opEq))
			continue
		}
		n, m := a.Inline(), b.Inline()
		var holds bool
		switch in.op {
		case opAdd, opSub, opMul:
			switch in.op {
			case opAdd:
				n += m
			case opSub:
				n -= m
			default:
				n *= m
			}
			if n < abi.MinInline || n > abi.MaxInline {
				return 0, false
			}
			*top = abi.TagInt | abi.Term(uint32(n))&abi.PayloadMask
			continue
		case opEq:
			holds = n == m
		case opNe:
			holds = n != m
		case opLt:
			holds = n < m
		case opLe:
			holds = n <= m
		case opGt:
			holds = n > m
		case opGe:
			holds = n >= m
		}
		*top = abi.False
		if holds {
			*top = abi.True
		}
	}
	return 0, false
}
