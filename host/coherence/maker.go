package coherence

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/oxbin"
	"lukechampine.com/blake3"
)

// Equal sources make equal artifacts on every machine, so an artifact does not
// say which build of the compiler made it: only its version. A note beside the
// lock says so for this machine. Where it names another build, the artifact may
// be what an older compiler of the same version made of the sources, and is
// built anew. An artifact without a note came from elsewhere, and is taken by
// its version.

// headBytes is how much of an executable tells it from another of the same
// size: the linker writes the identity of all that it links into the first
// kilobytes of a file.
const headBytes = 64 << 10

// MakerOf identifies the build of a program from its executable, without
// reading all of it. Two builds from equal sources by one toolchain for one
// system are the same.
func MakerOf(executable string) (string, error) {
	f, err := os.Open(executable)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	sum := blake3.Sum256(binary.LittleEndian.AppendUint64(head[:n:n], uint64(info.Size())))
	return hex.EncodeToString(sum[:16]), nil
}

func (p *Project) makerNote() string { return filepath.Join(p.Folder(), ".ox", "maker") }

// noteBytes is the most that a note has: a hash and a build.
const noteBytes = 256

// Sign notes that this build of the compiler made an artifact. What cannot be
// noted is as if it came from elsewhere. A package may come with a link where the
// note goes: nothing is written through it.
func (p *Project) Sign(artifact oxbin.Hash) {
	if p.Maker == "" {
		return
	}
	path := p.makerNote()
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return
	}
	t, err := os.CreateTemp(dir, "maker.*")
	if err != nil {
		return
	}
	_, err = t.WriteString(artifact.String() + " " + p.Maker + "\n")
	if err = errors.Join(err, t.Close()); err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		os.Remove(t.Name())
	}
}

// MadeByAnother reports whether another build of the compiler is noted to have
// made an artifact.
func (p *Project) MadeByAnother(artifact oxbin.Hash) bool {
	if p.Maker == "" || !p.Sources() {
		return false
	}
	path := p.makerNote()
	// What is no file may never end, or hold the reader until somebody writes.
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > noteBytes {
		return false
	}
	note, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	of, maker, ok := strings.Cut(strings.TrimSpace(string(note)), " ")
	return ok && of == artifact.String() && maker != p.Maker
}
