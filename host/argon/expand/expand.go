// Package expand replaces the uses of macros by what the macros make of them:
// between the parser, which gives it trees and tokens, and the resolver, which
// sees only what came out. Every node of an expansion has its place in text
// that the author wrote: that of the argument it came from, or of the use of
// the macro.
package expand

import (
	"context"
	"fmt"
	"sort"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Limits of an expansion.
const (
	maxDepth  = 64        // macros in what macros made
	maxTokens = 1_000_000 // made in one compilation
)

// Expand returns the workspace in which each use of a macro has been replaced
// by what it expands to, and the Trace of that. ws itself stays as it is; a
// workspace without macros is returned as it came. What is wrong with macros and
// their uses is reported to diags. The error is ctx's.
func Expand(ctx context.Context, ws *load.Workspace, diags *diag.List) (*load.Workspace, *Trace, error) {
	x := &expander{ctx: ctx, ws: ws, diags: diags, definitions: map[syntax.Item]*definition{}, deep: map[*definition]bool{}, trace: &Trace{made: map[syntax.Item]string{}}}
	if !x.needed() {
		return ws, x.trace, nil
	}
	x.world = resolve.Names(ws, &diag.List{}) // the stage after this one reports
	out := fresh(ws)
	for i, p := range out.Packages {
		for j, m := range p.Modules {
			x.at = x.world.Packages[i].Modules[j]
			x.define(m.Items)
		}
	}
	for i, p := range out.Packages {
		for j, m := range p.Modules {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			x.at = x.world.Packages[i].Modules[j]
			x.uses = m.File != nil && m.File.BodyMacros
			m.Items = x.items(m.Items, nil, 0)
		}
	}
	return out, x.trace, ctx.Err()
}

// origin is the macro that made tokens, and its use in the author's text.
type origin struct {
	def  *definition
	call diag.Place
}

// homeOf is the module in which the names that a token of the mark writes have
// their meaning.
func (x *expander) homeOf(mark int) *resolve.Module { return x.marks[mark-1].def.module }

type expander struct {
	ctx         context.Context
	ws          *load.Workspace
	diags       *diag.List
	world       *resolve.World
	at          *resolve.Module // the module whose items are being expanded
	uses        bool            // a macro is used in a body of its file
	definitions map[syntax.Item]*definition
	marks       []origin             // by mark, from 1: where the token comes from
	call        diag.Place           // the use in the author's text that is being expanded
	spent       int                  // tokens made
	full        bool                 // too many tokens, and it was reported
	deep        map[*definition]bool // too deep, and it was reported
	words       map[string]bool      // every name of the workspace, once it is asked for
	trace       *Trace
}

// needed reports whether there is a macro to check or use. Those of the
// standard packages do no harm where nothing has an attribute that is not of
// the language.
func (x *expander) needed() bool {
	for _, p := range x.ws.Packages {
		for _, m := range p.Modules {
			if m.File != nil && m.File.BodyMacros {
				return true
			}
			for _, item := range m.Items {
				switch item.(type) {
				case *syntax.Macro, *syntax.ProcMacro:
					if p != x.ws.Std {
						return true
					}
				case *syntax.MacroCall:
					return true
				}
				for _, a := range item.Head().Attrs {
					if !syntax.IsDirective(a.Name.String()) {
						return true
					}
				}
			}
		}
	}
	return false
}

// fresh copies what Expand changes of a workspace.
func fresh(ws *load.Workspace) *load.Workspace {
	out := *ws
	packages := map[*load.Package]*load.Package{}
	out.Packages = nil
	for _, p := range ws.Packages {
		q := *p
		q.Modules, q.Dependencies = nil, nil
		modules := map[*load.Module]*load.Module{}
		for _, m := range p.Modules {
			n := *m
			n.Package, n.Parent, n.Children = &q, modules[m.Parent], nil
			if n.Parent != nil {
				n.Parent.Children = append(n.Parent.Children, &n)
			}
			modules[m] = &n
			q.Modules = append(q.Modules, &n)
		}
		for _, d := range p.Dependencies {
			q.Dependencies = append(q.Dependencies, load.Dependency{Name: d.Name, Package: packages[d.Package]})
		}
		packages[p] = &q
		out.Packages = append(out.Packages, &q)
	}
	out.Main, out.Std = packages[ws.Main], packages[ws.Std]
	return &out
}

// items expands a list of items. from is the text that they were read from, nil
// for the author's own.
func (x *expander) items(list []syntax.Item, from *text, depth int) []syntax.Item {
	out := make([]syntax.Item, 0, len(list))
	for _, item := range list {
		if call, ok := item.(*syntax.MacroCall); ok {
			out = append(out, x.callItem(call, from, depth)...)
			continue
		}
		kept, more := x.attributes(item, from, depth)
		kept, in := x.bodies(item, kept, from)
		if in != nil {
			x.keep(kept, in)
		}
		out = append(append(out, kept), more...)
	}
	return out
}

// keep gives an item that a macro made its place.
func (x *expander) keep(item syntax.Item, from *text) {
	x.trace.made[item] = printed(item, from.src)
	x.relocate(item, from)
}

func (x *expander) callItem(c *syntax.MacroCall, from *text, depth int) []syntax.Item {
	if from == nil {
		x.call = x.place(c.Span)
	}
	for _, a := range c.Attrs {
		x.report("OE0754", x.placeOf(a.Span, from), "write the attribute in the macro, before the declaration that it makes", "an attribute has no place on the use of a macro")
	}
	def := x.find(c.Macro, from)
	if def == nil {
		if c.Macro.Parts[0].Name != "" {
			x.unknown(c.Macro, from)
		}
		x.trace.lost = append(x.trace.lost, x.call)
		return nil
	}
	input, at := x.tokens(c.Tokens, from), x.placeOf(c.Macro.Span, from)
	return x.expand(def, at, depth, func(mark int) ([]tok, bool) {
		if def.proc != nil {
			return x.run(def, nil, commas(input), at, mark)
		}
		return x.apply(def, input, at, mark)
	})
}

// attributes expands the attributes of an item that are macros. The item stays,
// without them; what they make comes after it.
func (x *expander) attributes(item syntax.Item, from *text, depth int) (kept syntax.Item, made []syntax.Item) {
	kept = item
	head := item.Head()
	var others []syntax.Attr
	for i, a := range head.Attrs {
		name := a.Name.String()
		var def *definition
		if name != "" && !syntax.IsDirective(name) {
			def = x.find(a.Name, from)
		}
		if def == nil {
			others = append(others, a)
			continue
		}
		if from == nil {
			x.call = x.place(a.Span)
		}
		if i == 0 || kept == item {
			kept = without(item)
		}
		switch item.(type) {
		case *syntax.Use, *syntax.Mod, *syntax.Macro, *syntax.ProcMacro, *syntax.Bad, *syntax.Test:
			x.report("OE0754", x.placeOf(a.Span, from), "put it on a declaration that has a name", "the macro %s has nothing to work on here", def.name)
			continue
		}
		input := x.arguments(a, from)
		last := head.Attrs[len(head.Attrs)-1]
		input = append(input, x.tokens(syntax.Span{Start: last.End, End: head.End}, from)...)
		at := x.placeOf(a.Span, from)
		made = append(made, x.expand(def, at, depth, func(mark int) ([]tok, bool) {
			if def.proc == nil {
				return x.apply(def, input, at, mark)
			}
			args := x.arguments(a, from)
			if len(args) > 1 {
				args = args[1 : len(args)-1]
			}
			decl := x.reflected(item, from)
			return x.run(def, &decl, commas(args), at, mark)
		})...)
	}
	if kept != item {
		kept.Head().Attrs = others
	}
	return kept, made
}

// arguments are the tokens of an attribute behind its name, with the
// parentheses.
func (x *expander) arguments(a syntax.Attr, from *text) []tok {
	in := x.tokens(syntax.Span{Start: a.Name.End, End: a.End}, from)
	if n := len(in); n > 0 && in[n-1].text == "]" {
		in = in[:n-1]
	}
	return in
}

// find returns the macro that a path names: from the module at hand, or, for a
// path that a macro wrote, from that macro's.
func (x *expander) find(path syntax.Path, from *text) *definition {
	for _, m := range x.scopes(path, from) {
		sym := x.world.Lookup(m, path, resolve.Kinds(resolve.MacroKind))
		if sym == nil {
			continue
		}
		return x.definitions[sym.Items[0]]
	}
	return nil
}

func (x *expander) scopes(path syntax.Path, from *text) []*resolve.Module {
	if from != nil && len(path.Parts) > 0 {
		if t := from.tokenAt(path.Parts[0].Start); t != nil && t.mark > 0 {
			return []*resolve.Module{x.homeOf(t.mark), x.at}
		}
	}
	return []*resolve.Module{x.at}
}

func (x *expander) unknown(path syntax.Path, from *text) {
	var names []string
	at := x.placeOf(path.Span, from)
	help := "declare it with `macro`, or import it"
	if sym := x.world.Lookup(x.at, path, resolve.AnyKind); sym != nil {
		x.report("OE0750", at, help, "%s is a %s, and a macro stands before `!`", path, sym.Kind)
		return
	}
	for _, d := range x.definitions {
		if d.module == x.at || d.head.Vis != syntax.Private {
			names = append(names, d.name)
		}
	}
	sort.Strings(names)
	if near := diag.DidYouMean(path.Parts[len(path.Parts)-1].Name, names); near != "" {
		help = near
	}
	x.report("OE0750", at, help, "there is no macro %s in module %s", path, x.at.Path)
}

// make gives the tokens that def makes, by write.
func (x *expander) make(def *definition, at diag.Place, depth int, write func(mark int) ([]tok, bool)) ([]tok, bool) {
	if def.broken || x.full || x.ctx.Err() != nil {
		return nil, false
	}
	if depth >= maxDepth {
		if x.deep[def] { // one mistake, however often it is met
			return nil, false
		}
		x.deep[def] = true
		x.report("OE0752", at, "end the recursion with a rule that takes the last case and uses no macro", "macros are expanded %d deep here, and %s goes on", maxDepth, def.name)
		return nil, false
	}
	x.marks = append(x.marks, origin{def, x.call})
	out, ok := write(len(x.marks))
	if !ok {
		return nil, false
	}
	if x.spent += len(out); x.spent > maxTokens {
		x.full = true
		x.report("OE0752", at, "let the macro make less, or use it less often", "the macros of this package make more than %d tokens", maxTokens)
		return nil, false
	}
	x.trace.add(x.call, def)
	return out, true
}

// unreadable reports that what def makes does not read. The first mistake in
// it, d, says the others.
func (x *expander) unreadable(d diag.Diagnostic, def *definition, t *text) {
	d.Place = x.relocated(syntax.Span{Start: d.Place.Start, End: d.Place.End}, t)
	d.Fix = nil
	d.Message = fmt.Sprintf("what the macro %s makes here does not read: %s", def.name, d.Message)
	d.Help = "mend the macro, or use it with other arguments"
	d.Related = []diag.Related{{Place: def.place(), Message: "the macro " + def.name}}
	x.diags.Add(d)
}

// expand gives the items that def makes; write gives their tokens.
func (x *expander) expand(def *definition, at diag.Place, depth int, write func(mark int) ([]tok, bool)) []syntax.Item {
	out, ok := x.make(def, at, depth, write)
	if !ok {
		x.trace.lost = append(x.trace.lost, x.call)
		return nil
	}
	t := render(out, x.call.Path)
	var found diag.List
	f := syntax.ParseFile(t.src, &found)
	if len(found.Items) > 0 {
		x.unreadable(found.Items[0], def, t)
		x.trace.lost = append(x.trace.lost, x.call)
		return nil
	}
	t.uses = f.BodyMacros
	for _, item := range f.Items {
		switch item.(type) {
		case *syntax.Mod, *syntax.Macro, *syntax.ProcMacro:
			x.report("OE0754", at, "declare it outside of the macro", "a macro makes no module and no macro, and %s would", def.name)
			return nil
		}
		if _, call := item.(*syntax.MacroCall); call {
			continue
		}
		x.home(item, t)
		x.rename(item, t)
	}
	return x.items(f.Items, t, depth+1)
}

// apply finds the rule of def that takes the input, and fills its template.
func (x *expander) apply(def *definition, input []tok, at diag.Place, mark int) ([]tok, bool) {
	furthest := -1
	for i := range def.arms {
		m := newMatcher(input, def.arms[i].pattern)
		if b, ok := m.match(); ok {
			w := &writer{mark: mark, left: maxTokens - x.spent}
			w.pieces(def.arms[i].template, b)
			if w.wrong != "" {
				x.diags.Add(diag.Diagnostic{Code: "OE0751", Place: at, Message: fmt.Sprintf("%s cannot be used so: %s", def.name, w.wrong),
					Help: "give the parts that go together the same number of items", Related: []diag.Related{{Place: def.place(), Message: "the macro " + def.name}}})
				return nil, false
			}
			return w.out, true
		}
		furthest = max(furthest, m.furthest)
	}
	where := "its end"
	if furthest >= 0 && furthest < len(input) {
		where = "`" + input[furthest].text + "`"
		if p := input[furthest].at; input[furthest].mark == 0 && p.Path == x.call.Path && x.call.Start <= p.Start && p.End <= x.call.End {
			at = p
		}
	}
	x.diags.Add(diag.Diagnostic{Code: "OE0751", Place: at, Message: fmt.Sprintf("no rule of the macro %s takes this: the closest stops at %s", def.name, where),
		Help: "write what one of its patterns asks for: " + def.patterns(), Related: []diag.Related{{Place: def.place(), Message: "the macro " + def.name}}})
	return nil, false
}

func (x *expander) report(code string, at diag.Place, help, format string, args ...any) {
	x.diags.Add(diag.Diagnostic{Code: code, Place: at, Help: help, Message: fmt.Sprintf(format, args...)})
}
