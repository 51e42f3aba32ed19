package runtime

import (
	"strings"
	"unicode/utf8"
)

// The columns that a drawn tree keeps to, and the least that are left for text
// however deep it stands.
const (
	treeColumns = 80
	leastText   = 30
)

// drawLine writes a line of a tree: text, and the note behind it, or below it
// where both are too long for one line. Further lines begin with rest.
func drawLine(b *strings.Builder, first, rest, text, note string) {
	room := max(leastText, treeColumns-utf8.RuneCountInString(first))
	further := max(leastText, treeColumns-utf8.RuneCountInString(rest)-2)
	if note != "" {
		note = "‹" + note + "›"
		if utf8.RuneCountInString(text)+3+utf8.RuneCountInString(note) <= room {
			text, note = text+"   "+note, ""
		}
	}
	lines := wrapped(text, room, further)
	if note != "" {
		lines = append(lines, wrapped(note, further, further)...)
	}
	for i, line := range lines {
		switch {
		case i == 0:
			b.WriteString(first + line + "\n")
		default:
			b.WriteString(strings.TrimRight(rest+"  "+line, " ") + "\n")
		}
	}
}

// wrapped breaks text at blanks into lines of at most the width, and after the
// first of the width further, where it can: a word is not broken.
func wrapped(text string, width, further int) []string {
	var lines []string
	for utf8.RuneCountInString(text) > width {
		cut, last := -1, 0
		for i, r := range text {
			if last++; last > width+1 && cut >= 0 {
				break
			}
			if r == ' ' && i > 0 {
				cut = i
			}
		}
		if cut < 0 {
			break
		}
		lines, text = append(lines, strings.TrimRight(text[:cut], " ")), strings.TrimLeft(text[cut:], " ")
		width = further
	}
	return append(lines, text)
}
