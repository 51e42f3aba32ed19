package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal reads a literal token. A string with interpolations is a Text where
// mixed allows it.
func (p *parser) literal(mixed bool) Expr {
	t := p.next()
	lit := &Lit{Span: t.span(), Text: p.src.Text[t.start:t.end]}
	switch t.kind {
	case tInt, tDecimal:
		lit.Kind = IntLit
		if t.kind == tDecimal {
			lit.Kind = DecimalLit
		}
		if t.bad {
			lit.Text = "0"
		}
		if p.at(tIdent) && !p.tok().first && isCurrency(p.src.Text[p.tok().start:p.tok().end]) && !t.bad {
			c := p.next()
			lit.Kind = MoneyLit
			lit.Text += " " + p.src.Text[c.start:c.end]
			lit.End = int(c.end)
		}
	case tDate, tDateTime:
		lit.Kind = DateLit
		if t.kind == tDateTime {
			lit.Kind = DateTimeLit
		}
		text, err := dateText(t.kind, strings.Trim(lit.Text, "#"))
		if err != nil { // reported by the lexer
			text = "1970-01-01"
			if t.kind == tDateTime {
				text += "T00:00:00Z"
			}
			if isTimeOfDay(strings.Trim(lit.Text, "#")) {
				text = "00:00:00"
			}
		}
		if t.kind == tDateTime && isTimeOfDay(text) {
			lit.Kind = TimeLit
		}
		lit.Text = text
	case tString:
		lit.Kind = StringLit
		if t.bad {
			lit.Text = ""
			return lit
		}
		if p.src.Text[t.start] == '\'' {
			lit.Text = p.plainString(t)
			return lit
		}
		return p.stringParts(lit, mixed)
	}
	return lit
}

func isCurrency(s string) bool {
	if len(s) != 3 {
		return false
	}
	for i := range 3 {
		if s[i] < 'A' || 'Z' < s[i] {
			return false
		}
	}
	return true
}

// plainString is the value of a string token in which braces mean nothing.
func (p *parser) plainString(t token) string {
	if t.bad {
		return ""
	}
	var b strings.Builder
	for i := int(t.start) + 1; i < int(t.end)-1; {
		i = p.stringChar(&b, i, int(t.end)-1)
	}
	return b.String()
}

// stringChar adds the character of a string literal at i and gives the place
// behind it.
func (p *parser) stringChar(b *strings.Builder, i, end int) int {
	text := p.src.Text
	if text[i] != '\\' {
		_, size := utf8.DecodeRuneInString(text[i:end])
		if r, n := utf8.DecodeRuneInString(text[i:end]); r == utf8.RuneError && n == 1 {
			p.literalError(Span{i, i + 1}, "this byte is not UTF-8 text", "save the file as UTF-8")
			return i + 1
		}
		b.WriteString(text[i : i+size])
		return i + size
	}
	if i+1 < end {
		switch text[i+1] {
		case 'n':
			b.WriteByte('\n')
			return i + 2
		case 't':
			b.WriteByte('\t')
			return i + 2
		case 'r':
			b.WriteByte('\r')
			return i + 2
		case '0':
			b.WriteByte(0)
			return i + 2
		case '\\', '"', '\'':
			b.WriteByte(text[i+1])
			return i + 2
		case 'u':
			return p.unicodeEscape(b, i, end)
		}
	}
	_, size := utf8.DecodeRuneInString(text[min(i+1, end):end])
	at := Span{i, i + 1 + size}
	p.literalError(at, "`"+p.src.slice(at)+"` is no escape", "the escapes are \\n \\t \\r \\\\ \\\" \\0 and \\u{…}")
	return at.End
}

func (p *parser) unicodeEscape(b *strings.Builder, i, end int) int {
	const help = "write one to six hexadecimal digits in braces, like \\u{2713}"
	text := p.src.Text
	stop := i + 2
	for stop < end && stop < i+12 && text[stop] != '}' && text[stop] != '"' && text[stop] != '\\' && text[stop] < utf8.RuneSelf {
		stop++
	}
	if i+2 < end && text[i+2] == '{' && stop < end && text[stop] == '}' {
		digits := text[i+3 : stop]
		n, err := strconv.ParseUint(digits, 16, 32)
		if r := rune(n); err == nil && len(digits) <= 6 && n <= utf8.MaxRune && utf8.ValidRune(r) {
			b.WriteRune(r)
			return stop + 1
		}
		stop++
	}
	p.literalError(Span{i, stop}, "`"+text[i:stop]+"` is no character", help)
	return stop
}

// literalError reports a mistake inside a literal; reading goes on.
func (p *parser) literalError(at Span, message, help string) {
	if !p.failed {
		p.errorAt("OE0051", at, message, help)
		p.failed = false
	}
}

// stringParts resolves the escapes of a string literal and, where mixed allows
// it, reads its interpolations in place.
func (p *parser) stringParts(lit *Lit, mixed bool) Expr {
	end := lit.End - 1
	var parts []Expr
	var b strings.Builder
	partStart := lit.Start + 1
	flush := func(to int) {
		parts = append(parts, &Lit{Span: Span{partStart, to}, Kind: StringLit, Text: b.String()})
		b.Reset()
	}
	text := p.src.Text
	for i := lit.Start + 1; i < end; {
		c := text[i]
		switch {
		case (c == '{' || c == '}') && i+1 < end && text[i+1] == c:
			b.WriteByte(c)
			i += 2
		case c == '{' && mixed:
			flush(i)
			var x Expr
			x, i = p.interpolation(i, end)
			parts = append(parts, x)
			partStart = i
		default:
			i = p.stringChar(&b, i, end)
		}
	}
	if parts == nil {
		lit.Text = b.String()
		return lit
	}
	flush(end)
	return &Text{Span: lit.Span, Parts: parts}
}

// interpolation reads the {expr} that begins at open, and gives the place
// behind it.
func (p *parser) interpolation(open, end int) (Expr, int) {
	stop := interpolationEnd(p.src.Text, open+1, end)
	if stop < 0 {
		p.literalError(Span{open, open + 1}, "this `{` opens an interpolation that is never closed", "close it with `}`; a plain brace is written `{{`")
		return &BadExpr{Span{open, end}}, end
	}
	if p.nested >= maxInterpolation {
		p.literalError(Span{open, stop}, "strings are nested too deep here", "give the inner part a name of its own")
		return &BadExpr{Span{open, stop}}, stop
	}
	inner := lex(p.src.Text, Span{open + 1, stop - 1}, p.lexError)
	outer := *p
	p.toks, p.pos, p.docs = inner.tokens, 0, nil
	p.prevEnd, p.lastBad, p.lineBreak, p.query = open+1, -1, -1, nil
	p.nested++
	restore := p.inside()
	x := p.expr()
	if !p.failed && !p.at(tEOF) {
		p.unexpected("`}`")
	}
	restore()
	p.toks, p.pos, p.docs, p.prevEnd, p.query = outer.toks, outer.pos, outer.docs, outer.prevEnd, outer.query
	p.lastBad, p.lineBreak = outer.lastBad, outer.lineBreak
	p.nested, p.failed, p.braces, p.parens = outer.nested, outer.failed, outer.braces, outer.parens
	return x, stop
}

// interpolationEnd finds the place behind the } that closes an interpolation
// whose text begins at i, or -1.
func interpolationEnd(text string, i, end int) int {
	depth := 1
	for ; i < end; i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		case '"':
			l := lexer{text: text, end: end}
			e, failed := l.interpolatedEnd(i)
			if failed {
				return -1
			}
			i = e - 1
		}
	}
	return -1
}
