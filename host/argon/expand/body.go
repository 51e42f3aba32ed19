package expand

import (
	"cmp"
	"slices"
	"sort"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// A macro in a body stands for an expression, an atom or a statement. What it
// makes takes its place among the tokens of the item, which is then read anew:
// so an expansion is what it would be if the author had written it there.

// role is what the use of a macro in a body stands for.
type role uint8

const (
	anExpr  role = iota
	anAtom       // one or several, with commas
	negated      // an atom behind `not`
	statements
)

// bodyUse is the use of a macro in a body.
type bodyUse struct {
	node *syntax.MacroExpr
	role role
	span syntax.Span // what gives way: a statement goes with its `;`
}

// bodies expands the macros in the body of an item, of which kept is what
// stays of it without its attributes that are macros. It returns the item and
// the text that it was read from, nil for the author's own.
func (x *expander) bodies(item, kept syntax.Item, from *text) (syntax.Item, *text) {
	if from == nil && !x.uses || from != nil && !from.uses {
		return kept, from
	}
	if _, mod := item.(*syntax.Mod); mod {
		return kept, from
	}
	was, in, first := kept, from, true
	for depth := 0; ; depth++ {
		uses := usesIn(kept)
		if len(uses) == 0 {
			return kept, in
		}
		var toks []tok
		var starts []int
		if first {
			toks, starts = x.itemTokens(item, kept, in)
		} else {
			toks, starts = in.toks, in.starts
		}
		var out []tok
		var last *definition
		at := 0
		for _, u := range uses {
			lo := sort.SearchInts(starts, u.span.Start)
			hi := max(sort.SearchInts(starts, u.span.End), lo)
			if lo < at || lo == len(starts) || starts[lo] != u.span.Start {
				x.report("OE0754", x.placeOf(u.span, in), "bind its value first, and write the name in the text", "a macro inside a text is not expanded")
				return was, from
			}
			if in == nil {
				x.call = x.place(u.node.Span)
			} else {
				x.call = x.relocated(u.node.Span, in)
			}
			made, def, ok := x.bodyUse(u, in, depth)
			if !ok {
				return was, from
			}
			last = def
			out = append(append(out, toks[at:lo]...), made...)
			at = hi
		}
		out = append(out, toks[at:]...)
		t := render(out, x.at.Source.Path)
		var found diag.List
		f := syntax.ParseFile(t.src, &found)
		if len(found.Items) == 0 && len(f.Items) != 1 {
			found.Add(diag.Diagnostic{Code: "OE0001", Message: "it does not fit into the declaration around it"})
		}
		if len(found.Items) > 0 {
			d := found.Items[0]
			if i := t.index(d.Place.Start); i >= 0 {
				for ; i > 0 && t.toks[i].mark == 0; i-- { // the mistake shows behind what makes it
				}
				if m := t.toks[i].mark; m > 0 {
					last = x.marks[m-1].def
				}
			}
			x.unreadable(d, last, t)
			return was, from
		}
		t.uses = f.BodyMacros
		kept, in, first = f.Items[0], t, false
		if !t.uses {
			x.home(kept, t)
			x.rename(kept, t)
		}
	}
}

// bodyUse gives the tokens that stand for a use.
func (x *expander) bodyUse(u bodyUse, from *text, depth int) ([]tok, *definition, bool) {
	def := x.find(u.node.Macro, from)
	if def == nil {
		x.unknown(u.node.Macro, from)
		return nil, nil, false
	}
	input, at := x.tokens(u.node.Tokens, from), x.placeOf(u.node.Macro.Span, from)
	mark := 0
	out, ok := x.make(def, at, depth, func(m int) ([]tok, bool) {
		mark = m
		if def.proc != nil {
			return x.run(def, nil, commas(input), at, m)
		}
		return x.apply(def, input, at, m)
	})
	if !ok {
		return nil, nil, false
	}
	sign := func(text string, class syntax.TokenClass) tok {
		return tok{class: class, text: text, at: x.call, mark: mark}
	}
	around := func(open string, body []tok, end string) []tok {
		return append(append([]tok{sign(open, syntax.OpenToken)}, body...), sign(end, syntax.CloseToken))
	}
	whole := func(kind string) bool {
		next, ok := syntax.NewFragments(render(out, x.call.Path).src).Read(kind, 0)
		return ok && next == len(out)
	}
	switch u.role {
	case anExpr:
		switch {
		case len(out) == 1 || group(out):
		case whole("expr"):
			out = around("(", out, ")")
		default: // statements, and what they give
			out = around("{", out, "}")
		}
	case anAtom:
		if len(out) == 0 {
			out = []tok{sign("true", syntax.WordToken)}
		}
	case negated:
		if !whole("atom") {
			out = append([]tok{sign("exists", syntax.WordToken)}, around("{", out, "}")...)
		}
	case statements:
		if n := len(out); n > 0 && out[n-1].text != ";" && out[n-1].text != "}" {
			out = append(out, sign(";", syntax.SignToken))
		}
	}
	return out, def, true
}

// usesIn returns the uses of macros in the bodies of an item, in the order of
// the text.
func usesIn(item syntax.Item) []bodyUse {
	var out []bodyUse
	forms := map[*syntax.MacroExpr]bodyUse{}
	note := func(e syntax.Expr, f role, span syntax.Span) {
		if m, ok := e.(*syntax.MacroExpr); ok {
			if _, known := forms[m]; !known {
				forms[m] = bodyUse{m, f, span}
			}
		}
	}
	syntax.Visit(item, func(part any) bool {
		switch n := part.(type) {
		case *syntax.NotAtom:
			if a, ok := n.Atom.(*syntax.CompareAtom); ok {
				note(a.Expr, negated, a.Span)
			}
		case *syntax.CompareAtom:
			note(n.Expr, anAtom, n.Span)
		case *syntax.ExprStmt:
			note(n.X, statements, n.Span)
		case *syntax.MacroExpr:
			u, known := forms[n]
			if !known {
				u = bodyUse{n, anExpr, n.Span}
			}
			out = append(out, u)
			return false
		}
		return true
	})
	slices.SortFunc(out, func(a, b bodyUse) int { return cmp.Compare(a.span.Start, b.span.Start) })
	return out
}

// itemTokens are the tokens of an item without the attributes that kept does
// not have, and where each begins in the text that spans are of.
func (x *expander) itemTokens(item, kept syntax.Item, from *text) (toks []tok, starts []int) {
	add := func(s syntax.Span) {
		part := x.tokens(s, from)
		lo := 0
		if from != nil {
			lo = sort.SearchInts(from.starts, s.Start)
		}
		for i, t := range part {
			toks = append(toks, t)
			if from != nil {
				starts = append(starts, from.starts[lo+i])
			} else {
				starts = append(starts, t.at.Start)
			}
		}
	}
	head := item.Head()
	for _, a := range kept.Head().Attrs {
		add(a.Span)
	}
	begin := head.Start
	if n := len(head.Attrs); n > 0 {
		begin = head.Attrs[n-1].End
	}
	add(syntax.Span{Start: begin, End: head.End})
	if len(toks) > 0 && toks[0].doc == "" {
		toks[0].doc = head.Doc
	}
	return toks, starts
}
