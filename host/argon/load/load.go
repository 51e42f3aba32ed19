package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/workers"
)

// DefaultSourceLimit is the SourceLimit of Options that do not set one.
const DefaultSourceLimit = 8 << 20

// maxPackages bounds how many packages one may depend on, and with it how
// deep dependencies are followed.
const maxPackages = 256

// Options says what to load.
type Options struct {
	// Root is a folder with an ox.toml, or an .ar file that stands for itself
	// (FindRoot makes it of any path). With Files it is relative to them: "."
	// or "" for their package, or the path of an .ar file.
	Root string
	// WorkspaceRoot is the folder that dependencies may not leave. Empty:
	// FindWorkspace of Root; with Files, no bound.
	WorkspaceRoot string
	// Files is where to read from. Nil: the machine's files.
	Files Files
	// Overlay holds texts that stand in the place of files, by path relative
	// to the main package.
	Overlay map[string]string
	// SourceLimit is how many bytes all sources together, each manifest and
	// each facts file may have. Zero: DefaultSourceLimit.
	SourceLimit int64
	// SkipFacts leaves the files of [facts] unread.
	SkipFacts bool
	// SkipSources leaves the module files of packages unread: what comes out
	// has the manifests and the names of the entry files, no modules below
	// them and no Inputs.
	SkipSources bool
	// Previous is an earlier Workspace of the same package. A file whose text
	// is the same keeps its syntax tree from there; what comes out is what a
	// load without it gives. Nil: there is none.
	Previous *Workspace
	// Workers bounds the goroutines that parse files. What comes out is the same
	// for any number. Zero: as many as there are processors.
	Workers int
}

// Load reads a package with all that it is made from. What is wrong inside the
// package is in the Workspace's diagnostics; the error is for a root that is
// not there or cannot be read, and for ctx.
func Load(ctx context.Context, o Options) (*Workspace, error) {
	l, entry, err := newLoader(ctx, o)
	if err != nil {
		return nil, err
	}
	l.unread = o.SkipSources
	if err := l.run(entry); err != nil {
		return nil, err
	}
	l.ws.Diagnostics = l.diags.Items
	return l.ws, nil
}

// ReadInputs reads only the bytes that the artifact is made from: the Inputs
// that Load of the same options would give.
func ReadInputs(ctx context.Context, o Options) ([]Input, error) {
	l, entry, err := newLoader(ctx, o)
	if err != nil {
		return nil, err
	}
	l.unread = entry == "" // only its text says which files a lone file reads
	if err := l.run(entry); err != nil {
		return nil, err
	}
	return l.ws.Inputs, nil
}

type loader struct {
	ctx       context.Context
	files     Files
	workspace string // real name; "" for no bound
	limit     int64
	spent     int64
	unread    bool // the module files
	workers   int
	later     []unparsed
	skipFacts bool
	skipFiles bool
	previous  *Workspace
	diags     diag.List
	ws        *Workspace
	byReal    map[string]*Package // by the real name of their folder
	stack     []*Package          // being loaded, outermost first
	inputs    map[string]Input
	claimed   map[string]*Module // by the real name of their file
}

func newLoader(ctx context.Context, o Options) (l *loader, entry string, err error) {
	l = &loader{ctx: ctx, files: o.Files, workspace: o.WorkspaceRoot, limit: o.SourceLimit, skipFacts: o.SkipFacts, skipFiles: o.SkipSources, previous: o.Previous, workers: workers.Count(o.Workers),
		byReal: map[string]*Package{}, inputs: map[string]Input{}, claimed: map[string]*Module{},
		ws: &Workspace{Sources: map[string]*syntax.Source{}, trees: map[string]tree{}, facts: map[string]string{}, manifests: map[string]string{}}}
	if l.limit <= 0 {
		l.limit = DefaultSourceLimit
	}
	if l.files == nil {
		root := o.Root
		if root == "" {
			root = "."
		}
		if filepath.Ext(root) == ".ar" {
			root, entry = filepath.Dir(root), filepath.Base(root)
		}
		l.files = Directory(root)
		if l.workspace == "" {
			if l.workspace, err = FindWorkspace(root); err != nil {
				return nil, "", err
			}
		}
		// A workspace root that is no folder holds nothing, so every
		// dependency would be refused: better to say so at once.
		if l.workspace, err = Directory(l.workspace).Real("."); err != nil {
			return nil, "", fmt.Errorf("find the workspace root: %w", err)
		}
	} else if path.Ext(o.Root) == ".ar" {
		entry = path.Clean(o.Root)
	}
	if len(o.Overlay) > 0 {
		texts := memory{}
		for name, text := range o.Overlay {
			texts[path.Clean(filepath.ToSlash(name))] = text
		}
		l.files = overlay{l.files, texts}
	}
	l.files = &observer{Files: l.files, seen: &l.ws.seen}
	l.ws.asked = asked{entry, l.workspace, l.limit, l.skipFacts, l.skipFiles}
	return l, entry, nil
}

func (l *loader) run(entry string) error {
	l.loadStd()
	var err error
	if entry != "" {
		err = l.loadLone(entry)
	} else {
		err = l.loadMain()
	}
	if err != nil {
		return err
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	l.stdModules()
	if !l.skipFiles {
		l.gatherInputs(entry != "")
	}
	return l.ctx.Err()
}

// loadStd enters the package std. Its modules come last, because only those
// are loaded that something names.
func (l *loader) loadStd() {
	p := &Package{Name: "std", Root: "std", Entry: "std/root.ar"}
	l.ws.Std = p
	l.ws.Packages = append(l.ws.Packages, p)
	p.Modules = []*Module{l.empty(p, "std", p.Entry)}
}

// modOf returns the declaration of the module name in m.
func modOf(m *Module, name string) *syntax.Mod {
	for _, item := range m.Items {
		if mod, ok := item.(*syntax.Mod); ok && mod.Name.Name == name {
			return mod
		}
	}
	return nil
}

// loadLone loads one file without a manifest.
func (l *loader) loadLone(entry string) error {
	if _, err := l.files.Read(entry, l.limit); err != nil && !errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("read %s: %w", entry, err)
	}
	stem := strings.TrimSuffix(path.Base(entry), ".ar")
	p := &Package{Name: stem, Root: path.Dir(entry), Entry: entry}
	l.ws.Main = p
	l.modules(p, stem, stem)
	l.ws.Packages = append(l.ws.Packages, p)
	return nil
}

func (l *loader) loadMain() error {
	text, err := l.read(ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder holds no %s: %w", ManifestName, ErrNoPackage)
	}
	if err != nil {
		return fmt.Errorf("read the package's manifest: %w", err)
	}
	real, err := l.files.Real(".")
	if err != nil {
		return fmt.Errorf("read the package's folder: %w", err)
	}
	l.ws.Main = l.loadPackage(".", real, "", text)
	return nil
}

// loadPackage loads the package in root; alias is what its dependent calls it,
// empty for the main package.
func (l *loader) loadPackage(root, real, alias, manifest string) *Package {
	file := path.Join(root, ManifestName)
	p := &Package{Name: alias, Root: root}
	l.byReal[real] = p
	l.stack = append(l.stack, p)
	defer func() { l.stack = l.stack[:len(l.stack)-1] }()

	l.ws.manifests[file] = manifest
	m := readManifest(file, manifest, &l.diags)
	if m == nil {
		p.Modules = []*Module{l.empty(p, stemOf(alias, "root"), file)}
		l.ws.Packages = append(l.ws.Packages, p)
		return p
	}
	p.Absent = slices.Clone(m.Refused)
	p.Manifest, p.Version, p.Prelude, p.OpenWorld = m, m.Version, m.Prelude, m.OpenWorld
	if m.Name != "" {
		p.Name = m.Name
	}
	for _, d := range m.Dependencies {
		if dep := l.dependency(p, real, d); dep != nil {
			p.Dependencies = append(p.Dependencies, Dependency{Name: d.Name, Package: dep})
		} else {
			p.Absent = append(p.Absent, d.Name)
		}
	}
	l.findEntry(p)
	stem := strings.TrimSuffix(path.Base(p.Entry), ".ar")
	switch {
	case p.Entry == "":
		p.Modules = []*Module{l.empty(p, stemOf(alias, "root"), file)}
	case alias == "":
		l.stemIsFree(p, stem)
		l.modules(p, stem, stem)
	default:
		l.modules(p, p.Name, stem)
	}
	if p.Name == "" {
		p.Name = p.Modules[0].Name
	}
	l.pinsStayInside(p, real)
	l.loadFacts(p, real)
	l.ws.Packages = append(l.ws.Packages, p)
	return p
}

func stemOf(alias, stem string) string {
	if alias != "" {
		return alias
	}
	return stem
}

func (l *loader) empty(p *Package, name, file string) *Module {
	return &Module{Name: name, Path: name, Package: p, File: &syntax.File{Source: &syntax.Source{Path: file}}}
}

func (l *loader) findEntry(p *Package) {
	candidates := []string{"root.ar", "src/root.ar"}
	if p.Manifest.Entry != "" {
		candidates = []string{p.Manifest.Entry}
	}
	for _, c := range candidates {
		file := path.Join(p.Root, c)
		if _, err := l.files.Real(file); !errors.Is(err, fs.ErrNotExist) {
			p.Entry = file
			return
		}
	}
	l.diags.Add(diag.Diagnostic{Code: "OE1262", Place: p.Manifest.doc.place("project", "entry"),
		Message: fmt.Sprintf("the package's entry file %s is not there", strings.Join(candidates, " or ")),
		Help:    "make the file, or name another in [project] entry"})
}

// pinsStayInside refuses a pinned file that a link puts outside the package. A
// file that is not there is for whoever runs it to report.
func (l *loader) pinsStayInside(p *Package, packageReal string) {
	pins := []*Pin{}
	if p.Manifest.Reasoner != nil {
		pins = append(pins, p.Manifest.Reasoner)
	}
	for i := range p.Manifest.Plugins {
		pins = append(pins, &p.Manifest.Plugins[i].Pin)
	}
	for _, pin := range pins {
		if real, err := l.files.Real(path.Join(p.Root, pin.Path)); err == nil && !within(packageReal, real) {
			l.diags.Add(escaped(pin.Place, pin.Path, "its package"))
		}
	}
}

// read reads a file once and keeps it as an input.
func (l *loader) read(file string) (string, error) {
	in, ok := l.inputs[file]
	if !ok {
		in.Path = file
		in.Bytes, in.Err = l.files.Read(file, l.limit)
		if errors.Is(in.Err, fs.ErrNotExist) {
			return "", in.Err
		}
		l.inputs[file] = in
	}
	if l.previous != nil && in.Err == nil {
		if src := l.previous.Sources[file]; src != nil && src.Text == string(in.Bytes) {
			return src.Text, nil // one copy for both
		}
	}
	return string(in.Bytes), in.Err
}
