package coherence

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Two builds are told apart by what the linker writes at the beginning, and by
// their size; the rest is not read.
func TestTheMakerIsTheBuildOfAProgram(t *testing.T) {
	dir := t.TempDir()
	maker := func(name string, file []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := MakerOf(path)
		if err != nil || m == "" {
			t.Fatalf("%s: %q %v", name, m, err)
		}
		return m
	}
	program := bytes.Repeat([]byte("program "), 20_000)
	first := maker("first", program)
	if again := maker("again", program); again != first {
		t.Errorf("a copy is another build: %s, %s", again, first)
	}
	other := bytes.Clone(program)
	other[3000]++
	if m := maker("other", other); m == first {
		t.Error("another identity is the same build")
	}
	if m := maker("longer", append(program, 'x')); m == first {
		t.Error("another size is the same build")
	}
	maker("small", []byte("x"))
	if _, err := MakerOf(filepath.Join(dir, "nosuch")); err == nil {
		t.Error("a program that is not there has a build")
	}
}
