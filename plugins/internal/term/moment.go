package term

import "github.com/ox-mcp/ox-mcp/abi"

const nanosPerSecond = 1_000_000_000

// Day interns the day n days after 1970-01-01.
func (t *Table) Day(n int64) abi.Term {
	if x, ok := abi.DayTerm(n); ok {
		return x
	}
	e := entry{kind: abi.KindDay}
	e.setInt64(n)
	return t.fixed(e)
}

// Instant interns the moment that many seconds and nanoseconds (0 to
// 999,999,999) after 1970-01-01T00:00:00Z.
func (t *Table) Instant(seconds int64, nano int32) abi.Term {
	e := entry{kind: abi.KindInstant, name: uint32(nano)}
	e.setInt64(seconds)
	return t.fixed(e)
}

// Span interns the duration of that many seconds and nanoseconds (0 to
// 999,999,999).
func (t *Table) Span(seconds int64, nano int32) abi.Term {
	e := entry{kind: abi.KindSpan, name: uint32(nano)}
	e.setInt64(seconds)
	return t.fixed(e)
}

// DayNumber returns the days from 1970-01-01 to the day x, or to the day in
// which the instant x falls; ok is false for other values.
func (t *Table) DayNumber(x abi.Term) (n int64, ok bool) {
	switch t.Kind(x) {
	case abi.KindDay:
		if x.Tag() == abi.TagDay {
			return x.Inline(), true
		}
		return t.entries[x.Index()].int64(), true
	case abi.KindInstant:
		return floorDiv(t.entries[x.Index()].int64(), abi.SecondsPerDay), true
	}
	return 0, false
}

// seconds returns the seconds and nanoseconds of a day, instant or span; a day
// too far off to be counted in seconds saturates. The caller knows the kind.
func (t *Table) seconds(x abi.Term) (int64, int32) {
	if x.Tag() == abi.TagDay {
		return x.Inline() * abi.SecondsPerDay, 0
	}
	e := &t.entries[x.Index()]
	if e.kind != abi.KindDay {
		return e.int64(), int32(e.name)
	}
	n := e.int64()
	const far = int64(1<<63 - 1)
	if n > far/abi.SecondsPerDay {
		return far, 0
	}
	if n < -far/abi.SecondsPerDay {
		return -far, 0
	}
	return n * abi.SecondsPerDay, 0
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Civil returns the date of the proleptic Gregorian calendar that is n days
// after 1970-01-01. The year before year 1 is year 0.
func Civil(n int64) (year int64, month, day int) {
	// Counting from 1 March makes the leap day the last of its year; an era is
	// 400 years of 146,097 days. Era and day come first so that no n overflows.
	era := floorDiv(n, 146097)
	doe := n - era*146097 + 719468%146097
	era += 719468 / 146097
	if doe >= 146097 {
		doe -= 146097
		era++
	}
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy-(153*mp+2)/5) + 1
	month = int(mp) + 3
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}
