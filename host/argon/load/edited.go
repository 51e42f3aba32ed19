package load

import (
	"bytes"
	"path"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Edit is a source whose text is another than it was, with its trees. Neither
// has a mistake that the parser found.
type Edit struct{ Old, New *syntax.File }

// Edits returns how w differs from the earlier Workspace of the same Files,
// where all that differs is the texts of sources that the parser has nothing to
// say about; ok is false where more differs.
func (w *Workspace) Edits(earlier *Workspace) (list []Edit, ok bool) {
	if w.asked != earlier.asked || len(w.seen) != len(earlier.seen) {
		return nil, false
	}
	seen := map[string]bool{}
	for i := range w.seen {
		now, was := &w.seen[i], &earlier.seen[i]
		if now.question != 'r' {
			if !now.equal(*was) {
				return nil, false
			}
			continue
		}
		if now.file != was.file || now.limit != was.limit || now.err != was.err {
			return nil, false
		}
		if bytes.Equal(now.bytes, was.bytes) || seen[now.file] {
			continue
		}
		seen[now.file] = true
		a, b := earlier.trees[now.file], w.trees[now.file]
		if _, facts := w.facts[now.file]; a.file == nil && b.file == nil && path.Ext(now.file) == ".ar" && !facts {
			continue // no module names it
		}
		if a.file == nil || b.file == nil || len(a.found) > 0 || len(b.found) > 0 {
			return nil, false
		}
		list = append(list, Edit{a.file, b.file})
	}
	return list, sameModules(w.Packages, earlier.Packages)
}

// sameModules reports whether two lists of packages have modules of the same
// names: which standard packages are loaded depends on the texts of sources.
func sameModules(a, b []*Package) bool {
	return slices.EqualFunc(a, b, func(p, q *Package) bool {
		return slices.EqualFunc(p.Modules, q.Modules, func(m, n *Module) bool { return m.Path == n.Path && m.File.Source.Path == n.File.Source.Path })
	})
}

// Misread reports whether the parser found a mistake in a source.
func (w *Workspace) Misread() bool {
	for _, t := range w.trees {
		if len(t.found) > 0 {
			return true
		}
	}
	return false
}
