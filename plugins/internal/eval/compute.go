package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// compute runs an instruction that depends on its operands x alone and pushes
// one result.
func (m *Machine) compute(code *Code, in instr, x []abi.Term) (abi.Term, term.Fault) {
	t := m.table
	switch in.op {
	case opNeg:
		return t.Neg(x[0])
	case opNot:
		switch x[0] {
		case abi.True:
			return abi.False, term.OK
		case abi.False:
			return abi.True, term.OK
		}
		return 0, term.WrongKind
	case opIn:
		return m.contains(x[1], x[0])
	case opBuiltin:
		return m.call(builtin(in.a), x)
	case opVariant:
		return t.Variant(code.texts[in.a], x), term.OK
	case opStruct:
		return t.Struct(code.texts[in.a], x), term.OK
	case opList:
		return t.List(x), term.OK
	case opSet:
		return t.Set(x), term.OK
	case opField, opWith:
		return m.field(in, x)
	case opIndex:
		return m.index(x[0], x[1])
	case opSlice:
		return m.slice(x[0], x[1], x[2])
	case opFold:
		if k := t.Kind(x[0]); k != abi.KindList && k != abi.KindSet {
			return 0, term.WrongKind
		}
		return m.fold(abi.FoldOp(in.a), t.Items(x[0]))
	case opIsType:
		return abi.BoolTerm(m.IsType(x[0], code.types[in.a])), term.OK
	}
	return m.concat(x)
}

// contains reports whether x is an item of a list or set, a key of a map,
// between the ends of a range, or a part of a string.
func (m *Machine) contains(in, x abi.Term) (abi.Term, term.Fault) {
	t := m.table
	switch t.Kind(in) {
	case abi.KindList:
		return abi.BoolTerm(slices.Contains(t.Items(in), x)), term.OK
	case abi.KindSet:
		_, found := slices.BinarySearchFunc(t.Items(in), x, t.Compare)
		return abi.BoolTerm(found), term.OK
	case abi.KindMap:
		_, found := m.lookup(in, x)
		return abi.BoolTerm(found), term.OK
	case abi.KindRange:
		return m.between(t.Items(in), x)
	case abi.KindString:
		if t.Kind(x) == abi.KindString {
			return abi.BoolTerm(strings.Contains(t.Str(in), t.Str(x))), term.OK
		}
	}
	return 0, term.WrongKind
}

// lookup returns the value of key in the map in.
func (m *Machine) lookup(in, key abi.Term) (abi.Term, bool) {
	items := m.table.Items(in)
	low, high := 0, len(items)/2
	for low < high {
		mid := (low + high) / 2
		if m.table.Compare(items[2*mid], key) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if 2*low < len(items) && items[2*low] == key {
		return items[2*low+1], true
	}
	return 0, false
}

func (m *Machine) field(in instr, x []abi.Term) (abi.Term, term.Fault) {
	k := m.table.Kind(x[0])
	if x[0] == abi.None {
		return 0, term.Absent
	}
	if k != abi.KindStruct && k != abi.KindVariant && k != abi.KindRange {
		return 0, term.WrongKind
	}
	items := m.table.Items(x[0])
	if int(in.a) >= len(items) {
		return 0, term.OutOfRange
	}
	if in.op == opField {
		return items[in.a], term.OK
	}
	items = slices.Clone(items)
	items[in.a] = x[1]
	return m.table.Like(x[0], items), term.OK
}

func (m *Machine) index(of, at abi.Term) (abi.Term, term.Fault) {
	t := m.table
	switch t.Kind(of) {
	case abi.KindMap:
		if x, ok := m.lookup(of, at); ok {
			return x, term.OK
		}
		return 0, term.Absent
	case abi.KindList:
		items := t.Items(of)
		i, fault := m.position(at, len(items))
		if fault != term.OK || i == len(items) {
			return 0, max(fault, term.OutOfRange)
		}
		return items[i], term.OK
	case abi.KindString:
		s := t.Str(of)
		i, fault := m.position(at, len(s))
		if fault != term.OK {
			return 0, fault
		}
		from, ok := offset(s, i)
		if !ok || from == len(s) {
			return 0, term.OutOfRange
		}
		_, size := utf8.DecodeRuneInString(s[from:])
		return t.String(s[from : from+size]), term.OK
	}
	return 0, term.WrongKind
}

// position returns a position from 0 to n.
func (m *Machine) position(x abi.Term, n int) (int, term.Fault) {
	if m.table.Kind(x) != abi.KindNum {
		return 0, term.WrongKind
	}
	i, ok := m.table.Int64(x)
	if !ok || i < 0 || i > int64(n) {
		return 0, term.OutOfRange
	}
	return int(i), term.OK
}

// offset returns where code point i of s begins; ok is false if s has fewer
// than i.
func offset(s string, i int) (at int, ok bool) {
	for ; i > 0; i-- {
		if at == len(s) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at, true
}

func (m *Machine) slice(of, from, to abi.Term) (abi.Term, term.Fault) {
	t := m.table
	k := t.Kind(of)
	length := len(t.Items(of))
	if k == abi.KindString {
		length = utf8.RuneCountInString(t.Str(of))
	} else if k != abi.KindList {
		return 0, term.WrongKind
	}
	low, high := 0, length
	var fault term.Fault
	if from != abi.None {
		if low, fault = m.position(from, length); fault != term.OK {
			return 0, fault
		}
	}
	if to != abi.None {
		if high, fault = m.position(to, length); fault != term.OK {
			return 0, fault
		}
	}
	if low > high {
		return 0, term.OutOfRange
	}
	if k == abi.KindList {
		return t.List(t.Items(of)[low:high]), term.OK
	}
	s := t.Str(of)
	start, _ := offset(s, low)
	size, _ := offset(s[start:], high-low)
	return t.String(s[start : start+size]), term.OK
}

func (m *Machine) concat(x []abi.Term) (abi.Term, term.Fault) {
	m.text = m.text[:0]
	for _, part := range x {
		var fault term.Fault
		if m.text, fault = m.table.AppendText(m.text, part); fault != term.OK {
			return 0, fault
		}
	}
	return m.table.String(string(m.text)), term.OK
}
