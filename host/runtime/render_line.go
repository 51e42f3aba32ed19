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
	lines := Wrapped(text, room, further)
	if note != "" {
		lines = append(lines, Wrapped(note, further, further)...)
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

// Wrapped breaks text at blanks into lines of at most the width, and after the
// first of the width further. Where no blank is early enough it breaks a name
// before its field, or behind the parenthesis that opens its arguments; a word is
// not broken.
func Wrapped(text string, width, further int) []string {
	var lines []string
	for utf8.RuneCountInString(text) > width {
		cut := cutAt(text, width)
		if cut <= 0 {
			break
		}
		lines, text = append(lines, strings.TrimRight(text[:cut], " ")), strings.TrimLeft(text[cut:], " ")
		width = further
	}
	return append(lines, text)
}

// cutAt returns where to break a text that is too long for the width, or 0.
func cutAt(text string, width int) int {
	blank, within, runes := 0, 0, 0
	for i, r := range text {
		if runes++; runes > width+1 && blank+within > 0 {
			break
		}
		switch {
		case i == 0:
		case r == ' ':
			blank = i
		case text[i-1] == '(' && r != ')', r == '.' && wordByte(text[i-1]) && i+1 < len(text) && wordByte(text[i+1]):
			within = i
		}
	}
	if blank > 0 && utf8.RuneCountInString(text[:blank]) <= width || within == 0 {
		return blank
	}
	return within
}
