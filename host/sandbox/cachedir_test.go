//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"

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

// TestValidityIsKept checks the type of a module once, and never takes a mark
// for another module's.
func TestValidityIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	h := newHost(t, func(c *Config) { c.CacheDir = dir })
	var ill Builder
	ill.Func(ill.Type(nil, []byte{I32}), nil)
	for range 2 {
		_, err := h.Admit(t.Context(), "ill", ill.Bytes(), AdmitOptions{Limits: roomy()})
		wantCode(t, err, CodeInvalid)
	}
	marks, err := filepath.Glob(filepath.Join(dir, validatedDir, "*"))
	must(t, err)
	if len(marks) != 0 {
		t.Errorf("an invalid module is marked: %v", marks)
	}
	m := admit(t, h, hostile(), "")
	mark := filepath.Join(dir, validatedDir, runtimeVersion()+"-"+m.Hash())
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
	// With the mark of the ill module, its types are not looked at again, and
	// the compiler is what refuses it.
	must(t, os.WriteFile(filepath.Join(dir, validatedDir, runtimeVersion()+"-"+digest(ill.Bytes())), nil, 0o600))
	_, err = h.Admit(t.Context(), "ill", ill.Bytes(), AdmitOptions{Limits: roomy()})
	wantCode(t, err, CodeCompile)
}
