package eval

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// effect runs an instruction that looks at the state or changes it. m.sp is
// the number of operands st, before and after. While the state is asked, its
// answer may come from rules that this machine evaluates above m.sp.
func (m *Machine) effect(code *Code, in instr, st []abi.Term) (term.Fault, *abi.Failure) {
	sp, n := m.sp, int(in.n)
	switch in.op {
	case opRead, opReadAll, opHolds:
		if m.Reader == nil {
			return term.OK, request("an expression of a rule reads a relation")
		}
		x, fault, failure := m.read(in, st[sp-n:])
		m.sp = sp - n
		m.push(x)
		return fault, failure
	case opMint:
		x := m.mint()
		m.minted = append(m.minted, Minted{x, code.texts[in.a]})
		m.push(x)
		return m.writable()
	case opRequire:
		m.sp = sp - 1
		switch st[sp-1] {
		case abi.True:
			return term.OK, nil
		case abi.False:
			return term.OK, &abi.Failure{Code: abi.FailureRequire, Message: "require " + code.texts[in.a] + " is false", Rule: -1}
		}
		return term.WrongKind, nil
	}
	if fault, failure := m.writable(); failure != nil {
		return fault, failure
	}
	if in.op == opInit {
		if failure := m.portable(st[sp-n]); failure != nil {
			return term.OK, failure
		}
		return m.initField(int(in.a), st[sp-1], st[sp-n], in.m != 0)
	}
	at := unbound
	top := sp
	if in.m&1 != 0 {
		top--
		at = st[top]
		if k := m.table.Kind(at); k != abi.KindDay && k != abi.KindInstant {
			return term.WrongKind, nil
		}
	}
	operands := st[top-n : top]
	if failure := m.portable(operands...); failure != nil {
		return term.OK, failure
	}
	var fault term.Fault
	var failure *abi.Failure
	switch in.op {
	case opAssert:
		failure = m.writer.Assert(int(in.a), operands, at)
	case opRetract:
		r := &code.retracts[in.a]
		failure = m.writer.Retract(r.rel, operands, r.wild, at)
	case opAssign:
		fault, failure = m.assign(int(in.a), abi.AssignOp(in.m>>1), operands, at)
	default:
		failure = request("instruction %d is unknown", int(in.op))
	}
	m.sp = top - n
	return fault, failure
}

func (m *Machine) writable() (term.Fault, *abi.Failure) {
	if m.writer == nil {
		return term.OK, request("a statement runs outside a mutation")
	}
	return term.OK, nil
}

// push puts x on top of the operands, which always have room for the result
// that an instruction leaves.
func (m *Machine) push(x abi.Term) {
	m.stack[m.sp] = x
	m.sp++
}

func (m *Machine) read(in instr, key []abi.Term) (abi.Term, term.Fault, *abi.Failure) {
	switch in.op {
	case opReadAll:
		values, f := m.Reader.ReadAll(int(in.a), key)
		if f != nil {
			return 0, term.OK, f
		}
		return m.table.Set(values), term.OK, nil
	case opHolds:
		ok, f := m.Reader.Holds(int(in.a), key)
		return abi.BoolTerm(ok), term.OK, f
	}
	x, ok, f := m.Reader.Read(int(in.a), key)
	switch {
	case f != nil || ok:
		return x, term.OK, f
	case in.m != 0:
		return abi.None, term.OK, nil
	}
	return 0, term.Absent, nil
}

// solve evaluates a subquery. ok is false if its result expression failed.
func (m *Machine) solve(s *sub, slots []abi.Term) (x abi.Term, ok bool, fault term.Fault, failure *abi.Failure) {
	if m.Reader == nil {
		return 0, true, term.OK, request("an expression of a rule holds a subquery")
	}
	count := int64(0)
	mark := len(m.items)
	ok = true
	f := m.Reader.Solve(s.Sub, slots, func(slots []abi.Term) bool {
		count++
		if s.out == nil {
			return s.Op != abi.SubExists
		}
		var v abi.Term
		if v, ok, failure = m.Eval(s.out, slots); failure != nil || !ok {
			return false
		}
		m.items = append(m.items, v)
		return s.Op != abi.SubOne || m.items[mark] == v
	})
	if failure == nil {
		failure = f
	}
	found := m.items[mark:]
	m.items = m.items[:mark]
	if !ok || failure != nil {
		return 0, ok || failure != nil, term.OK, failure
	}
	switch s.Op {
	case abi.SubExists:
		x = abi.BoolTerm(count > 0)
	case abi.SubCount:
		x = m.table.Int(count)
	case abi.SubSet:
		x = m.table.Set(found)
	case abi.SubOne:
		switch {
		case len(found) == 0:
			fault = term.Absent
		case slices.Max(found) != slices.Min(found):
			fault = term.Several
		default:
			x = found[0]
		}
	case abi.SubList:
		list := slices.Clone(found)
		slices.SortFunc(list, m.table.Compare)
		x = m.table.List(list)
	case abi.SubFold:
		if s.out == nil {
			x = m.table.Int(count)
		} else {
			x, fault = m.fold(s.Fold, found)
		}
	}
	return x, true, fault, nil
}
