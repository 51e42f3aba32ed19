package syntax

import (
	"io"
	"strconv"
	"strings"
)

// Print writes a tree as source in one canonical form. Reading what was
// printed and printing it again gives the same text. A `use` with braces is
// printed as one `use` for each leaf; a construct that is not taken, and what
// could not be read, is printed as it was written.
func Print(w io.Writer, f *File) error {
	p := &printer{src: f.Source}
	for _, line := range lines(f.Doc) {
		p.put("//!", docGap(line), line, "\n")
	}
	p.items(f.Items)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func docGap(line string) string {
	if line == "" {
		return ""
	}
	return " "
}

type printer struct {
	src    *Source
	b      strings.Builder
	indent int
	flat   bool // inside a string: no line breaks
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// line begins a new line, or puts a blank where lines may not break.
func (p *printer) line() {
	if p.flat {
		p.put(" ")
		return
	}
	p.put("\n", strings.Repeat("    ", p.indent))
}

// raw is a text as it was written.
func (p *printer) raw(at Span) string { return strings.TrimSpace(p.src.slice(at)) }

// text renders with f into a string of its own.
func (p *printer) text(f func(q *printer)) string {
	q := &printer{src: p.src, indent: p.indent, flat: p.flat}
	f(q)
	return q.b.String()
}

// braced prints { … } with one part a line.
func braced[T any](p *printer, parts []T, end string, part func(T)) {
	if len(parts) == 0 {
		p.put("{}")
		return
	}
	p.put("{")
	p.indent++
	for _, x := range parts {
		p.line()
		part(x)
		p.put(end)
	}
	p.indent--
	p.line()
	p.put("}")
}

// list prints parts with ", " between them.
func list[T any](p *printer, parts []T, part func(T)) {
	for i, x := range parts {
		if i > 0 {
			p.put(", ")
		}
		part(x)
	}
}

func (p *printer) items(items []Item) {
	for i, it := range items {
		if i > 0 || p.indent > 0 || p.b.Len() > 0 {
			if p.b.Len() > 0 && !strings.HasSuffix(p.b.String()[p.b.Len()-1:], "\n") {
				p.put("\n")
			}
		}
		p.put(strings.Repeat("    ", p.indent))
		p.item(it)
	}
	if p.b.Len() > 0 && p.indent == 0 {
		p.put("\n")
	}
}

// head prints the doc comment, the attributes and the visibility.
func (p *printer) head(d *Decl) {
	p.doc(d.Doc)
	p.attrs(d.Attrs)
	switch d.Vis {
	case Public:
		p.put("pub ")
	case PubPackage:
		p.put("pub(pkg) ")
	}
}

func (p *printer) doc(doc string) {
	for _, line := range lines(doc) {
		p.put("///", docGap(line), line)
		p.line()
	}
}

func (p *printer) attrs(attrs []Attr) {
	for _, a := range attrs {
		p.put("#[", a.Name.String())
		if a.Text != "" {
			p.put("(", argText(a.Text), ")")
		}
		p.put("]")
		p.line()
	}
}

// argText is the text of an attribute's arguments without comments, which could
// hide what is printed behind it.
func argText(text string) string {
	if !strings.Contains(text, "//") && !strings.Contains(text, "/*") {
		return text
	}
	var words []string
	for _, t := range Tokens(&Source{Text: text}, Span{0, len(text)}) {
		words = append(words, t.Text)
	}
	return strings.Join(words, " ")
}

func (p *printer) item(it Item) {
	d := it.Head()
	switch it := it.(type) {
	case *Unsupported, *Bad, *Macro, *MacroCall, *ProcMacro:
		p.doc(d.Doc)
		p.put(p.raw(d.Span))
		return
	case *Query:
		if len(it.Refused) > 0 {
			p.doc(d.Doc)
			p.put(p.raw(d.Span))
			return
		}
	}
	p.head(d)
	switch it := it.(type) {
	case *Use:
		p.put("use ", it.Path.String())
		if it.Glob {
			p.put("::*")
		}
		if it.Alias {
			p.put(" as ", it.Name.Name)
		}
		p.put(";")
	case *Mod:
		if it.Standpoint {
			p.standpoint(it)
			return
		}
		p.put("mod ", it.Name.Name)
		if !it.Inline {
			p.put(";")
			return
		}
		p.inside(it.Items)
	case *Struct:
		p.put("struct ", it.Name.Name)
		p.typeParams(it.TypeParams)
		p.whereBounds(it.Where)
		p.put(" ")
		braced(p, it.Fields, ",", p.field)
	case *Enum:
		p.put("enum ", it.Name.Name)
		p.typeParams(it.TypeParams)
		p.whereBounds(it.Where)
		p.put(" ")
		braced(p, it.Variants, ",", p.variant)
	case *Metaxis:
		p.metaxis(it)
	case *Metatype:
		p.modifiers(it.Abstract, it.Fixed)
		p.put("metatype ", it.Name.Name, " = ")
		braced(p, it.Bindings, ",", p.binding)
		p.put(";")
	case *Metarel:
		p.modifiers(it.Abstract, it.Fixed)
		p.put("metarel ", it.Name.Name)
		p.params(it.Positions)
		if len(it.Bindings) > 0 {
			p.put(" ")
			braced(p, it.Bindings, ",", p.binding)
			return
		}
		p.put(";")
	case *Concept:
		p.concept(it)
	case *Relation:
		p.relation(it)
	case *GroupAxiom:
		p.groupAxiom(it)
	case *Fact:
		p.fact(it)
	case *Derive:
		p.put("derive ", it.Name.Name)
		p.params(it.Params)
		if it.HasBody {
			p.put(" :-")
			p.body(it.Body)
		}
		p.put(";")
	case *Query:
		p.query(it)
	case *Check:
		p.put("check ", it.Name.Name)
		p.params(it.Params)
		p.put(" :-")
		p.body(it.Body)
		p.line()
		p.put("    => ")
		if it.Payload != nil {
			p.expr(it.Payload, 0)
		}
		p.put(";")
	case *Fn:
		p.put("fn ", it.Name.Name)
		p.typeParams(it.TypeParams)
		p.params(it.Params)
		p.put(" -> ", p.typeText(it.Result))
		p.whereBounds(it.Where)
		if b, ok := it.Body.(*Block); ok {
			p.put(" ")
			p.block(b)
			return
		}
		p.put(" = ")
		p.expr(it.Body, 0)
		p.put(";")
	case *Mutate:
		p.put("mutate ", it.Name.Name)
		p.params(it.Params)
		if it.Result != nil {
			p.put(" -> ", p.typeText(it.Result))
		}
		p.put(" ")
		p.stmtBlock(it.Body)
	case *Trait:
		p.put("trait ", it.Name.Name)
		p.typeParams(it.TypeParams)
		p.paths(" <: ", it.Supers)
		p.put(" ")
		p.traitMembers(it.Members)
	case *Impl:
		p.put("impl ", it.Trait.String())
		p.typeArgs(it.TraitArgs)
		p.put(" for ", it.For.String(), " ")
		if len(it.Where) > 0 {
			p.put("where { ")
			list(p, it.Where, p.atom)
			p.put(" } ")
		}
		p.traitMembers(it.Members)
	case *Test:
		p.put("test ", quote(it.Title, false), " ")
		p.stmtBlock(it.Body)
	}
}

func (p *printer) modifiers(abstract, fixed bool) {
	if abstract {
		p.put("abstract ")
	}
	if fixed {
		p.put("fixed ")
	}
}

func (p *printer) binding(b AxisBinding) {
	p.put(b.Axis.Name, ": ")
	p.expr(b.Value, levelUnary)
}

func (p *printer) field(f *Field) {
	p.doc(f.Doc)
	p.attrs(f.Attrs)
	if f.Mut {
		p.put("mut ")
	}
	p.put(f.Name.Name, ": ", p.typeText(f.Type))
	if f.Default != nil {
		p.put(" = ")
		p.expr(f.Default, 0)
	}
	if f.From != nil {
		p.put(" from ", f.From.String())
		if f.FromEndpoint != nil {
			p.put(".", f.FromEndpoint.Name)
		}
	}
}

func (p *printer) variant(v *Variant) {
	p.doc(v.Doc)
	p.attrs(v.Attrs)
	p.put(v.Name.Name)
	switch {
	case v.Braces:
		p.put(" ")
		braced(p, v.Fields, ",", p.field)
	case len(v.Tuple) > 0:
		p.put("(")
		list(p, v.Tuple, func(t Type) { p.put(p.typeText(t)) })
		p.put(")")
	}
}

func (p *printer) params(params []*Param) {
	p.put("(")
	list(p, params, func(q *Param) {
		switch {
		case q.Term != nil:
			p.expr(q.Term, 0)
		case isSelf(q):
			p.put("self")
		case q.Type != nil:
			p.put(q.Name.Name, ": ", p.typeText(q.Type))
		default:
			p.put(q.Name.Name)
		}
	})
	p.put(")")
}

func (p *printer) paths(word string, paths []Path) {
	if len(paths) == 0 {
		return
	}
	p.put(word)
	list(p, paths, func(x Path) { p.put(x.String()) })
}

func (p *printer) concept(c *Concept) {
	p.put(c.Introducer.String(), " ", c.Name.Name)
	p.typeParams(c.TypeParams)
	p.superConcepts(c)
	p.paths(" : ", c.InstanceOf)
	if c.Refinement != nil {
		p.refinement(c.Refinement)
	}
	switch {
	case !c.Body:
		p.put(";")
	case len(c.Cover) > 0:
		p.put(" { ")
		p.paths("", c.Cover)
		p.put(" }")
	default:
		p.put(" ")
		braced(p, c.Members, ",", p.member)
	}
}

func (p *printer) member(m Member) {
	switch {
	case m.Field != nil:
		p.field(m.Field)
	case m.Override != nil:
		p.put(m.Override.Axis.Name, "::")
		p.expr(m.Override.Value, levelUnary)
	case m.Value != nil:
		p.put(m.Value.Name.Name, " = ")
		p.expr(m.Value.Value, 0)
	}
}

func (p *printer) relation(r *Relation) {
	p.put(r.Introducer.String(), " ", r.Name.Name)
	p.params(r.Params)
	for _, c := range r.Cardinalities {
		p.put(" [", cardText(c), "]")
	}
	p.paths(" <: ", r.Supers)
	if len(r.Fields)+len(r.Overrides) > 0 {
		p.put(" ")
		p.relationBody(r)
		return
	}
	p.put(";")
}

func cardText(c Cardinality) string {
	least := strconv.FormatInt(c.Min, 10)
	switch c.Max {
	case c.Min:
		return least
	case -1:
		return least + "..*"
	}
	return least + ".." + strconv.FormatInt(c.Max, 10)
}

func (p *printer) fact(f *Fact) {
	if f.Negative {
		p.put("not_")
	}
	p.put("fact ", f.Target.String(), "(")
	list(p, f.Args, func(x Expr) { p.expr(x, 0) })
	p.put(")")
	if len(f.Fields) > 0 {
		p.put(" ")
		p.inits(f.Fields, nil)
	}
	if f.At != nil {
		p.put(" at ")
		p.period(f.At)
	}
	p.put(";")
}

func (p *printer) query(q *Query) {
	p.put("query ", q.Name.Name)
	p.params(q.Params)
	p.put(" -> ", p.typeText(q.Result))
	if q.Across != nil {
		p.put(" across [")
		p.paths("", q.Across)
		p.put("]")
	}
	if q.AsOf != nil {
		p.put(" as_of ")
		p.bareExpr(q.AsOf, levelUnary)
	}
	if q.Short {
		p.put(";")
		return
	}
	p.put(" {")
	p.indent++
	if q.Select != nil {
		p.line()
		p.put("select ")
		p.projection(q.Select)
		p.line()
		p.put("from")
		p.body(q.From)
	}
	if len(q.Where) > 0 {
		p.line()
		p.put("where")
		p.body(q.Where)
	}
	p.indent--
	p.line()
	p.put("}")
}

func (p *printer) projection(s *Projection) {
	if s.Expr == nil {
		p.inits(s.Columns, nil)
		return
	}
	text := p.text(func(q *printer) { q.expr(s.Expr, 0) })
	p.put(guarded(text, strings.HasPrefix(text, "{")))
}
