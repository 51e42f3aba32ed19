package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// kernelBuild is a build of the reasoner that makes kernels.
func kernelBuild(t testing.TB) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kernels.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-tags=kernels",
		"-gcflags=github.com/ox-mcp/ox-mcp/plugins/reasoner/relation=-B", "-o", file, "github.com/ox-mcp/ox-mcp/plugins/reasoner")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// A build with kernels runs only where it is granted them. It has them for the
// rules that carry the load, which take a good part less fuel then; none where
// the call's limit on host calls leaves no room; and gives the same answers.
func TestABuildWithKernels(t *testing.T) {
	if sandbox.RaceDetector || testing.Short() {
		t.Skip("builds and compiles another reasoner")
	}
	wasm := kernelBuild(t)
	h, err := sandbox.New(t.Context(), sandbox.Config{TotalMemory: 3 << 30, Now: time.Now, CompileTime: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	o := sandbox.AdmitOptions{World: abi.WorldReasoner, MemoryCap: 1 << 30, Limits: benchLimits()}
	var refused *sandbox.AdmissionError
	if _, err := h.Admit(t.Context(), "reasoner", wasm, o); !errors.As(err, &refused) {
		t.Errorf("without the grant: %v", err)
	}
	o.Grants = []string{abi.GrantKernel}
	m, err := h.Admit(t.Context(), "reasoner", wasm, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"w2", "w3s"} {
		w, _ := workload.Named(name)
		program, relations := w.Program()
		run := func(hostCalls uint64) uint64 {
			limits := benchLimits()
			limits.HostCalls = hostCalls
			call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: limits}
			in, err := m.Instantiate(t.Context(), limits)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close(context.Background())
			var rows abi.Rows
			exchange{abi.ExportLoad, &abi.LoadRequest{Call: call, Program: program}, &abi.LoadResponse{}}.fuel(t, in)
			exchange{abi.ExportAssert, &abi.AssertRequest{Call: call, Deltas: w.Frames(relations)}, &abi.AssertResponse{}}.fuel(t, in)
			fuel := exchange{abi.ExportDerive, &abi.DeriveRequest{Call: call, Relation: relations[w.Ask], Page: abi.Page{Limit: 1}}, &rows}.fuel(t, in)
			if rows.Total != w.Tuples {
				t.Errorf("%s with %d host calls: %d tuples, want %d", name, hostCalls, rows.Total, w.Tuples)
			}
			return fuel
		}
		none, few, all := run(0), run(8), run(10_000)
		t.Logf("%s: %d units of fuel without kernels, %d with four host calls for them, %d with them", name, none, few, all)
		if all > none/10*9 {
			t.Errorf("%s: kernels take %d units of fuel of %d", name, all, none)
		}
	}
}
