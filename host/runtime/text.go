package runtime

import (
	"encoding/binary"
	"sort"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"lukechampine.com/blake3"
)

// hash is BLAKE3-256 over the parts, each preceded by its length.
func hash(parts ...[]byte) [32]byte {
	h := blake3.New(32, nil)
	var n [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return [32]byte(h.Sum(nil))
}

// Nearest returns the candidate that name was most likely meant to be, or ""
// where none is close, by the measure of the diagnostics.
func Nearest(name string, candidates []string) string {
	n, _ := diag.Nearest(name, candidates)
	return n
}

func sortValues(vs []abi.Value) {
	sort.SliceStable(vs, func(i, j int) bool { return abi.Compare(vs[i], vs[j]) < 0 })
}
