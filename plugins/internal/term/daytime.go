package term

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
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
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if n > 0 {
		dst = append(dst, '.')
		dst = append(dst, strings.TrimRight(fmt.Sprintf("%09d", n), "0")...)
	}
	return dst
}
