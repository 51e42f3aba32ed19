package diag

import (
	"strings"
	"unicode"
)

// DidYouMean is the help for a name that is not there: the candidate that it
// may have been meant to be, or the nearest two. It is empty where none is near.
func DidYouMean(name string, candidates []string) string {
	switch near := NearestN(name, candidates, 2); len(near) {
	case 0:
		return ""
	case 1:
		return didYouMean + near[0] + "?"
	default:
		return didYouMean + near[0] + " or " + near[1] + "?"
	}
}

const didYouMean = "did you mean "

// maxRespelled is the longest place, in bytes, in which the misspelt name is
// looked for.
const maxRespelled = 400

// Respell gives a diagnostic whose help is one name of DidYouMean the fix that
// writes that name. text is the file of the diagnostic's place.
func Respell(d *Diagnostic, text string) {
	near, ok := strings.CutPrefix(d.Help, didYouMean)
	near, ok2 := strings.CutSuffix(near, "?")
	if d.Fix != nil || !ok || !ok2 || near == "" || strings.ContainsAny(near, " \"") {
		return
	}
	at := d.Place
	if at.Start < 0 || at.End > len(text) || at.End <= at.Start || at.End-at.Start > maxRespelled {
		return
	}
	word := near[strings.LastIndexByte(near, ':')+1:]
	var fix *Fix
	start := -1
	for i, r := range text[at.Start:at.End] + " " {
		part := r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case part && start < 0:
			start = i
		case !part && start >= 0:
			if _, similar := Nearest(text[at.Start+start:at.Start+i], []string{word}); similar {
				if fix != nil {
					return // nothing says which of the two it is
				}
				fix = &Fix{Title: "write " + near, Edits: []Edit{{Place: Place{Path: at.Path, Start: at.Start + start, End: at.Start + i}, Text: near}}}
			}
			start = -1
		}
	}
	d.Fix = fix
}
