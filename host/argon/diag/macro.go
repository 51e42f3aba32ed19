package diag

import (
	"fmt"
	"slices"
)

// maxUses bounds the uses of a macro that a diagnostic of its words points at.
const maxUses = 8

// OncePerMacro makes one diagnostic of those that say the same of a macro's own
// words: the first of them, which points at the other uses. It changes items.
func OncePerMacro(items []Diagnostic) []Diagnostic {
	type mistake struct{ macro, code, message string }
	var first map[mistake]int // in out
	var more map[mistake]int  // uses that are not listed
	out := items[:0]
	for _, d := range items {
		if d.Macro == "" {
			out = append(out, d)
			continue
		}
		m := mistake{d.Macro, d.Code, d.Message}
		i, known := first[m]
		if !known {
			if first == nil {
				first, more = map[mistake]int{}, map[mistake]int{}
			}
			first[m] = len(out)
			more[m] = -maxUses
			d.Related = slices.Clip(d.Related)
			out = append(out, d)
			continue
		}
		if more[m]++; more[m] <= 0 {
			out[i].Related = append(out[i].Related, Related{Place: d.Place, Message: "and in this use"})
		}
	}
	for m, i := range first {
		if n := more[m]; n > 0 {
			last := &out[i].Related[len(out[i].Related)-1]
			last.Message = fmt.Sprintf("and in this use, and in %d more", n)
		}
	}
	return out
}
