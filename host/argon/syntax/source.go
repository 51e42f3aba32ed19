package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// Position returns the line and column of a byte offset, both from 1. Columns
// count code points. An offset outside the text is taken to the nearest end.
func (s *Source) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.Text))
	before := s.Text[:offset]
	line = 1 + strings.Count(before, "\n")
	column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return line, column
}

// slice returns the text of a range, or "" where the range is not of this text.
func (s *Source) slice(at Span) string {
	if at.Start < 0 || at.End > len(s.Text) || at.Start > at.End {
		return ""
	}
	return s.Text[at.Start:at.End]
}

// place makes a diag.Place of a span.
func (s *Source) place(at Span) diag.Place {
	return diag.Place{Path: s.Path, Start: at.Start, End: at.End}
}
