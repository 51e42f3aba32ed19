package expand

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// writer fills a template.
type writer struct {
	mark  int // of the tokens that the template itself has
	left  int // tokens that may still be made
	out   []tok
	wrong string // why the template cannot be filled
}

func (w *writer) put(t tok) {
	if len(w.out) <= w.left { // one more than there may be tells that there are too many
		w.out = append(w.out, t)
	}
}

func (w *writer) pieces(list []piece, b bindings) {
	for i := range list {
		p := &list[i]
		if w.wrong != "" || len(w.out) > w.left {
			return
		}
		switch {
		case p.rep != nil:
			w.repeat(p, b)
		case p.fn != "":
			w.function(p, b)
		case p.name != "":
			w.variable(p, b[p.name])
		default:
			t := p.tok
			t.mark = w.mark
			if t.class == syntax.LiteralToken {
				t.text = eachInText(t.text, func(name string, alone bool) string { return inText(b[name], alone) })
			}
			w.put(t)
		}
	}
}

// variable puts what a variable has taken. An expression of several tokens
// stays one: it gets parentheses.
func (w *writer) variable(p *piece, b *binding) {
	if b == nil || b.many {
		w.wrong = "$" + p.name + " has no single value here"
		return
	}
	wrapped := b.kind == "expr" && len(b.toks) > 1 && !group(b.toks)
	around := func(text string, class syntax.TokenClass) {
		if wrapped {
			t := p.tok
			t.text, t.class, t.mark, t.glued = text, class, w.mark, p.tok.glued && class == syntax.OpenToken
			w.put(t)
		}
	}
	around("(", syntax.OpenToken)
	for i, t := range b.toks {
		if i == 0 {
			t.glued = p.tok.glued
		}
		w.put(t)
	}
	around(")", syntax.CloseToken)
}

// group reports whether toks are one group in parentheses, or a call.
func group(toks []tok) bool {
	i := 0
	for i < len(toks) && (toks[i].class == syntax.WordToken || toks[i].text == "::") {
		i++
	}
	return i < len(toks) && toks[i].text == "(" && closing(toks, i) == len(toks)-1
}

func (w *writer) repeat(p *piece, b bindings) {
	times := -1
	var first string
	w.spread(p.rep, b, func(name string, n int) {
		if times >= 0 && times != n && w.wrong == "" {
			w.wrong = fmt.Sprintf("it gives %d of $%s and %d of $%s", times, first, n, name)
		}
		times, first = n, name
	})
	for i := range max(times, 0) {
		if w.wrong != "" || len(w.out) > w.left {
			return
		}
		if i > 0 && p.sep != nil {
			t := *p.sep
			t.mark = w.mark
			w.put(t)
		}
		inner := bindings{}
		for name, one := range b {
			if one.many && i < len(one.each) {
				inner[name] = one.each[i]
			} else {
				inner[name] = one
			}
		}
		w.pieces(p.rep, inner)
	}
}

// spread calls do for each repeated variable of a part of a template.
func (w *writer) spread(list []piece, b bindings, do func(string, int)) {
	for _, p := range list {
		if one := b[p.name]; p.name != "" && one != nil && one.many {
			do(p.name, len(one.each))
		}
		w.spread(p.rep, b, do)
		w.spread(p.args, b, do)
	}
}

func (w *writer) function(p *piece, b bindings) {
	t := p.tok
	t.mark = w.mark
	var parts strings.Builder
	for _, a := range p.args {
		toks := []tok{a.tok}
		if a.name != "" {
			one := b[a.name]
			if one == nil || one.many {
				w.wrong = "$" + a.name + " has no single value here"
				return
			}
			toks = one.toks
		}
		parts.WriteString(plain(toks))
	}
	text := parts.String()
	if p.fn == "stringify" {
		t.class, t.text = syntax.LiteralToken, quotedText(text)
		w.put(t)
		return
	}
	name := strings.ReplaceAll(text, "::", "_")
	if !syntax.IsIdent(name) {
		w.wrong = fmt.Sprintf("concat_idents would make %s, which is no name", strconv.Quote(text))
		return
	}
	t.class, t.text = syntax.WordToken, name
	w.put(t)
}

// plain is tokens as text; a string literal is its content.
func plain(toks []tok) string {
	if len(toks) == 1 && toks[0].class == syntax.LiteralToken {
		return strings.Trim(toks[0].text, `"`)
	}
	return render(toks, "").src.Text
}

// quotedText is a text as a string literal.
func quotedText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "{", "{{", "}", "}}", "\n", `\n`).Replace(text) + `"`
}

// inText is a variable inside a string: the text of a name or type, the value of
// an expression.
func inText(b *binding, alone bool) string {
	if b == nil {
		return ""
	}
	text := plain(b.toks)
	if !alone { // a part of an interpolation
		if b.kind == "expr" && len(b.toks) > 1 {
			return "(" + text + ")"
		}
		return text
	}
	if b.kind == "expr" || b.kind == "atom" {
		return "{" + text + "}"
	}
	q := quotedText(text)
	return q[1 : len(q)-1]
}
