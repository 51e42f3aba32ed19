package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// An entry of which one byte is not as it was written is none, also where that
// byte stands in what it says of the module: the host goes by that.
func TestSpoiltEntriesOfMeteredModulesAreNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "metered", "key")
	m := &metered{
		result:  &rewrite.Result{Exports: map[string]rewrite.Signature{"describe": ">i"}, Memory: "memory", MemoryMin: 17},
		outline: []byte("an outline"), data: []byte("its data"), wasm: []byte("all of the module"), hash: "a hash",
	}
	if err := m.write(file); err != nil {
		t.Fatal(err)
	}
	entry, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []bool{false, true} {
		got := readMetered(file, code)
		if got == nil || !reflect.DeepEqual(got.result, m.result) || got.hash != m.hash || !bytes.Equal(got.outline, m.outline) || !bytes.Equal(got.data, m.data) {
			t.Fatalf("the whole entry was read as %+v", got)
		}
	}
	for i := range entry {
		for _, bit := range []byte{1, 0x20, 0x80} {
			entry[i] ^= bit
			if err := os.WriteFile(file, entry, 0o600); err != nil {
				t.Fatal(err)
			}
			if readMetered(file, true) != nil {
				t.Errorf("byte %d of %d: the spoilt entry was read", i, len(entry))
			}
			if i < len(entry)-len(m.wasm) && readMetered(file, false) != nil {
				t.Errorf("byte %d of %d: the spoilt entry was read without code", i, len(entry))
			}
			entry[i] ^= bit
		}
	}
	for n := range entry {
		if err := os.WriteFile(file, entry[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if readMetered(file, false) != nil {
			t.Errorf("the first %d bytes of %d were read", n, len(entry))
		}
	}
}

// A folder in the place of an entry is no damage of the program's: what to do
// about it is said.
func TestAnEntryWhosePlaceIsTakenIsToldWithItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "metered")
	if err := os.MkdirAll(filepath.Join(dir, "key", "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := keep(filepath.Join(dir, "key"), []byte("entry"))
	if err == nil || !strings.Contains(err.Error(), "delete the folder "+dir) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files were left", len(left)-1)
	}
}
