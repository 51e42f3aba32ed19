package coherence

import (
	"fmt"
	"os"
	"path/filepath"
)

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
