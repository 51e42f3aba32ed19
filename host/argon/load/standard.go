package load

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/std"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// stdModules fills the package std with the modules that the sources name; core
// is in every workspace. What a module declares is in the program of whoever
// has it, so that nobody should have it in vain.
func (l *loader) stdModules() {
	if l.unread {
		return
	}
	p := l.ws.Std
	root := p.Modules[0]
	named := l.namedStd()
	for _, s := range named {
		src := &syntax.Source{Path: s.Path, Text: s.Text}
		m := root
		if s.Name != "" {
			m = &Module{Name: s.Name, Path: "std::" + s.Name, Package: p, Parent: root, Decl: modOf(root, s.Name)}
			root.Children = append(root.Children, m)
			p.Modules = append(p.Modules, m)
		}
		m.File = &syntax.File{Source: src}
		l.parse(m)
		l.inlineStd(m)
		if m == root {
			m.Items = slices.DeleteFunc(slices.Clone(m.Items), func(item syntax.Item) bool {
				mod, ok := item.(*syntax.Mod)
				return ok && !slices.ContainsFunc(named, func(s std.Source) bool { return s.Name == mod.Name.Name })
			})
		}
	}
}

// namedStd lists the file of std itself and those of the modules whose names
// stand in a source or a prelude. A name that means something else there costs
// a module too many.
func (l *loader) namedStd() []std.Source {
	var texts []mentions
	for path, src := range l.ws.Sources {
		if !strings.HasPrefix(path, "std/") {
			texts = append(texts, mentionsIn(src.Text))
		}
	}
	for _, p := range l.ws.Packages {
		for _, path := range p.Prelude {
			texts = append(texts, mentionsIn(path))
		}
	}
	all := std.Sources()
	named := make([]bool, len(all))
	for changed := true; changed; {
		changed = false
		for i, s := range all {
			in := func(m mentions) bool { return m.name(s.Name) }
			if !named[i] && (s.Name == "" || s.Name == "core" || slices.ContainsFunc(texts, in)) {
				named[i], changed = true, true
				if s.Name != "" {
					texts = append(texts, mentionsIn(strings.ReplaceAll(s.Text, "super::", "std::")))
				}
			}
		}
	}
	var out []std.Source
	for i, s := range all {
		if named[i] {
			out = append(out, s)
		}
	}
	return out
}

// inlineStd makes modules of the inline ones of m, a standard package.
func (l *loader) inlineStd(m *Module) {
	for _, item := range m.Items {
		mod, ok := item.(*syntax.Mod)
		if !ok || !mod.Inline {
			continue
		}
		sub := &Module{Name: mod.Name.Name, Path: m.Path + "::" + mod.Name.Name, Package: m.Package, Parent: m, Decl: mod, File: m.File, Items: mod.Items}
		m.Children = append(m.Children, sub)
		m.Package.Modules = append(m.Package.Modules, sub)
		l.inlineStd(sub)
	}
}

// mentions is what a source says of the package std, found in one look at its
// text.
type mentions struct {
	after []string // what follows each std::
	wide  string   // the text, where a form of it may bring in any name: std::{, std::*, std as
}

func mentionsIn(text string) mentions {
	var m mentions
	for rest := text; ; {
		at := strings.Index(rest, "std")
		if at < 0 {
			return m
		}
		rest = rest[at+len("std"):]
		if strings.HasPrefix(rest, "::{") || strings.HasPrefix(rest, "::*") || strings.HasPrefix(rest, " as") {
			m.wide = text
		}
		if strings.HasPrefix(rest, "::") {
			m.after = append(m.after, rest[len("::"):])
		}
	}
}

// name reports whether the source may mean the standard package by that name.
func (m mentions) name(name string) bool {
	for _, after := range m.after {
		if strings.HasPrefix(after, name) {
			return true
		}
	}
	return m.wide != "" && strings.Contains(m.wide, name)
}
