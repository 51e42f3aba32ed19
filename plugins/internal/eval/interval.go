package eval

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

func lookupInterval(name string) (b builtin, ok bool) {
	switch name {
	case abi.BuiltinLeastSum:
		return builtinLeastSum, true
	case abi.BuiltinMostSum:
		return builtinMostSum, true
	case abi.BuiltinLeastMean:
		return builtinLeastMean, true
	case abi.BuiltinMostMean:
		return builtinMostMean, true
	}
	return lookupCollection(name)
}

// interval returns an end of the interval of a sum or mean.
func (m *Machine) interval(b builtin, known, possible abi.Term) (abi.Term, term.Fault) {
	t := m.table
	if t.Kind(known) != abi.KindList || t.Kind(possible) != abi.KindList {
		return 0, term.WrongKind
	}
	sure, all := t.Items(known), t.Items(possible)
	var whole term.Sum
	for _, x := range all {
		if fault := whole.Add(t, x); fault == term.Currencies {
			return abi.None, term.OK
		} else if fault != term.OK {
			return 0, fault
		}
	}
	var sum term.Sum
	for _, x := range sure {
		if fault := sum.Add(t, x); fault != term.OK {
			return 0, fault
		}
	}
	may := beyond(sure, all)
	if b == builtinMostSum || b == builtinMostMean {
		slices.Reverse(may)
	}
	if b == builtinLeastSum || b == builtinMostSum {
		return m.sumWith(sum, len(sure), may, b == builtinMostSum)
	}
	return m.meanWith(sum, len(sure), may, b == builtinMostMean)
}

// beyond returns the values of all that are not in sure, once for each time
// that all has them more often, in its order.
func beyond(sure, all []abi.Term) []abi.Term {
	have := map[abi.Term]int{}
	for _, x := range sure {
		have[x]++
	}
	var out []abi.Term
	for _, x := range all {
		if have[x] > 0 {
			have[x]--
			continue
		}
		out = append(out, x)
	}
	return out
}

// sumWith adds to the sum of count values those of may that take it further.
func (m *Machine) sumWith(sum term.Sum, count int, may []abi.Term, most bool) (abi.Term, term.Fault) {
	t := m.table
	for _, x := range may {
		nothing, fault := t.Sub(x, x)
		if fault != term.OK {
			return 0, fault
		}
		if c := t.Compare(x, nothing); most && c <= 0 || !most && c >= 0 {
			if count == 0 {
				return nothing, term.OK
			}
			break
		}
		if fault := sum.Add(t, x); fault != term.OK {
			return 0, fault
		}
		count++
	}
	return sum.Total(t)
}

// meanWith takes into the mean of count values those of may that take it
// further. They come with the furthest first: where one does not, none behind
// it does.
func (m *Machine) meanWith(sum term.Sum, count int, may []abi.Term, most bool) (abi.Term, term.Fault) {
	t := m.table
	for _, x := range may {
		if count > 0 {
			if c := sum.AgainstMean(t, x); most && c <= 0 || !most && c >= 0 {
				break
			}
		}
		if fault := sum.Add(t, x); fault != term.OK {
			return 0, fault
		}
		count++
	}
	if count == 0 {
		return abi.None, term.OK
	}
	total, fault := sum.Total(t)
	if fault != term.OK {
		return 0, fault
	}
	return t.Div(total, t.Int(int64(count)))
}
