package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// dependency loads what d names, seen from the package from. It returns nil,
// with a diagnostic, if there is no such package or it may not be read.
func (l *loader) dependency(from *Package, fromReal string, d ManifestDependency) *Package {
	fail := func(code, message, help string) *Package {
		l.diags.Add(diag.Diagnostic{Code: code, Place: d.Place, Message: message, Help: help})
		return nil
	}
	root := path.Join(from.Root, d.Path)
	real, err := l.files.Real(root)
	if errors.Is(err, fs.ErrNotExist) {
		// Whether something outside the workspace is there is not ours to tell.
		if !l.lexicallyInside(fromReal, d.Path) {
			l.diags.Add(escaped(d.Place, d.Path, "the workspace"))
			return nil
		}
		return fail("OE1263", fmt.Sprintf("the dependency %s is not there: no folder %s", d.Name, d.Path),
			"correct the path, which is relative to this ox.toml")
	}
	if err != nil {
		return fail("OE1263", fmt.Sprintf("the dependency %s cannot be read: %v", d.Name, err), "")
	}
	if l.workspace != "" && !within(l.workspace, real) {
		l.diags.Add(escaped(d.Place, d.Path, "the workspace"))
		return nil
	}
	if p, ok := l.byReal[real]; ok {
		for i, open := range l.stack {
			if open == p {
				return fail("OE1264", "packages depend on each other in a circle: "+l.circle(i, d.Name),
					"move what both need into a package of its own")
			}
		}
		return p
	}
	if len(l.byReal) >= maxPackages {
		return fail("OE1263", fmt.Sprintf("the dependency %s is beyond the %d packages that one may depend on", d.Name, maxPackages), "")
	}
	text, err := l.read(path.Join(root, ManifestName))
	if err != nil {
		return fail("OE1263", fmt.Sprintf("the dependency %s cannot be read: %v", d.Name, err),
			"a dependency is a folder that holds an ox.toml")
	}
	p := l.loadPackage(root, real, d.Name, text)
	return l.nameIsFree(p, d)
}

// nameIsFree refuses a package whose items would print like another's.
func (l *loader) nameIsFree(p *Package, d ManifestDependency) *Package {
	for _, other := range l.ws.Packages {
		if other != p && other.Name == p.Name {
			l.diags.Add(diag.Diagnostic{Code: "OE1265", Place: d.Place,
				Message: fmt.Sprintf("two packages are named %s: in %s and in %s", p.Name, other.Root, p.Root),
				Help:    "change [package] name of one of them"})
			return nil
		}
	}
	return p
}

// stemIsFree refuses a dependency whose items would print like those of the
// main package's entry file.
func (l *loader) stemIsFree(main *Package, stem string) {
	if other := l.packageNamed(stem); other != nil {
		l.diags.Add(diag.Diagnostic{Code: "OE1265", Place: main.Manifest.doc.place("dependencies"),
			Message: fmt.Sprintf("the package in %s is named %s, like the entry file of this one", other.Root, stem),
			Help:    "change its [package] name, or the name of the entry file"})
	}
}

func (l *loader) packageNamed(name string) *Package {
	for _, p := range l.ws.Packages {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (l *loader) circle(from int, last string) string {
	var names []string
	for _, p := range l.stack[from:] {
		name := p.Name
		if name == "" {
			name = "this package"
		}
		names = append(names, name)
	}
	return strings.Join(append(names, last), " → ")
}

func (l *loader) lexicallyInside(fromReal, file string) bool {
	return l.workspace == "" || within(l.workspace, path.Join(fromReal, file))
}

// within reports whether the real name is folder or something in it.
func within(folder, name string) bool {
	return name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}
