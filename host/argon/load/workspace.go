// Package load brings a package of the language into memory: it finds and
// reads ox.toml, follows path dependencies, parses the module files that the
// sources name, adds the embedded standard packages and reads the [facts]
// files. What it finds wrong it reports as diagnostics of the Workspace.
//
// It resolves no name and types no cell: that is for the stages after it.
package load

import (
	"encoding/json"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"strings"
)

// Workspace is everything that one package is compiled from.
type Workspace struct {
	Main *Package
	Std  *Package // the embedded standard packages: root module "std", one child for each
	// Packages holds each package once, a package after all it depends on:
	// Std is first, Main is last.
	Packages    []*Package
	Inputs      []Input                   // what the artifact is made from, sorted by path
	Sources     map[string]*syntax.Source // each parsed file, by its path
	Diagnostics []diag.Diagnostic         // of manifests, modules, the parser and facts files
	trees       map[string]tree           // of the sources that were parsed, by path
	asked       asked                     // of whoever loaded it
	seen        []observation             // all that the files said
	facts       map[string]string         // text of facts files, by path
	manifests   map[string]string         // text of manifests, by path
}

// Text returns the text of a file that diagnostics may show an excerpt of: a
// source, a manifest or a facts file of the workspace.
func (w *Workspace) Text(path string) (string, bool) {
	if s, ok := w.Sources[path]; ok {
		return s.Text, true
	}
	if text, ok := w.facts[path]; ok {
		return text, true
	}
	text, ok := w.manifests[path]
	return text, ok
}

// Package is one package. Every path in it, and in its diagnostics, is
// slash-separated and relative to the root of the workspace's main package;
// that of a dependency begins with "..", that of a standard package with
// "std/".
type Package struct {
	Name    string // by which its items print; of a dependency from its manifest, else its key in [dependencies]
	Version string
	Root    string // its folder; "." for the main package
	Entry   string // its entry file

	Manifest     *Manifest // nil for a lone file and the standard packages
	Modules      []*Module // Modules[0] is the root module; a parent comes before its children
	Prelude      []string  // paths whose names are in scope in every module: "std::core::type"
	OpenWorld    bool      // default_world = "open"
	Dependencies []Dependency
	Absent       []string    // names of dependencies that could not be had, each reported
	Facts        []*FactFile // in the manifest's order
}

// Dependency is a package under the name that [dependencies] gives it.
type Dependency struct {
	Name    string
	Package *Package
}

// Dependency returns the dependency that p calls name.
func (p *Package) Dependency(name string) (*Package, bool) {
	for _, d := range p.Dependencies {
		if d.Name == name {
			return d.Package, true
		}
	}
	return nil, false
}

// Module is a file, or an inline `mod name { … }`.
type Module struct {
	Name string // "sub"; of a root module the stem of its entry file, or the package's name
	// Path is the qualifier of the module's items: "root" for the entry module
	// of the main package, "sub" and "sub::deep" below it; in a dependency
	// "dep", "dep::sub"; in the standard packages "std::core".
	Path     string
	Package  *Package
	Parent   *Module
	Children []*Module
	File     *syntax.File  // the file that the module's items stand in
	Items    []syntax.Item // its own items: File.Items unless it is inline
	Decl     *syntax.Mod   // nil for a root module

	standpoints map[string][]*syntax.Mod // declarations of standpoints in it, by name; nil until asked for

	Blocks []*syntax.Mod // of a standpoint: all its declarations, Decl first; else nil
}

// Standpoint returns the innermost standpoint that m is, or is inside; nil if
// there is none.
func (m *Module) Standpoint() *Module {
	for ; m != nil; m = m.Parent {
		if m.Blocks != nil {
			return m
		}
	}
	return nil
}

// Child returns the module that m declares under name.
func (m *Module) Child(name string) (*Module, bool) {
	for _, c := range m.Children {
		if c.Name == name {
			return c, true
		}
	}
	return nil, false
}

// Input is a file that the artifact depends on: each *.ar of a package and of
// its dependencies (also one that no module names), each ox.toml and ox.lock,
// each facts file.
type Input struct {
	Path  string
	Bytes []byte
	Err   error // it could not be read; Bytes is nil
}

// Format is the format of a facts file.
type Format uint8

// The formats.
const (
	CSV Format = iota
	TSV
	JSONLines
)

func (f Format) String() string { return [...]string{"csv", "tsv", "jsonl"}[f] }

// FactFile is one entry of [facts] with what its file holds, not typed yet.
type FactFile struct {
	Target string     // "mod::Relation", as written
	Place  diag.Place // of the entry in the manifest
	Path   string
	Format Format
	Header bool // the first line of a CSV or TSV file holds the names

	// Columns maps an endpoint, a field, or "id" of a concept to the name of a
	// column; nil if the manifest does not say.
	Columns map[string]string
	// Names are the columns: from the header, "1", "2", … where there is none,
	// the keys of a JSON Lines file in the order in which they first appear
	// (or "1", "2", … if its lines are arrays).
	Names []string
	Rows  []FactRow
}

// Column returns the position in Names, and so in Cells, of the column that
// carries the endpoint or field name.
func (f *FactFile) Column(name string) (int, bool) {
	if mapped, ok := f.Columns[name]; ok {
		name = mapped
	}
	for i, n := range f.Names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// FactRow is one tuple as it stands in the file. Cells may be shorter than
// Names: what is left out is CellMissing.
type FactRow struct {
	Line  int // 1-based, of its first line
	Start int // byte offsets of the row in the file
	End   int
	Cells []Cell
}

// Cell returns the cell of column i.
func (r FactRow) Cell(i int) Cell {
	if i < len(r.Cells) {
		return r.Cells[i]
	}
	return Cell{Kind: CellMissing}
}

// Position is where the row stands in f.
func (f *FactFile) Position(r FactRow) diag.Place {
	return diag.Place{Path: f.Path, Start: r.Start, End: r.End}
}

// CellKind says what a cell is.
type CellKind uint8

// The kinds of cells.
const (
	CellMissing CellKind = iota // the row has no such column
	CellText                    // CSV and TSV: the text, to be read by the column's type; JSON: a string
	CellNumber                  // JSON: Text is the number exactly as written
	CellBool                    // JSON: Text is "true" or "false"
	CellNull                    // JSON
	CellList                    // JSON: Text is the array as it is written, its items are scalars
)

// Cell is one value of a row.
type Cell struct {
	Kind CellKind
	Text string
}

// Items returns the items of a CellList, and of any other cell itself.
func (c Cell) Items() []Cell {
	if c.Kind != CellList {
		return []Cell{c}
	}
	d := json.NewDecoder(strings.NewReader(c.Text))
	d.UseNumber()
	var items []Cell
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		item, err := jsonScalar(d)
		if err != nil {
			return nil // the reader let no such text pass
		}
		items = append(items, item)
	}
	return items
}
