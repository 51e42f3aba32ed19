// Package plugins holds the guests that the binary embeds: the reasoner and
// the check evaluator, built from the folders beside this file.
package plugins

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed all:built
var built embed.FS

// Reasoner returns the reasoner guest, a WebAssembly module. The bytes must
// not be changed.
func Reasoner() ([]byte, error) { return reasoner() }

// Evaluator returns the check evaluator guest, a WebAssembly module. The bytes
// must not be changed.
func Evaluator() ([]byte, error) { return checks() }

// Reading an embedded file copies it.
var (
	reasoner = sync.OnceValues(func() ([]byte, error) { return guest("reasoner") })
	checks   = sync.OnceValues(func() ([]byte, error) { return guest("checks") })
)

func guest(name string) ([]byte, error) {
	wasm, err := built.ReadFile("built/" + name + ".wasm")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the guest %q was not built when this binary was: run `make build`", name)
	}
	if err != nil {
		return nil, fmt.Errorf("the embedded guest %q cannot be read: %w", name, err)
	}
	return wasm, nil
}
