package syntax

import (
	"fmt"
	"strings"
)

// guarded puts a text in parentheses where that is wanted.
func guarded(s string, wanted bool) string {
	if wanted {
		return "(" + s + ")"
	}
	return s
}

// firstWord is the identifier that a text begins with.
func firstWord(s string) string {
	for i, r := range s {
		if !isIdentPart(r) {
			return s[:i]
		}
	}
	return s
}

var levels = map[string]int{
	"||": levelOr, "&&": levelAnd, "in": levelIn, "not in": levelIn,
	"==": levelCompare, "!=": levelCompare, "<": levelCompare, "<=": levelCompare, ">": levelCompare, ">=": levelCompare,
	"+": levelAdd, "-": levelAdd, "*": levelMul, "/": levelMul, "%": levelMul,
}

func levelOf(e Expr) int {
	switch e := e.(type) {
	case *Binary:
		return levels[e.Op]
	case *Unary:
		return levelUnary
	case *UnsupportedExpr, *Closure:
		return 0
	case *Insert:
		if e.At != nil {
			return 0
		}
	}
	return levelPostfix
}

// expr prints e where an expression of level least or tighter stands.
func (p *printer) expr(e Expr, least int) {
	if e == nil {
		return
	}
	if levelOf(e) < least {
		p.put("(")
		p.exprBody(e)
		p.put(")")
		return
	}
	p.exprBody(e)
}

// bareExpr prints e where a `{` that follows belongs to something else.
func (p *printer) bareExpr(e Expr, least int) {
	if showsBrace(e) {
		p.put("(")
		p.expr(e, 0)
		p.put(")")
		return
	}
	p.expr(e, least)
}

// showsBrace tells whether e has a `Path {` outside of brackets.
func showsBrace(e Expr) bool {
	switch e := e.(type) {
	case *StructLit, *UnsupportedExpr, *MapLit, *SetLit:
		return true
	case *Closure:
		return true
	case *Subquery:
		return e.Func != "count" && e.Func != "exists"
	case *Binary:
		return showsBrace(e.X) || showsBrace(e.Y)
	case *Unary:
		return showsBrace(e.X)
	case *Method:
		return showsBrace(e.X)
	case *Try:
		return showsBrace(e.X)
	case *Index:
		return showsBrace(e.X)
	case *Slice:
		return showsBrace(e.X)
	case *Insert:
		return showsBrace(e.At)
	}
	return false
}

func (p *printer) exprBody(e Expr) {
	switch e := e.(type) {
	case *Lit:
		p.lit(e)
	case *Text:
		p.mixed(e)
	case *Name:
		p.put(e.Path.String())
	case *Wild:
		p.put("_")
	case *Unary:
		p.put(e.Op)
		p.expr(e.X, levelUnary)
	case *Binary:
		l := levels[e.Op]
		left := l
		if l == levelCompare || l == levelIn {
			left++
		}
		p.expr(e.X, left)
		p.put(" ", e.Op, " ")
		p.expr(e.Y, l+1)
	case *Call:
		p.put(e.Path.String())
		p.args(e.Args)
	case *Method:
		p.expr(e.X, levelPostfix)
		p.put(".", e.Name.Name)
		if e.Parens {
			p.args(e.Args)
		}
	case *Index:
		p.expr(e.X, levelPostfix)
		p.put("[")
		p.expr(e.I, 0)
		p.put("]")
	case *Slice:
		p.expr(e.X, levelPostfix)
		p.put("[")
		p.expr(e.From, 0)
		p.put("..")
		p.expr(e.To, 0)
		p.put("]")
	case *Try:
		p.expr(e.X, levelPostfix)
		p.put("?")
	case *List:
		p.put("[")
		list(p, e.Items, func(x Expr) { p.expr(x, 0) })
		p.put("]")
	case *Comprehension:
		p.put("[")
		p.expr(e.Elem, 0)
		p.put(" for ", e.Var.Name, " in ")
		p.expr(e.Source, 0)
		if e.Where != nil {
			p.put(" where ")
			p.expr(e.Where, 0)
		}
		p.put("]")
	case *If:
		p.put("if ")
		p.bareExpr(e.Cond, 0)
		p.put(" ")
		p.expr(e.Then, 0)
		if e.Else != nil {
			p.put(" else ")
			p.expr(e.Else, 0)
		}
	case *Match:
		p.put("match ")
		p.bareExpr(e.X, 0)
		p.put(" ")
		braced(p, e.Arms, ",", p.arm)
	case *Block:
		p.block(e)
	case *Aggregate:
		p.aggregate(e)
	case *Subquery:
		p.put(e.Func, " { ")
		if e.Select != nil {
			p.put("select ")
			p.projection(&Projection{Expr: e.Select})
			p.put(" from ")
		}
		list(p, e.Body, p.atom)
		p.put(" }")
	case *StructLit:
		p.put(e.Path.String(), " ")
		p.inits(e.Fields, e.Base)
	case *Insert:
		p.put("insert ", e.Concept.String(), " ")
		p.inits(e.Fields, nil)
		if e.At != nil {
			p.put(" at ")
			p.expr(e.At, 0)
		}
	case *Closure:
		p.closure(e)
	case *MapLit:
		p.mapLit(e)
	case *SetLit:
		p.setLit(e)
	case *UnsupportedExpr, *BadExpr, *MacroExpr, *roleStep:
		p.put(p.raw(e.Range()))
	}
}

func (p *printer) args(args []Expr) {
	p.put("(")
	list(p, args, func(x Expr) { p.expr(x, 0) })
	p.put(")")
}

func (p *printer) lit(l *Lit) {
	switch l.Kind {
	case StringLit:
		p.put(quote(l.Text, true))
	case DateLit, DateTimeLit, TimeLit:
		p.put("#", l.Text, "#")
	default:
		p.put(l.Text)
	}
}

// mixed prints a string with interpolations, all on one line.
func (p *printer) mixed(t *Text) {
	p.put(`"`)
	for i, part := range t.Parts {
		if l, ok := part.(*Lit); ok && i%2 == 0 {
			p.put(escape(l.Text, true))
			continue
		}
		text := p.text(func(q *printer) {
			q.flat = true
			q.expr(part, 0)
		})
		p.put("{", guarded(text, strings.HasPrefix(text, "{")), "}")
	}
	p.put(`"`)
}

func quote(s string, braces bool) string { return `"` + escape(s, braces) + `"` }

func escape(s string, braces bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == 0:
			b.WriteString(`\0`)
		case r == '\\' || r == '"':
			b.WriteByte('\\')
			b.WriteRune(r)
		case braces && (r == '{' || r == '}'):
			b.WriteRune(r)
			b.WriteRune(r)
		case r < ' ' || r == 0x7F || 0x80 <= r && r < 0xA0 || r == 0x2028 || r == 0x2029 || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069:
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (p *printer) arm(a *Arm) {
	p.pattern(a.Pattern)
	if a.Guard != nil {
		p.put(" if ")
		p.expr(a.Guard, 0)
	}
	p.put(" => ")
	p.expr(a.Body, 0)
}

func (p *printer) aggregate(a *Aggregate) {
	p.put(a.Func, "(")
	p.expr(a.Elem, 0)
	if a.Var != nil {
		p.put(" for ", a.Var.Name, " in ")
		p.expr(a.Source, 0)
		if a.Where != nil {
			p.put(" where ")
			p.expr(a.Where, 0)
		}
		for _, x := range a.Atoms {
			p.put(", ")
			p.atom(x)
		}
	}
	p.put(")")
}

// inits prints the braces of a struct literal, an insert or a projection.
func (p *printer) inits(fields []*FieldInit, base Expr) {
	if len(fields) == 0 && base == nil {
		p.put("{}")
		return
	}
	p.put("{ ")
	if base != nil {
		p.put("..")
		p.expr(base, 0)
		if len(fields) > 0 {
			p.put(", ")
		}
	}
	list(p, fields, func(f *FieldInit) {
		p.put(f.Name.Name)
		if n, ok := f.Value.(*Name); ok && n.Path.String() == f.Name.Name {
			return
		}
		p.put(": ")
		p.expr(f.Value, 0)
	})
	p.put(" }")
}

func (p *printer) block(b *Block) {
	if len(b.Stmts) == 0 {
		if b.Value == nil {
			p.put("{}")
			return
		}
		p.put("{ ")
		p.blockValue(b.Value)
		p.put(" }")
		return
	}
	p.put("{")
	p.indent++
	for _, s := range b.Stmts {
		p.line()
		p.stmt(s, true)
	}
	if b.Value != nil {
		p.line()
		p.blockValue(b.Value)
	}
	p.indent--
	p.line()
	p.put("}")
}

// blockValue prints the value of a block, which must not look like a statement.
func (p *printer) blockValue(e Expr) {
	text := p.text(func(q *printer) { q.expr(e, 0) })
	w := firstWord(text)
	_, insert := e.(*Insert)
	p.put(guarded(text, stmtWords[w] && w != "if" && !insert))
}

func (p *printer) pattern(q Pattern) {
	switch q := q.(type) {
	case *WildPattern:
		p.put("_")
	case *LitPattern:
		p.lit(q.Lit)
	case *NamePattern:
		p.put(q.Path.String())
	case *TuplePattern:
		p.put(q.Path.String(), "(")
		list(p, q.Items, p.pattern)
		p.put(")")
	case *StructPattern:
		p.put(q.Path.String(), " {")
		for i, f := range q.Fields {
			if i > 0 {
				p.put(",")
			}
			p.put(" ", f.Name.Name)
			if f.Pattern != nil {
				p.put(": ")
				p.pattern(f.Pattern)
			}
		}
		if q.Rest {
			if len(q.Fields) > 0 {
				p.put(",")
			}
			p.put(" ..")
		}
		p.put(" }")
	case *OrPattern:
		for i, x := range q.Items {
			if i > 0 {
				p.put(" | ")
			}
			if _, nested := x.(*OrPattern); nested {
				p.put("(")
				p.pattern(x)
				p.put(")")
				continue
			}
			p.pattern(x)
		}
	case *BadPattern:
		p.put(p.raw(q.Span))
	}
}
