package load

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/workers"
)

// unparsed is a module of a file that has been read. What the parser says of it
// goes before what else was reported after it was read.
type unparsed struct {
	module *Module
	before int // in the loader's diagnostics
}

// declaresModules reports whether a text has a word that a declaration of a
// module begins with. Only then does it take its tree to know which file is read
// next.
func declaresModules(text string) bool {
	for _, word := range []string{"mod", "standpoint"} {
		for at := 0; ; at += len(word) {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			at += i
			end := at + len(word)
			if (at == 0 || !wordByte(text[at-1])) && (end == len(text) || !wordByte(text[end])) {
				return true
			}
		}
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// parseLater parses the files that declare no modules, several at a time.
func (l *loader) parseLater() {
	later := l.later
	l.later = nil
	trees := make([]tree, len(later))
	workers.Each(l.workers, len(later), func(i int) {
		trees[i].file = later[i].module.File
		if l.ctx.Err() == nil {
			trees[i] = l.parsed(later[i].module.File.Source)
		}
	})
	reported := l.diags.Items
	var all []diag.Diagnostic
	at := 0
	for i, u := range later {
		all = append(all, reported[at:u.before]...)
		all = append(all, trees[i].found...)
		at = u.before
		l.place(u.module, trees[i])
	}
	l.diags.Items = append(all, reported[at:]...)
}

// place makes t the tree of the file of m.
func (l *loader) place(m *Module, t tree) {
	path := m.File.Source.Path
	m.File, m.Items = t.file, t.file.Items
	l.ws.trees[path] = t
	l.ws.Sources[path] = t.file.Source
}

// parsed parses src, or takes the tree that the workspace before had of the same
// text. It may be called from several goroutines.
func (l *loader) parsed(src *syntax.Source) tree {
	if l.previous != nil {
		if t := l.previous.trees[src.Path]; t.file != nil && t.file.Source.Text == src.Text {
			return t
		}
	}
	var found diag.List
	file := syntax.ParseFile(src, &found)
	return tree{file, found.Items}
}
