package syntax

import (
	"fmt"

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
	f.BodyMacros = p.macros
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

	itemCol    int     // byte column of the item that is being read
	query      *Query  // the query whose atoms are being read
	noStruct   bool    // `Path {` begins no struct literal
	macros     bool    // a macro is used in a body
	atomStart  int     // start of the atom whose first operand is being read, or -1
	tail       bool    // the statement stands in a block: an insert may be its value
	badCode    string  // code for an unexpected token, "" for OE0001
	lastBad    int     // token index of the last unexpected token
	lineBreak  int     // token index before which something was missing at a line's end
	nested     int     // open interpolations
	lopsided   bool    // the file has more { than }: some block is not closed
	uneven     bool    // or some other bracket is not closed
	surplus    int     // how many more } than { the file has: so many { are missing, or } stray
	supposed   bool    // the { that is expected next is missing, reported, and taken as read
	quiet      bool    // mistakes are not reported: they follow from one that was
	excused    bool    // a stray } may follow from a mistake that was reported
	lastReport int     // where the parser's last diagnostic begins
	groups     int     // open groups that are passed over
	journal    *[]undo // tokens that were split, where they are to be made whole again
	gaveUp     bool    // the nesting was too deep: brackets do not add up any more
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

// oneWord is text, but for a sign that stands for two words: where tokens are
// written anew it stays one.
func (p *parser) oneWord(t token) string {
	if text := p.text(t); text != notIn {
		return text
	}
	return p.src.Text[t.start:t.end]
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
	if p.gaveUp { // its brackets do not add up, so that what follows may be a part of it
		p.failed = true
		return
	}
	p.gaveUp = true
	p.errorAt("OE0052", p.tok().span(), fmt.Sprintf("this is nested deeper than %d levels", maxDepth), "give the inner parts names of their own")
}

// split replaces the token at hand, which is two signs read as one, by its
// second sign, and counts the first as read.
func (p *parser) split(second kind) {
	t := &p.toks[p.pos]
	if p.journal != nil {
		*p.journal = append(*p.journal, undo{p.pos, *t})
	}
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
	"in": true, "not": true, notIn: true, "is": true, "for": true, "where": true, "pub": true, "_": true,
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
