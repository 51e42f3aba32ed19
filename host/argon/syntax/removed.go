package syntax

import "github.com/ox-mcp/ox-mcp/host/argon/diag"

// removedBlockWords began the parts of a mutate in older versions.
var removedBlockWords = map[string]bool{"do": true, "retract": true, "emit": true}

// atRemovedBlock tells a block of statements from a value whose concept or
// struct has the name.
func (p *parser) atRemovedBlock() bool {
	if !p.at(tIdent) || !removedBlockWords[p.text(p.tok())] || p.peek(1).kind != tLBrace {
		return false
	}
	if k := p.peek(2).kind; k != tIdent {
		return k != tRBrace && k != tRange
	}
	switch p.peek(3).kind {
	case tColon, tComma, tRBrace, tAssign:
		return false
	}
	return true
}

// removedBlocks passes over the parts of an old mutate that stand in a row, and
// reports them once.
func (p *parser) removedBlocks(start int) Stmt {
	word := p.tok()
	for p.atRemovedBlock() && !p.failed {
		p.next()
		p.skipGroup()
		p.eat(tSemi)
	}
	if !p.failed {
		p.report(diag.Diagnostic{
			Code: "OE0001", Place: p.src.place(word.span()),
			Message: "a mutate has no `" + p.text(word) + " { … }`",
			Help:    "write the statements into the body of the mutate, one after the other: `insert …;`, `update x set { … };`, `delete …;`",
		})
	}
	return &BadStmt{p.from(start)}
}
