package coherence

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/oxbin"
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

// A package can come with links in its .ox folder: the note is not written
// through them, and what is no small file is not read.
func TestTheNoteIsAFileOfThePackage(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	p := &Project{Root: dir, Maker: "this build"}
	hash := oxbin.Hash{1}
	note, precious := filepath.Join(dir, ".ox", "maker"), filepath.Join(elsewhere, "precious")
	link := func(from, to string) {
		t.Helper()
		if err := os.Symlink(to, from); err != nil {
			t.Skip("links cannot be made here")
		}
	}
	if err := errors.Join(os.WriteFile(precious, []byte("precious"), 0o600), os.Mkdir(filepath.Dir(note), 0o700)); err != nil {
		t.Fatal(err)
	}
	link(note, precious)
	p.Sign(hash)
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the file behind the link is %q (%v)", text, err)
	}
	other := &Project{Root: dir, Maker: "another build"}
	if !other.MadeByAnother(hash) || p.MadeByAnother(hash) {
		t.Error("the note did not take the place of the link")
	}
	long := append([]byte(hash.String()+" "), bytes.Repeat([]byte("x"), noteBytes)...)
	if err := errors.Join(os.Remove(note), os.WriteFile(precious, long, 0o600)); err != nil {
		t.Fatal(err)
	}
	link(note, precious)
	if p.MadeByAnother(hash) {
		t.Error("a link was read")
	}
	if err := errors.Join(os.Remove(note), os.WriteFile(note, long, 0o600)); err != nil {
		t.Fatal(err)
	}
	if p.MadeByAnother(hash) {
		t.Error("what is too long to be a note was read")
	}
	if err := os.RemoveAll(filepath.Dir(note)); err != nil {
		t.Fatal(err)
	}
	link(filepath.Dir(note), elsewhere)
	p.Sign(hash)
	if _, err := os.Lstat(filepath.Join(elsewhere, "maker")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the note was written into a folder elsewhere")
	}
}
