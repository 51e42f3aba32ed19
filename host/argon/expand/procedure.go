package expand

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A procedural macro is a fn whose body makes syntax. The body is read into
// forms when the macro is declared; what is no form is refused then. Every form
// ends: there are no calls but of the functions below, and a loop goes through
// what a declaration has.

// procedure is a procedural macro that has been read.
type procedure struct {
	params []string
	item   bool // the first parameter is the declaration that it decorates
	body   form
}

// form is what a body, or a part of it, is. One of the groups of fields is
// filled.
type form struct {
	quote []quoted
	list  []form // of quotes, one after the other

	let  string // let = value; in then
	cond *term  // if cond then otherwise
	on   *term  // match on { arms }
	arms []formArm

	value     *term
	then      *form
	otherwise *form
}

type formArm struct {
	is   []*term // literals; empty: anything
	then form
}

// quoted is a part of a quote: a token, ${ value }, or $( for var in value ) { body }.
type quoted struct {
	tok   tok
	value *term
	name  string // of the loop
	body  []quoted
}

// term is an expression over what is reflected: a literal, a name, a field of
// one, a function, a comparison.
type term struct {
	op   string // "literal", "name", ".", "call", "!", "==", "!=", "<", "<=", ">", ">=", "&&", "||"
	text string
	at   diag.Place
	args []*term
}

// procFunctions are what a procedural macro may call, by their arguments (-1:
// any number, at least one).
var procFunctions = map[string]int{"concat_idents": -1, "stringify": 1, "count": 1}

// procReader reads a body.
type procReader struct {
	x    *expander
	d    *definition
	toks []tok
	at   int
	last diag.Place
	seen []string // names in scope
	deep int
}

// procedure reads a procedural macro.
func (x *expander) procedure(d *definition, node *syntax.ProcMacro) {
	p := &procedure{}
	r := &procReader{x: x, d: d, toks: read(x.at.Source, node.Tokens, 0), last: x.place(node.Name.Span)}
	for i, param := range node.Params {
		named, _ := param.Type.(*syntax.NamedType)
		if i == 0 && named != nil && named.Path.String() == "Decl" {
			p.item = true
		} else {
			p.params = append(p.params, param.Name.Name)
		}
		r.seen = append(r.seen, param.Name.Name)
	}
	if p.item {
		p.params = append([]string{node.Params[0].Name.Name}, p.params...)
	}
	p.body = r.form()
	if !d.broken && r.at < len(r.toks) {
		r.refuse("nothing follows the body's form")
	}
	d.proc = p
}

func (r *procReader) refuse(why string) {
	if !r.d.broken {
		at, what := r.last, "its end"
		if r.at < len(r.toks) {
			at, what = r.toks[r.at].at, "`"+r.toks[r.at].text+"`"
		}
		r.x.report("OE0729", at, "a body is quote { … }, a list of quotes, let x = …, if … else, or a match on a scalar; inside a quote stand ${ … } and $( for x in item.fields ) { … }",
			"%s is outside of what a procedural macro can do: %s", what, why)
	}
	r.d.broken = true
}

func (r *procReader) peek(text string) bool {
	return !r.d.broken && r.at < len(r.toks) && r.toks[r.at].text == text
}

func (r *procReader) eat(text string) bool {
	if !r.peek(text) {
		return false
	}
	r.last = r.toks[r.at].at
	r.at++
	return true
}

func (r *procReader) want(text, why string) bool {
	if !r.eat(text) {
		r.refuse(why)
		return false
	}
	return true
}

func (r *procReader) name(why string) string {
	if r.d.broken || r.at >= len(r.toks) || r.toks[r.at].class != syntax.WordToken {
		r.refuse(why)
		return ""
	}
	r.at++
	return r.toks[r.at-1].text
}

// inside reads with the group that begins at hand as the whole, and goes on
// behind it.
func (r *procReader) inside(read func()) {
	end := closing(r.toks, r.at)
	whole := r.toks
	r.toks = whole[:end]
	r.at++
	read()
	if !r.d.broken && r.at < len(r.toks) {
		r.refuse("the form ends before it")
	}
	r.toks, r.at = whole, min(end+1, len(whole))
}

func (r *procReader) form() (f form) {
	if r.deep++; r.deep > maxDepth {
		r.refuse("it is nested deeper than 64")
		return f
	}
	defer func() { r.deep-- }()
	switch {
	case r.eat("quote"):
		if !r.peek("{") {
			r.refuse("`{` follows quote")
			return f
		}
		f.quote = []quoted{}
		r.inside(func() { f.quote = r.quoted() })
	case r.peek("["):
		f.list = []form{}
		r.inside(func() {
			for !r.d.broken && r.at < len(r.toks) {
				f.list = append(f.list, r.form())
				if !r.eat(",") {
					break
				}
			}
		})
	case r.peek("{"):
		r.inside(func() { f = r.form() })
	case r.eat("let"):
		f.let = r.name("a name follows let")
		if r.want("=", "`=` and a value follow the name") {
			f.value = r.term(0)
		}
		r.want(";", "`;` ends a let")
		scope := len(r.seen)
		r.seen = append(r.seen, f.let)
		then := r.form()
		f.then, r.seen = &then, r.seen[:scope]
	case r.eat("if"):
		f.cond = r.term(0)
		then := r.form()
		f.then = &then
		if r.want("else", "an if has an else here, since something must be made") {
			otherwise := r.form()
			f.otherwise = &otherwise
		}
	case r.eat("match"):
		f.on = r.term(0)
		if !r.peek("{") {
			r.refuse("`{` and arms follow what is matched")
			return f
		}
		r.inside(func() {
			for !r.d.broken && r.at < len(r.toks) {
				f.arms = append(f.arms, r.arm())
				r.eat(",")
			}
		})
	default:
		r.refuse("no form begins with it")
	}
	return f
}

func (r *procReader) arm() (a formArm) {
	if !r.eat("_") {
		for {
			t := r.primary()
			if t == nil || t.op != "literal" {
				r.refuse("an arm is a literal or _")
				return a
			}
			a.is = append(a.is, t)
			if !r.eat("|") {
				break
			}
		}
	}
	r.want("=>", "`=>` and a form follow the pattern")
	a.then = r.form()
	return a
}

func (r *procReader) quoted() []quoted {
	out := []quoted{}
	if r.deep++; r.deep > maxDepth {
		r.refuse("it is nested deeper than 64")
	}
	defer func() { r.deep-- }()
	for !r.d.broken && r.at < len(r.toks) {
		t := r.toks[r.at]
		if t.text != "$" || t.class != syntax.SignToken {
			out = append(out, quoted{tok: t})
			r.at++
			continue
		}
		r.at++
		switch {
		case r.peek("{"):
			q := quoted{tok: t}
			r.inside(func() { q.value = r.term(0) })
			out = append(out, q)
		case r.peek("("):
			q := quoted{tok: t}
			r.inside(func() {
				r.want("for", "only a loop stands in $( … )")
				q.name = r.name("a name follows for")
				r.want("in", "`in` follows the name")
				q.value = r.term(0)
			})
			if !r.peek("{") {
				r.refuse("`{` and what is repeated follow a loop")
				break
			}
			scope := len(r.seen)
			r.seen = append(r.seen, q.name)
			r.inside(func() { q.body = r.quoted() })
			r.seen = r.seen[:scope]
			out = append(out, q)
		default:
			r.refuse("in a quote stand ${ value } and $( for x in list ) { … }")
		}
	}
	return out
}

// levels are the operators, loosest first.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">="}}

func (r *procReader) term(level int) *term {
	if r.deep++; r.deep > maxDepth {
		r.refuse("it is nested deeper than 64")
		return nil
	}
	defer func() { r.deep-- }()
	if level == len(levels) {
		return r.unary()
	}
	left := r.term(level + 1)
	for !r.d.broken {
		op := ""
		for _, o := range levels[level] {
			if r.peek(o) {
				op = o
			}
		}
		if op == "" {
			break
		}
		at := r.toks[r.at].at
		r.at++
		left = &term{op: op, at: at, args: []*term{left, r.term(level + 1)}}
	}
	return left
}

func (r *procReader) unary() *term {
	if r.peek("!") {
		t := &term{op: "!", at: r.toks[r.at].at}
		r.at++
		if r.deep++; r.deep > maxDepth {
			r.refuse("it is nested deeper than 64")
			return nil
		}
		t.args = []*term{r.unary()}
		r.deep--
		return t
	}
	t := r.primary()
	for r.eat(".") {
		at := r.last
		t = &term{op: ".", at: at, args: []*term{t}, text: r.name("a field follows the `.`")}
		if r.peek("(") {
			r.refuse("nothing here has methods")
		}
	}
	return t
}

func (r *procReader) primary() *term {
	if r.d.broken || r.at >= len(r.toks) {
		r.refuse("a value is missing")
		return nil
	}
	t := r.toks[r.at]
	switch {
	case t.text == "(":
		var inner *term
		r.inside(func() { inner = r.term(0) })
		return inner
	case t.class == syntax.LiteralToken || t.text == "true" || t.text == "false":
		r.at++
		return &term{op: "literal", text: t.text, at: t.at}
	case t.class != syntax.WordToken:
		r.refuse("a value is a literal, a name with its fields, or a function")
		return nil
	}
	r.at++
	if !r.peek("(") {
		known := false
		for _, n := range r.seen {
			known = known || n == t.text
		}
		if !known {
			r.at--
			r.refuse("no parameter, let or loop is called so")
			return nil
		}
		return &term{op: "name", text: t.text, at: t.at}
	}
	count, known := procFunctions[t.text]
	if !known {
		r.at--
		r.refuse("the functions are concat_idents, stringify and count")
		return nil
	}
	out := &term{op: "call", text: t.text, at: t.at}
	r.inside(func() {
		for !r.d.broken && r.at < len(r.toks) {
			out.args = append(out.args, r.argument(t.text))
			if !r.eat(",") {
				break
			}
		}
	})
	if !r.d.broken && (count >= 0 && len(out.args) != count || len(out.args) == 0) {
		r.refuse(t.text + " has another number of arguments")
	}
	return out
}

// argument reads an argument; of concat_idents a name that nothing has bound is
// itself.
func (r *procReader) argument(of string) *term {
	if of == "concat_idents" && r.at < len(r.toks) && r.toks[r.at].class == syntax.WordToken {
		t := r.toks[r.at]
		bound := false
		for _, n := range r.seen {
			bound = bound || n == t.text
		}
		if !bound {
			r.at++
			return &term{op: "literal", text: `"` + strings.Trim(t.text, `"`) + `"`, at: t.at}
		}
	}
	return r.term(0)
}
