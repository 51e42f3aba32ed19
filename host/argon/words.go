package argon

import (
	"unicode"
	"unicode/utf8"
)

// paths calls do with each path that a text has: names with "::" between them.
// What is in quotes is looked at too, since it may have expressions inside, and
// so is what is in comments: what ends a text, and so begins a comment, is for
// the lexer to say.
func paths(text string, do func(parts []string)) {
	var parts []string
	joined := false
	flush := func() {
		if len(parts) > 0 {
			do(parts)
		}
		parts, joined = parts[:0], false
	}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == ':' && i+1 < len(text) && text[i+1] == ':':
			joined = true
			i += 2
		case wordStart(c) || c >= utf8.RuneSelf && wordEnd(text, i) > i:
			end := wordEnd(text, i)
			if !joined {
				flush()
			}
			joined = false
			parts = append(parts, text[i:end])
			i = end
		case c >= '0' && c <= '9':
			flush()
			i = wordEnd(text, i)
		default:
			flush()
			i++
		}
	}
	flush()
}

func wordStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func letter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func wordEnd(text string, at int) int {
	for at < len(text) {
		c := text[at]
		if c < utf8.RuneSelf {
			if !wordStart(c) && (c < '0' || c > '9') {
				break
			}
			at++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[at:])
		if !letter(r) {
			break
		}
		at += n
	}
	return at
}
