package runtime

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

// Trust keeps which packages the user trusts to name plugins of their own. A
// package is known by its contents: what it says in its ox.toml and the files
// that it pins there. When either changes it is not trusted any more.
type Trust struct {
	Folder string           // the user's own folder for such records; made when it is needed
	Listed []string         // digests that the configuration trusts besides
	Clock  func() time.Time // for the record
}

// TrustRecord is one trusted package.
type TrustRecord struct {
	Digest string    `json:"digest"`
	Path   string    `json:"path"` // where it was when it was trusted; for people
	At     time.Time `json:"at"`
}

type trustFile struct {
	Trusted []TrustRecord `json:"trusted"`
}

const (
	trustName = "trust.json"
	maxTrust  = 1 << 20 // bytes of the file
)

// File is where the records are; "" where there is no place for them.
func (t *Trust) File() string {
	if t == nil || t.Folder == "" {
		return ""
	}
	return filepath.Join(t.Folder, trustName)
}

// Knows reports whether a package of this digest is trusted. Records that
// cannot be read know nothing.
func (t *Trust) Knows(digest string) bool {
	records, err := t.List()
	return t != nil && err == nil && (slices.Contains(t.Listed, digest) || slices.ContainsFunc(records, func(r TrustRecord) bool { return r.Digest == digest }))
}

// List returns the records, oldest first. A folder that others may write to
// is refused: their word is not the user's.
func (t *Trust) List() ([]TrustRecord, error) {
	if t == nil || t.Folder == "" {
		return nil, nil
	}
	if _, err := os.Lstat(t.Folder); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err := sandbox.OwnFolder(t.Folder); err != nil {
		return nil, fmt.Errorf("the folder %s of the user's records cannot be trusted: %w", t.Folder, err)
	}
	name := filepath.Join(t.Folder, trustName)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the trusted packages: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxTrust:
		return nil, fmt.Errorf("%s is no file of records", name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the trusted packages: %w", err)
	}
	var f trustFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("%s does not parse (%w): remove it, and trust your packages again", name, err)
	}
	return f.Trusted, nil
}

// add records a package; an older record of the same path goes.
func (t *Trust) add(r TrustRecord) error {
	old, err := t.List()
	if err != nil {
		return err
	}
	list := []TrustRecord{}
	for _, o := range old {
		if o.Digest != r.Digest && o.Path != r.Path {
			list = append(list, o)
		}
	}
	return t.write(append(list, r))
}

// remove forgets the records of a path or a digest, and says how many.
func (t *Trust) remove(path, digest string) (int, error) {
	old, err := t.List()
	if err != nil {
		return 0, err
	}
	list := []TrustRecord{}
	for _, o := range old {
		if o.Path != path && o.Digest != digest {
			list = append(list, o)
		}
	}
	if len(list) == len(old) {
		return 0, nil
	}
	return len(old) - len(list), t.write(list)
}

func (t *Trust) write(list []TrustRecord) error {
	if t.Folder == "" {
		return errors.New("there is no folder for the user's records: set paths.state")
	}
	if err := sandbox.OwnFolder(t.Folder); err != nil {
		return fmt.Errorf("the folder %s of the user's records cannot be used: %w", t.Folder, err)
	}
	text, err := json.MarshalIndent(trustFile{Trusted: list}, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(t.Folder, trustName), append(text, '\n'))
}

// replaceFile puts a private file in place in one step.
func replaceFile(name string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// Ignored is something that a package's manifest says and may not.
type Ignored struct {
	Key     string // dotted: "plugins.digits", "reasoner", "limits.fuel"
	Message string // why, and what to do
}

// PackagePlugins is what a package's manifest says of plugins.
type PackagePlugins struct {
	Trusted  bool
	Digest   string        // of a package whose files were read
	Plugins  []PluginTable // empty where the package is not trusted
	Reasoner *PluginSource // nil where it names none, or is not trusted
	Ignored  []Ignored
}

// OfPackage judges the plugins of a manifest. Nothing that an untrusted
// package names is opened. root is the package's folder.
func (t *Trust) OfPackage(m *load.Manifest, text []byte, root string, dev bool) PackagePlugins {
	var out PackagePlugins
	if m == nil || m.Reasoner == nil && len(m.Plugins) == 0 {
		return out
	}
	files, why := t.judge(m, text, root, &out)
	if why != "" {
		if m.Reasoner != nil {
			out.Ignored = append(out.Ignored, Ignored{"reasoner", why})
		}
		for _, p := range m.Plugins {
			out.Ignored = append(out.Ignored, Ignored{"plugins." + p.Name, why})
		}
		return out
	}
	out.Trusted = true
	out.Plugins = declarationsOf(m, root, files)
	if m.Reasoner != nil {
		out.Reasoner = packageReasoner(m.Reasoner, files[m.Reasoner.Path], dev)
	}
	return out
}

// declarationsOf gives the tables with the files as they were when the package
// was found to be the trusted one: what changes later is not looked at.
func declarationsOf(m *load.Manifest, root string, files map[string][]byte) []PluginTable {
	var out []PluginTable
	for _, p := range m.Plugins {
		out = append(out, PluginTable{
			Name: p.Name, Kind: p.Kind, Path: p.Path, Blake3: p.Blake3, Grants: p.Grants, Limits: p.Limits,
			Layer: settings.LayerPackage, File: m.Path, Folder: root, wasm: files[p.Path],
		})
	}
	return out
}

func packageReasoner(pin *load.Pin, wasm []byte, dev bool) *PluginSource {
	source := &PluginSource{Name: "reasoner " + pin.Path + " of the package", Wasm: wasm, OfPackage: true}
	if pin.Blake3 == "" && !dev {
		source.Err = fmt.Errorf("the reasoner %s of the package has no pin: write blake3 = %q beside its path, or run with --dev", pin.Path, PinOf(source.Wasm))
	} else {
		source.Err = CheckPin("the reasoner "+pin.Path+" of the package", source.Wasm, pin.Blake3)
	}
	return source
}

// judge returns the files that the package pins, by path, or why it is not
// trusted.
func (t *Trust) judge(m *load.Manifest, text []byte, root string, out *PackagePlugins) (files map[string][]byte, why string) {
	const untrusted = "only a package that you trust may name plugins; look at its ox.toml, and if you trust it run `ox-mcp trust PATH`"
	records, err := t.List()
	if err != nil {
		return nil, err.Error()
	}
	var known []string
	if t != nil {
		known = append(known, t.Listed...)
	}
	for _, r := range records {
		known = append(known, r.Digest)
	}
	// The first half is of the manifest alone: without it no file is opened.
	first := manifestDigest(text)
	candidate := false
	for _, k := range known {
		candidate = candidate || strings.HasPrefix(k, first+":")
	}
	if !candidate {
		return nil, untrusted
	}
	if out.Digest, files, err = trustDigest(m, text, root); err != nil {
		return nil, "the package was trusted, and now a file that it pins cannot be read: " + err.Error()
	}
	if !slices.Contains(known, out.Digest) {
		return nil, "the package was trusted, and a file that it pins has changed since; look at it, and if you trust it run `ox-mcp trust PATH`"
	}
	return files, ""
}

func manifestDigest(text []byte) string {
	h := hash([]byte("ox.toml"), text)
	return hex.EncodeToString(h[:])
}

// trustDigest is what a package is trusted by: half of it is its manifest,
// half the files that the manifest pins, which are returned by their paths.
func trustDigest(m *load.Manifest, text []byte, root string) (digest string, files map[string][]byte, err error) {
	var paths []string
	if m.Reasoner != nil {
		paths = append(paths, m.Reasoner.Path)
	}
	for _, p := range m.Plugins {
		paths = append(paths, p.Path)
	}
	files = map[string][]byte{}
	parts := [][]byte{[]byte("pinned")}
	for _, p := range paths {
		if files[p] == nil {
			if files[p], err = readConfined(root, p); err != nil {
				return "", nil, err
			}
		}
		parts = append(parts, []byte(p), files[p])
	}
	h := hash(parts...)
	return manifestDigest(text) + ":" + hex.EncodeToString(h[:]), files, nil
}
