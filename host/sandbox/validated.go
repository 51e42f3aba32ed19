package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
)

// validatedDir is the folder of the cache that has an empty file for each
// module that was found valid. Checking the types of a Go guest takes longer
// than all the rest of its admission from the cache.
const validatedDir = "validated"

// validateOnce validates a module unless the cache says that it is valid.
func (h *Host) validateOnce(ctx context.Context, wasm []byte, hash string) error {
	if h.config.CacheDir == "" {
		if refusal := h.validate(ctx, wasm); refusal != nil {
			return refusal
		}
		return nil
	}
	mark := filepath.Join(h.config.CacheDir, validatedDir, runtimeVersion()+"-"+hash)
	_, err := os.Lstat(mark)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("sandbox: cache folder %s: %w", h.config.CacheDir, err)
	}
	if refusal := h.validate(ctx, wasm); refusal != nil {
		return refusal
	}
	err = os.MkdirAll(filepath.Dir(mark), 0o700)
	if err == nil {
		err = os.WriteFile(mark, nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("sandbox: cache folder %s: %w", h.config.CacheDir, err)
	}
	return nil
}

// runtimeVersion is the version of wazero that this program is built with:
// another one may find other modules valid.
func runtimeVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/tetratelabs/wazero" {
				return d.Version
			}
		}
	}
	return "unknown"
}
