package runtime

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/abi"
)

// rangeOf returns a span of the program as a range, nil for nowhere.
func (m *module) rangeOf(s abi.Span) *Range {
	if s == (abi.Span{}) || s.File < 0 || s.File >= len(m.program.Files) {
		return nil
	}
	path := m.program.Files[s.File]
	text, ok := m.sources[path]
	if !ok || s.Start > len(text) || s.End > len(text) || s.End < s.Start {
		return nil
	}
	r := rangeIn(path, text, s.Start, s.End)
	return &r
}

func rangeIn(path, text string, start, end int) Range {
	start, end = min(max(start, 0), len(text)), min(max(end, 0), len(text))
	return Range{File: path, Start: positionIn(text, start), End: positionIn(text, end)}
}

func positionIn(text string, offset int) Position {
	line := 1 + strings.Count(text[:offset], "\n")
	from := strings.LastIndexByte(text[:offset], '\n') + 1
	return Position{Line: line, Column: 1 + utf8.RuneCountInString(text[from:offset])}
}

// lineRange is the range of a whole line.
func lineRange(path, text string, line int) *Range {
	lines := strings.Split(text, "\n")
	end := 1
	if line >= 1 && line <= len(lines) {
		end = 1 + utf8.RuneCountInString(strings.TrimSuffix(lines[line-1], "\r"))
	}
	return &Range{File: path, Start: Position{line, 1}, End: Position{line, end}}
}

// spanText names a place in a message.
func (m *module) spanText(s abi.Span) string {
	r := m.rangeOf(s)
	if r == nil {
		return "no place in the source"
	}
	return fmt.Sprintf("%s:%d", r.File, r.Start.Line)
}

// sourceText returns the text of a span on one line, or "".
func (m *module) sourceText(s abi.Span) string {
	if m.rangeOf(s) == nil {
		return ""
	}
	return strings.Join(strings.Fields(m.sources[m.program.Files[s.File]][s.Start:s.End]), " ")
}
