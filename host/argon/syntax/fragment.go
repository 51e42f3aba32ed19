package syntax

// TokenClass says what a Token is.
type TokenClass uint8

// The classes.
const (
	WordToken    TokenClass = iota // a name or a word of the language
	LiteralToken                   // a number, string or date
	SignToken
	OpenToken  // ( [ { #[
	CloseToken // ) ] }
)

// Token is one token of a source.
type Token struct {
	Span
	Class TokenClass
	Text  string // as written, in the ASCII spelling
	Doc   string // the /// comment before it
	Glued bool   // nothing stands between it and the token before it
}

// Tokens cuts a part of a source into its tokens, without comments.
func Tokens(src *Source, at Span) []Token {
	lexed := lex(src.Text, at, func(string, Span, string, string) {})
	out := make([]Token, 0, len(lexed.tokens))
	end := -1
	p := &parser{src: src}
	for i, t := range lexed.tokens {
		if t.kind == tEOF {
			break
		}
		class, text := SignToken, p.oneWord(t)
		if spellable(t.kind) {
			text = spelling[t.kind]
		}
		switch t.kind {
		case tIdent:
			class = WordToken
		case tInt, tDecimal, tString, tDate, tDateTime:
			class = LiteralToken
		case tLParen, tLBracket, tLBrace, tAttr, tInner, tOldAtt:
			class = OpenToken
		case tRParen, tRBracket, tRBrace:
			class = CloseToken
		}
		out = append(out, Token{Span: t.span(), Class: class, Text: text, Doc: lexed.docs[i], Glued: int(t.start) == end})
		end = int(t.end)
	}
	return out
}

// fragments are the kinds of fragment that a macro's pattern may ask for.
var fragments = map[string]func(p *parser){
	"ident":   func(p *parser) { p.ident("a name") },
	"path":    func(p *parser) { p.path("a path") },
	"type":    func(p *parser) { p.typ() },
	"expr":    func(p *parser) { p.expr() },
	"atom":    func(p *parser) { p.atom() },
	"pattern": func(p *parser) { p.pattern() },
	"block":   func(p *parser) { p.group(tLBrace) },
	"item":    func(p *parser) { p.item() },
	"literal": func(p *parser) { p.fragmentLiteral() },
	"vis":     func(p *parser) { p.fragmentVisibility() },
	"tt":      func(p *parser) { p.fragmentTree() },
}

// IsFragment reports whether kind is the name of a kind of fragment.
func IsFragment(kind string) bool { return fragments[kind] != nil }

// FragmentKinds lists the kinds of fragment, sorted.
func FragmentKinds() []string {
	return []string{"atom", "block", "expr", "ident", "item", "literal", "path", "pattern", "tt", "type", "vis"}
}

// Fragments reads parts of one text by their kind.
type Fragments struct{ p *parser }

// NewFragments prepares a text, of which the tokens are those of Tokens.
func NewFragments(src *Source) *Fragments {
	p := newParser(src)
	p.itemCol = -1
	p.lopsided, p.uneven, p.surplus = false, false, 0
	return &Fragments{p}
}

// Read returns the index of the token behind the fragment of that kind which
// begins at token i. ok is false where there is none.
func (f *Fragments) Read(kind string, i int) (next int, ok bool) {
	q := *f.p
	q.pos, q.quiet, q.journal = i, true, &[]undo{}
	if i > 0 {
		q.prevEnd = int(q.toks[i-1].end)
	}
	found := len(q.found)
	if q.at(tEOF) && kind != "vis" {
		return i, false
	}
	fragments[kind](&q)
	split := false
	for j := len(*q.journal) - 1; j >= 0; j-- {
		u := (*q.journal)[j]
		f.p.toks[u.at] = u.was
		split = split || u.at == q.pos
	}
	return q.pos, !q.failed && !split && !q.toks[max(q.pos-1, 0)].bad && len(q.found) == found && (q.pos > i || kind == "vis")
}

// undo is a token as it was before it was split.
type undo struct {
	at  int
	was token
}

func (p *parser) fragmentLiteral() {
	p.eat(tMinus)
	switch {
	case p.at(tInt), p.at(tDecimal), p.at(tString), p.at(tDate), p.at(tDateTime), p.atWord("true"), p.atWord("false"):
		p.next()
	default:
		p.unexpected("a literal")
	}
}

func (p *parser) fragmentVisibility() {
	if p.eatWord("pub") && p.at(tLParen) && p.peekWord(1, "pkg") && p.peek(2).kind == tRParen {
		p.next()
		p.next()
		p.next()
	}
}

// fragmentTree reads one token, or a group with its brackets.
func (p *parser) fragmentTree() {
	switch p.tok().kind {
	case tLParen, tLBracket, tLBrace, tAttr:
		depth := 0
		for !p.at(tEOF) {
			switch p.next().kind {
			case tLParen, tLBracket, tLBrace, tAttr, tInner, tOldAtt:
				depth++
			case tRParen, tRBracket, tRBrace:
				depth--
			}
			if depth == 0 {
				return
			}
		}
		p.failed = true
	case tRParen, tRBracket, tRBrace:
		p.failed = true
	default:
		p.next()
	}
}
