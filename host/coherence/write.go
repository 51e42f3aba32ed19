package coherence

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteInside is Write for a file of a package: the folders on the way to it
// must be the package's own, and no links that lead elsewhere.
func WriteInside(folder, path string, file []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the artifact: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("write the artifact: %w", err)
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return fmt.Errorf("write the artifact: %w", err)
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("write the artifact: %s is a link that leads out of the package; remove it, or name another file with --out", dir)
	}
	return Write(path, file)
}

// Write puts an artifact in place in one step: a reader sees the old file or
// the new one, also after a crash.
func Write(path string, file []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the artifact: %w", err)
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write the artifact: %w", err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(file); err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Close()
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write the artifact: %w", err)
	}
	if d, openErr := os.Open(dir); openErr == nil {
		d.Sync() // the rename itself; a file system that cannot do it has lost nothing that was promised
		d.Close()
	}
	return nil
}
