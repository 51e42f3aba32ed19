package expand

import (
	"strconv"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// variables calls do for every name in an item that may be that of a variable:
// what binds one, and what may read one.
func variables(item syntax.Item, do func(id *syntax.Ident, binds bool)) {
	syntax.Visit(item, func(part any) bool {
		switch n := part.(type) {
		case *syntax.Relation:
			return false
		case *syntax.Metarel, *syntax.Metatype, *syntax.Use:
			return false
		case *syntax.Param:
			if n.Name.Name != "" {
				do(&n.Name, true)
			}
		case *syntax.Name:
			if len(n.Path.Parts) == 1 {
				do(&n.Path.Parts[0], false)
			}
		case *syntax.NamePattern:
			if len(n.Path.Parts) == 1 {
				do(&n.Path.Parts[0], true)
			}
		case *syntax.FieldPattern:
			if n.Pattern == nil {
				n.Pattern = &syntax.NamePattern{Span: n.Name.Span, Path: syntax.Path{Span: n.Name.Span, Parts: []syntax.Ident{n.Name}}}
			}
		case *syntax.Step:
			if n.Limit != nil {
				do(n.Limit, false)
			}
		case *syntax.BindAtom:
			do(&n.Name, true)
		case *syntax.Let:
			do(&n.Name, true)
		case *syntax.For:
			do(&n.Var, true)
		case *syntax.Comprehension:
			do(&n.Var, true)
		case *syntax.Aggregate:
			if n.Var != nil {
				do(n.Var, true)
			}
		}
		return true
	})
}

// rename keeps the variables of a macro apart from those of its user: where
// both write the same name in one item, the macro's gets another.
func (x *expander) rename(item syntax.Item, t *text) {
	marks := map[string]map[int]bool{}
	mark := func(id *syntax.Ident) (int, bool) {
		at := t.tokenAt(id.Start)
		if at == nil {
			return 0, false
		}
		return at.mark, true
	}
	variables(item, func(id *syntax.Ident, _ bool) {
		if m, ok := mark(id); ok {
			if marks[id.Name] == nil {
				marks[id.Name] = map[int]bool{}
			}
			marks[id.Name][m] = true
		}
	})
	type spelling struct {
		name string
		mark int
	}
	fresh := map[spelling]string{}
	variables(item, func(id *syntax.Ident, _ bool) {
		m, ok := mark(id)
		if !ok || m == 0 || len(marks[id.Name]) < 2 {
			return
		}
		key := spelling{id.Name, m}
		if fresh[key] == "" {
			lowest := true
			for other := range marks[id.Name] {
				lowest = lowest && m <= other
			}
			fresh[key] = id.Name
			if !lowest && !x.declared(id.Name, m) {
				fresh[key] = x.unused(id.Name)
			}
		}
		id.Name = fresh[key]
	})
}

// declared reports whether a name means a declaration where the macro is, so
// that it is no variable.
func (x *expander) declared(name string, mark int) bool {
	sym := x.world.Lookup(x.homeOf(mark), syntax.Path{Parts: []syntax.Ident{{Name: name}}}, resolve.AnyKind)
	return sym != nil && sym.Kind != resolve.ModuleKind
}

// unused returns a name that begins with name and stands nowhere in the
// workspace.
func (x *expander) unused(name string) string {
	if x.words == nil {
		x.trace.named = true
		x.words = map[string]bool{}
		for _, src := range x.ws.Sources {
			for _, t := range syntax.Tokens(src, syntax.Span{End: len(src.Text)}) {
				if t.Class == syntax.WordToken {
					x.words[t.Text] = true
				}
			}
		}
	}
	for i := 1; ; i++ {
		if made := name + "_" + strconv.Itoa(i); !x.words[made] {
			x.words[made] = true
			return made
		}
	}
}

// home makes the paths that a macro wrote mean what they mean where it is
// declared.
func (x *expander) home(item syntax.Item, t *text) {
	bound := map[string]bool{}
	variables(item, func(id *syntax.Ident, binds bool) {
		if binds {
			bound[id.Name] = true
		}
	})
	skip := map[*syntax.Path]bool{}
	syntax.Visit(item, func(part any) bool {
		switch n := part.(type) {
		case *syntax.Use, *syntax.MacroCall:
			return false
		case *syntax.Attr:
			skip[&n.Name] = true
		case *syntax.Name:
			skip[&n.Path] = len(n.Path.Parts) == 1 && bound[n.Path.Parts[0].Name]
		case *syntax.NamePattern:
			skip[&n.Path] = len(n.Path.Parts) == 1
		case *syntax.Path:
			if !skip[n] && len(n.Parts) > 0 {
				x.rooted(n, t)
			}
		}
		return true
	})
}

func (x *expander) rooted(path *syntax.Path, t *text) {
	at := t.tokenAt(path.Parts[0].Start)
	if at == nil || at.mark == 0 {
		return
	}
	home := x.homeOf(at.mark)
	if home == x.at {
		return
	}
	sym := x.world.Lookup(home, *path, resolve.AnyKind)
	if sym == nil {
		return
	}
	if here := x.world.Lookup(x.at, *path, resolve.AnyKind); here != nil && here.Qualified == sym.Qualified && here.Kind == sym.Kind {
		return
	}
	parts := x.absolute(sym)
	if parts == nil {
		return
	}
	first := path.Parts[0].Span
	path.Parts = nil
	for _, name := range parts {
		path.Parts = append(path.Parts, syntax.Ident{Span: first, Name: name})
	}
}

// absolute is a path that means sym in the module at hand, or nothing.
func (x *expander) absolute(sym *resolve.Symbol) []string {
	m := sym.Module
	if m == nil {
		return nil
	}
	var parts []string
	for at := m; at.Parent != nil; at = at.Parent {
		parts = append([]string{at.Name}, parts...)
	}
	switch {
	case m.Package == x.at.Package:
		parts = append([]string{"pkg"}, parts...)
	case m.Package == x.world.Std:
		parts = append([]string{"std"}, parts...)
	default:
		name := ""
		for _, d := range x.at.Package.Dependencies {
			if d.Package == m.Package.Package {
				name = d.Name
			}
		}
		if name == "" {
			return nil
		}
		parts = append([]string{name}, parts...)
	}
	if sym.Enum != nil {
		parts = append(parts, sym.Enum.Name)
	}
	return append(parts, sym.Name)
}
