package syntax

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A formatter lays out the pieces of a file: its tokens, each with the comments
// before it.
type formatter struct {
	src     *Source
	parts   []any // of the tree
	pieces  []*piece
	starts  map[int]int // piece that starts at an offset
	ends    map[int]int // piece that ends at an offset
	groups  []*group
	bracket map[int]*group // the group of an opening bracket
	chains  map[any]*group // groups that an inner node shares with the one around it
}

// piece is a token with what is known of the place before it.
type piece struct {
	kind       kind
	text       string
	start, end int

	lead    []comment
	inline  []string // block comments that stand on the token's line before it
	blank   bool     // an empty line stands before it
	first   bool     // it begins its line
	column  int      // of a piece that begins its line; a tab counts as tabColumns
	written bool     // a blank or line break stands before it
	exotic  bool     // it is not spelled as it will be

	name     bool // a name, and no word of the language
	gap      gap
	verbatim bool // the place before it is kept as it is written
	match    int  // the other bracket of a pair, or -1
	inside   int  // the bracket around it, or -1
	comma    bool // a closing bracket that had a comma before it
	noBreaks bool // an opening bracket behind which no line may break
	plain    bool // an opening bracket whose commas separate no elements
	seen     bool // a macro may look at it: no comma is put in before it
	tight    bool // an opening brace without blanks inside

	breaks *group // the group with which the line before it breaks, or nil
	indent int    // how many steps deeper than that group the new line begins
	keep   bool   // an empty line before it is kept
}

// gap overrides whether a blank stands before a piece.
type gap uint8

const (
	gapByRule gap = iota
	gapNone
	gapBlank
)

// comment is one comment. A trailing one stands on the line of what comes before
// it, any other on lines of its own.
type comment struct {
	text     string
	trailing bool
	blank    bool // an empty line stands before it
	doc      bool
}

const tabColumns = 4

func newFormatter(src *Source) *formatter {
	f := &formatter{
		src: src, starts: map[int]int{}, ends: map[int]int{},
		bracket: map[int]*group{}, chains: map[any]*group{},
	}
	p := newParser(src)
	end := 0
	for _, t := range p.toks {
		q := &piece{kind: t.kind, start: int(t.start), end: int(t.end), match: -1, inside: -1}
		if t.kind != tEOF {
			q.text = p.oneWord(t)
			if spellable(t.kind) {
				q.text = spelling[t.kind]
			}
			q.exotic = q.text != src.Text[q.start:q.end]
		}
		f.between(q, end, len(f.pieces) == 0)
		f.pieces = append(f.pieces, q)
		end = q.end
	}
	f.number()
	return f
}

func (f *formatter) number() {
	for i, q := range f.pieces {
		f.starts[q.start] = i
		if q.kind != tEOF {
			f.ends[q.end] = i
		}
	}
}

// between reads the blanks and comments from an offset up to q.
func (f *formatter) between(q *piece, from int, atStart bool) {
	text := f.src.Text
	lines, since := 0, 0 // line breaks since the last token, since the last comment
	lineStart := strings.LastIndexByte(text[:from], '\n') + 1
	type found struct {
		comment
		inline, multi bool
		lines         int
	}
	var all []found
	for i := from; i < q.start; {
		switch {
		case text[i] == '\n':
			lines++
			since++
			i++
			lineStart = i
			q.written = true
		case strings.HasPrefix(text[i:q.start], "//"):
			end := i + strings.IndexByte(text[i:], '\n')
			if end < i {
				end = len(text)
			}
			body := strings.TrimRight(text[i:end], " \t\r\f\v")
			doc := strings.HasPrefix(body, "///") && !strings.HasPrefix(body, "////")
			all = append(all, found{comment: comment{text: body, blank: since > 1, doc: doc}, lines: lines})
			i, since = end, 0
		case strings.HasPrefix(text[i:q.start], "/*"):
			l := &lexer{text: text, pos: i, end: len(text), report: func(string, Span, string, string) {}}
			l.blockComment()
			body := strings.ReplaceAll(text[i:l.pos], "\r\n", "\n")
			all = append(all, found{comment: comment{text: body, blank: since > 1}, inline: true, multi: strings.Contains(body, "\n"), lines: lines})
			i, since = l.pos, 0
			if strings.Contains(body, "\n") {
				lineStart = strings.LastIndexByte(text[:i], '\n') + 1
			}
		default:
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			q.written = true
		}
	}
	q.blank = since > 1 && !atStart || since > 1 && len(all) > 0
	q.first = lines > 0 || atStart && len(all) == 0
	if q.first {
		q.column = columns(text[lineStart:q.start])
	}
	// Only the last comments of a gap stand on the line of the token.
	ownLine := since > 0 || q.kind == tEOF
	for i := len(all) - 1; i >= 0; i-- {
		c := &all[i]
		if !c.inline || c.multi || ownLine {
			ownLine = true
			c.inline = false
		}
	}
	for _, c := range all {
		if c.inline {
			q.inline = append(q.inline, c.text)
			q.written = true
			continue
		}
		c.trailing = c.lines == 0 && !atStart
		q.lead = append(q.lead, c.comment)
	}
	if len(q.lead) > 0 && !q.first {
		q.first = true
		q.column = columns(text[lineStart:q.start])
	}
}

// columns is the width of the blanks that begin a line.
func columns(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case '\t':
			n += tabColumns
		case ' ':
			n++
		default:
			return n
		}
	}
	return n
}

// moveRemarks lets a comment at the end of a line follow the comma or semicolon
// behind it, and takes the commas away that end a list, except inside parts that
// a macro may look at.
func (f *formatter) moveRemarks(seen []Span) {
	within := func(at int) bool { // seen is sorted, and its spans do not overlap
		i := sort.Search(len(seen), func(i int) bool { return seen[i].End > at })
		return i < len(seen) && seen[i].Start <= at
	}
	out := f.pieces[:0]
	for i, q := range f.pieces {
		if (q.kind == tComma || q.kind == tSemi) && i+1 < len(f.pieces) && i > 0 {
			next := f.pieces[i+1]
			drop := q.kind == tComma && isClose(next.kind) && !within(q.start)
			if drop || allTrailing(q.lead) {
				next.lead = append(q.lead[:len(q.lead):len(q.lead)], next.lead...)
				q.lead = nil
				settle(next.lead)
			}
			if drop {
				next.inline = append(q.inline[:len(q.inline):len(q.inline)], next.inline...)
				for n := len(next.lead); len(next.inline) > 0 && n > 0; n-- { // as they are read again
					c := next.lead[n-1].text
					if !strings.HasPrefix(c, "/*") || strings.Contains(c, "\n") {
						break
					}
					next.lead, next.inline = next.lead[:n-1], append([]string{c}, next.inline...)
				}
				next.comma = true
				continue
			}
		}
		out = append(out, q)
	}
	f.pieces = out
	f.number()
	for _, at := range seen {
		for i := f.starts[at.Start]; i < len(f.pieces) && f.pieces[i].start < at.End; i++ {
			f.pieces[i].seen = true
		}
	}
}

func allTrailing(comments []comment) bool {
	for _, c := range comments {
		if !c.trailing || c.doc {
			return false
		}
	}
	return true
}

// settle gives comments lines of their own that can have no part in the line
// before them any more.
func settle(comments []comment) {
	trailing := true
	for i := range comments {
		c := &comments[i]
		c.trailing = c.trailing && trailing
		trailing = c.trailing && !strings.HasPrefix(c.text, "//")
	}
}

func isClose(k kind) bool { return k == tRParen || k == tRBracket || k == tRBrace || k == tGt }

func isOpening(k kind) bool {
	return isOpen(k) || k == tAttr || k == tInner || k == tOldAtt
}

// callWords are followed by their parenthesis or bracket without a blank.
var callWords = map[string]bool{
	"sum": true, "count": true, "min": true, "max": true, "avg": true, "box": true, "diamond": true,
	"box_plus": true, "box_minus": true, "diamond_plus": true, "diamond_minus": true, "since": true, "until": true,
	"fn": true, "pub": true,
}

// blankBefore tells whether a blank stands between a piece and the one before
// it on one line.
func (f *formatter) blankBefore(i int) bool {
	a, b := f.pieces[i-1], f.pieces[i]
	switch {
	case b.kind == tEOF:
		return false
	case b.verbatim:
		return b.written || wordy(a) && wordy(b) || (a.exotic || b.exotic) && !isOpening(a.kind) && !isClose(b.kind)
	case len(b.inline) > 0:
		return !isOpening(a.kind) || a.kind == tLBrace
	case b.gap != gapByRule:
		return b.gap == gapBlank
	}
	switch a.kind {
	case tLParen, tLBracket, tAttr, tInner, tOldAtt, tPath, tDot, tRange, tRangeI, tDollar, tAt, tHash, tBang:
		return false
	case tLBrace:
		return b.kind != tRBrace && !a.tight
	}
	switch b.kind {
	case tComma, tSemi, tColon, tPath, tDot, tTry, tRParen, tRBracket:
		return false
	case tRBrace:
		return b.match < 0 || !f.pieces[b.match].tight
	case tRange, tRangeI:
		return !operandEnds(a)
	case tLParen:
		return !(a.name || callWords[a.text] || a.kind == tGt && a.match >= 0)
	case tLBracket:
		return !(operandEnds(a) && (a.kind != tIdent || a.name || callWords[a.text]))
	}
	return true
}

func wordy(q *piece) bool {
	switch q.kind {
	case tIdent, tInt, tDecimal:
		return true
	}
	return false
}

func operandEnds(q *piece) bool {
	switch q.kind {
	case tIdent, tInt, tDecimal, tString, tDate, tDateTime, tRParen, tRBracket, tRBrace, tTry:
		return true
	case tGt:
		return q.match >= 0
	}
	return false
}

// whole is a piece with the comments on its line before it.
func (q *piece) whole() string {
	if len(q.inline) == 0 {
		return q.text
	}
	return strings.TrimSuffix(strings.Join(q.inline, " ")+" "+q.text, " ")
}

func width(s string) int { return utf8.RuneCountInString(s) }
