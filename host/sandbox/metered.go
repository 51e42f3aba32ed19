package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// meteredDir is the folder of the cache that holds metered modules. Only
// modules that were found valid get there: reading and checking a Go guest
// takes longer than all the rest of its admission from the cache.
const meteredDir = "metered"

// entryForm is the version of the entries' form. Programs of two versions that
// use one folder do not write over each other's.
const entryForm = "outline 2"

// entriesMost is how many metered modules, and how many descriptions, the cache
// keeps.
const entriesMost = 32

// metered is the rewritten form of a module that was found valid.
type metered struct {
	result  *rewrite.Result
	wasm    []byte // nil where only the outline was read
	outline []byte // of wasm
	data    []byte // that the outline leaves out
	hash    string // of wasm
	cached  bool   // it came from the cache
	key     string // of what it was made of, for what else is known of it
}

// meteredFile is where the cache has the module of a key; empty without one.
func (h *Host) meteredFile(key string) string {
	if h.config.CacheDir == "" {
		return ""
	}
	return filepath.Join(h.config.CacheDir, meteredDir, key)
}

// meter rewrites and validates a module, or takes both from the cache. The
// error is an *AdmissionError, or one of the cache folder.
func (h *Host) meter(ctx context.Context, wasm []byte, key string, o rewrite.Options) (*metered, error) {
	file := h.meteredFile(key)
	if m := h.keptMetered(key, o, true); m != nil {
		return m, nil
	}
	result, err := rewrite.Rewrite(wasm, o)
	var r *rewrite.Refusal
	if errors.As(err, &r) {
		return nil, &AdmissionError{Code: r.Code, Detail: r.Detail, Function: r.Function, Offset: r.Offset}
	}
	if refusal := h.validate(ctx, wasm); refusal != nil {
		return nil, refusal
	}
	m := &metered{result: result, wasm: result.Wasm, hash: digest(result.Wasm), key: key}
	result.Wasm = nil
	if file != "" {
		forms, err := m.forms()
		if err != nil {
			return nil, fmt.Errorf("sandbox: outlining a metered module: %w", err)
		}
		m.outline, m.data = forms.Outline, forms.Data
		if err := m.write(file); err != nil {
			return nil, fmt.Errorf("sandbox: cache folder %s: %w", h.config.CacheDir, err)
		}
	}
	return m, nil
}

// keptMetered gives the module of a key from the cache, with or without its
// code, or nil.
func (h *Host) keptMetered(key string, o rewrite.Options, code bool) *metered {
	file := h.meteredFile(key)
	if file == "" {
		return nil
	}
	m := readMetered(file, code)
	if m == nil || m.result.MemoryMin > o.MemoryPages {
		return nil
	}
	m.key = key
	return m
}

// meteredKey names what the metered form depends on. The size of the memory
// is not in it: it decides only whether the module is taken.
func meteredKey(hash string, o rewrite.Options) string {
	o.MemoryPages = 0
	options, err := json.Marshal(o)
	if err != nil {
		panic(err) // Options are numbers, strings and maps of them
	}
	return digest(slices.Concat([]byte(hash), []byte(rewrite.Version+" "+runtimeVersion()+" "+entryForm+" "), options))
}

// meteredHead is what an entry of the cache says before the outline, its data
// and the module: its length and its sum in four bytes each, and this in JSON.
type meteredHead struct {
	Result  rewrite.Result
	Hash    string
	Outline part
	Data    part
	Module  part
}

// part is what an entry says of a part of it.
type part struct {
	Size int
	Sum  uint32
}

func partOf(b []byte) part { return part{len(b), sum(b)} }

// sum tells an entry that is whole from one that is not. The folder is trusted,
// so it need not be more: a hash of 8 MB would be 4 ms of each start.
func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// readMetered gives nil where there is no entry, or none that is whole. Without
// code it reads the outline alone, of an entry that has the right size.
func readMetered(file string, code bool) *metered {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	left := info.Size()
	next := func(n int64) ([]byte, bool) {
		if left -= n; n < 0 || left < 0 {
			return nil, false
		}
		b := make([]byte, n)
		_, err := io.ReadFull(f, b)
		return b, err == nil
	}
	good := func(p part) (b []byte, ok bool) {
		b, ok = next(int64(p.Size))
		return b, ok && partOf(b) == p
	}
	first, ok := next(8)
	if !ok {
		return nil
	}
	said, ok := good(part{int(binary.LittleEndian.Uint32(first)), binary.LittleEndian.Uint32(first[4:])})
	var head meteredHead
	if !ok || json.Unmarshal(said, &head) != nil {
		return nil
	}
	m := &metered{result: &head.Result, hash: head.Hash, cached: true}
	var outline, data bool
	m.outline, outline = good(head.Outline)
	m.data, data = good(head.Data)
	if !outline || !data || left != int64(head.Module.Size) {
		return nil
	}
	if code {
		if m.wasm, ok = good(head.Module); !ok {
			return nil
		}
	}
	return m
}

// write puts the module into the cache.
func (m *metered) write(file string) error {
	head, err := json.Marshal(meteredHead{Result: *m.result, Hash: m.hash, Outline: partOf(m.outline), Data: partOf(m.data), Module: partOf(m.wasm)})
	if err != nil {
		return err
	}
	first := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	first = binary.LittleEndian.AppendUint32(first, sum(head))
	return keep(file, slices.Concat(first, head, m.outline, m.data, m.wasm))
}

// keep writes an entry of the cache in one step, so that no other process sees
// half of it, and drops the oldest of its folder.
func keep(file string, entry []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := dropOldest(dir, entriesMost-1, math.MaxInt64); err != nil {
		return err
	}
	t, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return err
	}
	_, err = t.Write(entry)
	err = errors.Join(err, t.Close())
	if err == nil {
		err = os.Rename(t.Name(), file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("an entry of the cache cannot be written; delete the folder %s, from which nothing is lost: %w", dir, err), os.Remove(t.Name()))
	}
	return nil
}

// dropOldest leaves those entries of dir that were written last: so many, and
// files of so many bytes together.
func dropOldest(dir string, most int, bytes int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process dropped it
		}
		if err != nil {
			return err
		}
		files = append(files, info)
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, f := range files {
		if bytes -= f.Size(); i < most && bytes >= 0 {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
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
