package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// clangJoinLoop is the join loop of joinLoop in C.
const clangJoinLoop = "testdata/llvm/join.c"

// llvmGuest is a guest as LLVM makes it, with one call to measure and a short
// one to test.
type llvmGuest struct {
	name, source, export string
	long, short          []uint64 // arguments
}

// llvmGuests are what people write in C: tables, sorting, bytes, text, numbers, trees.
func llvmGuests() []llvmGuest {
	return []llvmGuest{
		{"join", clangJoinLoop, "closure", closureArgs, []uint64{100, 150}},
		{"sieve", "testdata/llvm/sieve.c", "run", []uint64{1_000_000, 4}, []uint64{10_000, 2}},
		{"sort", "testdata/llvm/sort.c", "run", []uint64{200_000, 1}, []uint64{3_000, 2}},
		{"hash", "testdata/llvm/hash.c", "run", []uint64{1_000_000, 4}, []uint64{5_000, 2}},
		{"words", "testdata/llvm/words.c", "run", []uint64{16_000, 60}, []uint64{4_000, 2}},
		{"matrix", "testdata/llvm/matrix.c", "run", []uint64{128, 5}, []uint64{20, 2}},
		{"tree", "testdata/llvm/tree.c", "run", []uint64{14, 8}, []uint64{7, 2}},
	}
}

// clangGuest builds the join loop in C, or skips where no compiler for it is.
func clangGuest(t testing.TB) []byte { return clang(t, clangJoinLoop) }

// clang builds a source without a library, or skips where no compiler for it is.
func clang(t testing.TB, source string) []byte {
	t.Helper()
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("there is no clang: apt-get install clang lld")
	}
	if _, err := exec.LookPath("wasm-ld"); err != nil {
		t.Skip("there is no wasm-ld: apt-get install lld")
	}
	out := filepath.Join(t.TempDir(), "guest.wasm")
	build := exec.Command("clang", "--target=wasm32", "-O2", "-mbulk-memory", "-nostdlib", "-fno-builtin",
		"-Wl,--no-entry", "-Wl,-z,stack-size=65536", "-o", out, source)
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%s", err, text)
	}
	b, err := os.ReadFile(out)
	must(t, err)
	return b
}
