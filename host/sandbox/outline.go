package sandbox

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// wazero keeps machine code under a hash of the module that it is given, but
// decodes and validates every instruction of it before it looks there: two
// thirds of a warm admission. So it is given the module's outline instead, and
// the machine code of the whole module lies under the outline's name.
//
// wazero compiles the outline where that file is missing, and keeps what it
// made; so each module from an outline is asked whether it is the whole one
// before anything of the guest runs. Until then it can do nothing: every body
// of an outline traps.

// makingDir is the folder of the cache in which machine code is made.
const makingDir = "making"

// makingMost is how many folders may lie there: one for each process that
// compiles, and those of processes that ended before they were done.
const makingMost = 8

// codeMost is how much machine code the cache keeps: some 35 builds of the
// reasoner.
const codeMost = 1 << 30

// outlines says whether modules are compiled by their outlines. The interpreter
// keeps nothing in the cache folder.
func (h *Host) outlines() bool { return h.config.CacheDir != "" && !h.config.Interpreter }

// forms gives the whole module and its outline.
func (m *metered) forms() (*rewrite.Outlined, error) {
	digest, err := hex.DecodeString(m.hash)
	if err != nil {
		return nil, err
	}
	return rewrite.Outline(m.wasm, digest)
}

// compileMetered compiles a metered module that the cache has no machine code
// of.
func (h *Host) compileMetered(ctx context.Context, m *metered) (code, *AdmissionError) {
	if h.outlines() {
		c, ok, err := h.place(ctx, m)
		if ok {
			return c, nil
		}
		var refusal *AdmissionError
		if errors.As(err, &refusal) && refusal.Code == CodeCompileDeadline {
			return code{}, refusal
		}
		// The folder is full or read-only, or another process is at it. The
		// module itself needs no outline.
	}
	compiled, refusal := compile(ctx, h.runtime, m.wasm, h.config.CompileTime)
	return code{compiled: compiled}, refusal
}

// fromOutline gives a module if its machine code was in the cache.
func (h *Host) fromOutline(ctx context.Context, m *metered) (c code, ok bool) {
	data, err := rewrite.Segments(m.data)
	if err != nil || !rewrite.Fit(data, m.result.MemoryMin) {
		return code{}, false
	}
	compiled, refusal := compile(ctx, h.runtime, m.outline, h.config.CompileTime)
	if refusal != nil {
		return code{}, false
	}
	if !h.whole(ctx, compiled, m) {
		_ = compiled.Close(ctx) // wazero's gives no error
		return code{}, false
	}
	return code{compiled, data}, true
}

// whole asks a module whether it is the whole one.
func (h *Host) whole(ctx context.Context, compiled wazero.CompiledModule, m *metered) (yes bool) {
	defer func() {
		if recover() != nil { // machine code of another module has other functions
			yes = false
		}
	}()
	minimum := uint64(m.result.MemoryMin) * rewrite.PageBytes
	memory := h.memory.reserve(minimum)
	defer h.memory.release(memory)
	if !memory.admit(minimum) {
		return false
	}
	in, err := h.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, memory), compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return false
	}
	defer in.Close(ctx)
	digest, err := hex.DecodeString(m.hash)
	if err != nil {
		return false
	}
	said, err := in.ExportedFunction(rewrite.WholeExport).Call(ctx)
	return err == nil && said[0] == rewrite.Tag(digest)
}

// place puts the machine code of the whole module under the name that wazero
// has for that of the outline, unless it is there, and takes it from there. How
// wazero makes that name is not for us to know: it is asked by having it compile
// the outline in a folder where nothing else is. The error says why ok is false.
func (h *Host) place(ctx context.Context, m *metered) (c code, ok bool, err error) {
	forms, err := m.forms()
	if err != nil {
		return code{}, false, err
	}
	making := filepath.Join(h.config.CacheDir, makingDir)
	if err := os.MkdirAll(making, 0o700); err != nil {
		return code{}, false, err
	}
	if err := dropOldest(making, makingMost-1, math.MaxInt64); err != nil {
		return code{}, false, err
	}
	dir, err := os.MkdirTemp(making, "new-")
	if err != nil {
		return code{}, false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	name, err := h.compileInto(ctx, filepath.Join(dir, "outline"), forms.Outline)
	if err != nil {
		return code{}, false, err
	}
	file := filepath.Join(h.config.CacheDir, name)
	if _, err := os.Stat(file); err == nil { // the metered module alone was dropped
		if c, ok := h.fromOutline(ctx, m); ok {
			return c, true, nil
		}
	}
	made, err := h.compileInto(ctx, filepath.Join(dir, "whole"), forms.Whole)
	if err != nil {
		return code{}, false, err
	}
	if err := os.Rename(filepath.Join(dir, "whole", made), file); err != nil {
		return code{}, false, err
	}
	c, ok = h.fromOutline(ctx, m)
	return c, ok, dropOldest(filepath.Dir(file), math.MaxInt, codeMost)
}

// compileInto compiles a module in a folder of its own, and gives the path in it
// of the one file that wazero made.
func (h *Host) compileInto(ctx context.Context, dir string, wasm []byte) (name string, err error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return "", err
	}
	r := wazero.NewRuntimeWithConfig(ctx, h.engine.WithCompilationCache(cache))
	_, refusal := compile(ctx, r, wasm, h.config.CompileTime)
	if err := errors.Join(r.Close(ctx), cache.Close(ctx)); err != nil {
		return "", err
	}
	if refusal != nil {
		return "", refusal
	}
	var files []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", fmt.Errorf("sandbox: the runtime made %d files of a module, and not one", len(files))
	}
	return filepath.Rel(dir, files[0])
}
