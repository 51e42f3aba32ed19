package expand

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// value is what a term is: tokens, a scalar, a list, or something with fields.
type value struct {
	toks   []tok
	scalar string // a string, number, true or false
	is     bool   // it is a scalar
	list   []value
	many   bool // it is a list
	fields map[string]value
}

func scalar(s string) value { return value{scalar: s, is: true} }

// text is a value as the text of a name or string.
func (v value) text() string {
	if v.is {
		return v.scalar
	}
	if v.fields != nil {
		return plain(v.fields["name"].toks)
	}
	return plain(v.toks)
}

// evaluation is one use of a procedural macro.
type evaluation struct {
	def   *definition
	mark  int
	left  int
	out   []tok
	names []bound
	wrong string
}

type bound struct {
	name  string
	value value
}

// run gives the tokens that a procedural macro makes of a declaration and
// arguments.
func (x *expander) run(def *definition, item *value, args [][]tok, at diag.Place, mark int) ([]tok, bool) {
	p := def.proc
	e := &evaluation{def: def, mark: mark, left: maxTokens - x.spent}
	refuse := func(format string, args ...any) ([]tok, bool) {
		x.diags.Add(diag.Diagnostic{Code: "OE0751", Place: at, Message: def.name + " cannot be used so: " + fmt.Sprintf(format, args...),
			Help: "use it as its parameters say", Related: []diag.Related{{Place: def.place(), Message: "the macro " + def.name}}})
		return nil, false
	}
	params := p.params
	switch {
	case p.item && item == nil:
		return refuse("it works on a declaration: write #[%s] before one", def.name)
	case !p.item && item != nil:
		return refuse("it works on no declaration: write %s!(…)", def.name)
	case p.item:
		e.names = append(e.names, bound{params[0], *item})
		params = params[1:]
	}
	if len(args) != len(params) {
		return refuse("it takes %d arguments, and %d are given", len(params), len(args))
	}
	for i, name := range params {
		v := value{toks: args[i]}
		if len(args[i]) == 1 && (args[i][0].class == syntax.LiteralToken || args[i][0].text == "true" || args[i][0].text == "false") {
			v.is, v.scalar = true, plain(args[i])
		}
		e.names = append(e.names, bound{name, v})
	}
	e.form(&p.body)
	if e.wrong != "" {
		return refuse("%s", e.wrong)
	}
	return e.out, true
}

func (e *evaluation) fail(format string, args ...any) value {
	if e.wrong == "" {
		e.wrong = fmt.Sprintf(format, args...)
	}
	return value{}
}

func (e *evaluation) form(f *form) {
	if e.wrong != "" || len(e.out) > e.left {
		return
	}
	switch {
	case f.quote != nil:
		e.quoted(f.quote)
	case f.list != nil:
		for i := range f.list {
			e.form(&f.list[i])
		}
	case f.let != "":
		e.names = append(e.names, bound{f.let, e.term(f.value)})
		e.form(f.then)
		e.names = e.names[:len(e.names)-1]
	case f.cond != nil:
		if e.truth(f.cond) {
			e.form(f.then)
		} else {
			e.form(f.otherwise)
		}
	case f.on != nil:
		on := e.term(f.on).text()
		for i := range f.arms {
			arm := &f.arms[i]
			fits := len(arm.is) == 0
			for _, t := range arm.is {
				fits = fits || e.term(t).text() == on
			}
			if fits {
				e.form(&arm.then)
				return
			}
		}
		e.fail("no arm takes %s", strconv.Quote(on))
	}
}

func (e *evaluation) quoted(list []quoted) {
	for i := range list {
		q := &list[i]
		if e.wrong != "" || len(e.out) > e.left {
			return
		}
		switch {
		case q.name != "":
			v := e.term(q.value)
			if !v.many && e.wrong == "" {
				e.fail("what the loop over %s goes through is no list", q.name)
			}
			for _, one := range v.list {
				e.names = append(e.names, bound{q.name, one})
				e.quoted(q.body)
				e.names = e.names[:len(e.names)-1]
			}
		case q.value != nil:
			e.paste(q, e.term(q.value))
		default:
			t := q.tok
			t.mark = e.mark
			if t.class == syntax.LiteralToken {
				t.text = eachInText(t.text, func(name string, alone bool) string {
					for i := len(e.names) - 1; i >= 0; i-- {
						if e.names[i].name == name {
							if !alone {
								return e.names[i].value.text()
							}
							text := quotedText(e.names[i].value.text())
							return text[1 : len(text)-1]
						}
					}
					e.fail("a string has {$%s}, and nothing is called so", name)
					return ""
				})
			}
			e.out = append(e.out, t)
		}
	}
}

// paste puts a value where ${ … } stands.
func (e *evaluation) paste(q *quoted, v value) {
	toks := v.toks
	switch {
	case v.many:
		e.fail("a list cannot be pasted: go through it with $( for … )")
		return
	case len(toks) == 0 && v.fields != nil:
		toks = v.fields["name"].toks
	case len(toks) == 0 && v.is:
		t := tok{class: syntax.WordToken, text: v.scalar, at: q.tok.at, mark: e.mark}
		if !syntax.IsIdent(v.scalar) {
			t.class = syntax.LiteralToken
			if _, err := strconv.ParseFloat(v.scalar, 64); err != nil {
				t.text = quotedText(v.scalar)
			}
		}
		toks = []tok{t}
	}
	for i, t := range toks {
		if i == 0 {
			t.glued = q.tok.glued
		}
		e.out = append(e.out, t)
	}
}

func (e *evaluation) truth(t *term) bool {
	v := e.term(t)
	if e.wrong == "" && v.text() != "true" && v.text() != "false" {
		e.fail("a condition is neither true nor false")
	}
	return v.text() == "true"
}

func (e *evaluation) term(t *term) value {
	if e.wrong != "" || t == nil {
		return value{}
	}
	switch t.op {
	case "literal":
		return scalar(strings.Trim(t.text, `"`))
	case "name":
		for i := len(e.names) - 1; i >= 0; i-- {
			if e.names[i].name == t.text {
				return e.names[i].value
			}
		}
		return e.fail("nothing is called %s", t.text)
	case ".":
		v := e.term(t.args[0])
		f, ok := v.fields[t.text]
		if !ok {
			return e.fail("there is no .%s here", t.text)
		}
		return f
	case "call":
		return e.call(t)
	case "!":
		return scalar(strconv.FormatBool(!e.truth(t.args[0])))
	case "&&":
		return scalar(strconv.FormatBool(e.truth(t.args[0]) && e.truth(t.args[1])))
	case "||":
		return scalar(strconv.FormatBool(e.truth(t.args[0]) || e.truth(t.args[1])))
	}
	a, b := e.term(t.args[0]).text(), e.term(t.args[1]).text()
	order := strings.Compare(a, b)
	if n, err := strconv.Atoi(a); err == nil {
		if m, err := strconv.Atoi(b); err == nil {
			order = n - m
		}
	}
	holds := map[string]bool{"==": a == b, "!=": a != b, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}
	return scalar(strconv.FormatBool(holds[t.op]))
}

func (e *evaluation) call(t *term) value {
	var parts []string
	for _, a := range t.args {
		v := e.term(a)
		if t.text == "count" {
			if !v.many {
				return e.fail("count takes a list")
			}
			return scalar(strconv.Itoa(len(v.list)))
		}
		parts = append(parts, v.text())
	}
	text := strings.Join(parts, "")
	made := tok{class: syntax.LiteralToken, text: quotedText(text), at: t.at, mark: e.mark}
	if t.text == "concat_idents" {
		name := strings.ReplaceAll(text, "::", "_")
		if !syntax.IsIdent(name) {
			return e.fail("concat_idents would make %s, which is no name", strconv.Quote(text))
		}
		made.class, made.text = syntax.WordToken, name
	}
	return value{toks: []tok{made}}
}

// reflected is a declaration as a macro sees it: name, kind, public, fields
// (name, type, mut), params (name, type), variants (name).
func (x *expander) reflected(item syntax.Item, from *text) value {
	part := func(s syntax.Span) value { return value{toks: x.tokens(s, from)} }
	flag := func(b bool) value { return scalar(strconv.FormatBool(b)) }
	list := func() value { return value{many: true} }
	fields, params, variants, supers := list(), list(), list(), list()
	field := func(f *syntax.Field) {
		if f != nil && f.Name.Name != "" {
			one := map[string]value{"name": part(f.Name.Span), "mut": flag(f.Mut), "has_default": flag(f.Default != nil)}
			if f.Type != nil {
				one["type"] = part(f.Type.Range())
			}
			fields.list = append(fields.list, value{fields: one})
		}
	}
	param := func(all []*syntax.Param) {
		for _, p := range all {
			one := map[string]value{"name": part(p.Name.Span), "type": {}}
			if p.Type != nil {
				one["type"] = part(p.Type.Range())
			}
			params.list = append(params.list, value{fields: one})
		}
	}
	kind := "declaration"
	switch it := item.(type) {
	case *syntax.Concept:
		kind = "concept"
		for _, m := range it.Members {
			field(m.Field)
		}
		for _, s := range it.Supers {
			supers.list = append(supers.list, part(s.Span))
		}
	case *syntax.Relation:
		kind = "relation"
		param(it.Params)
		for _, f := range it.Fields {
			field(f)
		}
		for _, s := range it.Supers {
			supers.list = append(supers.list, part(s.Span))
		}
	case *syntax.Struct:
		kind = "struct"
		for _, f := range it.Fields {
			field(f)
		}
	case *syntax.Enum:
		kind = "enum"
		for _, v := range it.Variants {
			variants.list = append(variants.list, value{fields: map[string]value{"name": part(v.Name.Span)}})
		}
	case *syntax.Derive:
		kind = "derive"
		param(it.Params)
	case *syntax.Fn:
		kind = "fn"
		param(it.Params)
	case *syntax.Query:
		kind = "query"
		param(it.Params)
	case *syntax.Mutate:
		kind = "mutate"
		param(it.Params)
	case *syntax.Check:
		kind = "check"
		param(it.Params)
	}
	head := item.Head()
	return value{fields: map[string]value{
		"name": part(head.Name.Span), "kind": scalar(kind), "public": flag(head.Vis == syntax.Public),
		"fields": fields, "params": params, "variants": variants, "supers": supers,
	}}
}

// commas cuts tokens at the commas outside of brackets.
func commas(toks []tok) [][]tok {
	if len(toks) == 0 {
		return nil
	}
	var out [][]tok
	depth, start := 0, 0
	for i, t := range toks {
		switch t.class {
		case syntax.OpenToken:
			depth++
		case syntax.CloseToken:
			depth--
		}
		if depth == 0 && t.text == "," {
			out = append(out, toks[start:i])
			start = i + 1
		}
	}
	if start < len(toks) {
		out = append(out, toks[start:])
	}
	return out
}
