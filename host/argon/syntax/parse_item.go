package syntax

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// items reads declarations up to the end, or to the `}` of an inline module.
func (p *parser) items(inner bool) []Item {
	var out []Item
	outerCol := p.itemCol
	for !p.at(tEOF) {
		if p.at(tRBrace) && inner {
			break
		}
		if p.at(tSemi) { // an empty declaration
			p.next()
			continue
		}
		if inner && int(p.tok().col) <= outerCol && p.atLostItem() {
			break // the module's brace is missing
		}
		from, braces, parens := p.pos, p.braces, p.parens
		if t := p.tok(); t.first {
			p.itemCol = int(t.col)
		}
		stray := p.at(tRBrace) && p.excused
		p.quiet = stray || p.excused && !p.atItemStart()
		out = append(out, p.item()...)
		p.quiet = false
		if p.failed {
			p.excused = !stray
			p.resumeItem(from, braces, parens)
		} else if p.surplus == 0 {
			p.excused = false
		}
		if p.pos == from { // a stray closing bracket
			for p.pos == from || !inner && p.at(tRBrace) {
				p.next()
			}
			p.braces, p.parens = braces, parens
		}
	}
	p.itemCol = outerCol
	return out
}

// item reads one declaration; a `use` with braces gives several.
func (p *parser) item() []Item {
	start := p.start()
	d := Decl{Doc: p.docs[p.pos]}
	if !p.enter() {
		return []Item{&Bad{d}}
	}
	defer p.leave()
	if p.at(tInner) {
		p.skipGroup()
		d.Span = p.from(start)
		return []Item{&Unsupported{Decl: d, What: "inner attribute"}}
	}
	d.Attrs = p.attrs(&d)
	if !p.failed && len(d.Attrs) > 0 && (p.at(tEOF) || p.at(tRBrace)) {
		p.errorAt("OE0003", d.Attrs[len(d.Attrs)-1].Span, "this attribute stands before no declaration", "write the declaration that it belongs to behind it, or take it out")
	}
	if p.eatWord("pub") {
		d.Vis = Public
		if p.at(tLParen) {
			open := p.next().span()
			d.Vis = PubPackage
			if !p.eatWord("pkg") {
				p.unexpected("`pkg`")
			}
			p.close(tRParen, open, "")
		}
	}
	d.Span.Start = start
	var out []Item
	if p.failed {
		out = []Item{&Bad{d}}
	} else {
		out = p.declaration(d)
	}
	for _, it := range out {
		if h := it.Head(); h.Span.End == 0 {
			h.Span = p.from(start)
		}
	}
	return out
}

// declaration reads what follows attributes and visibility.
func (p *parser) declaration(d Decl) []Item {
	one := func(i Item) []Item {
		if p.failed && i == nil {
			return []Item{&Bad{d}}
		}
		return []Item{i}
	}
	if !p.at(tIdent) {
		p.unexpected("a declaration")
		return []Item{&Bad{d}}
	}
	word := p.text(p.tok())
	if p.atMacroCall() {
		return one(p.macroCall(d))
	}
	if p.peek(1).kind == tPath { // a qualified introducer
		return one(p.introduced(d))
	}
	switch word {
	case "use":
		return p.use(d)
	case "mod":
		return one(p.mod(d))
	case "struct":
		return one(p.structItem(d))
	case "enum":
		return one(p.enumItem(d))
	case "abstract", "fixed", "metatype", "metarel":
		if it := p.metaItem(d); it != nil {
			return one(it)
		}
	case "fn":
		if isProcMacro(d.Attrs) {
			return one(p.procMacro(d))
		}
		return one(p.fn(d))
	case "derive":
		return one(p.derive(d))
	case "query":
		return one(p.queryItem(d))
	case "check":
		return one(p.check(d))
	case "mutate":
		return one(p.mutate(d))
	case "fact", "not_fact":
		return one(p.fact(d))
	case "test":
		return one(p.test(d))
	case "metaxis":
		return one(p.metaxis(d))
	case "macro":
		return one(p.macro(d))
	case "trait":
		return one(p.trait(d))
	case "impl":
		return one(p.impl(d))
	case "standpoint":
		return one(p.standpoint(d))
	case "unsafe":
		if p.peekWord(1, "logic") {
			p.next()
			return one(p.unsupported(d, UnsafeLogic))
		}
	case "disjoint", "complete", "partition":
		if p.atGroupAxiom(word) {
			return one(p.groupAxiom(d))
		}
	}
	return one(p.introducedOrMisspelt(d, word))
}

// unsupported reads to the end of a declaration: a `;`, or the `}` of its body.
func (p *parser) unsupported(d Decl, what string) Item {
	for !p.failed && !p.at(tSemi) && !p.at(tEOF) && !p.at(tRBrace) {
		p.skipTo(func() bool { return p.at(tLBrace) })
		if !p.at(tLBrace) {
			break
		}
		p.skipGroup()
		// A type or predicate in braces may go on to a body or a `;`.
		if !p.at(tSemi) && !p.at(tLBrace) {
			d.Span = p.from(d.Span.Start)
			return &Unsupported{Decl: d, What: what}
		}
	}
	if !p.failed {
		p.expect(tSemi)
	}
	d.Span = p.from(d.Span.Start)
	return &Unsupported{Decl: d, What: what}
}

// attrs reads #[…] as long as they come, with the doc comments between them.
func (p *parser) attrs(d *Decl) []Attr {
	var out []Attr
	for !p.failed && (p.at(tAttr) || p.at(tOldAtt) || p.at(tHash) || p.at(tAt)) {
		out = append(out, p.attr())
		if more := p.docs[p.pos]; more != "" && !p.failed {
			d.Doc = strings.TrimPrefix(d.Doc+"\n"+more, "\n")
		}
	}
	return out
}

func (p *parser) attr() (a Attr) {
	start := p.start()
	p.badCode = "OE0003"
	defer func() { p.badCode = "" }()
	if !p.at(tAttr) {
		at := p.tok().span()
		dg := p.errorAt("OE0003", at, fmt.Sprintf("%s begins no attribute", p.describe()), "an attribute is written `#[name]` or `#[name(arguments)]`")
		if p.at(tOldAtt) {
			dg.Fix = &diag.Fix{Title: "write `#[`", Edits: []diag.Edit{{Place: p.src.place(at), Text: "#["}}}
			p.failed = false
			p.skipGroup()
		}
		a.Span = p.from(start)
		return a
	}
	open := p.next().span()
	a.Name = p.path("the attribute's name")
	if !p.failed && p.at(tLParen) {
		paren := p.next().span()
		inside := p.start()
		p.commaList(tRParen, func() {
			if p.at(tIdent) && p.peek(1).kind == tColon { // a named argument: its name is in Text
				p.next()
				p.next()
			}
			a.Args = append(a.Args, p.expr())
		})
		a.Text = strings.TrimSpace(p.src.slice(Span{min(inside, p.start()), p.start()}))
		p.close(tRParen, paren, "`,`")
	}
	p.close(tRBracket, open, "")
	a.Span = p.from(start)
	if p.failed {
		p.skipTo(func() bool { return p.at(tRBracket) })
		if p.at(tRParen) {
			p.next()
		}
		if p.at(tRBracket) && !p.tok().first {
			p.next()
			p.failed = false
		}
	}
	return a
}

// use gives one Use for each leaf of the tree of braces.
func (p *parser) use(d Decl) []Item {
	p.next()
	var out []Item
	start := p.start()
	p.useTree(d, nil, start, &out)
	p.expect(tSemi)
	if len(out) == 1 {
		out[0].Head().Span = p.from(d.Span.Start)
	}
	if len(out) == 0 {
		out = append(out, &Bad{d})
	}
	return out
}

func (p *parser) useTree(d Decl, prefix []Ident, start int, out *[]Item) {
	if !p.enter() {
		return
	}
	defer p.leave()
	leaf := func(u *Use) {
		u.Decl = d
		u.Path = Path{Parts: prefix, Span: p.from(start)}
		u.Span = p.from(start)
		if n := len(prefix); n > 0 && !u.Glob {
			u.Name = prefix[n-1]
		}
		*out = append(*out, u)
	}
	for !p.failed {
		switch {
		case p.at(tStar) && len(prefix) > 0:
			u := &Use{Glob: true}
			leaf(u)
			p.next()
			u.Span = p.from(start)
			return
		case p.at(tLBrace):
			open := p.next().span()
			p.commaList(tRBrace, func() {
				p.useTree(d, prefix[:len(prefix):len(prefix)], p.start(), out)
			})
			p.close(tRBrace, open, "`,`")
			return
		}
		wanted := "the name of what is used"
		if len(prefix) > 0 {
			wanted = "a name, `*` or `{`"
		}
		prefix = append(prefix, p.ident(wanted))
		if p.failed {
			return
		}
		if len(prefix) > maxDepth {
			p.tooDeep()
			return
		}
		if p.eat(tPath) {
			continue
		}
		u := &Use{}
		leaf(u)
		if p.eatWord("as") {
			u.Alias = true
			u.Name = p.ident("the name that it gets")
			u.Span = p.from(start)
		}
		return
	}
}

func (p *parser) mod(d Decl) Item {
	p.next()
	m := &Mod{Decl: d}
	m.Name = p.ident("the module's name")
	if p.atBody("`;` or `{`") {
		open, _ := p.open(tLBrace)
		m.Inline = true
		m.Items = p.items(true)
		p.close(tRBrace, open, "a declaration")
		p.eat(tSemi)
		return m
	}
	if !p.eat(tSemi) {
		p.missing(tSemi, "`;` or `{`")
	}
	return m
}

// metaItem reads a metatype or metarel with its modifiers, or nothing where
// abstract or fixed is an introducer's name.
func (p *parser) metaItem(d Decl) Item {
	n := 0
	for p.peekWord(n, "abstract") || p.peekWord(n, "fixed") {
		n++
	}
	rel := p.peekWord(n, "metarel")
	if n > 2 || !rel && !p.peekWord(n, "metatype") {
		return nil
	}
	var abstract, fixed bool
	for range n {
		abstract = abstract || p.atWord("abstract")
		fixed = fixed || p.atWord("fixed")
		p.next()
	}
	p.next()
	if rel {
		return p.metarel(&Metarel{Decl: d, Abstract: abstract, Fixed: fixed})
	}
	m := &Metatype{Decl: d, Abstract: abstract, Fixed: fixed}
	m.Name = p.ident("the metatype's name")
	p.expect(tAssign)
	if !p.failed {
		p.memberList(func() { m.Bindings = append(m.Bindings, p.axisBinding()) })
	}
	p.expect(tSemi)
	return m
}

func (p *parser) metarel(m *Metarel) Item {
	m.Name = p.ident("the metarel's name")
	m.Positions = p.params(false)
	if p.atBody("`;` or `{`") {
		p.memberList(func() { m.Bindings = append(m.Bindings, p.axisBinding()) })
		p.eat(tSemi)
		return m
	}
	if !p.eat(tSemi) {
		p.missing(tSemi, "`;` or `{`")
	}
	return m
}

// axisBinding reads axis: value or axis::value.
func (p *parser) axisBinding() AxisBinding {
	start := p.start()
	var b AxisBinding
	b.Axis = p.ident("an axis")
	if p.at(tNeck) { // `axis:-1`
		p.split(tMinus)
	} else if !p.eat(tColon) && !p.eat(tPath) {
		p.unexpected("`:` and the axis's value")
	}
	b.Value = p.unary()
	b.Span = p.from(start)
	return b
}

// params reads '(' parameters ')'. free also takes bare names and terms.
func (p *parser) params(free bool) []*Param {
	var out []*Param
	p.parenList(func() { out = append(out, p.param(free)) })
	return out
}

func (p *parser) param(free bool) *Param {
	q := &Param{}
	start := p.start()
	after := p.peek(1).kind
	if free && !(p.atName() && (after == tColon || after == tComma || after == tRParen)) {
		q.Term = p.expr()
		q.Span = p.from(start)
		if n, ok := q.Term.(*Name); ok && len(n.Path.Parts) == 1 {
			q.Name, q.Term = n.Path.Parts[0], nil
		}
		return q
	}
	q.Name = p.ident("a parameter's name")
	if p.at(tColon) || !free {
		p.expect(tColon)
		q.Type = p.typ()
	}
	q.Span = p.from(start)
	return q
}
