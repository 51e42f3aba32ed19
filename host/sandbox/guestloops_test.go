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
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/ox-mcp/ox-mcp/abi"
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
	for _, c := range []struct{ about, pkg, run, tags string }{
		{"relation", "relation", ".", ""},
		{"engine", "engine", "Random|Closure|WellFounded|Quer|Mutat|Proof|Keyed|Chosen", ""},
		// With a kernel for each rule that may have one.
		{"kernels", "engine", "Random|Chosen|Kernels", "kernels"},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			args := []string{"-test.v", "-test.run", c.run}
			if c.tags != "" {
				args = append(args, "-rapid.checks=30")
			}
			out := runAsGuest(t, c.tags, "github.com/ox-mcp/ox-mcp/plugins/reasoner/"+c.pkg, args...)
			if n := strings.Count(out, "--- PASS: Test"); n < 10 {
				t.Fatalf("%d tests passed:\n%s", n, out)
			}
			if c.pkg == "relation" && (!strings.Contains(out, "--- PASS: TestLoopsDoWhatTheirGoFormsDo") || !strings.Contains(out, "--- PASS: TestGroundLoopsDoWhatTheirGoFormsDo")) {
				t.Fatalf("the loops were not tested:\n%s", out)
			}
			if c.tags != "" && !strings.Contains(out, "--- PASS: TestKernelsDeriveWhatPlansDo") {
				t.Fatalf("the kernels were not tested:\n%s", out)
			}
		})
	}
}

// offerKernels gives the runtime's modules kernels, as the sandbox does, without
// limits and metering.
func offerKernels(t *testing.T, r wazero.Runtime) {
	var list []api.Function
	known := map[string]int32{}
	load := func(ctx context.Context, owner api.Module, ptr, size uint32) int32 {
		view, ok := owner.Memory().Read(ptr, size)
		if !ok {
			t.Error("a kernel is outside of the memory")
			return -1
		}
		if handle, ok := known[string(view)]; ok {
			return handle
		}
		ctx = experimental.WithImportResolver(ctx, func(string) api.Module { return owner })
		m, err := r.InstantiateWithConfig(ctx, bytes.Clone(view), wazero.NewModuleConfig().WithName("").WithStartFunctions())
		if err != nil {
			t.Error(err)
			return -1
		}
		known[string(view)] = int32(len(list))
		list = append(list, m.ExportedFunction("run"))
		return int32(len(list) - 1)
	}
	call := func(ctx context.Context, owner api.Module, handle, _, ptr, count uint32) int32 {
		value, _ := owner.Memory().ReadUint64Le(ptr)
		if _, err := list[handle].Call(ctx, value); err != nil || count != 1 {
			t.Error(err, count)
			return -1
		}
		return 0
	}
	_, err := r.NewHostModuleBuilder(abi.ImportKernel).NewFunctionBuilder().WithFunc(load).Export("load").
		NewFunctionBuilder().WithFunc(call).Export("call").Instantiate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
}

// runAsGuest builds a package's tests for WebAssembly and runs them under the
// plain runtime.
func runAsGuest(t *testing.T, tags, pkg string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.wasm")
	build := exec.Command("go", "test", "-c", "-trimpath", "-buildvcs=false", "-tags", tags, "-o", file, pkg)
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
	offerKernels(t, r)
	var out bytes.Buffer
	config := wazero.NewModuleConfig().WithArgs(append([]string{"test"}, args...)...).WithStdout(&out).WithStderr(&out).
		WithFSConfig(wazero.NewFSConfig().WithDirMount(t.TempDir(), "/")).WithEnv("PWD", "/").WithSysWalltime().WithSysNanotime()
	_, err = r.InstantiateWithConfig(ctx, wasm, config)
	if exit, ok := err.(*sys.ExitError); err != nil && (!ok || exit.ExitCode() != 0) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}
