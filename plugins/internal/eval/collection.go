package eval

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

func lookupCollection(name string) (b builtin, ok bool) {
	switch name {
	case abi.BuiltinMap:
		return builtinMap, true
	case abi.BuiltinRange:
		return builtinRange, true
	case abi.BuiltinGet:
		return builtinGet, true
	case abi.BuiltinHas:
		return builtinHas, true
	case abi.BuiltinKeys:
		return builtinKeys, true
	case abi.BuiltinValues:
		return builtinValues, true
	case abi.BuiltinPut:
		return builtinPut, true
	case abi.BuiltinDrop:
		return builtinDrop, true
	case abi.BuiltinUnion:
		return builtinUnion, true
	case abi.BuiltinIntersect:
		return builtinIntersect, true
	case abi.BuiltinWithout:
		return builtinWithout, true
	case abi.BuiltinSetOf:
		return builtinSetOf, true
	case abi.BuiltinListOf:
		return builtinListOf, true
	case abi.BuiltinSorted:
		return builtinSorted, true
	case abi.BuiltinReversed:
		return builtinReversed, true
	case abi.BuiltinTimeOf:
		return builtinTimeOf, true
	case abi.BuiltinDateOf:
		return builtinDateOf, true
	case abi.BuiltinHour:
		return builtinHour, true
	case abi.BuiltinMinute:
		return builtinMinute, true
	case abi.BuiltinSecond:
		return builtinSecond, true
	case abi.BuiltinFit:
		return builtinFit, true
	}
	return 0, false
}

// collection runs a builtin over collections, times of day or bounded numbers.
func (m *Machine) collection(b builtin, x []abi.Term) (abi.Term, term.Fault) {
	t := m.table
	switch b {
	case builtinMap:
		if len(x)%2 != 0 {
			return 0, term.WrongKind
		}
		return t.Map(x), term.OK
	case builtinRange:
		return t.Range(x[0], x[1]), term.OK
	case builtinGet:
		v, fault := m.index(x[0], x[1])
		if x[0] != abi.None && (fault == term.Absent || fault == term.OutOfRange) {
			return abi.None, term.OK
		}
		return v, fault
	case builtinHas:
		return m.contains(x[0], x[1])
	case builtinFit:
		if !t.IsInteger(x[0]) {
			return 0, term.WrongKind
		}
		if t.Compare(x[0], x[1]) < 0 || t.Compare(x[0], x[2]) > 0 {
			return 0, term.OutOfRange
		}
		return x[0], term.OK
	case builtinTimeOf, builtinHour, builtinMinute, builtinSecond:
		s, n, ok := t.TimeOfDay(x[0])
		if !ok {
			return 0, term.WrongKind
		}
		switch b {
		case builtinTimeOf:
			return t.Time(s, n), term.OK
		case builtinHour:
			return t.Int(s / 3600), term.OK
		case builtinMinute:
			return t.Int(s / 60 % 60), term.OK
		}
		return t.Int(s % 60), term.OK
	case builtinDateOf:
		n, ok := t.DayNumber(x[0])
		if !ok {
			return 0, term.WrongKind
		}
		return t.Day(n), term.OK
	case builtinKeys, builtinValues, builtinPut, builtinDrop:
		if t.Kind(x[0]) == abi.KindMap || b == builtinDrop {
			return m.entries(b, x)
		}
		return 0, term.WrongKind
	case builtinUnion, builtinIntersect, builtinWithout:
		return m.combine(b, x[0], x[1])
	}
	return m.reorder(b, x[0])
}

// entries runs a builtin over a map, or drops an item of a set.
func (m *Machine) entries(b builtin, x []abi.Term) (abi.Term, term.Fault) {
	t := m.table
	items := t.Items(x[0])
	switch b {
	case builtinKeys, builtinValues:
		out := make([]abi.Term, 0, len(items)/2)
		first := 0
		if b == builtinValues {
			first = 1
		}
		for i := first; i < len(items); i += 2 {
			out = append(out, items[i])
		}
		if b == builtinKeys {
			return t.Set(out), term.OK
		}
		return t.List(out), term.OK
	case builtinPut:
		if len(items) >= term.MaxItems {
			return 0, term.LargeList
		}
		return t.Map(append(slices.Clone(items), x[1], x[2])), term.OK
	}
	step := 1
	switch t.Kind(x[0]) {
	case abi.KindMap:
		step = 2
	case abi.KindSet:
	default:
		return 0, term.WrongKind
	}
	for i := 0; i < len(items); i += step {
		if items[i] == x[1] {
			return t.Like(x[0], slices.Delete(slices.Clone(items), i, i+step)), term.OK
		}
	}
	return x[0], term.OK
}

// combine runs a builtin over two collections of one kind.
func (m *Machine) combine(b builtin, x, y abi.Term) (abi.Term, term.Fault) {
	t := m.table
	kind := t.Kind(x)
	if kind != t.Kind(y) {
		return 0, term.WrongKind
	}
	if b == builtinUnion {
		all := slices.Concat(t.Items(x), t.Items(y))
		if len(all) > term.MaxItems {
			return 0, term.LargeList
		}
		switch kind {
		case abi.KindList:
			return t.List(all), term.OK
		case abi.KindSet:
			return t.Set(all), term.OK
		case abi.KindMap:
			return t.Map(all), term.OK
		}
		return 0, term.WrongKind
	}
	if kind != abi.KindSet {
		return 0, term.WrongKind
	}
	var out []abi.Term
	other := t.Items(y)
	for _, item := range t.Items(x) {
		_, both := slices.BinarySearchFunc(other, item, t.Compare)
		if both == (b == builtinIntersect) {
			out = append(out, item)
		}
	}
	return t.Set(out), term.OK
}

// reorder gives the items of x as another collection.
func (m *Machine) reorder(b builtin, x abi.Term) (abi.Term, term.Fault) {
	t := m.table
	items := t.Items(x)
	switch t.Kind(x) {
	case abi.KindList, abi.KindSet:
	case abi.KindRange:
		if b != builtinListOf {
			return 0, term.WrongKind
		}
		return m.count(items[0], items[1])
	default:
		return 0, term.WrongKind
	}
	switch b {
	case builtinSetOf:
		return t.Set(items), term.OK
	case builtinListOf:
		return t.List(items), term.OK
	}
	items = slices.Clone(items)
	if b == builtinSorted {
		slices.SortStableFunc(items, t.Compare)
	} else {
		slices.Reverse(items)
	}
	return t.List(items), term.OK
}

// count lists the whole numbers from from to to.
func (m *Machine) count(from, to abi.Term) (abi.Term, term.Fault) {
	t := m.table
	if !t.IsInteger(from) || !t.IsInteger(to) {
		return 0, term.WrongKind
	}
	if t.Compare(from, to) > 0 {
		return t.List(nil), term.OK
	}
	a, okA := t.Int64(from)
	b, okB := t.Int64(to)
	if !okA || !okB || uint64(b)-uint64(a) >= term.MaxItems {
		return 0, term.LargeList
	}
	out := make([]abi.Term, 0, b-a+1)
	for n := a; ; n++ {
		out = append(out, t.Int(n))
		if n == b {
			return t.List(out), term.OK
		}
	}
}

// between reports whether x is between the ends of a range, both included.
func (m *Machine) between(ends []abi.Term, x abi.Term) (abi.Term, term.Fault) {
	low, fault := m.table.Order(ends[0], x)
	if fault != term.OK {
		return 0, fault
	}
	high, fault := m.table.Order(x, ends[1])
	return abi.BoolTerm(low <= 0 && high <= 0), fault
}
