package generated

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// words are what random edits take texts apart into.
var words = regexp.MustCompile(`[\p{L}_][\p{L}\d_]*|\d+(\.\d+)?|"[^"\n]*"|:-|=>|==|!=|<=|>=|::|[^\s\p{L}\d]`)

// Retouched is text after a small random edit that, most often, can be read.
func Retouched(rnd *rand.Rand, text string) string {
	for range 12 {
		var found diag.List
		edited := touched(rnd, text)
		if rnd.IntN(3) == 0 {
			edited = mixed(rnd, text)
		}
		if syntax.ParseFile(&syntax.Source{Text: edited}, &found); len(found.Items) == 0 || rnd.IntN(12) == 0 {
			return edited
		}
	}
	return text
}

// mixed is text after atoms of one body have come into another, or have gone.
func mixed(rnd *rand.Rand, text string) string {
	var bodies [][]syntax.Span
	for _, it := range syntax.ParseFile(&syntax.Source{Text: text}, &diag.List{}).Items {
		var body []syntax.Span
		switch it := it.(type) {
		case *syntax.Derive:
			for _, a := range it.Body {
				body = append(body, a.Range())
			}
		case *syntax.Check:
			for _, a := range it.Body {
				body = append(body, a.Range())
			}
		}
		if len(body) > 0 {
			bodies = append(bodies, body)
		}
	}
	if len(bodies) == 0 {
		return text
	}
	x, y := bodies[rnd.IntN(len(bodies))], bodies[rnd.IntN(len(bodies))]
	a, b := x[rnd.IntN(len(x))], y[rnd.IntN(len(y))]
	switch rnd.IntN(4) {
	case 0: // all of another
		return text[:x[0].Start] + text[y[0].Start:y[len(y)-1].End] + text[x[len(x)-1].End:]
	case 1: // an atom more
		return text[:a.End] + ", " + text[b.Start:b.End] + text[a.End:]
	case 2: // an atom for another
		return text[:a.Start] + text[b.Start:b.End] + text[a.End:]
	}
	if i := rnd.IntN(len(x)); i+1 < len(x) { // an atom less
		return text[:x[i].Start] + text[x[i+1].Start:]
	}
	return text[:a.Start] + "not " + text[a.Start:]
}

// touched is text after one small random edit, most of them in bodies.
func touched(rnd *rand.Rand, text string) string {
	spans := words.FindAllStringIndex(text, -1)
	if len(spans) == 0 {
		return text
	}
	at := spans[rnd.IntN(len(spans))]
	for range 40 {
		before := text[strings.LastIndexByte(text[:at[0]], ';')+1 : at[0]]
		if rnd.IntN(20) == 0 || strings.Contains(before, ":-") || strings.Contains(before, " = ") || strings.Contains(before, "select ") || strings.Contains(before, "require ") {
			break
		}
		at = spans[rnd.IntN(len(spans))]
	}
	word := text[at[0]:at[1]]
	put := func(s string) string { return text[:at[0]] + s + text[at[1]:] }
	switch rnd.IntN(12) {
	case 0, 1, 2: // a word by another of its kind
		other := spans[rnd.IntN(len(spans))]
		for range 50 {
			o := text[other[0]:other[1]]
			if o != word && kindOf(o) == kindOf(word) {
				return put(o)
			}
			other = spans[rnd.IntN(len(spans))]
		}
		return put("other")
	case 3: // a number, or a word more
		if kindOf(word) == '0' {
			return put(fmt.Sprint(rnd.IntN(50)))
		}
		return put(word + " " + word)
	case 4:
		return put("")
	case 5: // an atom twice
		if i := strings.LastIndexAny(text[:at[0]], ",{"); i >= 0 {
			if j := strings.IndexAny(text[at[0]:], ",;}"); j >= 0 {
				return text[:i+1] + text[i+1:at[0]+j] + "," + text[i+1:]
			}
		}
		return put(word)
	case 6:
		return put("not " + word)
	case 7:
		return put("/* a remark */ " + word)
	case 8:
		return put(word + "\n")
	case 9: // a line less
		i := strings.LastIndexByte(text[:at[0]], '\n') + 1
		if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
			return text[:i] + text[i+j+1:]
		}
	case 10: // a line before an item
		if i := strings.LastIndex(text[:at[0]], "\n\n"); i >= 0 {
			return text[:i] + "\n// A remark that is new.\n" + text[i:]
		}
	case 11: // a rename
		if kindOf(word) == 'a' {
			return strings.ReplaceAll(text, word, word+"s")
		}
	}
	return put(word + " ")
}

func kindOf(word string) byte {
	switch c := word[0]; {
	case c >= '0' && c <= '9':
		return '0'
	case c == '"':
		return '"'
	case strings.ContainsRune("<>=!", rune(c)):
		return '<'
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return 'a'
	}
	return '.'
}
