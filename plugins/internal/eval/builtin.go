package eval

import (
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// builtin is a builtin function of the expression language, but for "or",
// which is code of its own because it leaves its default unevaluated.
type builtin uint32

const (
	builtinToday builtin = iota
	builtinNow
	builtinRound
	builtinRoundHalfEven
	builtinTrunc
	builtinAbs
	builtinLen
	builtinSome
	builtinIsSome
	builtinText
	builtinStartsWith
	builtinEndsWith
	builtinContains
	builtinLower
	builtinUpper
	builtinYear
	builtinMonth
	builtinDay
	builtinDays

	builtinMap
	builtinRange
	builtinGet
	builtinHas
	builtinKeys
	builtinValues
	builtinPut
	builtinDrop
	builtinUnion
	builtinIntersect
	builtinWithout
	builtinSetOf
	builtinListOf
	builtinSorted
	builtinReversed
	builtinTimeOf
	builtinDateOf
	builtinHour
	builtinMinute
	builtinSecond
	builtinFit

	builtinLeastSum
	builtinMostSum
	builtinLeastMean
	builtinMostMean
)

func lookupBuiltin(name string) (b builtin, ok bool) {
	switch name {
	case abi.BuiltinToday:
		return builtinToday, true
	case abi.BuiltinNow:
		return builtinNow, true
	case abi.BuiltinRound:
		return builtinRound, true
	case abi.BuiltinRoundHalfEven:
		return builtinRoundHalfEven, true
	case abi.BuiltinTrunc:
		return builtinTrunc, true
	case abi.BuiltinAbs:
		return builtinAbs, true
	case abi.BuiltinLen:
		return builtinLen, true
	case abi.BuiltinSome:
		return builtinSome, true
	case abi.BuiltinIsSome:
		return builtinIsSome, true
	case abi.BuiltinText:
		return builtinText, true
	case abi.BuiltinStartsWith:
		return builtinStartsWith, true
	case abi.BuiltinEndsWith:
		return builtinEndsWith, true
	case abi.BuiltinContains:
		return builtinContains, true
	case abi.BuiltinLower:
		return builtinLower, true
	case abi.BuiltinUpper:
		return builtinUpper, true
	case abi.BuiltinYear:
		return builtinYear, true
	case abi.BuiltinMonth:
		return builtinMonth, true
	case abi.BuiltinDay:
		return builtinDay, true
	case abi.BuiltinDays:
		return builtinDays, true
	}
	return lookupInterval(name)
}

func (c *compiler) builtin(e *abi.Expr) {
	if e.Name == abi.BuiltinUnwrapOr {
		if c.arity(e, 2, 2) {
			at := new(int)
			c.then(c.optional(&e.Args[0]), c.jump(opOrElse, at, -1), c.e(&e.Args[1]), c.land(at))
		}
		return
	}
	b, ok := lookupBuiltin(e.Name)
	low, high, known := abi.BuiltinOperands(e.Name)
	if !ok || !known {
		c.fail("there is no builtin %q", e.Name)
		return
	}
	if !c.arity(e, low, high) {
		return
	}
	if b == builtinIsSome || b == builtinSome {
		c.then(c.optional(&e.Args[0]), c.emitLater(opBuiltin, 0, 1, uint32(b), 0))
		return
	}
	c.operands(e, opBuiltin, 0, uint32(b))
}

func (m *Machine) call(b builtin, x []abi.Term) (abi.Term, term.Fault) {
	if b >= builtinLeastSum {
		return m.interval(b, x[0], x[1])
	}
	if b >= builtinMap {
		return m.collection(b, x)
	}
	t := m.table
	switch b {
	case builtinToday:
		n, _ := t.DayNumber(t.Instant(m.now.seconds, m.now.nano))
		return t.Day(n), term.OK
	case builtinNow:
		return t.Instant(m.now.seconds, m.now.nano), term.OK
	case builtinRound:
		return m.round(x, term.HalfAway)
	case builtinRoundHalfEven:
		return m.round(x, term.HalfEven)
	case builtinTrunc:
		return m.round(x, term.TowardZero)
	case builtinAbs:
		return t.Abs(x[0])
	case builtinLen:
		switch t.Kind(x[0]) {
		case abi.KindString:
			return t.Int(int64(utf8.RuneCountInString(t.Str(x[0])))), term.OK
		case abi.KindList, abi.KindSet:
			return t.Int(int64(len(t.Items(x[0])))), term.OK
		case abi.KindMap:
			return t.Int(int64(len(t.Items(x[0])) / 2)), term.OK
		}
		return 0, term.WrongKind
	case builtinSome:
		return x[0], term.OK
	case builtinIsSome:
		return abi.BoolTerm(x[0] != abi.None), term.OK
	case builtinText:
		return m.concat(x)
	case builtinContains:
		return m.contains(x[0], x[1])
	case builtinYear, builtinMonth, builtinDay:
		n, ok := t.DayNumber(x[0])
		if !ok {
			return 0, term.WrongKind
		}
		year, month, day := term.Civil(n)
		switch b {
		case builtinYear:
			return t.Int(year), term.OK
		case builtinMonth:
			return t.Int(int64(month)), term.OK
		}
		return t.Int(int64(day)), term.OK
	case builtinDays:
		return t.Days(x[0])
	}
	return m.strings(b, x)
}

// strings runs a builtin whose operands are all strings.
func (m *Machine) strings(b builtin, x []abi.Term) (abi.Term, term.Fault) {
	t := m.table
	for _, s := range x {
		if t.Kind(s) != abi.KindString {
			return 0, term.WrongKind
		}
	}
	switch b {
	case builtinStartsWith:
		return abi.BoolTerm(strings.HasPrefix(t.Str(x[0]), t.Str(x[1]))), term.OK
	case builtinEndsWith:
		return abi.BoolTerm(strings.HasSuffix(t.Str(x[0]), t.Str(x[1]))), term.OK
	}
	convert := strings.ToLower
	if b == builtinUpper {
		convert = strings.ToUpper
	}
	s := convert(t.Str(x[0]))
	if len(s) > term.MaxTextBytes {
		return 0, term.LargeText
	}
	return t.String(s), term.OK
}

// round rounds to the digits given, else money to its currency's digits and a
// number to a whole one.
func (m *Machine) round(x []abi.Term, mode term.Rounding) (abi.Term, term.Fault) {
	digits := int64(0)
	switch {
	case len(x) == 2:
		if !m.table.IsInteger(x[1]) {
			return 0, term.WrongKind
		}
		n, ok := m.table.Int64(x[1])
		if !ok {
			return 0, term.OutOfRange
		}
		digits = n
	case m.table.Kind(x[0]) == abi.KindMoney:
		digits = int64(term.CurrencyDigits(m.table.Str(x[0])))
	}
	return m.table.Round(x[0], digits, mode)
}
