package coherence

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/pelletier/go-toml/v2"
	"lukechampine.com/blake3"
)

// lockVersion is the version of the form of ox.lock.
const lockVersion = 1

// maxLockFile bounds the ox.lock that is read, in bytes.
const maxLockFile = 1 << 20

const lockHead = "# Written by `ox-mcp build`, checked by `ox-mcp build --frozen`. Keep it under version control.\n\n"

// LockFile says which packages a build is made from: the package itself and
// everything that it depends on, without the standard packages, which come with
// the compiler.
type LockFile struct {
	Version  int             `toml:"version"`
	Packages []LockedPackage `toml:"package"` // sorted by name, then path
}

// LockedPackage is one package of a LockFile. The hashes are BLAKE3-256 in
// hexadecimal behind "blake3:".
type LockedPackage struct {
	Name       string `toml:"name"`
	Version    string `toml:"version"`
	Path       string `toml:"path"`       // of its folder, from the main package, with "/"
	Content    string `toml:"content"`    // of its manifest, sources and facts files
	Constructs string `toml:"constructs"` // of its declarations, without places and comments
}

// LockOf describes what r was compiled from; nil for a lone file, which has no
// manifest to lock. r must have a module.
func LockOf(r *argon.Result) (*LockFile, error) {
	ws := r.Workspace
	if ws.Main == nil || ws.Main.Manifest == nil {
		return nil, nil
	}
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	out := &LockFile{Version: lockVersion}
	for _, p := range ws.Packages {
		if p == ws.Std {
			continue
		}
		constructs, err := constructsHash(enc, ws, p, r.Module.Schema.Constructs)
		if err != nil {
			return nil, fmt.Errorf("lock the package %s: %w", p.Name, err)
		}
		out.Packages = append(out.Packages, LockedPackage{
			Name: p.Name, Version: p.Version, Path: p.Root, Content: contentHash(ws, p), Constructs: constructs,
		})
	}
	slices.SortFunc(out.Packages, func(a, b LockedPackage) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// ownerOf returns the package that a file belongs to: the one with the deepest
// folder around it.
func ownerOf(ws *load.Workspace, file string) *load.Package {
	var owner *load.Package
	depth := -1
	for _, p := range ws.Packages {
		if p == ws.Std {
			continue
		}
		if _, ok := insideOf(p, file); ok && len(p.Root) > depth {
			owner, depth = p, len(p.Root)
		}
	}
	return owner
}

// insideOf returns the path of a file from the folder of p, if it is in there.
func insideOf(p *load.Package, file string) (string, bool) {
	if p.Root == "." {
		return file, !strings.HasPrefix(file, "../") && !strings.HasPrefix(file, "std/")
	}
	return strings.CutPrefix(file, p.Root+"/")
}

// contentHash does not depend on where the package lies, and not on lock
// files: writing one must not change what it says.
func contentHash(ws *load.Workspace, p *load.Package) string {
	h := blake3.New(32, nil)
	for _, in := range ws.Inputs {
		if path.Base(in.Path) == load.LockName || ownerOf(ws, in.Path) != p {
			continue
		}
		name, _ := insideOf(p, in.Path)
		put(h, []byte(name))
		put(h, in.Bytes)
	}
	return "blake3:" + hex.EncodeToString(h.Sum(nil))
}

func constructsHash(enc cbor.EncMode, ws *load.Workspace, p *load.Package, all []lower.Construct) (string, error) {
	h := blake3.New(32, nil)
	for _, c := range all {
		if c.Kind == "test" || ownerOf(ws, c.Place.Path) != p {
			continue
		}
		c.Place, c.Doc, c.Index = lower.Place{}, "", 0
		body, err := enc.Marshal(c)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.Name, err)
		}
		put(h, body)
	}
	return "blake3:" + hex.EncodeToString(h.Sum(nil)), nil
}

func put(h *blake3.Hasher, b []byte) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
	h.Write(n[:])
	h.Write(b)
}

// Text is the file: the same bytes on every machine.
func (l *LockFile) Text() ([]byte, error) {
	text, err := toml.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", load.LockName, err)
	}
	return append([]byte(lockHead), text...), nil
}

// Enter makes the lock an input of r, as if it were on disk already, so that an
// artifact that is packed from r is not older than the lock that is written
// with it.
func (l *LockFile) Enter(r *argon.Result) error {
	text, err := l.Text()
	if err != nil {
		return err
	}
	ws := r.Workspace
	in := load.Input{Path: path.Join(ws.Main.Root, load.LockName), Bytes: text}
	at, found := slices.BinarySearchFunc(ws.Inputs, in.Path, func(i load.Input, name string) int { return cmp.Compare(i.Path, name) })
	if found {
		ws.Inputs[at] = in
	} else {
		ws.Inputs = slices.Insert(ws.Inputs, at, in)
	}
	return nil
}

func (p *Project) lockPath() string { return filepath.Join(p.Folder(), load.LockName) }

// WriteLock puts the lock in place in one step, if it says something new.
func (p *Project) WriteLock(l *LockFile) error {
	text, err := l.Text()
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(p.lockPath()); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return Write(p.lockPath(), text)
}

// ErrNoLock says that the package has no lock file yet.
var ErrNoLock = errors.New("there is no " + load.LockName)

// ReadLock reads the lock beside the manifest. The error is ErrNoLock where
// there is none.
func (p *Project) ReadLock() (*LockFile, error) {
	info, err := os.Stat(p.lockPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoLock
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", load.LockName, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: it is no file", load.LockName)
	case info.Size() > maxLockFile:
		return nil, fmt.Errorf("read %s: it has %d bytes, more than %d", load.LockName, info.Size(), maxLockFile)
	}
	text, err := os.ReadFile(p.lockPath())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", load.LockName, err)
	}
	l := new(LockFile)
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(l); err != nil {
		return nil, fmt.Errorf("read %s: it is not what `ox-mcp build` writes: %w", load.LockName, err)
	}
	if l.Version != lockVersion {
		return nil, fmt.Errorf("read %s: it has the version %d, this program reads %d", load.LockName, l.Version, lockVersion)
	}
	return l, nil
}

// Differences says how the packages now differ from those that l holds, a
// sentence each; none where they are the same.
func (l *LockFile) Differences(now *LockFile) []string {
	out := []string{}
	locked := map[string]LockedPackage{}
	for _, p := range l.Packages {
		locked[p.Path] = p
	}
	for _, p := range now.Packages {
		old, ok := locked[p.Path]
		delete(locked, p.Path)
		title := fmt.Sprintf("package %s (%s)", p.Name, p.Path)
		switch {
		case !ok:
			out = append(out, title+" is not locked")
		case old.Name != p.Name:
			out = append(out, fmt.Sprintf("%s is locked as %s", title, old.Name))
		case old.Version != p.Version:
			out = append(out, fmt.Sprintf("%s has the version %q, locked is %q", title, p.Version, old.Version))
		case old.Constructs != p.Constructs:
			out = append(out, title+" declares other constructs than the locked ones")
		case old.Content != p.Content:
			out = append(out, title+" has other files than the locked ones, with the same constructs")
		}
	}
	for _, p := range l.Packages {
		if _, left := locked[p.Path]; left {
			out = append(out, fmt.Sprintf("package %s (%s) is locked, and nothing depends on it", p.Name, p.Path))
			delete(locked, p.Path)
		}
	}
	return out
}
