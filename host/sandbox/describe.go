package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ox-mcp/ox-mcp/abi"
)

// describedDir is the folder of the cache that holds what modules said of
// themselves. Only an answer that was taken gets there.
const describedDir = "described"

// describe takes the module's description from the cache, or asks the module
// for it. key names the metered module and all that it was made of.
//
// A module answers equal calls equally, so one that answered under some limits
// does so again; an instance made only for that takes longer than to read the
// answer.
func (m *Module) describe(ctx context.Context, key string, o AdmitOptions) error {
	file := ""
	if dir := m.host.config.CacheDir; dir != "" {
		file = filepath.Join(dir, describedDir, describedKey(key, m.memoryCap, o))
		if answer, ok := readDescribed(file); ok && m.described(answer, o.World) == nil {
			return nil
		}
	}
	answer, err := m.askDescription(ctx, o)
	if err != nil {
		e := refused(CodeDescribe, "%s", err)
		e.Err = err
		return e
	}
	if e := m.described(answer, o.World); e != nil {
		return e
	}
	if file != "" {
		if err := keep(file, append([]byte(digest(answer)), answer...)); err != nil {
			return fmt.Errorf("sandbox: cache folder %s: %w", m.host.config.CacheDir, err)
		}
	}
	return nil
}

// askDescription calls describe on an instance of its own.
func (m *Module) askDescription(ctx context.Context, o AdmitOptions) ([]byte, error) {
	export := abi.ExportDescribe
	if o.World == abi.WorldEvaluator {
		export = abi.ExportEvaluatorDescribe
	}
	in, err := m.Instantiate(ctx, o.Limits)
	if err != nil {
		return nil, err
	}
	answer, _, err := in.Call(ctx, export, nil, o.Limits)
	return answer, errors.Join(err, in.Close(ctx))
}

// described takes the answer of describe.
func (m *Module) described(answer []byte, world string) error {
	m.description = abi.Description{}
	if err := m.description.DecodeCBOR(answer); err != nil {
		e := refused(CodeDescribe, "%s", err)
		e.Err = err
		return e
	}
	switch d := m.description; {
	case d.ABI != abi.Version:
		return refused(CodeABI, "the module speaks version %q of the plugin contract, the host %q: rebuild the module", d.ABI, abi.Version)
	case d.World != world:
		return refused(CodeWorld, "the module says that it implements %q, not %q", d.World, world)
	}
	return nil
}

// describedKey names all that an answer of describe depends on.
func describedKey(key string, memoryCap uint64, o AdmitOptions) string {
	rest, err := json.Marshal(struct {
		ABI, World string
		MemoryCap  uint64
		Limits     abi.Limits
	}{abi.Version, o.World, memoryCap, o.Limits})
	if err != nil {
		panic(err) // numbers and strings
	}
	return digest(append([]byte(key), rest...))
}

// readDescribed gives an entry of the cache, which is the digest of the answer
// and the answer, if it is there and whole.
func readDescribed(file string) (answer []byte, ok bool) {
	b, err := os.ReadFile(file)
	size := len(digest(nil))
	if err != nil || len(b) < size || digest(b[size:]) != string(b[:size]) {
		return nil, false
	}
	return b[size:], true
}
