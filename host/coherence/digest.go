package coherence

import (
	"context"
	"encoding/binary"
	"sort"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/std"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
	"lukechampine.com/blake3"
)

// digest is the identity of a build's inputs. The manifest is an input, so
// prelude, default_world and pins are covered by it.
func digest(inputs []load.Input) (workspace [32]byte, list []oxbin.Input, readable bool) {
	readable = true
	h := blake3.New(32, nil)
	put := func(b []byte) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	put([]byte(Compiler))
	for _, s := range std.Sources() {
		put([]byte(s.Text))
	}
	for _, in := range inputs {
		if in.Err != nil {
			readable = false
			continue
		}
		sum := blake3.Sum256(in.Bytes)
		list = append(list, oxbin.Input{Path: in.Path, Hash: sum})
		put([]byte(in.Path))
		put(sum[:])
	}
	return [32]byte(h.Sum(nil)), list, readable
}

// Dirty reports whether the sources differ from what a was built from, and
// which inputs do; workspace is the digest of the sources as they are now,
// zero where they cannot be read. It fails toward dirty: an input that cannot be read counts
// as changed. An artifact is dirty, too, where it is foreign: made by another
// build of the compiler.
func (p *Project) Dirty(ctx context.Context, a *oxbin.Artifact, foreign bool) (dirty bool, workspace [32]byte, inputNames []string) {
	if !p.Sources() {
		return false, workspace, nil
	}
	read, err := load.ReadInputs(ctx, p.options(nil))
	if err != nil {
		return true, workspace, []string{"the package: " + err.Error()}
	}
	workspace, list, readable := digest(read)
	if readable && workspace == a.Build.Workspace {
		if foreign {
			return true, workspace, []string{"the build of the compiler"}
		}
		return false, workspace, nil
	}
	if !readable {
		workspace = [32]byte{}
	}
	old, changed := map[string][32]byte{}, map[string]bool{}
	for _, in := range a.Build.Inputs {
		old[in.Path] = in.Hash
		changed[in.Path] = true
	}
	for _, in := range list {
		if h, ok := old[in.Path]; ok && h == in.Hash {
			delete(changed, in.Path)
			continue
		}
		changed[in.Path] = true
	}
	var names []string
	for path := range changed {
		names = append(names, path)
	}
	if len(names) == 0 {
		names = []string{"the compiler or its standard library"}
	}
	sort.Strings(names)
	return true, workspace, names
}
