package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files is where a workspace's files are read from. Paths are slash-separated
// and relative to the root of the main package; those of dependencies begin
// with "..". Errors for what is not there wrap fs.ErrNotExist.
type Files interface {
	// Read returns a file of at most limit bytes; a longer one is ErrTooLarge.
	Read(file string, limit int64) ([]byte, error)
	// Real returns the name of a file or folder after following links. Two
	// names are the same thing if their real names are equal, and one is
	// inside another if its real name begins with the other's and a slash.
	Real(file string) (string, error)
	// Sources lists the *.ar files of a package's folder and the folders below
	// it, in the form that Read takes, sorted. Hidden files and folders,
	// target and folders of other packages are left out; linked folders are
	// not followed.
	Sources(folder string) ([]string, error)
}

// ErrTooLarge is the error of Files.Read for a file beyond the limit.
var ErrTooLarge = errors.New("file is larger than the limit")

// errNotRegular keeps the loader from waiting on a pipe or device.
var errNotRegular = errors.New("not a regular file")

// maxWalked bounds how many entries Sources looks at: beyond it the folder is
// surely no package's.
const maxWalked = 200_000

// Directory reads files of the machine, relative to the folder root.
func Directory(root string) Files { return directory{root} }

type directory struct{ root string }

func (d directory) name(file string) string {
	return filepath.Join(d.root, filepath.FromSlash(file))
}

func (d directory) Read(file string, limit int64) ([]byte, error) {
	name := d.name(file)
	info, err := os.Stat(name)
	if err != nil {
		return nil, plainError(file, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: file, Err: errNotRegular}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, plainError(file, err)
	}
	defer f.Close()
	text := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
	if _, err := text.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, plainError(file, err)
	}
	data := text.Bytes()
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: file, Err: ErrTooLarge}
	}
	return data, nil
}

func (d directory) Real(file string) (string, error) {
	real, err := filepath.EvalSymlinks(d.name(file))
	if err != nil {
		return "", plainError(file, err)
	}
	real, err = filepath.Abs(real)
	return filepath.ToSlash(real), err
}

func (d directory) Sources(folder string) ([]string, error) {
	var found []string
	walked := 0
	top := d.name(folder)
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if walked++; walked > maxWalked {
			return fmt.Errorf("%s holds more than %d files and folders", folder, maxWalked)
		}
		if e.IsDir() {
			if name == top {
				return nil
			}
			if strings.HasPrefix(e.Name(), ".") || e.Name() == "target" {
				return fs.SkipDir
			}
			if _, err := os.Lstat(filepath.Join(name, ManifestName)); err == nil {
				return fs.SkipDir
			}
			return nil
		}
		// Editors leave hidden files beside those that they edit.
		if filepath.Ext(name) == ".ar" && !strings.HasPrefix(e.Name(), ".") {
			rel, err := filepath.Rel(d.root, name)
			if err != nil {
				return err
			}
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, plainError(folder, err)
	}
	slices.Sort(found)
	return found, nil
}

// plainError puts the package's own name for a file in the place of the
// machine's, so that no diagnostic shows where a checkout lies.
func plainError(file string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return &fs.PathError{Op: p.Op, Path: file, Err: p.Err}
	}
	return err
}

// Memory reads files from a map, by path as Files has them.
func Memory(files map[string]string) Files { return memory(files) }

type memory map[string]string

func (m memory) Read(file string, limit int64) ([]byte, error) {
	text, ok := m[path.Clean(file)]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: file, Err: fs.ErrNotExist}
	}
	if int64(len(text)) > limit {
		return nil, &fs.PathError{Op: "read", Path: file, Err: ErrTooLarge}
	}
	return []byte(text), nil
}

// Real places the main package at a depth that no dependency's ".." leaves.
func (m memory) Real(file string) (string, error) {
	const main = "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/main"
	if _, ok := m[path.Clean(file)]; ok {
		return path.Join(main, file), nil
	}
	prefix := path.Clean(file) + "/"
	for name := range m {
		if file == "." && !strings.HasPrefix(name, "../") || strings.HasPrefix(name, prefix) {
			return path.Join(main, file), nil
		}
	}
	return "", &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
}

func (m memory) Sources(folder string) ([]string, error) {
	var found []string
	for name := range m {
		if path.Ext(name) == ".ar" && !strings.HasPrefix(path.Base(name), ".") && m.owns(folder, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found, nil
}

// owns reports whether a file is in folder and in no package below it.
func (m memory) owns(folder, file string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if dir == path.Clean(folder) {
			return true
		}
		base := path.Base(dir)
		if _, other := m[path.Join(dir, ManifestName)]; other || dir == "." || base == ".." || base == "target" || strings.HasPrefix(base, ".") {
			return false
		}
	}
}

// overlay puts texts over files: what an editor has not saved yet.
type overlay struct {
	Files
	texts memory
}

func (o overlay) Read(file string, limit int64) ([]byte, error) {
	if _, ok := o.texts[path.Clean(file)]; ok {
		return o.texts.Read(file, limit)
	}
	return o.Files.Read(file, limit)
}

// Real of a file that is only in the overlay is that of its folder and its name.
func (o overlay) Real(file string) (string, error) {
	real, err := o.Files.Real(file)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, ok := o.texts[path.Clean(file)]; !ok {
		return "", err
	}
	dir, dirErr := o.Files.Real(path.Dir(file))
	if dirErr != nil {
		return "", dirErr
	}
	return path.Join(dir, path.Base(file)), nil
}

func (o overlay) Sources(folder string) ([]string, error) {
	found, err := o.Files.Sources(folder)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, f := range found {
		all[f] = true
	}
	more, _ := o.texts.Sources(folder)
	for _, f := range more {
		all[f] = true
	}
	return slices.Sorted(maps.Keys(all)), nil
}
