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
func Reasoner() ([]byte, error) { g, err := reasoner(); return g.wasm, err }

// Evaluator returns the check evaluator guest, a WebAssembly module. The bytes
// must not be changed.
func Evaluator() ([]byte, error) { g, err := checks(); return g.wasm, err }

// ReasonerHash returns the reasoner's BLAKE3-256 in hexadecimal, or nothing
// where it was not made with it.
func ReasonerHash() string { g, _ := reasoner(); return g.hash }

// EvaluatorHash returns the same of the check evaluator.
func EvaluatorHash() string { g, _ := checks(); return g.hash }

type embedded struct {
	wasm []byte
	hash string
}

// Reading an embedded file copies it.
var (
	reasoner = sync.OnceValues(func() (embedded, error) { return guest("reasoner") })
	checks   = sync.OnceValues(func() (embedded, error) { return guest("checks") })
)

func guest(name string) (embedded, error) {
	wasm, err := built.ReadFile("built/" + name + ".wasm")
	if errors.Is(err, fs.ErrNotExist) {
		return embedded{}, fmt.Errorf("the guest %q was not built when this binary was: run `make build`", name)
	}
	if err != nil {
		return embedded{}, fmt.Errorf("the embedded guest %q cannot be read: %w", name, err)
	}
	sum, _ := built.ReadFile("built/" + name + ".sum") // none: nothing is known
	return embedded{wasm, hashIn(sum, wasm)}, nil
}
