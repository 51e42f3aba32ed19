package syntax

// kind is the lexical class of a token. A word of the language is an
// identifier to the lexer; the parser gives it its meaning by its place.
type kind uint8

const (
	tEOF kind = iota
	tIdent
	tInt
	tDecimal
	tString
	tDate
	tDateTime

	tLParen
	tRParen
	tLBracket
	tRBracket
	tLBrace
	tRBrace
	tComma
	tSemi
	tColon
	tPath   // ::
	tNeck   // :-
	tSub    // <:
	tDot    // .
	tRange  // ..
	tRangeI // ..=
	tArrow  // ->
	tFat    // =>
	tAssign // =
	tEq     // ==
	tNe     // !=
	tLt     // <
	tLe     // <=
	tGt     // >
	tGe     // >=
	tBang   // !
	tPlus   // +
	tMinus  // -
	tStar   // *
	tSlash  // /
	tPct    // %
	tPlusEq // +=
	tMinEq  // -=
	tAnd    // &&
	tOr     // ||
	tBar    // |
	tTry    // ?
	tAttr   // #[
	tInner  // #![
	tOldAtt // @[
	tAt     // @
	tDollar // $
	tHash   // #
)

// spelling is the ASCII form of a kind with one spelling.
var spelling = [...]string{
	tLParen: "(", tRParen: ")", tLBracket: "[", tRBracket: "]", tLBrace: "{", tRBrace: "}",
	tComma: ",", tSemi: ";", tColon: ":", tPath: "::", tNeck: ":-", tSub: "<:", tDot: ".",
	tRange: "..", tRangeI: "..=", tArrow: "->", tFat: "=>", tAssign: "=", tEq: "==", tNe: "!=",
	tLt: "<", tLe: "<=", tGt: ">", tGe: ">=", tBang: "!", tPlus: "+", tMinus: "-", tStar: "*",
	tSlash: "/", tPct: "%", tPlusEq: "+=", tMinEq: "-=", tAnd: "&&", tOr: "||", tBar: "|",
	tTry: "?", tAttr: "#[", tInner: "#![", tOldAtt: "@[", tAt: "@", tDollar: "$", tHash: "#",
}

// what names a kind in a message.
func (k kind) what() string {
	switch k {
	case tEOF:
		return "the end of the file"
	case tIdent:
		return "a name"
	case tInt, tDecimal:
		return "a number"
	case tString:
		return "a string"
	case tDate, tDateTime:
		return "a date"
	}
	return "`" + spelling[k] + "`"
}

// token is one lexical unit. It is kept small: a file may have millions.
type token struct {
	start, end uint32
	col        uint16 // byte column of the first token of a line, capped
	kind       kind
	first      bool // nothing but blanks and comments before it on its line
	bad        bool // a diagnostic has been reported for it
	behindBad  bool // or for characters before it that are no token
}

func (t token) span() Span { return Span{int(t.start), int(t.end)} }

// unicodeWords are the Unicode spellings of words; each lexes as its ASCII word,
// and ∉ as the two words that it stands for.
var unicodeWords = map[rune]string{
	'∀': "forall", '∃': "exists", '⊞': "box_plus", '⊟': "box_minus", '¬': "not", '∈': "in", '∉': notIn,
	'□': "box", '◇': "diamond", '⊤': "Top", '⊥': "Bot",
}

// unicodePunct are the Unicode spellings of punctuation.
var unicodePunct = map[rune]kind{
	'⊑': tSub, '→': tArrow, '⇒': tFat, '←': tNeck, '∧': tAnd, '∨': tOr,
	'≠': tNe, '≤': tLe, '≥': tGe,
}
