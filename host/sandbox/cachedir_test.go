//go:build unix

package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

func TestCompiledCodeIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "cache")
	files := func() (n int) {
		must(t, filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				n++
			}
			return err
		}))
		return n
	}
	var first int
	for range 2 {
		h := newHost(t, func(c *Config) { c.CacheDir = dir })
		in := instantiate(t, admit(t, h, hostile(), ""))
		_, _, err := in.Call(t.Context(), "count", []byte{0}, roomy())
		must(t, err)
		if first == 0 {
			first = files()
		}
	}
	if n := files(); first == 0 || n != first {
		t.Errorf("%d files after the first run, %d after the second", first, n)
	}
	info, err := os.Stat(dir)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %#o", info.Mode().Perm())
	}
}

func TestCacheFolderMustBeClosedToOthers(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	must(t, os.Mkdir(open, 0o700))
	must(t, os.Chmod(open, 0o750))
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(t.TempDir(), link))
	for _, dir := range []string{open, file, link} {
		if h, err := New(t.Context(), Config{CacheDir: dir, TotalMemory: mib, Now: time.Now}); err == nil {
			t.Errorf("%s is taken", dir)
			must(t, h.Close(t.Context()))
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []Config{{TotalMemory: mib}, {Now: time.Now}} {
		if _, err := New(t.Context(), c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

// TestMeteredModulesAreKept: what the second host takes from the cache is what
// the first one made, and only valid modules are there.
func TestMeteredModulesAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	entries := func() []string {
		files, err := filepath.Glob(filepath.Join(dir, meteredDir, "*"))
		must(t, err)
		return files
	}
	keep := func(c *Config) { c.CacheDir = dir }
	var ill Builder
	ill.Func(ill.Type(nil, []byte{I32}), nil)
	for range 2 {
		_, err := newHost(t, keep).Admit(t.Context(), "ill", ill.Bytes(), AdmitOptions{Limits: roomy()})
		wantCode(t, err, CodeInvalid)
	}
	if files := entries(); len(files) != 0 {
		t.Errorf("an invalid module is kept: %v", files)
	}
	first := admit(t, newHost(t, keep), hostile(), "")
	if files := entries(); len(files) != 1 {
		t.Fatalf("%d entries for one module", len(files))
	}
	h := newHost(t, keep)
	// The memory of the entry is held to the cap of who asks.
	_, err := h.Admit(t.Context(), "big", hostile(), AdmitOptions{Grants: everything(), MemoryCap: 1, Limits: roomy()})
	wantCode(t, err, rewrite.CodeMemoryMin)
	// An entry that is not whole is made anew.
	good, err := os.ReadFile(entries()[0])
	must(t, err)
	for _, broken := range [][]byte{nil, good[:3], good[:100], good[:len(good)-1], append([]byte{0xFF, 0xFF, 0xFF, 0xFF}, good[4:]...), append(good[:len(good):len(good)], 0)} {
		must(t, os.WriteFile(entries()[0], broken, 0o600))
		second := admit(t, h, hostile(), "")
		if second.MeteredHash() != first.MeteredHash() || second.Hash() != first.Hash() || !reflect.DeepEqual(second.rewritten, first.rewritten) {
			t.Errorf("after %d bytes: %+v, want %+v", len(broken), second.rewritten, first.rewritten)
		}
		if again, err := os.ReadFile(entries()[0]); err != nil || !bytes.Equal(again, good) {
			t.Errorf("the entry was not mended: %v", err)
		}
	}
	third := admit(t, newHost(t, keep), hostile(), "")
	if !reflect.DeepEqual(third.rewritten, first.rewritten) {
		t.Errorf("from the cache: %+v, want %+v", third.rewritten, first.rewritten)
	}
	want := play(t, first, []exchange{{"count", []byte{0}}, {"fill", nil}})
	if got := play(t, third, []exchange{{"count", []byte{0}}, {"fill", nil}}); got != want {
		t.Errorf("%s\n%s", got, want)
	}
}

// TestDescriptionsAreKept: a module that described itself under some limits is
// not asked again under them, and under others it is.
func TestDescriptionsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	wasm := described(abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "asked", Version: "v"}, nil)
	name := func(limits abi.Limits) string {
		t.Helper()
		h := newHost(t, func(c *Config) { c.CacheDir = dir })
		m, err := h.Admit(t.Context(), "guest", wasm, AdmitOptions{World: abi.WorldReasoner, Limits: limits})
		must(t, err)
		must(t, m.Close(t.Context()))
		return m.Description().Name
	}
	if got := name(roomy()); got != "asked" {
		t.Fatalf("described as %q", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, describedDir, "*"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("%d entries for one description", len(files))
	}
	good, err := os.ReadFile(files[0])
	must(t, err)
	write := func(entry []byte) { must(t, os.WriteFile(files[0], entry, 0o600)) }
	entry := func(d abi.Description) []byte {
		answer := d.AppendCBOR(nil)
		return append([]byte(digest(answer)), answer...)
	}
	write(entry(abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "kept", Version: "v"}))
	if got := name(roomy()); got != "kept" {
		t.Errorf("described as %q: the entry was not taken", got)
	}
	less := roomy()
	less.Fuel--
	if got := name(less); got != "asked" {
		t.Errorf("under other limits described as %q", got)
	}
	for _, broken := range [][]byte{nil, good[:10], good[:len(good)-1], append([]byte("0"), good[1:]...), entry(abi.Description{ABI: "0"}), entry(abi.Description{ABI: abi.Version, World: abi.WorldEvaluator})} {
		write(broken)
		if got := name(roomy()); got != "asked" {
			t.Errorf("described as %q by a broken entry", got)
		}
		if mended, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(mended, good) {
			t.Errorf("the entry was not mended: %v", err)
		}
	}
}

func TestCacheOfMeteredModulesIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	h := newHost(t, func(c *Config) { c.CacheDir = dir })
	for n := range entriesMost + 5 {
		var m Builder
		m.Func(m.Type(nil, nil), nil, I32Const(int32(n)), Op(Drop))
		admit(t, h, m.Bytes(), "")
	}
	files, err := os.ReadDir(filepath.Join(dir, meteredDir))
	must(t, err)
	if len(files) != entriesMost {
		t.Errorf("%d entries, want %d", len(files), entriesMost)
	}
}

func TestOldestEntriesAreDropped(t *testing.T) {
	for _, c := range []struct {
		most  int
		bytes int64
		left  string
	}{{9, 1000, "abcd"}, {2, 1000, "cd"}, {9, 30, "bcd"}, {9, 29, "cd"}, {9, 5, ""}, {0, 1000, ""}} {
		dir := t.TempDir()
		for i, name := range []string{"a", "b", "c", "d"} {
			file := filepath.Join(dir, name)
			must(t, os.WriteFile(file, make([]byte, 10), 0o600))
			when := time.Date(2031, 1, 1, 0, i, 0, 0, time.UTC)
			must(t, os.Chtimes(file, when, when))
		}
		must(t, dropOldest(dir, c.most, c.bytes))
		entries, err := os.ReadDir(dir)
		must(t, err)
		left := ""
		for _, e := range entries {
			left += e.Name()
		}
		if left != c.left {
			t.Errorf("of 4 files of 10 bytes, at most %d and %d bytes: %q are left, want %q", c.most, c.bytes, left, c.left)
		}
	}
}
