package syntax

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexed is a text cut into tokens. The last one is tEOF.
type lexed struct {
	tokens []token
	docs   map[int]string // the /// comments before the token of that index
	inner  string         // the //! comments
}

// lexer cuts text[pos:end] into tokens; offsets are into the whole text, so a
// part of a string literal lexes in place.
type lexer struct {
	text   string
	pos    int
	end    int
	report func(code string, at Span, message, help string)
	out    lexed

	lineStart int
	fresh     bool // at the start of a line
	strange   bool // characters that are no token stand before the next one
	inner     strings.Builder
	// plainUntil is the end of the line where a search for the end of an
	// interpolation failed: further strings of that line are not searched, so
	// that a line of many openings is not read again for each.
	plainUntil int
}

func lex(text string, at Span, report func(code string, at Span, message, help string)) lexed {
	l := &lexer{text: text, pos: at.Start, end: at.End, report: report, fresh: true, lineStart: at.Start}
	l.out.tokens = make([]token, 0, (at.End-at.Start)/3+1)
	l.run()
	return l.out
}

func (l *lexer) run() {
	if l.pos == 0 && strings.HasPrefix(l.text, "\uFEFF") {
		l.pos = len("\uFEFF")
	}
	var doc strings.Builder
	for {
		l.skipBlanks(&doc)
		if doc.Len() > 0 {
			if l.out.docs == nil {
				l.out.docs = map[int]string{}
			}
			l.out.docs[len(l.out.tokens)] = doc.String()
			doc.Reset()
		}
		if l.pos >= l.end {
			l.emit(tEOF, l.end)
			l.out.inner = l.inner.String()
			return
		}
		l.next()
	}
}

// emit adds the token text[pos:end] and moves behind it.
func (l *lexer) emit(k kind, end int) {
	l.out.tokens = append(l.out.tokens, token{
		start: uint32(l.pos), end: uint32(end), kind: k, first: l.fresh,
		col: uint16(min(l.pos-l.lineStart, math.MaxUint16)), behindBad: l.strange,
	})
	l.fresh, l.strange = false, false
	l.pos = end
}

func (l *lexer) emitBad(k kind, end int) {
	l.emit(k, end)
	l.out.tokens[len(l.out.tokens)-1].bad = true
}

func (l *lexer) at(i int) byte {
	if l.pos+i < l.end {
		return l.text[l.pos+i]
	}
	return 0
}

func (l *lexer) newline(at int) {
	l.lineStart = at + 1
	l.fresh = true
}

// skipBlanks passes blanks and comments; doc comments go to doc and l.out.inner.
func (l *lexer) skipBlanks(doc *strings.Builder) {
	for l.pos < l.end {
		switch c := l.text[l.pos]; {
		case c == '\n':
			l.newline(l.pos)
			l.pos++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.pos++
		case c == '/' && l.at(1) == '/':
			l.lineComment(doc)
		case c == '/' && l.at(1) == '*':
			l.blockComment()
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(l.text[l.pos:l.end])
			if r != '\u0085' && r != '\u200E' && r != '\u200F' && r != '\u2028' && r != '\u2029' {
				return
			}
			l.pos += size
		default:
			return
		}
	}
}

func (l *lexer) lineComment(doc *strings.Builder) {
	end := l.pos + strings.IndexByte(l.text[l.pos:l.end], '\n')
	if end < l.pos {
		end = l.end
	}
	body := strings.TrimSuffix(l.text[l.pos+2:end], "\r")
	switch {
	case strings.HasPrefix(body, "//"): // a rule of slashes
	case strings.HasPrefix(body, "/"):
		addLine(doc, body[1:])
	case strings.HasPrefix(body, "!"):
		addLine(&l.inner, body[1:])
	}
	l.pos = end
}

func addLine(b *strings.Builder, line string) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(strings.TrimRight(strings.TrimPrefix(line, " "), " \t"))
}

func (l *lexer) blockComment() {
	start, depth := l.pos, 0
	for l.pos < l.end {
		switch {
		case l.text[l.pos] == '/' && l.at(1) == '*':
			depth++
			l.pos += 2
		case l.text[l.pos] == '*' && l.at(1) == '/':
			depth--
			l.pos += 2
			if depth == 0 {
				return
			}
		default:
			if l.text[l.pos] == '\n' {
				l.newline(l.pos)
			}
			l.pos++
		}
	}
	l.report("OE0050", Span{start, start + 2}, "this comment has no end", "close it with `*/`; comments nest, so each `/*` needs its own")
}

func (l *lexer) next() {
	c := l.text[l.pos]
	switch {
	case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		l.emit(tIdent, l.identEnd(l.pos))
	case '0' <= c && c <= '9':
		l.number()
	case c == '"':
		l.str()
	case c == '\'':
		l.char()
	case c == '#':
		l.hash()
	case c >= utf8.RuneSelf:
		l.unicode()
	default:
		if k, n := l.punct(); n > 0 {
			l.emit(k, l.pos+n)
			return
		}
		l.badRun()
	}
}

// punct returns the kind and length of the punctuation at pos; length 0 for none.
func (l *lexer) punct() (kind, int) {
	a, b, c := l.at(0), l.at(1), l.at(2)
	two := func(second byte, long, short kind) (kind, int) {
		if b == second {
			return long, 2
		}
		return short, 1
	}
	switch a {
	case '(':
		return tLParen, 1
	case ')':
		return tRParen, 1
	case '[':
		return tLBracket, 1
	case ']':
		return tRBracket, 1
	case '{':
		return tLBrace, 1
	case '}':
		return tRBrace, 1
	case ',':
		return tComma, 1
	case ';':
		return tSemi, 1
	case '?':
		return tTry, 1
	case '$':
		return tDollar, 1
	case '/':
		return tSlash, 1
	case '%':
		return tPct, 1
	case '*':
		return tStar, 1
	case ':':
		if b == '-' {
			return tNeck, 2
		}
		return two(':', tPath, tColon)
	case '.':
		if b == '.' && c == '=' {
			return tRangeI, 3
		}
		return two('.', tRange, tDot)
	case '<':
		if b == ':' && c != ':' {
			return tSub, 2
		}
		return two('=', tLe, tLt)
	case '>':
		return two('=', tGe, tGt)
	case '=':
		if b == '=' {
			return tEq, 2
		}
		return two('>', tFat, tAssign)
	case '!':
		return two('=', tNe, tBang)
	case '+':
		return two('=', tPlusEq, tPlus)
	case '-':
		if b == '>' {
			return tArrow, 2
		}
		return two('=', tMinEq, tMinus)
	case '|':
		return two('|', tOr, tBar)
	case '@':
		return two('[', tOldAtt, tAt)
	case '&':
		if b == '&' {
			return tAnd, 2
		}
	}
	return 0, 0
}

// isIdentStart approximates XID_Start (and `_`) with the tables of package unicode.
func isIdentStart(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)) && !isPattern(r)
}

// isIdentPart approximates XID_Continue.
func isIdentPart(r rune) bool {
	if r < utf8.RuneSelf {
		return isIdentStart(r) || '0' <= r && r <= '9'
	}
	return isIdentStart(r) ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) && !isPattern(r)
}

// IsIdent reports whether text is spelt as an identifier, or as a keyword.
func IsIdent(text string) bool {
	for i, r := range text {
		if i == 0 && !isIdentStart(r) || !isIdentPart(r) {
			return false
		}
	}
	return text != "" && text != "_"
}

func isPattern(r rune) bool {
	return unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// identEnd returns where the identifier characters that begin at i end.
func (l *lexer) identEnd(i int) int {
	for i < l.end {
		if c := l.text[i]; c < utf8.RuneSelf {
			if !isIdentPart(rune(c)) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(l.text[i:l.end])
		if !isIdentPart(r) {
			return i
		}
		i += size
	}
	return i
}

func (l *lexer) unicode() {
	r, size := utf8.DecodeRuneInString(l.text[l.pos:l.end])
	if isIdentStart(r) {
		l.emit(tIdent, l.identEnd(l.pos+size))
	} else if _, ok := unicodeWords[r]; ok {
		l.emit(tIdent, l.pos+size)
	} else if k, ok := unicodePunct[r]; ok {
		l.emit(k, l.pos+size)
	} else {
		l.badRun()
	}
}

// badRun reports one diagnostic for a run of characters that begin no token.
func (l *lexer) badRun() {
	l.strange = true
	start := l.pos
	first, _ := utf8.DecodeRuneInString(l.text[start:l.end])
	for l.pos < l.end {
		r, size := utf8.DecodeRuneInString(l.text[l.pos:l.end])
		if l.pos > start && !l.isBad(r) {
			break
		}
		l.pos += size
	}
	what := fmt.Sprintf("the character %q (U+%04X) has no place here", first, first)
	help := "outside of strings and comments a file has names, numbers and the language's own signs"
	switch {
	case first == utf8.RuneError:
		what = "these bytes are not UTF-8 text"
		help = "save the file as UTF-8"
	case first == '\u201C' || first == '\u201D':
		help = "strings are written with the straight quote \""
		line, _, _ := strings.Cut(l.text[start:l.end], "\n")
		if end := strings.Index(line, "\u201D"); first == '\u201C' && end > 0 {
			end += start + len("\u201D")
			l.report("OE0004", Span{start, start + len("\u201C")}, what, help)
			l.emitBad(tString, end)
			return
		}
	case first == '\u00A0':
		help = "this is a no-break space; write a plain one"
	case first == '&':
		help = "a conjunction is written `&&`"
	}
	l.report("OE0004", Span{start, l.pos}, what, help)
}

func (l *lexer) isBad(r rune) bool {
	if r < utf8.RuneSelf {
		_, n := l.punct()
		return n == 0 && !isIdentPart(r) && r != '"' && r != '\'' && r != '#' && r != ' ' && r != '\n' && r != '\t' && r != '\r'
	}
	_, word := unicodeWords[r]
	_, sign := unicodePunct[r]
	return !word && !sign && !isIdentStart(r)
}
