package syntax

import (
	"fmt"
	"sort"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// Limits of the parser.
const (
	maxDepth       = 256  // nesting of items, types, atoms, expressions, patterns and statements
	maxChain       = 1000 // operators or postfixes in a row, which nest to the left
	maxDiagnostics = 100  // reported for one file, before the one that says so
)

// ParseFile reads a whole file. It always gives a tree: what could not be read
// is a Bad node and has been reported to diags, one diagnostic for one mistake,
// in the order of the text. Constructs that are read and not taken yet are
// Unsupported nodes; those are not reported here.
func ParseFile(src *Source, diags *diag.List) *File {
	p := newParser(src)
	f := &File{Source: src, Doc: p.inner}
	f.Items = p.items(false)
	p.finish(diags)
	return f
}

// BodyKind says what ParseBody reads.
type BodyKind uint8

// The bodies that come without an item around them.
const (
	AdHocQuery  BodyKind = iota // select … from … [where …], or atoms
	AdHocMutate                 // statements
	LoneFact                    // Head(args)
	LoneExpr                    // an expression
)

// Body is what ParseBody read: the field of the kind asked for is set.
type Body struct {
	Query *Query // Select is nil where only atoms were written: they are in From
	Stmts []Stmt
	Fact  *CallAtom // nil after a mistake
	Expr  Expr
}

// ParseBody reads a text that stands for itself: the body of an ad-hoc query
// or mutation, a fact to explain, or an expression.
func ParseBody(src *Source, of BodyKind, diags *diag.List) Body {
	p := newParser(src)
	p.itemCol = -1 // no items here: no line begins one
	var b Body
	switch of {
	case AdHocQuery:
		q := &Query{}
		p.queryBody(q)
		q.Span = Span{0, len(src.Text)}
		b.Query = q
	case AdHocMutate:
		b.Stmts = p.stmts(tEOF)
	case LoneFact:
		a := p.atom()
		if call, ok := a.(*CallAtom); ok {
			b.Fact = call
		} else if !p.failed {
			p.errorAt("OE0001", a.Range(), "this is no fact", "write a head with its arguments, like `Hires(ann, dock)`")
		}
	case LoneExpr:
		b.Expr = p.expr()
	}
	p.eat(tSemi)
	if !p.failed && !p.at(tEOF) {
		p.unexpected("the end of the text")
	}
	p.finish(diags)
	return b
}

// parser reads tokens with one token of lookahead (more where a word has
// several meanings). After a mistake, failed is set: every expectation fails
// quietly from there on until a list of items, members or statements has found
// the place to go on from.
type parser struct {
	src    *Source
	toks   []token
	pos    int
	docs   map[int]string
	inner  string
	failed bool

	found   []diag.Diagnostic
	dropped bool // maxDiagnostics was reached

	depth   int // of the recursion
	braces  int // { not closed yet
	parens  int // ( and [ not closed yet
	prevEnd int

	itemCol    int    // byte column of the item that is being read
	query      *Query // the query whose atoms are being read
	noStruct   bool   // `Path {` begins no struct literal
	atomStart  int    // start of the atom whose first operand is being read, or -1
	tail       bool   // the statement stands in a block: an insert may be its value
	badCode    string // code for an unexpected token, "" for OE0001
	lastBad    int    // token index of the last unexpected token
	lineBreak  int    // token index before which something was missing at a line's end
	nested     int    // open interpolations
	lopsided   bool   // the file has more { than }: some block is not closed
	uneven     bool   // or some other bracket is not closed
	surplus    int    // how many more } than { the file has: so many { are missing, or } stray
	supposed   bool   // the { that is expected next is missing, reported, and taken as read
	quiet      bool   // mistakes are not reported: they follow from one that was
	excused    bool   // a stray } may follow from a mistake that was reported
	lastReport int    // where the parser's last diagnostic begins
	groups     int    // open groups that are passed over
	gaveUp     bool   // the nesting was too deep: brackets do not add up any more
}

func newParser(src *Source) *parser {
	p := &parser{src: src, atomStart: -1, lastBad: -1, lineBreak: -1}
	out := lex(src.Text, Span{0, len(src.Text)}, p.lexError)
	p.toks, p.docs, p.inner = out.tokens, out.docs, out.inner
	open, others := 0, 0
	for _, t := range p.toks {
		switch t.kind {
		case tLBrace:
			open++
		case tRBrace:
			open--
		case tLParen, tLBracket, tAttr, tInner, tOldAtt:
			others++
		case tRParen, tRBracket:
			others--
		}
	}
	p.uneven = open > 0 || others > 0
	p.lopsided, p.surplus = open > 0, max(-open, 0)
	return p
}

func (p *parser) lexError(code string, at Span, message, help string) {
	p.report(diag.Diagnostic{Code: code, Message: message, Place: p.src.place(at), Help: help})
}

func (p *parser) report(d diag.Diagnostic) {
	if p.full() {
		p.dropped = true
		return
	}
	p.found = append(p.found, d)
}

// full tells that further diagnostics are dropped. There is room for twice the
// limit, since the lexer's come before all of the parser's.
func (p *parser) full() bool { return len(p.found) >= maxDiagnostics*2 }

// finish hands the diagnostics over in the order of the text.
func (p *parser) finish(to *diag.List) {
	sort.SliceStable(p.found, func(i, j int) bool { return p.found[i].Place.Start < p.found[j].Place.Start })
	if len(p.found) > maxDiagnostics {
		p.found, p.dropped = p.found[:maxDiagnostics], true
	}
	for _, d := range p.found {
		to.Add(d)
	}
	if p.dropped {
		end := len(p.src.Text)
		to.Add(diag.Diagnostic{
			Code: "OE0053", Place: p.src.place(Span{end, end}),
			Message: fmt.Sprintf("this file has more syntax errors; the first %d are listed", maxDiagnostics),
			Help:    "mend those and check again",
		})
	}
}

// The token at hand.

func (p *parser) tok() token { return p.toks[p.pos] }

func (p *parser) peek(n int) token {
	if p.pos+n < len(p.toks) {
		return p.toks[p.pos+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) at(k kind) bool { return p.toks[p.pos].kind == k }

// text is a token as its ASCII spelling.
func (p *parser) text(t token) string {
	s := p.src.Text[t.start:t.end]
	if t.kind == tIdent && len(s) <= 4 && s[0] >= 0x80 {
		for _, r := range s {
			if w, ok := unicodeWords[r]; ok {
				return w
			}
			break
		}
	}
	return s
}

func (p *parser) atWord(w string) bool {
	return p.at(tIdent) && p.text(p.tok()) == w
}

func (p *parser) peekWord(n int, w string) bool {
	t := p.peek(n)
	return t.kind == tIdent && p.text(t) == w
}

func (p *parser) next() token {
	t := p.toks[p.pos]
	switch t.kind {
	case tEOF:
		return t
	case tLBrace:
		p.braces++
	case tRBrace:
		p.braces--
	case tLParen, tLBracket, tAttr, tInner, tOldAtt:
		p.parens++
	case tRParen, tRBracket:
		p.parens--
	}
	p.prevEnd = int(t.end)
	p.pos++
	return t
}

func (p *parser) eat(k kind) bool {
	if p.failed || !p.at(k) {
		return false
	}
	p.next()
	return true
}

func (p *parser) eatWord(w string) bool {
	if p.failed || !p.atWord(w) {
		return false
	}
	p.next()
	return true
}

// from is the span from start to the end of the last token read.
func (p *parser) from(start int) Span { return Span{start, max(start, p.prevEnd)} }

func (p *parser) start() int { return int(p.tok().start) }

// Mistakes.

func (p *parser) errorAt(code string, at Span, message, help string) *diag.Diagnostic {
	if p.failed {
		return &diag.Diagnostic{}
	}
	p.failed = true
	if p.quiet {
		return &diag.Diagnostic{}
	}
	p.lastReport = at.Start
	before := len(p.found)
	p.report(diag.Diagnostic{Code: code, Message: message, Place: p.src.place(at), Help: help})
	if len(p.found) == before {
		return &diag.Diagnostic{}
	}
	return &p.found[before]
}

// describe names the token at hand for a message.
func (p *parser) describe() string {
	t := p.tok()
	if t.kind == tEOF {
		if p.nested > 0 {
			return "the end of the interpolation"
		}
		return "the end of the file"
	}
	return "`" + clip(p.src.Text[t.start:t.end]) + "`"
}

// unexpected reports the token at hand where wanted should stand.
func (p *parser) unexpected(wanted string) *diag.Diagnostic {
	t := p.tok()
	if p.full() {
		p.failed, p.dropped = true, true
		return &diag.Diagnostic{}
	}
	if p.failed || p.lastBad == p.pos || t.bad {
		p.failed, p.lastBad = true, p.pos
		return &diag.Diagnostic{}
	}
	p.lastBad = p.pos
	code := "OE0001"
	if p.badCode != "" {
		code = p.badCode
	}
	return p.errorAt(code, t.span(), fmt.Sprintf("found %s where %s should stand", p.describe(), wanted), "write "+wanted+" here, or take out what stands in its place")
}

// expect reads a k. Where the next token stands on a later line, the mistake
// is at the end of what was read.
func (p *parser) expect(k kind) bool {
	if p.eat(k) {
		return true
	}
	p.missing(k, k.what())
	return false
}

// missing reports that k, or what wanted says, should stand behind the last token.
func (p *parser) missing(k kind, wanted string) {
	if p.failed {
		return
	}
	t := p.tok()
	if (t.first || t.kind == tEOF) && p.prevEnd > 0 && spellable(k) {
		if p.lastBad == p.pos {
			p.failed = true
			return
		}
		p.lastBad, p.lineBreak = p.pos, p.pos
		code := "OE0001"
		if p.badCode != "" {
			code = p.badCode
		}
		at := Span{p.prevEnd, p.prevEnd}
		d := p.errorAt(code, at, fmt.Sprintf("%s is missing here; the text goes on with %s", wanted, p.describe()), "add "+wanted)
		if k == tSemi {
			d.Fix = p.insertion(at, ";")
		}
		return
	}
	p.unexpected(wanted)
}

func spellable(k kind) bool { return int(k) < len(spelling) && spelling[k] != "" }

func (p *parser) insertion(at Span, text string) *diag.Fix {
	return &diag.Fix{Title: "insert `" + text + "`", Edits: []diag.Edit{{Place: p.src.place(Span{at.End, at.End}), Text: text}}}
}

// close reads the bracket that closes the one at open. or names what else may stand there.
func (p *parser) close(k kind, open Span, or string) bool {
	if p.eat(k) {
		return true
	}
	if p.failed {
		return false
	}
	if p.at(tEOF) || p.atItemStart() || p.atOtherCloser(k) {
		lost := k == tRBrace && !p.atOtherCloser(k) // more likely, an inner mistake took its bracket
		if p.lastBad == p.pos || p.gaveUp || lost && p.lastReport > open.Start {
			p.failed = true
			return false
		}
		p.lastBad = p.pos
		d := p.errorAt("OE0002", open, fmt.Sprintf("this `%s` is never closed", p.src.slice(open)), fmt.Sprintf("add the `%s` that belongs to it", spelling[k]))
		if !p.at(tEOF) {
			d.Related = append(d.Related, diag.Related{Place: p.src.place(p.tok().span()), Message: fmt.Sprintf("%s comes before its `%s`", p.describe(), spelling[k])})
		}
		return false
	}
	wanted := k.what()
	if or != "" {
		wanted = or + " or " + wanted
	}
	p.missing(k, wanted)
	return false
}

// open reads an opening bracket and gives its place.
func (p *parser) open(k kind) (Span, bool) {
	at := p.tok().span()
	if k == tLBrace && p.supposed {
		p.supposed = false
		return Span{p.prevEnd, p.prevEnd}, true
	}
	if !p.failed && k == tLBrace && !p.at(tLBrace) && p.suppose("`{`") {
		p.supposed = false
		return Span{p.prevEnd, p.prevEnd}, true
	}
	return at, p.expect(k)
}

// atBody tells whether a body in braces begins. Where the file has a `}` too
// many, a name or attribute in its place is read as the body's first token.
func (p *parser) atBody(wanted string) bool {
	if p.failed || p.at(tLBrace) {
		return !p.failed
	}
	return (p.atName() || p.at(tAttr)) && !p.atItemStart() && p.suppose(wanted)
}

// suppose reports a missing `{` and goes on as if it stood there.
func (p *parser) suppose(wanted string) bool {
	if p.surplus == 0 || p.nested > 0 || p.at(tEOF) || p.at(tSemi) || p.at(tRBrace) {
		return false
	}
	p.surplus--
	p.missing(tLBrace, wanted)
	p.failed, p.supposed = false, true
	p.braces++
	return true
}

// atOtherCloser tells whether the token at hand can only come once the bracket
// that k closes is closed.
func (p *parser) atOtherCloser(k kind) bool {
	switch p.tok().kind {
	case tSemi:
		return k != tRBrace || p.lopsided
	case tRBrace:
		return k != tRBrace
	case tRParen:
		return k != tRParen
	case tRBracket:
		return k != tRBracket
	}
	return false
}

// enter counts a level of nesting. Each call that answers true wants a leave.
func (p *parser) enter() bool {
	if p.depth >= maxDepth {
		p.tooDeep()
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

func (p *parser) tooDeep() {
	p.gaveUp = true
	p.errorAt("OE0052", p.tok().span(), fmt.Sprintf("this is nested deeper than %d levels", maxDepth), "give the inner parts names of their own")
}

// split replaces the token at hand, which is two signs read as one, by its
// second sign, and counts the first as read.
func (p *parser) split(second kind) {
	t := &p.toks[p.pos]
	p.prevEnd = int(t.start) + 1
	t.start++
	t.kind = second
	t.first = false
}

// commaList reads element (',' element)* ','? up to k, which it leaves.
func (p *parser) commaList(k kind, element func()) {
	for !p.failed && !p.at(k) && !p.at(tEOF) {
		at := p.pos
		element()
		if !p.eat(tComma) {
			return
		}
		if p.pos == at {
			return
		}
	}
}

// parenList reads '(' elements ')'.
func (p *parser) parenList(element func()) {
	open, ok := p.open(tLParen)
	if !ok {
		return
	}
	p.commaList(tRParen, element)
	p.close(tRParen, open, "`,`")
}

// Names.

// reserved are the words that are never names of things.
var reserved = map[string]bool{
	"true": true, "false": true, "if": true, "else": true, "match": true, "let": true,
	"in": true, "not": true, "is": true, "for": true, "where": true, "pub": true, "_": true,
}

func (p *parser) atName() bool {
	return p.at(tIdent) && !reserved[p.text(p.tok())]
}

func (p *parser) ident(wanted string) Ident {
	if p.failed {
		return Ident{Span: Span{p.prevEnd, p.prevEnd}}
	}
	if !p.atName() {
		d := p.unexpected(wanted)
		if p.at(tIdent) {
			d.Help = "this is a word of the language; choose another name"
		}
		return Ident{Span: Span{p.prevEnd, p.prevEnd}}
	}
	t := p.next()
	return Ident{t.span(), p.text(t)}
}

func (p *parser) path(wanted string) Path {
	start := p.start()
	path := Path{Parts: []Ident{p.ident(wanted)}}
	for p.eat(tPath) {
		path.Parts = append(path.Parts, p.ident("a name"))
	}
	path.Span = p.from(start)
	return path
}

func (p *parser) paths() []Path {
	var out []Path
	for {
		out = append(out, p.path("a name"))
		if !p.eat(tComma) {
			return out
		}
	}
}
