package expand

import (
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// definition is a macro that has been read.
type definition struct {
	name   string
	module *resolve.Module
	head   *syntax.Decl
	arms   []arm
	shown  []syntax.MacroArm
	proc   *procedure // of a procedural macro; the others have arms
	broken bool       // it was reported
}

type arm struct{ pattern, template []piece }

// piece is a part of a pattern or template. One of its forms is filled: a
// token, a variable (name; in a pattern with its kind), a repetition, or in a
// template a function.
type piece struct {
	tok  tok
	name string
	kind string
	rep  []piece
	sep  *tok
	op   byte // * + ? of a repetition
	fn   string
	args []piece
}

func (d *definition) place() diag.Place {
	return diag.Place{Path: d.module.Source.Path, Start: d.head.Name.Start, End: d.head.Name.End}
}

// patterns are the patterns of d for a message.
func (d *definition) patterns() string {
	var all []string
	for _, a := range d.shown {
		text := strings.Join(strings.Fields(d.module.Source.Text[a.Pattern.Start:a.Pattern.End]), " ")
		if len(text) > 120 {
			text = text[:120] + "…"
		}
		all = append(all, "("+strings.ToValidUTF8(text, "")+")")
	}
	return strings.Join(all, ", or ")
}

// define reads the macros among items.
func (x *expander) define(items []syntax.Item) {
	for _, item := range items {
		node, declarative := item.(*syntax.Macro)
		proc, procedural := item.(*syntax.ProcMacro)
		if !declarative && !procedural || item.Head().Name.Name == "" {
			continue
		}
		d := &definition{name: item.Head().Name.Name, module: x.at, head: item.Head()}
		x.definitions[item] = d
		if syntax.IsDirective(d.name) {
			d.broken = true
			x.report("OE0705", x.place(d.head.Name.Span), "give the macro another name", "#[%s] is an attribute of the language", d.name)
			continue
		}
		if procedural {
			x.procedure(d, proc)
			continue
		}
		d.shown = node.Arms
		for _, a := range node.Arms {
			r := &reader{x: x, d: d, kinds: map[string]int{}}
			pattern := r.pieces(read(x.at.Source, a.Pattern, 0), true, 0)
			template := r.pieces(read(x.at.Source, a.Template, 0), false, 0)
			d.arms = append(d.arms, arm{pattern, template})
		}
	}
}

// reader reads the tokens of one arm.
type reader struct {
	x     *expander
	d     *definition
	kinds map[string]int // depth of repetition of each variable of the pattern
}

func (r *reader) wrong(at diag.Place, help, format string, args ...any) {
	if !r.d.broken { // one mistake, one diagnostic
		r.x.report("OE0753", at, help, format, args...)
	}
	r.d.broken = true
}

// functions of a template, by the number of their arguments (-1: any).
var functions = map[string]int{"concat_idents": -1, "stringify": 1}

func (r *reader) pieces(toks []tok, pattern bool, depth int) []piece {
	var out []piece
	if depth > maxDepth {
		r.wrong(toks[0].at, "", "repetitions are nested deeper than %d", maxDepth)
		return nil
	}
	for i := 0; i < len(toks) && !r.d.broken; i++ {
		t := toks[i]
		if t.text != "$" || t.class != syntax.SignToken {
			if !pattern && t.class == syntax.LiteralToken {
				r.inText(t, depth)
			}
			out = append(out, piece{tok: t})
			continue
		}
		if i+1 == len(toks) {
			r.wrong(t.at, "write $name, or $( … ) and how often", "nothing follows the `$`")
			return nil
		}
		next := toks[i+1]
		switch {
		case next.text == "(":
			end := closing(toks, i+1)
			p := piece{tok: t, rep: r.pieces(toks[i+2:end], pattern, depth+1)}
			if len(p.rep) == 0 && !r.d.broken {
				r.wrong(next.at, "put a variable in it", "an empty repetition has no end")
			}
			i = r.repetition(&p, toks, end)
			if !pattern && !r.d.broken && !r.repeats(p.rep, depth) {
				r.wrong(t.at, "use a variable that the pattern has in a repetition", "this repetition has no variable that says how often")
			}
			out = append(out, p)
		case next.text == "{" && !pattern:
			end := closing(toks, i+1)
			p := piece{tok: t, fn: " "}
			r.function(&p, toks[i+2:end], depth)
			out = append(out, p)
			i = end
		case next.class != syntax.WordToken:
			r.wrong(next.at, "write $name, or $( … ) and how often", "`%s` does not follow a `$`", next.text)
		case pattern:
			p := piece{tok: t, name: next.text}
			if i+3 >= len(toks) || toks[i+2].text != ":" || !syntax.IsFragment(toks[i+3].text) {
				r.wrong(next.at, "write $"+next.text+": and one of "+strings.Join(syntax.FragmentKinds(), ", "), "the variable $%s does not say what it takes", next.text)
				return nil
			}
			if _, twice := r.kinds[p.name]; twice {
				r.wrong(next.at, "give one of them another name", "the pattern has $%s twice", p.name)
			}
			p.kind = toks[i+3].text
			r.kinds[p.name] = depth
			out = append(out, p)
			i += 3
		default:
			r.use(next, depth)
			out = append(out, piece{tok: t, name: next.text})
			i++
		}
	}
	return out
}

// use checks a variable of a template.
func (r *reader) use(name tok, depth int) {
	at, known := r.kinds[name.text]
	switch {
	case !known:
		var names []string
		for n := range r.kinds {
			names = append(names, n)
		}
		help := "take it into the pattern, with its kind"
		if near, ok := diag.Nearest(name.text, names); ok {
			help = "did you mean $" + near + "?"
		}
		r.wrong(name.at, help, "the pattern of this rule has no $%s", name.text)
	case at > depth:
		r.wrong(name.at, "write it in $( … )*", "$%s is repeated in the pattern, and stands here %s", name.text, [...]string{"outside of a repetition", "in too few repetitions"}[min(depth, 1)])
	}
}

// inText checks the variables in a string: "{$name}".
func (r *reader) inText(t tok, depth int) {
	eachInText(t.text, func(name string, _ bool) string {
		if at, known := r.kinds[name]; !known || at > depth {
			r.wrong(t.at, "take it into the pattern, and where it is repeated there repeat it here", "a string holds {$%s}, and the pattern has no such variable to stand here", name)
		}
		return ""
	})
}

// repeats reports whether a part of a template at this depth holds a variable
// that is repeated deeper.
func (r *reader) repeats(list []piece, depth int) bool {
	for _, p := range list {
		if p.name != "" && r.kinds[p.name] > depth || r.repeats(p.rep, depth) || r.repeats(p.args, depth) {
			return true
		}
	}
	return false
}

// repetition reads what follows the `)` of a repetition at end: a separator
// that may be missing, and how often. It returns the index of the last token.
func (r *reader) repetition(p *piece, toks []tok, end int) int {
	op := func(i int) bool {
		return i < len(toks) && (toks[i].text == "*" || toks[i].text == "+" || toks[i].text == "?")
	}
	switch {
	case op(end + 1):
		p.op = toks[end+1].text[0]
		return end + 1
	case end+2 < len(toks) && op(end+2) && toks[end+1].class != syntax.OpenToken && toks[end+1].class != syntax.CloseToken && toks[end+1].text != "$":
		sep := toks[end+1]
		p.sep, p.op = &sep, toks[end+2].text[0]
		return end + 2
	}
	r.wrong(toks[min(end, len(toks)-1)].at, "write `*`, `+` or `?` behind it, a separator before that", "the repetition does not say how often")
	return len(toks)
}

// function reads the inside of ${ name(arguments) }.
func (r *reader) function(p *piece, toks []tok, depth int) {
	bad := func(at tok, format string, args ...any) {
		r.wrong(at.at, "write ${concat_idents(…)} or ${stringify(…)}", format, args...)
	}
	if len(toks) < 3 || toks[0].class != syntax.WordToken || toks[1].text != "(" || closing(toks, 1) != len(toks)-1 {
		bad(p.tok, "what stands in ${ … } is a function with its arguments")
		return
	}
	p.fn = toks[0].text
	count, known := functions[p.fn]
	if !known {
		bad(toks[0], "there is no function %s for templates", p.fn)
		return
	}
	for _, a := range r.pieces(toks[2:len(toks)-1], false, depth) {
		if a.name == "" && a.tok.text == "," {
			continue
		}
		if a.rep != nil || a.fn != "" || a.name == "" && a.tok.class != syntax.WordToken && a.tok.class != syntax.LiteralToken {
			bad(a.tok, "an argument of %s is a variable or a name", p.fn)
			return
		}
		p.args = append(p.args, a)
	}
	if count >= 0 && len(p.args) != count || len(p.args) == 0 {
		bad(toks[0], "%s takes %s", p.fn, map[bool]string{true: "one argument", false: "arguments"}[count == 1])
	}
}

// closing returns the index of the bracket that closes the one at i, or the
// number of tokens.
func closing(toks []tok, i int) int {
	depth := 0
	for j := i; j < len(toks); j++ {
		switch toks[j].class {
		case syntax.OpenToken:
			depth++
		case syntax.CloseToken:
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return len(toks)
}

// eachInText calls with for each $name in an interpolation of a string literal,
// and returns the literal with what the calls gave in their place. alone says
// that the interpolation is {$name}; its braces go, too.
func eachInText(literal string, with func(name string, alone bool) string) string {
	var b []byte
	depth := 0
	for i := 0; i < len(literal); {
		c := literal[i]
		switch {
		case c == '\\' && i+1 < len(literal):
			b = append(b, literal[i:i+2]...)
			i += 2
			continue
		case c == '{' && depth == 0 && strings.HasPrefix(literal[i:], "{{"):
			b = append(b, "{{"...)
			i += 2
			continue
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '$' && depth > 0:
			end := i + 1
			for end < len(literal) {
				r, size := utf8.DecodeRuneInString(literal[end:])
				if end == i+1 && !syntax.IsIdent(string(r)) && r != '_' || !syntax.IsIdent("x"+string(r)) {
					break
				}
				end += size
			}
			if end == i+1 {
				break
			}
			name := literal[i+1 : end]
			if n := len(b); b[n-1] == '{' && end < len(literal) && literal[end] == '}' {
				b = append(b[:n-1], with(name, true)...)
				depth--
				i = end + 1
				continue
			}
			b = append(b, with(name, false)...)
			i = end
			continue
		}
		b = append(b, c)
		i++
	}
	return string(b)
}
