package syntax

// itemWords begin an item.
var itemWords = map[string]bool{
	"use": true, "mod": true, "pub": true, "struct": true, "enum": true, "metaxis": true, "metatype": true,
	"metarel": true, "trait": true, "impl": true, "macro": true, "fn": true, "derive": true, "query": true,
	"mutate": true, "check": true, "test": true, "standpoint": true, "fact": true, "not_fact": true,
	"abstract": true, "fixed": true, "unsafe": true, "disjoint": true, "complete": true, "partition": true,
}

// stmtWords begin a statement.
var stmtWords = map[string]bool{
	"require": true, "let": true, "insert": true, "delete": true, "update": true, "for": true, "if": true,
	"return": true, "assert": true, "forget": true,
}

// innerWords stand before a name inside an item.
var innerWords = map[string]bool{
	"mut": true, "select": true, "from": true, "optional": true, "order": true, "group": true, "limit": true,
	"with": true, "union": true, "intersect": true, "except": true, "across": true, "as_of": true, "as": true,
}

// atItemStart tells whether the token at hand surely begins a new item: it is
// the first of its line, stands no further right than the item being read, and
// looks like one.
func (p *parser) atItemStart() bool {
	t := p.tok()
	if !t.first || int(t.col) > p.itemCol || p.nested > 0 {
		return false
	}
	switch t.kind {
	case tAttr, tOldAtt:
		return true
	case tIdent:
		n := p.peek(1)
		if n.first {
			return false
		}
		if itemWords[p.text(t)] {
			return n.kind == tIdent || n.kind == tString || n.kind == tLParen || n.kind == tLBrace
		}
		if n.kind != tIdent || stmtWords[p.text(t)] || innerWords[p.text(t)] || reserved[p.text(t)] || reserved[p.text(n)] {
			return false
		}
		switch p.peek(2).kind {
		case tSemi, tLBrace, tLParen, tSub, tColon:
			return true
		}
	}
	return false
}

// atLostItem tells whether the token at hand begins a new item though a block
// is still open. In a file whose braces add up, no layout makes it so.
func (p *parser) atLostItem() bool { return p.lopsided && p.atItemStart() }

// resumeItem goes on to the end of an item that could not be read, or to the
// start of the next one. braces is the count of open braces outside the item,
// from the index of its first token.
func (p *parser) resumeItem(from, braces, parens int) {
	for ; !p.at(tEOF); p.next() {
		if p.pos > from && p.atItemStart() {
			break
		}
		if p.at(tSemi) && p.braces <= braces {
			p.next()
			break
		}
		if p.at(tRBrace) {
			if p.braces <= braces {
				break
			}
			if p.braces == braces+1 && p.peek(1).kind != tSemi && (p.peek(1).first || p.peek(1).kind == tRBrace) {
				p.next()
				break
			}
		}
	}
	p.failed, p.braces, p.parens = false, braces, parens
}

// resumeMember goes on behind the next comma of the list that was left with
// the given count of open brackets, or to the list's end.
func (p *parser) resumeMember(from, braces, parens int) {
	for ; !p.at(tEOF); p.next() {
		if p.pos > from && p.atItemStart() {
			break
		}
		if p.at(tComma) && p.braces <= braces && p.parens <= parens {
			p.next()
			break
		}
		if p.at(tRBrace) && p.braces <= braces {
			break
		}
	}
	p.failed, p.braces, p.parens = false, braces, parens
}

// resumeStmt goes on behind the next `;` of the block, or to a line that
// begins a statement, or to the block's end.
func (p *parser) resumeStmt(from, braces, parens int) {
	for ; !p.at(tEOF); p.next() {
		if p.pos > from && p.atItemStart() {
			break
		}
		if p.braces <= braces {
			if p.at(tSemi) {
				p.next()
				break
			}
			if p.at(tRBrace) || p.pos > from && p.pos == p.lineBreak && p.at(tIdent) {
				break
			}
			if t := p.tok(); p.pos > from && t.first && t.kind == tIdent && stmtWords[p.text(t)] {
				break
			}
		}
	}
	p.failed, p.braces, p.parens = false, braces, parens
}

// memberList reads '{' element (',' element)* ','? '}' and goes on with the
// next element after a mistake in one.
func (p *parser) memberList(element func()) {
	open, ok := p.open(tLBrace)
	if !ok {
		return
	}
	quiet, bad := p.quiet, false
	for !p.at(tRBrace) && !p.at(tEOF) && !p.at(tSemi) && !p.atLostItem() {
		from, braces, parens := p.pos, p.braces, p.parens
		element()
		if !p.failed && !p.at(tRBrace) && !p.eat(tComma) && !p.at(tEOF) && !p.atLostItem() && !p.atOtherCloser(tRBrace) {
			p.missing(tComma, "`,` or `}`")
		}
		// A mistake right behind another one follows from it.
		p.quiet = quiet || p.failed
		if p.failed {
			bad = true
			p.resumeMember(from, braces, parens)
		}
		if p.pos == from {
			break
		}
	}
	p.quiet = quiet || bad && !p.at(tRBrace)
	p.close(tRBrace, open, "`,`")
	p.quiet = quiet
}

// skipTo reads on to the first token, outside of all brackets opened on the
// way, that stop accepts, or to a closing bracket that was opened before, or to
// a `;` or the end.
func (p *parser) skipTo(stop func() bool) {
	depth := 0
	for !p.at(tEOF) {
		if (p.uneven || depth == 0 && p.groups == 0) && p.atItemStart() {
			return
		}
		switch p.tok().kind {
		case tLParen, tLBracket, tLBrace, tAttr:
			if depth == 0 && stop() {
				return
			}
			depth++
		case tRParen, tRBracket, tRBrace:
			if depth == 0 {
				return
			}
			depth--
		case tSemi:
			if depth == 0 {
				return
			}
		default:
			if depth == 0 && stop() {
				return
			}
		}
		p.next()
	}
}

// skipGroup reads a bracketed group to its end.
func (p *parser) skipGroup() {
	open := p.tok()
	closer := map[kind]kind{tLBrace: tRBrace, tLParen: tRParen, tLBracket: tRBracket, tInner: tRBracket, tOldAtt: tRBracket}[open.kind]
	p.next()
	p.groups++
	defer func() { p.groups-- }()
	for {
		p.skipTo(func() bool { return false })
		if !p.at(tSemi) {
			break
		}
		p.next()
	}
	p.close(closer, open.span(), "")
}
