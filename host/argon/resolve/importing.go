package resolve

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// ImportFix is the edit that imports a name by its path into m, or nil for a
// module inside a file, where the edit would have to find its place.
func (m *Module) ImportFix(path string) *diag.Fix {
	if m.decl != nil && m.decl.Inline || m.open || m.Source == nil {
		return nil
	}
	start, ok := ImportOffset(m.Source.Text)
	if !ok {
		return nil
	}
	at := diag.Place{Path: m.Source.Path, Start: start, End: start}
	return &diag.Fix{
		Title: "import " + path,
		Edits: []diag.Edit{{Place: at, Text: "use " + path + ";\n"}},
	}
}

// ImportOffset returns where ImportFix puts imports into a file: behind the
// comments on the file itself. ok is false where there is nothing behind them.
func ImportOffset(text string) (offset int, ok bool) {
	for strings.HasPrefix(text[offset:], "//!") {
		end := strings.IndexByte(text[offset:], '\n')
		if end < 0 {
			return 0, false
		}
		offset += end + 1
	}
	return offset, true
}

// Missing reports whether m imports what is not there by that name, or by one
// that is spelt nearly so: the import says it.
func (m *Module) Missing(name string) bool {
	for imported, u := range m.uses {
		if len(u.found) > 0 {
			continue
		}
		if _, near := diag.Nearest(imported, []string{name}); near || imported == name {
			return true
		}
	}
	return false
}

// importing is the fix that a hint says in words: one import.
func (m *Module) importing(hint string) *diag.Fix {
	path, ok := strings.CutPrefix(hint, "it is declared elsewhere: use ")
	if !ok || strings.Contains(path, "; or") {
		return nil
	}
	return m.ImportFix(strings.TrimSuffix(path, ";"))
}
