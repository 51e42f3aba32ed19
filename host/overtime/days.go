package overtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// Days is a run of days: from the day From on up to the day To, which is not among
// them. Both count from 1970-01-01.
type Days struct{ From, To int64 }

// held returns the days of rows that agree with the tuple, of which nil is
// anything, in order, as few runs as they make.
func held(rows [][]abi.Value, tuple []*abi.Value) []Days {
	var all []Days
	for _, row := range rows {
		n := len(row) - 2
		fits := true
		for i, v := range tuple {
			fits = fits && (v == nil || abi.Equal(row[i], *v))
		}
		if fits && row[n].Int < row[n+1].Int {
			all = append(all, Days{row[n].Int, row[n+1].Int})
		}
	}
	slices.SortFunc(all, func(a, b Days) int { return cmp.Compare(a.From, b.From) })
	var out []Days
	for _, r := range all {
		if n := len(out); n > 0 && r.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}

// without returns the days of r that are not among those.
func (r Days) without(those []Days) (out []Days) {
	at := r.From
	for _, h := range those {
		if h.To <= at || h.From >= r.To {
			continue
		}
		if at < h.From {
			out = append(out, Days{at, h.From})
		}
		at = max(at, h.To)
	}
	if at < r.To {
		out = append(out, Days{at, r.To})
	}
	return out
}

// hull is from the first to the last day of runs that is among those of r; none
// where no day is.
func (r Days) hull(runs []Days) (out Days) {
	for _, h := range runs {
		from, to := max(h.From, r.From), min(h.To, r.To)
		if from >= to {
			continue
		}
		if out == (Days{}) {
			out.From = from
		}
		out.To = to
	}
	return out
}

// countDays is how many days there are in runs.
func countDays(runs []Days) (n int64) {
	for _, r := range runs {
		n += r.To - r.From
	}
	return n
}

// floorDay is the day of a second that counts from 1970-01-01.
func floorDay(seconds int64) int64 {
	day := seconds / abi.SecondsPerDay
	if seconds%abi.SecondsPerDay < 0 {
		day--
	}
	return day
}

// Date is a day as it is written: "2031-01-02". It counts from 1970-01-01.
func Date(day int64) string {
	return time.Unix(day*abi.SecondsPerDay, 0).UTC().Format(time.DateOnly)
}

// Text says the days in words: "from 2031-01-02 to 2031-01-05".
func (r Days) Text() string {
	const far = lower.Always / 2 // an operator moves the ends of what has none
	switch {
	case r.From < -far && r.To > far:
		return "always"
	case r.From < -far:
		return "before " + Date(r.To)
	case r.To > far:
		return "from " + Date(r.From) + " on"
	case r.To == r.From+1:
		return "on " + Date(r.From)
	}
	return fmt.Sprintf("from %s to %s", Date(r.From), Date(r.To-1))
}

func runsText(runs []Days) string {
	var parts []string
	for _, r := range runs {
		parts = append(parts, r.Text())
	}
	if len(parts) > maxStretches {
		parts = append(parts[:maxStretches], fmt.Sprintf("%d times more", len(parts)-maxStretches))
	}
	return strings.Join(parts, ", ")
}
