package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ManifestName is the file that makes a folder a package.
const ManifestName = "ox.toml"

// ErrNoPackage is the error of FindRoot where no package is found.
var ErrNoPackage = errors.New("no package here")

// FindRoot returns what Options.Root takes for a path of the machine: the
// nearest folder upward that holds an ox.toml, or, if there is none and the
// path is an .ar file, that file. A folder outside every package is
// ErrNoPackage.
func FindRoot(name string) (string, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("find the package of %s: %w", name, err)
	}
	info, err := os.Stat(full)
	if err != nil {
		return "", fmt.Errorf("find the package of %s: %w", name, err)
	}
	dir := full
	if !info.IsDir() {
		if filepath.Ext(full) != ".ar" && filepath.Base(full) != ManifestName {
			return "", fmt.Errorf("%s is neither a folder nor an .ar file: %w", name, ErrNoPackage)
		}
		dir = filepath.Dir(full)
	}
	for {
		if holds(dir, ManifestName) {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	if !info.IsDir() {
		return full, nil
	}
	return "", fmt.Errorf("%s and the folders above it hold no %s: %w", name, ManifestName, ErrNoPackage)
}

// FindWorkspace returns the folder that path dependencies of the package in
// root may not leave, where no setting names it: the nearest folder upward
// that holds .git, else the parent of root.
func FindWorkspace(root string) (string, error) {
	full, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("find the workspace of %s: %w", root, err)
	}
	for dir := full; ; {
		if holds(dir, ".git") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return filepath.Dir(full), nil
		}
		dir = up
	}
}

func holds(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
