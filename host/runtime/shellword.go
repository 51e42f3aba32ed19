package runtime

import (
	"strings"
	"unicode"
)

// ShellWord is text as one word of a POSIX shell, quoted where the shell would
// read more into it: the brackets of a generic check are a pattern to it.
func ShellWord(text string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.:/", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
