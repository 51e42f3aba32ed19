package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// modules fills p.Modules from its entry file. prefix qualifies the root
// module; name is how it is called.
func (l *loader) modules(p *Package, prefix, name string) {
	root := l.empty(p, name, p.Entry)
	root.Path = prefix
	p.Modules = []*Module{root}
	if l.unread {
		return
	}
	real, err := l.files.Real(p.Entry)
	if err == nil && !l.inPackage(p, real) {
		l.diags.Add(escaped(diag.Place{Path: p.Entry}, p.Entry, "its package"))
		return
	}
	l.claimed[real] = root
	l.fill(root, p.Entry, diag.Place{Path: p.Entry})
	l.submodules(root, path.Dir(p.Entry))
	l.parseLater()
}

func (l *loader) inPackage(p *Package, real string) bool {
	root, err := l.files.Real(p.Root)
	return err == nil && within(root, real)
}

// fill reads a file into m, and parses it unless that can wait; at is what named
// it.
func (l *loader) fill(m *Module, file string, at diag.Place) {
	fail := func(code, message, help string) {
		l.diags.Add(diag.Diagnostic{Code: code, Place: at, Message: message, Help: help})
	}
	m.File = &syntax.File{Source: &syntax.Source{Path: file}}
	text, err := l.read(file)
	if l.spent += int64(len(text)); errors.Is(err, ErrTooLarge) || l.spent > l.limit {
		fail("OE1266", fmt.Sprintf("with %s the sources are larger than the limit of %d bytes", file, l.limit),
			"move data into [facts] files, or raise the setting limits.sourceBytes")
		return
	}
	if err != nil {
		fail("OE0154", fmt.Sprintf("%s cannot be read: %v", file, err), "")
		return
	}
	m.File.Source.Text = text
	l.ws.Sources[file] = m.File.Source
	if i := invalidUTF8(text); i >= 0 {
		at = diag.Place{Path: file, Start: i, End: i + 1}
		fail("OE0154", fmt.Sprintf("%s is not UTF-8 at byte %d", file, i), "save the file as UTF-8")
		return
	}
	if !declaresModules(text) {
		l.later = append(l.later, unparsed{m, len(l.diags.Items)})
		return
	}
	l.parse(m)
}

// parse gives m the tree of its file.
func (l *loader) parse(m *Module) {
	t := l.parsed(m.File.Source)
	l.diags.Items = append(l.diags.Items, t.found...)
	l.place(m, t)
}

func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size <= 1 {
				return i
			}
		}
	}
	return -1
}

// submodules loads what the items of m declare with `mod`. dir is the folder
// in which files of submodules stand.
func (l *loader) submodules(m *Module, dir string) {
	for _, item := range m.Items {
		decl, ok := item.(*syntax.Mod)
		if !ok || decl.Name.Name == "" || l.ctx.Err() != nil {
			continue
		}
		place := diag.Place{Path: m.File.Source.Path, Start: decl.Name.Start, End: decl.Name.End}
		if decl.Standpoint && l.passed(m, decl, place) {
			continue
		}
		child := &Module{Name: decl.Name.Name, Package: m.Package, Parent: m, Decl: decl}
		child.Path = l.qualify(child)
		if !l.nameOfModule(m, child, place) {
			continue
		}
		below := dir
		if decl.Inline {
			child.File, child.Items = m.File, decl.Items
			if decl.Standpoint {
				m.blocks(child)
			}
			below = path.Join(dir, child.Name)
		} else {
			file := l.moduleFile(m, child, dir, place)
			if file == "" {
				continue
			}
			l.fill(child, file, place)
			below = path.Dir(file)
		}
		m.Children = append(m.Children, child)
		m.Package.Modules = append(m.Package.Modules, child)
		l.submodules(child, below)
	}
}

// qualify gives the path by which the items of a module print. The entry
// module of the main package does not qualify the modules below it.
func (l *loader) qualify(m *Module) string {
	if m.Parent.Parent == nil && m.Package == l.mainPackage() {
		return m.Name
	}
	return m.Parent.Path + "::" + m.Name
}

// mainPackage is the main package also while it is being loaded.
func (l *loader) mainPackage() *Package {
	if len(l.stack) > 0 {
		return l.stack[0]
	}
	return l.ws.Main
}

func (l *loader) nameOfModule(m, child *Module, place diag.Place) bool {
	clash := ""
	switch other, ok := m.Child(child.Name); {
	case ok:
		clash = fmt.Sprintf("the module %s is declared twice", other.Path)
	case m.Parent == nil && child.Path == m.Path:
		clash = fmt.Sprintf("the module %s has the name of the package's entry file", child.Name)
	case m.Parent == nil && reservedName(child.Name):
		clash = fmt.Sprintf("a module cannot be named %s: paths that begin so mean something else", child.Name)
	case m.Parent == nil:
		_, isDependency := m.Package.Dependency(child.Name)
		if isDependency || m.Package == l.mainPackage() && l.packageNamed(child.Name) != nil {
			clash = fmt.Sprintf("the module %s has the name of a dependency", child.Name)
		}
	}
	if clash == "" {
		return true
	}
	d := diag.Diagnostic{Code: "OE0151", Place: place, Message: clash, Help: "give one of them another name"}
	if other, ok := m.Child(child.Name); ok {
		d.Related = []diag.Related{{Message: "the other declaration",
			Place: diag.Place{Path: m.File.Source.Path, Start: other.Decl.Name.Start, End: other.Decl.Name.End}}}
	}
	l.diags.Add(d)
	return false
}

// moduleFile finds the file of `mod name;`: name.ar or name/mod.ar in dir.
func (l *loader) moduleFile(m, child *Module, dir string, place diag.Place) string {
	candidates := []string{path.Join(dir, child.Name+".ar"), path.Join(dir, child.Name, "mod.ar")}
	var found []string
	for _, file := range candidates {
		if _, err := l.files.Real(file); !errors.Is(err, fs.ErrNotExist) {
			found = append(found, file)
		}
	}
	fail := func(code, message, help string) string {
		l.diags.Add(diag.Diagnostic{Code: code, Place: place, Message: message, Help: help})
		return ""
	}
	switch len(found) {
	case 0:
		return fail("OE0150", fmt.Sprintf("the module %s has no file", child.Name),
			"make "+strings.Join(candidates, " or ")+", or write the module's items in braces")
	case 2:
		return fail("OE0152", fmt.Sprintf("the module %s has two files: %s", child.Name, strings.Join(found, " and ")),
			"keep one of them")
	}
	file := found[0]
	real, err := l.files.Real(file)
	if err != nil {
		return fail("OE0154", fmt.Sprintf("%s cannot be read: %v", file, err), "")
	}
	if !l.inPackage(m.Package, real) {
		l.diags.Add(escaped(place, file, "its package"))
		return ""
	}
	if other, ok := l.claimed[real]; ok {
		return fail("OE0151", fmt.Sprintf("the file %s is the module %s already", file, other.Path),
			"remove this declaration and use "+other.Path)
	}
	l.claimed[real] = child
	return file
}
