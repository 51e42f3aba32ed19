package syntax

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

func (p *parser) structItem(d Decl) Item {
	p.next()
	s := &Struct{Decl: d}
	s.Name = p.ident("the struct's name")
	s.TypeParams = p.typeParams()
	s.Where = p.whereBounds()
	if !p.failed {
		s.Fields = p.fields()
	}
	p.eat(tSemi)
	return s
}

// fields reads '{' fields '}'.
func (p *parser) fields() []*Field {
	var out []*Field
	p.memberList(func() {
		f := p.field(p.memberHead())
		out = append(out, f)
	})
	return out
}

// memberHead reads the doc comment and attributes of a member.
func (p *parser) memberHead() Decl {
	d := Decl{Doc: p.docs[p.pos], Span: Span{Start: p.start()}}
	d.Attrs = p.attrs(&d)
	return d
}

// field reads mut? name: T (= default)? (from Relation)?.
func (p *parser) field(d Decl) *Field {
	f := &Field{Decl: d}
	if p.atWord("mut") && p.peek(1).kind == tIdent {
		f.Mut = p.eatWord("mut")
	}
	f.Name = p.ident("a field's name")
	p.expect(tColon)
	f.Type = p.typ()
	if p.eat(tAssign) {
		f.Default = p.expr()
	}
	if p.eatWord("from") {
		r := p.path("the relation's name")
		f.From = &r
		if p.eat(tDot) {
			end := p.ident("the endpoint's name")
			f.FromEndpoint = &end
		}
	}
	f.Span = p.from(d.Span.Start)
	return f
}

func (p *parser) enumItem(d Decl) Item {
	p.next()
	e := &Enum{Decl: d}
	e.Name = p.ident("the enum's name")
	e.TypeParams = p.typeParams()
	e.Where = p.whereBounds()
	if p.at(tAssign) && !p.failed {
		for _, name := range p.removedPipes("OE0009", "enum", e.Name.Name) {
			e.Variants = append(e.Variants, &Variant{Decl: Decl{Span: name.Span, Name: name}})
		}
		return e
	}
	if !p.failed {
		p.memberList(func() { e.Variants = append(e.Variants, p.variant(p.memberHead())) })
	}
	p.eat(tSemi)
	return e
}

func (p *parser) variant(d Decl) *Variant {
	v := &Variant{Decl: d}
	v.Name = p.ident("a variant's name")
	switch {
	case p.failed:
	case p.at(tLParen):
		p.parenList(func() { v.Tuple = append(v.Tuple, p.typ()) })
	case p.at(tLBrace):
		v.Braces = true
		v.Fields = p.fields()
	}
	v.Span = p.from(d.Span.Start)
	return v
}

// removedPipes reads the removed form `= A | B;` at its `=`, reports it, and
// gives the names.
func (p *parser) removedPipes(code, word, name string) []Ident {
	start := p.next().start
	var names []Ident
	simple := true
	for {
		p.eat(tBar)
		if !p.atName() {
			simple = false
			break
		}
		t := p.next()
		names = append(names, Ident{t.span(), p.text(t)})
		if !p.at(tBar) {
			break
		}
	}
	if !p.at(tSemi) {
		simple = false
		p.skipTo(func() bool { return false })
	}
	hasSemi := p.eat(tSemi)
	at := p.from(int(start))
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = n.Name
	}
	braces := "{ " + strings.Join(parts, ", ") + " }"
	dg := p.errorAt(code, at, fmt.Sprintf("%s %s is written with `= … | …`, a form that was removed", word, name), "write the alternatives in braces: `"+clip(braces)+"`")
	if simple && hasSemi && len(names) > 0 {
		dg.Fix = &diag.Fix{Title: "write the alternatives in braces", Edits: []diag.Edit{{Place: p.src.place(at), Text: braces}}}
	}
	p.failed = false
	return names
}

// introduced reads a concept or a relation: its introducer is a plain name.
// What follows the new name tells which it is.
func (p *parser) introduced(d Decl) Item {
	i := 1
	for p.peek(i).kind == tPath && p.peek(i+1).kind == tIdent {
		i += 2
	}
	if !p.atName() || p.peek(i).kind != tIdent || p.peek(i).first && p.peek(i+1).kind == tIdent {
		p.unexpected("a declaration")
		return &Bad{d}
	}
	introducer := p.path("a metatype or metarel")
	d.Name = p.ident("the new name")
	switch {
	case p.failed:
		return &Bad{d}
	case p.at(tLParen):
		return p.relation(&Relation{Decl: d, Introducer: introducer})
	}
	return p.concept(&Concept{Decl: d, Introducer: introducer})
}

// endBodyless reads the `;` of a declaration without a body.
func (p *parser) endBodyless(what string) {
	if p.failed || p.eat(tSemi) {
		return
	}
	t := p.tok()
	if t.bad || p.lastBad == p.pos {
		p.failed = true
		return
	}
	if !t.first && t.kind != tEOF && t.kind != tRBrace {
		p.unexpected("`;`, `{` or another part of the " + what)
		return
	}
	p.lastBad = p.pos
	at := Span{p.prevEnd, p.prevEnd}
	dg := p.errorAt("OE0011", at, fmt.Sprintf("this %s has no body and does not end with `;`", what), "add `;`, or a body in braces")
	dg.Fix = p.insertion(at, ";")
	p.failed = false // nothing is lost: the next declaration begins here
}

func (p *parser) concept(c *Concept) Item {
	c.TypeParams = p.typeParams()
	if p.at(tAssign) {
		for _, name := range p.removedPipes("OE0012", c.Introducer.String(), c.Name.Name) {
			c.Cover = append(c.Cover, Path{Span: name.Span, Parts: []Ident{name}})
		}
		c.Body = true
		return c
	}
	if p.eat(tSub) {
		p.superConcepts(c)
	}
	if p.eat(tColon) {
		c.InstanceOf = p.paths()
	}
	if p.atWord("where") || p.atWord("iff") {
		c.Refinement = p.refinement()
	}
	if p.atBody("`;`, `{` or another part of the concept") {
		c.Body = true
		p.conceptBody(c)
		p.eat(tSemi)
		return c
	}
	p.endBodyless("concept")
	return c
}

// conceptBody reads a body or a cover: a cover has nothing but names.
func (p *parser) conceptBody(c *Concept) {
	n := 1
	if p.supposed {
		n = 0
	}
	cover := p.peek(n).kind != tRBrace && p.peek(n+1).kind != tPath
	for ; cover && p.peek(n).kind != tRBrace; n++ {
		switch p.peek(n).kind {
		case tIdent:
			// `title String` is a field without its colon.
			first := p.src.Text[p.peek(n).start]
			cover = p.peek(n+1).kind != tIdent || first < 'a' || 'z' < first
		case tComma, tPath:
		default:
			cover = false
		}
	}
	p.memberList(func() {
		if cover {
			c.Cover = append(c.Cover, p.path("the name of a concept"))
			return
		}
		c.Members = append(c.Members, p.member())
	})
}

func (p *parser) member() Member {
	d := p.memberHead()
	switch p.peek(1).kind {
	case tPath:
		b := p.axisBinding()
		return Member{Override: &b}
	case tAssign:
		v := &FieldInit{Name: p.ident("a field's name"), Op: "="}
		p.next()
		v.Value = p.expr()
		v.Span = p.from(d.Span.Start)
		return Member{Value: v}
	}
	return Member{Field: p.field(d)}
}

func (p *parser) relation(r *Relation) Item {
	r.Params = p.params(false)
	for p.at(tLBracket) && !p.failed {
		open := p.next().span()
		c := p.cardinality()
		p.close(tRBracket, open, "")
		c.Span = p.from(open.Start)
		r.Cardinalities = append(r.Cardinalities, c)
	}
	if p.eat(tSub) || p.eatWord("specializes") {
		r.Supers = p.paths()
	}
	if p.atBody("`;`, `{` or another part of the relation") {
		p.relationBody(r)
		p.eat(tSemi)
		return r
	}
	p.endBodyless("relation")
	return r
}

// relationBody reads '{' fields and axis overrides '}'.
func (p *parser) relationBody(r *Relation) {
	p.memberList(func() {
		d := p.memberHead()
		if p.peek(1).kind == tPath {
			r.Overrides = append(r.Overrides, p.axisBinding())
			return
		}
		r.Fields = append(r.Fields, p.field(d))
	})
}

// cardinality reads n, n..m, n..=m or n..*; both ends count.
func (p *parser) cardinality() Cardinality {
	c := Cardinality{Span: p.tok().span()}
	c.Min = p.bound()
	c.Max = c.Min
	if p.eat(tRange) || p.eat(tRangeI) {
		if p.eat(tStar) {
			c.Max = -1
		} else {
			at := p.tok().span()
			c.Max = p.bound()
			if !p.failed && c.Max < c.Min {
				p.errorAt("OE0051", at, fmt.Sprintf("the upper bound %d is below the lower bound %d", c.Max, c.Min), "write the lower bound first")
			}
		}
	}
	c.Span = p.from(c.Span.Start)
	return c
}

func (p *parser) bound() int64 {
	if p.failed || !p.at(tInt) {
		p.unexpected("a count")
		return 0
	}
	t := p.next()
	n, err := strconv.ParseInt(p.text(t), 10, 64)
	if err != nil && !t.bad {
		p.errorAt("OE0051", t.span(), "this count is too large", "write a count below 2^63, or `*` for no bound")
	}
	return n
}
