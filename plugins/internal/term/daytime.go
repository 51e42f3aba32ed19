package term

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
)

// Time interns the time of day that many seconds (0 to 86,399) and
// nanoseconds (0 to 999,999,999) after midnight.
func (t *Table) Time(seconds int64, nano int32) abi.Term {
	e := entry{kind: abi.KindTime, name: uint32(nano)}
	e.setInt64(seconds)
	return t.fixed(e)
}

// TimeOfDay returns the seconds and nanoseconds since midnight of a time or an
// instant; ok is false for other values.
func (t *Table) TimeOfDay(x abi.Term) (seconds int64, nano int32, ok bool) {
	if k := t.Kind(x); k != abi.KindTime && k != abi.KindInstant {
		return 0, 0, false
	}
	s, n := t.seconds(x)
	return s - floorDiv(s, abi.SecondsPerDay)*abi.SecondsPerDay, n, true
}

func (t *Table) appendTime(dst []byte, x abi.Term) []byte {
	s, n := t.seconds(x)
	dst = appendClock(dst, s)
	if n > 0 {
		dst = append(dst, '.')
		dst = append(dst, strings.TrimRight(string(phrase.AppendPadded(nil, int64(n), 9)), "0")...)
	}
	return dst
}
