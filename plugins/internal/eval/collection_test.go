package eval

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

func TestCollections(t *testing.T) {
	s := &source{}
	set := func(ns ...int64) abi.Expr { return call(abi.BuiltinSetOf, s.ints(ns...)) }
	ages := call(abi.BuiltinMap, s.str("b"), s.int(2), s.str("a"), s.int(1), s.str("b"), s.int(3))
	oneToThree := call(abi.BuiltinRange, s.int(1), s.int(3))
	at := s.val(abi.Value{Kind: abi.KindInstant, Int: -3600, Nano: 5_000_000})
	for _, c := range []struct {
		name string
		e    abi.Expr
		want string // text; "!" and a fault if it fails
	}{
		{"of entries with one key the last counts", ages, `{"a": 1, "b": 3}`},
		{"get", call(abi.BuiltinGet, ages, s.str("b")), "3"},
		{"get of no key", call(abi.BuiltinGet, ages, s.str("c")), "none"},
		{"get of a position", call(abi.BuiltinGet, s.ints(7, 8), s.int(1)), "8"},
		{"get beyond the list", call(abi.BuiltinGet, s.ints(7, 8), s.int(2)), "none"},
		{"get of nothing", call(abi.BuiltinGet, s.none(), s.int(2)), "!" + term.Absent.String()},
		{"index of no key", op(abi.ExprIndex, ages, s.str("c")), "!" + term.Absent.String()},
		{"has a key", call(abi.BuiltinHas, ages, s.str("a")), "true"},
		{"has an item", call(abi.BuiltinHas, set(1, 2), s.int(3)), "false"},
		{"has an end", call(abi.BuiltinHas, oneToThree, s.int(3)), "true"},
		{"has what is beyond", op(abi.ExprIn, s.int(4), oneToThree), "false"},
		{"keys", call(abi.BuiltinKeys, ages), `{"a", "b"}`},
		{"values", call(abi.BuiltinValues, ages), "[1, 3]"},
		{"keys of a list", call(abi.BuiltinKeys, s.ints(1)), "!" + term.WrongKind.String()},
		{"put", call(abi.BuiltinPut, ages, s.str("a"), s.int(9)), `{"a": 9, "b": 3}`},
		{"drop a key", call(abi.BuiltinDrop, ages, s.str("a")), `{"b": 3}`},
		{"drop an item", call(abi.BuiltinDrop, set(1, 2), s.int(2)), "{1}"},
		{"drop what is not there", call(abi.BuiltinDrop, set(1, 2), s.int(3)), "{1, 2}"},
		{"union of sets", call(abi.BuiltinUnion, set(3, 1), set(2, 1)), "{1, 2, 3}"},
		{"union of maps", call(abi.BuiltinUnion, ages, call(abi.BuiltinMap, s.str("a"), s.int(5))), `{"a": 5, "b": 3}`},
		{"lists one after the other", call(abi.BuiltinUnion, s.ints(2, 1), s.ints(1)), "[2, 1, 1]"},
		{"union of a set and a list", call(abi.BuiltinUnion, set(1), s.ints(1)), "!" + term.WrongKind.String()},
		{"intersect", call(abi.BuiltinIntersect, set(1, 2, 3), set(2, 3, 4)), "{2, 3}"},
		{"without", call(abi.BuiltinWithout, set(1, 2, 3), set(2, 3, 4)), "{1}"},
		{"list of a set", call(abi.BuiltinListOf, set(2, 1)), "[1, 2]"},
		{"list of a range", call(abi.BuiltinListOf, oneToThree), "[1, 2, 3]"},
		{"list of a range the other way", call(abi.BuiltinListOf, call(abi.BuiltinRange, s.int(3), s.int(1))), "[]"},
		{"list of a range too far", call(abi.BuiltinListOf, call(abi.BuiltinRange, s.int(0), s.int(1<<40))), "!" + term.LargeList.String()},
		{"sorted", call(abi.BuiltinSorted, s.ints(3, 1, 2, 1)), "[1, 1, 2, 3]"},
		{"reversed", call(abi.BuiltinReversed, s.ints(3, 1)), "[1, 3]"},
		{"time of a moment before 1970", call(abi.BuiltinTimeOf, at), "23:00:00.005"},
		{"hour of a time", call(abi.BuiltinHour, call(abi.BuiltinTimeOf, at)), "23"},
		{"minute", call(abi.BuiltinMinute, call(abi.BuiltinNow)), "0"},
		{"date of a moment", call(abi.BuiltinDateOf, at), "1969-12-31"},
		{"difference of times", op(abi.ExprSub, call(abi.BuiltinTimeOf, at), s.val(abi.Value{Kind: abi.KindTime, Int: 3600})), "PT22H0.005S"},
		{"hour of a day", call(abi.BuiltinHour, s.val(abi.DayValue(3))), "!" + term.WrongKind.String()},
		{"fit", call(abi.BuiltinFit, s.int(255), s.int(0), s.int(255)), "255"},
		{"fit of too much", call(abi.BuiltinFit, s.int(256), s.int(0), s.int(255)), "!" + term.OutOfRange.String()},
		{"fit of a fraction", call(abi.BuiltinFit, s.rat(1, 2), s.int(0), s.int(255)), "!" + term.WrongKind.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, x, ok, f := s.run(t, c.e)
			if f != nil {
				if b := m.fault.Breach(); b == nil || c.want != "!"+m.fault.String() {
					t.Fatal(f)
				}
				return
			}
			got := "!" + m.fault.String()
			if ok {
				text, _ := m.table.AppendText(nil, x)
				got = string(text)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
