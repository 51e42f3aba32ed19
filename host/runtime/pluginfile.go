package runtime

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lukechampine.com/blake3"
)

// MaxPluginBytes is the size of the largest plugin file that is read.
const MaxPluginBytes = 64 << 20

// PinOf is the pin of a plugin file: its BLAKE3-256 in hexadecimal.
func PinOf(wasm []byte) string {
	sum := blake3.Sum256(wasm)
	return hex.EncodeToString(sum[:])
}

// ReadPlugin reads a plugin file that the operator names.
func ReadPlugin(path string) ([]byte, error) {
	// Looked at before it is opened: opening a pipe would wait for its writer.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if err := pluginFile(path, info); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return readAll(path, f)
}

// readConfined reads a plugin file that a package names: what lies outside
// the folder, by itself or through a link, is never opened.
func readConfined(folder, path string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) || strings.ContainsAny(path, "\\\x00:") {
		return nil, fmt.Errorf("the path %q leaves the package", abridge(path))
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(path)
	if info, err := root.Stat(name); err != nil {
		return nil, outside(path, err)
	} else if err := pluginFile(path, info); err != nil {
		return nil, err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, outside(path, err)
	}
	return readAll(path, f)
}

func outside(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("the path %q does not lead to a file inside the package: %w", abridge(path), err)
}

func pluginFile(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no ordinary file", abridge(path))
	case info.Size() > MaxPluginBytes:
		return fmt.Errorf("%s has %d bytes: a plugin has at most %d", abridge(path), info.Size(), int64(MaxPluginBytes))
	}
	return nil
}

const wasmMagic = "\x00asm"

func readAll(path string, f *os.File) ([]byte, error) {
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxPluginBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > MaxPluginBytes:
		return nil, fmt.Errorf("%s has more than %d bytes", abridge(path), int64(MaxPluginBytes))
	case !strings.HasPrefix(string(b[:min(len(b), len(wasmMagic))]), wasmMagic):
		return nil, fmt.Errorf("%s is no WebAssembly module", abridge(path))
	}
	return b, nil
}

// CheckPin compares a file with its pin, in either case; an empty pin fits every
// file. The error names what, and both hashes.
func CheckPin(what string, wasm []byte, pin string) error {
	if have := PinOf(wasm); pin != "" && !strings.EqualFold(have, pin) {
		return fmt.Errorf("%s is not the pinned one: its BLAKE3 is %s, the pin says %s", what, have, strings.ToLower(pin))
	}
	return nil
}

// read opens the declared file and holds it to its pin.
func (d *PluginTable) read() ([]byte, error) {
	wasm := d.wasm
	var err error
	switch {
	case wasm != nil:
	case d.fromPackage():
		wasm, err = readConfined(d.Folder, d.Path)
	case filepath.IsAbs(d.Path):
		wasm, err = ReadPlugin(d.Path)
	default:
		wasm, err = ReadPlugin(filepath.Join(d.Folder, d.Path))
	}
	if err != nil {
		return nil, err
	}
	return wasm, CheckPin(d.Path, wasm, d.Blake3)
}
