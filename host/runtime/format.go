package runtime

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// Formatted is one source file with its canonical form.
type Formatted struct {
	Path     string // as it is shown, below the folder that was asked for
	Text     string // "" where there are findings
	Before   string
	Findings []Diagnostic // the syntax errors for which it is left alone

	file string
}

// Changed tells whether the file is not in its canonical form.
func (f *Formatted) Changed() bool { return len(f.Findings) == 0 && f.Text != f.Before }

// SourceLine returns a line of the file, from 1, for an excerpt.
func (f *Formatted) SourceLine(_ string, line int) (string, bool) {
	lines := strings.Split(f.Before, "\n")
	if line < 1 || line > len(lines) {
		return "", false
	}
	return strings.TrimSuffix(lines[line-1], "\r"), true
}

// Write puts the canonical form in the file's place in one step.
func (f *Formatted) Write() error {
	if err := coherence.Write(f.file, []byte(f.Text)); err != nil {
		return &Error{Status: 500, Code: "SOURCE_UNWRITABLE", Message: fmt.Sprintf("%s was not formatted: %v; see that the folder can be written", f.Path, err)}
	}
	return nil
}

// Format reads the .ar files of a folder and of the folders in it, or one file,
// and gives their canonical forms in the order of their names. An empty path is
// the package around dir. Links and folders that begin with a point are left
// out. Nothing is written.
func Format(dir, path string) ([]*Formatted, error) {
	if path == "" {
		p, err := coherence.Find(dir)
		if err != nil {
			return nil, Invalid("PATH", "a folder or an .ar file, or a package around this folder", "nothing", "")
		}
		path = p.Folder()
	}
	var out []*Formatted
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return &Error{Status: 500, Code: "SOURCE_UNREADABLE", Message: err.Error()}
		case e.IsDir() && name != path && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !e.Type().IsRegular() || filepath.Ext(name) != ".ar":
			return nil
		}
		shown := filepath.Base(name)
		if rel, err := filepath.Rel(path, name); err == nil && rel != "." {
			shown = filepath.ToSlash(rel)
		}
		f, err := formatFile(name, shown)
		out = append(out, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, Invalid("PATH", "an .ar file, or a folder with some", path, "")
	}
	return out, nil
}

func formatFile(name, shown string) (*Formatted, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &Error{Status: 500, Code: "SOURCE_UNREADABLE", Message: err.Error()}
	}
	f := &Formatted{Path: shown, Before: string(text), file: name}
	var found diag.List
	f.Text, err = syntax.Format(&syntax.Source{Path: shown, Text: f.Before}, &found)
	if err != nil {
		return nil, &Error{Status: 500, Code: "FORMAT_UNSAFE", Message: err.Error()}
	}
	f.Findings = render(found.Items, func(string) (string, bool) { return f.Before, true })
	return f, nil
}
