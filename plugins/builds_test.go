package plugins

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lukechampine.com/blake3"
)

var guests = map[string]func() ([]byte, error){"reasoner": Reasoner, "checks": Evaluator}

// built returns an embedded guest, or skips where none was built, or not with
// the toolchain of record.
func builtGuest(t *testing.T, name string) []byte {
	t.Helper()
	wasm, err := guests[name]()
	if err != nil {
		t.Skip(err)
	}
	return wasm
}

func toolchain(t *testing.T) string {
	t.Helper()
	want, err := os.ReadFile("TOOLCHAIN")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("built", "TOOLCHAIN"))
	if err != nil || string(have) != string(want) {
		t.Skipf("the guests were built by %q and not by %s, so that their bytes cannot be compared", strings.TrimSpace(string(have)), strings.TrimSpace(string(want)))
	}
	return strings.TrimSpace(string(want))
}

// The hashes of record are those of every machine.
func TestGuestsAreTheBuildsOfRecord(t *testing.T) {
	toolchain(t)
	record, err := os.ReadFile("BUILDS")
	if err != nil {
		t.Fatal(err)
	}
	for name := range guests {
		sum := blake3.Sum256(builtGuest(t, name))
		if line := fmt.Sprintf("%s  %s.wasm\n", hex.EncodeToString(sum[:]), name); !strings.Contains(string(record), line) {
			t.Errorf("plugins/BUILDS does not have the guest %s as it was built (%x); if its sources changed, run `make builds`", name, sum)
		}
	}
}

func TestGuestsAreEqualBytesFromAnotherFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds both guests again")
	}
	version := toolchain(t)
	elsewhere := t.TempDir()
	for _, part := range []string{"abi", "plugins/internal", "plugins/reasoner", "plugins/checks"} {
		if err := os.CopyFS(filepath.Join(elsewhere, part), os.DirFS(filepath.Join("..", part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err == nil {
			err = os.WriteFile(filepath.Join(elsewhere, file), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs(filepath.Join("..", "scripts", "guest"))
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string][]string{"reasoner": {"-gcflags=github.com/ox-mcp/ox-mcp/plugins/reasoner/relation=-B"}}
	for name := range guests {
		wasm := builtGuest(t, name)
		file := filepath.Join(elsewhere, name+".wasm")
		c := exec.Command(script, append([]string{name, file, version}, flags[name]...)...)
		c.Dir = elsewhere
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", name, err, out)
		}
		again, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(wasm, again) {
			t.Errorf("%s built here has %d bytes and built elsewhere %d, and they are not equal; run `make build` if sources changed since", name, len(wasm), len(again))
		}
	}
}

func TestAGuestThatWasNotBuiltSaysWhatToDo(t *testing.T) {
	if _, err := guest("nothing"); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("the error is %v, which does not say what to do", err)
	}
}

// A wrong hash would have the machine code of another guest run.
func TestSumsAreOfTheirGuests(t *testing.T) {
	wasm, other := []byte("a guest"), []byte("b guest")
	want := blake3.Sum256(wasm)
	good := fmt.Sprintf("%x %d %08x\n", want, len(wasm), crc32.Checksum(wasm, crc32.MakeTable(crc32.Castagnoli)))
	if got := hashIn([]byte(good), wasm); got != hex.EncodeToString(want[:]) {
		t.Errorf("the sum says %q", got)
	}
	for _, c := range []struct{ sum, of string }{
		{good, string(other)}, {good, string(wasm) + "x"}, {good[:70], string(wasm)}, {good + "\n", string(wasm)}, {"", string(wasm)},
	} {
		if got := hashIn([]byte(c.sum), []byte(c.of)); got != "" {
			t.Errorf("%q was taken for the sum of %q", c.sum, c.of)
		}
	}
	for name, hash := range map[string]func() string{"reasoner": ReasonerHash, "checks": EvaluatorHash} {
		sum := blake3.Sum256(builtGuest(t, name))
		got := hash()
		if _, err := built.Open("built/" + name + ".sum"); err == nil && got == "" {
			t.Errorf("the sum of %s is another guest's, so each start makes the hash: remove plugins/built/*.sum", name)
		}
		if got != "" && got != hex.EncodeToString(sum[:]) {
			t.Errorf("the embedded hash of %s is %s, it is %x", name, got, sum)
		}
	}
}
