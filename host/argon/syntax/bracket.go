package syntax

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

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
		if p.lastBad == p.pos || p.gaveUp || p.behindBad() || lost && p.lastReport > open.Start {
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
