package syntax

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// maxDigits bounds the digits of a number literal.
const maxDigits = 4096

// maxInterpolation bounds how deep strings may nest in interpolations of
// strings. Each level reads its text once more.
const maxInterpolation = 8

func (l *lexer) number() {
	start, i := l.pos, l.pos
	digits := func() {
		for i < l.end && '0' <= l.text[i] && l.text[i] <= '9' {
			i++
		}
	}
	digits()
	k := tInt
	if i+1 < l.end && l.text[i] == '.' && '0' <= l.text[i+1] && l.text[i+1] <= '9' {
		k = tDecimal
		i++
		digits()
	}
	if end := l.identEnd(i); end > i {
		help := "put a space between the number and the name"
		if strings.Trim(l.text[i:end], "_0123456789") == "" {
			help = "write the digits without `_`"
		}
		l.report("OE0051", Span{start, end}, fmt.Sprintf("`%s` is no number", clip(l.text[start:end])), help)
		l.emitBad(k, end)
		return
	}
	if i-start > maxDigits {
		l.report("OE0051", Span{start, i}, fmt.Sprintf("this number has %d digits; at most %d are read", i-start, maxDigits), "compute the number, or keep it in a string")
		l.emitBad(k, i)
		return
	}
	l.emit(k, i)
}

// str reads a string literal. Inside { … } an interpolated expression may hold
// strings of its own.
func (l *lexer) str() {
	start := l.pos
	if start >= l.plainUntil {
		end, failed := l.interpolatedEnd(start)
		if !failed {
			l.emit(tString, end)
			return
		}
		l.plainUntil = end
	}
	if end, ok := l.plainEnd(start); ok {
		l.emit(tString, end)
	} else {
		l.report("OE0050", Span{start, end}, "this string has no end on its line", "close it with `\"`; a line break inside a string is written `\\n`")
		l.emitBad(tString, end)
	}
}

// plainEnd finds the end of the string at start without regard to braces.
func (l *lexer) plainEnd(start int) (end int, ok bool) {
	i := start + 1
	for i < l.end && l.text[i] != '\n' {
		switch l.text[i] {
		case '"':
			return i + 1, true
		case '\\':
			if i+1 < l.end && l.text[i+1] != '\n' {
				i++
			}
		}
		i++
	}
	if i > start && i <= l.end && l.text[i-1] == '\r' {
		i--
	}
	return i, false
}

// interpolatedEnd finds the end of the string at start, passing over strings
// inside { … }. Where that fails it returns the place where the search stopped.
func (l *lexer) interpolatedEnd(start int) (end int, failed bool) {
	var braces []int // for each open string the depth of its open interpolation
	braces = append(braces, 0)
	i := start + 1
	for i < l.end && l.text[i] != '\n' {
		top := len(braces) - 1
		c := l.text[i]
		if braces[top] == 0 { // in string text
			switch {
			case c == '"':
				braces = braces[:top]
				if top == 0 {
					return i + 1, false
				}
			case c == '\\' && i+1 < l.end && l.text[i+1] == 'u' && i+2 < l.end && l.text[i+2] == '{':
				i += 2
			case c == '\\' && i+1 < l.end && l.text[i+1] != '\n':
				i++
			case c == '{' && i+1 < l.end && l.text[i+1] == '{':
				i++
			case c == '{':
				braces[top] = 1
			}
		} else {
			switch c {
			case '{':
				braces[top]++
			case '}':
				braces[top]--
			case '"':
				if len(braces) >= maxInterpolation {
					return i, true
				}
				braces = append(braces, 0)
			}
		}
		i++
	}
	return i, true
}

// char reads a character in single quotes: a string of one code point.
func (l *lexer) char() {
	end, n := l.pos+1, 0
	for ; end < l.end && l.text[end] != '\n' && l.text[end] != '\''; n++ {
		_, size := utf8.DecodeRuneInString(l.text[end:l.end])
		if l.text[end] == '\\' && end+1 < l.end && l.text[end+1] != '\n' {
			size++
			if strings.HasPrefix(l.text[end:l.end], "\\u{") {
				if i := strings.IndexAny(l.text[end:l.end], "}'\n"); i > 0 && l.text[end+i] == '}' {
					size = i + 1
				}
			}
		}
		end += size
		if n >= maxChar {
			break
		}
	}
	if end >= l.end || l.text[end] != '\'' {
		l.report("OE0004", Span{l.pos, l.pos + 1}, "the character ' has no place here", "text is written in double quotes")
		l.pos++
		return
	}
	end++
	if n != 1 {
		l.report("OE0004", Span{l.pos, end}, "single quotes hold one character", "write text in double quotes")
		l.emitBad(tString, end)
		return
	}
	l.emit(tString, end)
}

// maxChar is how far a closing quote is looked for, in characters.
const maxChar = 40

// hash reads #[ and #![ and date literals.
func (l *lexer) hash() {
	switch {
	case l.at(1) == '[':
		l.emit(tAttr, l.pos+2)
	case l.at(1) == '!' && l.at(2) == '[':
		l.emit(tInner, l.pos+3)
	case '0' <= l.at(1) && l.at(1) <= '9':
		l.date()
	default:
		l.emit(tHash, l.pos+1)
	}
}

func (l *lexer) date() {
	i := l.pos + 1
	for i < l.end && (isIdentPart(rune(l.text[i])) || strings.IndexByte("-:.+", l.text[i]) >= 0) {
		i++
	}
	if i >= l.end || l.text[i] != '#' {
		l.report("OE0051", Span{l.pos, i}, "this date has no closing `#`", "a date is written #2031-07-04#, a date-time #2031-07-04T10:00:00Z#, a time #10:30:00#")
		l.emitBad(tDate, i)
		return
	}
	body, end := l.text[l.pos+1:i], i+1
	k := tDate
	if strings.ContainsAny(body, "T:") {
		k = tDateTime
	}
	if _, err := dateText(k, body); err != nil {
		l.report("OE0051", Span{l.pos, end}, fmt.Sprintf("`%s` is no date: %s", clip(body), err), "a date is written #2031-07-04#, a date-time #2031-07-04T10:00:00Z#")
		l.emitBad(k, end)
		return
	}
	l.emit(k, end)
}

type dateError string

func (e dateError) Error() string { return string(e) }

// dateText gives the canonical text of a date or date-time: the latter in UTC.
func dateText(k kind, body string) (string, error) {
	if k == tDate {
		t, err := time.Parse(time.DateOnly, body)
		if err != nil {
			return "", dateError("it needs a year of four digits, a month and a day that exist")
		}
		return t.Format(time.DateOnly), nil
	}
	if isTimeOfDay(body) {
		return timeText(body)
	}
	t, err := time.Parse(time.RFC3339Nano, body)
	if err != nil {
		return "", dateError("it needs a date, `T`, hours, minutes, seconds, and a zone such as `Z`")
	}
	if y := t.UTC().Year(); y < 0 || y > 9999 {
		return "", dateError("its year in UTC is outside 0 to 9999")
	}
	return t.UTC().Format(time.RFC3339Nano), nil
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
