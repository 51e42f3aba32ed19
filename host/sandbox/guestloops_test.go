package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// The guests run loops in the machine's own instructions that the same code
// outside the sandbox has in Go. So the tests of the relations, among them one
// that holds each loop to its form in Go, and those of the engine, with its
// oracle, run as guests, too.
func TestTheReasonerPassesItsTestsAsAGuest(t *testing.T) {
	if sandbox.RaceDetector || testing.Short() {
		t.Skip("compiles two test programs to machine code")
	}
	for _, c := range []struct{ pkg, run string }{
		{"relation", "."},
		{"engine", "Random|Closure|WellFounded|Quer|Mutat|Proof|Keyed|Chosen"},
	} {
		t.Run(c.pkg, func(t *testing.T) {
			t.Parallel()
			out := runAsGuest(t, "github.com/ox-mcp/ox-mcp/plugins/reasoner/"+c.pkg, "-test.v", "-test.run", c.run)
			if n := strings.Count(out, "--- PASS: Test"); n < 10 {
				t.Fatalf("%d tests passed:\n%s", n, out)
			}
			if c.pkg == "relation" && (!strings.Contains(out, "--- PASS: TestLoopsDoWhatTheirGoFormsDo") || !strings.Contains(out, "--- PASS: TestGroundLoopsDoWhatTheirGoFormsDo")) {
				t.Fatalf("the loops were not tested:\n%s", out)
			}
		})
	}
}

// runAsGuest builds a package's tests for WebAssembly and runs them under the
// plain runtime.
func runAsGuest(t *testing.T, pkg string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.wasm")
	build := exec.Command("go", "test", "-c", "-trimpath", "-buildvcs=false", "-o", file, pkg)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c %s: %v\n%s", pkg, err, text)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := experimental.WithCompilationWorkers(t.Context(), 2)
	r := wazero.NewRuntime(ctx)
	defer r.Close(context.Background())
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out bytes.Buffer
	config := wazero.NewModuleConfig().WithArgs(append([]string{"test"}, args...)...).WithStdout(&out).WithStderr(&out).
		WithFSConfig(wazero.NewFSConfig().WithDirMount(t.TempDir(), "/")).WithEnv("PWD", "/").WithSysWalltime().WithSysNanotime()
	_, err = r.InstantiateWithConfig(ctx, wasm, config)
	if exit, ok := err.(*sys.ExitError); err != nil && (!ok || exit.ExitCode() != 0) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}
