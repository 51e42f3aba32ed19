package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
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

// entriesMost is how many metered modules, and how many descriptions, the cache
// keeps.
const entriesMost = 32

// metered is the rewritten form of a module that was found valid.
type metered struct {
	result *rewrite.Result
	wasm   []byte
	hash   string // of wasm
	cached bool   // it came from the cache
	key    string // of what it was made of, for what else is known of it
}

// meter rewrites and validates a module, or takes both from the cache. The
// error is an *AdmissionError, or one of the cache folder.
func (h *Host) meter(ctx context.Context, wasm []byte, hash string, o rewrite.Options) (*metered, error) {
	file, key := "", meteredKey(hash, o)
	if h.config.CacheDir != "" {
		file = filepath.Join(h.config.CacheDir, meteredDir, key)
		if m := readMetered(file); m != nil && m.result.MemoryMin <= o.MemoryPages {
			m.key = key
			return m, nil
		}
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
		if err := m.write(file); err != nil {
			return nil, fmt.Errorf("sandbox: cache folder %s: %w", h.config.CacheDir, err)
		}
	}
	return m, nil
}

// meteredKey names what the metered form depends on. The size of the memory
// is not in it: it decides only whether the module is taken.
func meteredKey(hash string, o rewrite.Options) string {
	o.MemoryPages = 0
	options, err := json.Marshal(o)
	if err != nil {
		panic(err) // Options are numbers, strings and maps of them
	}
	return digest(slices.Concat([]byte(hash), []byte(rewrite.Version+" "+runtimeVersion()+" "), options))
}

// meteredHead is what an entry of the cache says before the module's bytes:
// its length in four bytes, and this in JSON.
type meteredHead struct {
	Result rewrite.Result
	Hash   string
	Sum    uint32 // of the bytes
}

// sum tells an entry that is whole from one that is not. The folder is trusted,
// so it need not be more: a hash of 8 MB would be 4 ms of each start.
func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// readMetered gives nil where there is no entry, or none that is whole.
func readMetered(file string) *metered {
	b, err := os.ReadFile(file)
	if err != nil || len(b) < 4 {
		return nil
	}
	size := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(size) > uint64(len(b)) {
		return nil
	}
	var head meteredHead
	if json.Unmarshal(b[:size], &head) != nil {
		return nil
	}
	m := &metered{result: &head.Result, wasm: b[size:], hash: head.Hash, cached: true}
	if sum(m.wasm) != head.Sum {
		return nil
	}
	return m
}

// write puts the module into the cache.
func (m *metered) write(file string) error {
	head, err := json.Marshal(meteredHead{Result: *m.result, Hash: m.hash, Sum: sum(m.wasm)})
	if err != nil {
		return err
	}
	return keep(file, slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head, m.wasm))
}

// keep writes an entry of the cache in one step, so that no other process sees
// half of it, and drops the oldest of its folder.
func keep(file string, entry []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := dropOldest(dir, entriesMost-1); err != nil {
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
		return errors.Join(err, os.Remove(t.Name()))
	}
	return nil
}

// dropOldest leaves the most files of dir that were written last.
func dropOldest(dir string, most int) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= most {
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
	for _, f := range files[min(most, len(files)):] {
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
