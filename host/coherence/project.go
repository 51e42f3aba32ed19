// Package coherence keeps source, artifact and served module together: it
// compiles a package, packs the artifact, knows whether the artifact on disk
// still is what the sources say, and writes it so that no reader ever sees
// half of it.
package coherence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
)

// Compiler names this compiler in artifacts, which are the same wherever a
// release of it makes them. See Maker for what changes between releases.
const Compiler = "ox-mcp 0.1.0"

// Project is a package on disk, or an artifact alone.
type Project struct {
	Root          string // absolute: a folder with an ox.toml, or an .ar file; "" for an artifact alone
	Artifact      string // absolute path of the .oxbin, where it is given; else it follows from the entry file
	WorkspaceRoot string // "" for the default
	SourceLimit   int64
	Maker         string // the build of the compiler that runs, as MakerOf gives it; "": nothing is noted of it, or asked

	// Session is what compilations of the sources have in common; nil: each
	// begins anew. It costs the memory of one compilation.
	Session *argon.Session
}

// Find returns the project that path belongs to: an .oxbin file stands for
// itself, anything else for the nearest ox.toml upward or the .ar file that it
// is. The error says what was looked for.
func Find(path string) (*Project, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the project of %s: %w", path, err)
	}
	if filepath.Ext(full) == ".oxbin" {
		if _, err := os.Stat(full); err != nil {
			return nil, fmt.Errorf("open the artifact: %w", err)
		}
		return &Project{Artifact: full}, nil
	}
	root, err := load.FindRoot(full)
	if err != nil {
		return nil, err
	}
	return &Project{Root: root}, nil
}

// Sources reports whether there are sources to compile.
func (p *Project) Sources() bool { return p.Root != "" }

// Folder is the package's folder.
func (p *Project) Folder() string {
	switch {
	case p.Root == "":
		return filepath.Dir(p.Artifact)
	case filepath.Ext(p.Root) == ".ar":
		return filepath.Dir(p.Root)
	}
	return p.Root
}

func (p *Project) options(overlay map[string]string) load.Options {
	return load.Options{Root: p.Root, WorkspaceRoot: p.WorkspaceRoot, SourceLimit: p.SourceLimit, Overlay: overlay}
}

// Load reads the package; overlay holds unsaved texts.
func (p *Project) Load(ctx context.Context, overlay map[string]string) (*load.Workspace, error) {
	return load.Load(ctx, p.options(overlay))
}

// LoadManifest reads the package's manifest and those of its dependencies, and
// no source.
func (p *Project) LoadManifest(ctx context.Context) (*load.Workspace, error) {
	o := p.options(nil)
	o.SkipFacts, o.SkipSources = true, true
	return load.Load(ctx, o)
}

// Compile reads and compiles the package.
func (p *Project) Compile(ctx context.Context, overlay map[string]string, test bool) (*argon.Result, error) {
	return p.CompileLoaded(ctx, overlay, test, func(*load.Workspace) {})
}

// CompileLoaded is Compile that tells loaded what it is about to compile, where it
// has read the package for that alone: with a Session it does not.
func (p *Project) CompileLoaded(ctx context.Context, overlay map[string]string, test bool, loaded func(*load.Workspace)) (*argon.Result, error) {
	options := argon.Options{TestMode: test}
	if p.Session != nil {
		return p.Session.Compile(ctx, p.options(overlay), options)
	}
	ws, err := p.Load(ctx, overlay)
	if err != nil {
		return nil, err
	}
	loaded(ws)
	return argon.Compile(ctx, ws, options), nil
}

// Check is Compile for a caller that wants the diagnostics: with a Session, a
// Result may have an Edit in the place of a module.
func (p *Project) Check(ctx context.Context, overlay map[string]string) (*argon.Result, error) {
	if p.Session == nil {
		return p.Compile(ctx, overlay, false)
	}
	return p.Session.Check(ctx, p.options(overlay))
}

// ArtifactPath is where the artifact of a compiled package lies:
// target/<entry file stem>.oxbin in its folder.
func (p *Project) ArtifactPath(entry string) string {
	if p.Artifact != "" {
		return p.Artifact
	}
	stem := strings.TrimSuffix(filepath.Base(entry), ".ar")
	return filepath.Join(p.Folder(), "target", stem+".oxbin")
}

// maxArtifact bounds the artifacts that are read.
const maxArtifact = 1 << 30

// ErrNoArtifact says that the package was not built yet.
var ErrNoArtifact = errors.New("there is no artifact")

// OnDisk reads and verifies the artifact. The error is ErrNoArtifact where
// there is none, and an *oxbin.Error where it does not verify.
func (p *Project) OnDisk(ctx context.Context) (*oxbin.Artifact, oxbin.Hash, error) {
	path, err := p.findArtifact(ctx)
	if err != nil {
		return nil, oxbin.Hash{}, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, oxbin.Hash{}, ErrNoArtifact
	case err != nil:
		return nil, oxbin.Hash{}, fmt.Errorf("read the artifact: %w", err)
	case info.Size() > maxArtifact:
		return nil, oxbin.Hash{}, &oxbin.Error{Code: oxbin.CodeMalformed, Message: fmt.Sprintf("the artifact has %d bytes, more than %d", info.Size(), maxArtifact)}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, oxbin.Hash{}, fmt.Errorf("read the artifact: %w", err)
	}
	return oxbin.Decode(file)
}

// findArtifact returns the artifact's path without compiling.
func (p *Project) findArtifact(ctx context.Context) (string, error) {
	if p.Artifact != "" {
		return p.Artifact, nil
	}
	entry, err := p.entry(ctx)
	if err != nil {
		return "", err
	}
	return p.ArtifactPath(entry), nil
}

func (p *Project) entry(ctx context.Context) (string, error) {
	if filepath.Ext(p.Root) == ".ar" {
		return filepath.Base(p.Root), nil
	}
	ws, err := p.LoadManifest(ctx)
	if err != nil {
		return "", err
	}
	if ws.Main == nil || ws.Main.Entry == "" {
		return "root.ar", nil
	}
	return ws.Main.Entry, nil
}

// ErrOutside says that a package lies outside the workspace root.
var ErrOutside = errors.New("the package lies outside the workspace root")

// Sibling returns the project in folder name, relative to p's folder or
// absolute; it must lie under the workspace root after symlinks.
func (p *Project) Sibling(name string) (*Project, error) {
	folder := name
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(p.Folder(), filepath.FromSlash(name))
	}
	root := p.WorkspaceRoot
	if root == "" {
		var err error
		if root, err = load.FindWorkspace(p.Folder()); err != nil {
			return nil, err
		}
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, fmt.Errorf("find the package: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("find the workspace root: %w", err)
	}
	if rel, err := filepath.Rel(root, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, ErrOutside
	}
	q, err := Find(real)
	if err != nil {
		return nil, err
	}
	q.WorkspaceRoot, q.SourceLimit, q.Maker = p.WorkspaceRoot, p.SourceLimit, p.Maker
	return q, nil
}
