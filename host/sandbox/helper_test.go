package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	"github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

const mib = 1 << 20

// cacheOfRun is a cache folder for the hosts of one run of the tests: a Go
// guest takes seconds to compile.
var cacheOfRun string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ox-sandbox-")
	if err != nil {
		panic(err)
	}
	cacheOfRun = filepath.Join(dir, "cache")
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// kept makes a host use the cache of the run.
func kept(c *Config) { c.CacheDir = cacheOfRun }

// roomy are limits that no well-behaved test guest meets.
func roomy() abi.Limits {
	return abi.Limits{
		Fuel: 1 << 40, Memory: 512 * mib, Deadline: 600_000, Depth: 1900,
		HostCalls: 1000, HostBytes: mib, OutputBytes: mib,
	}
}

func newHost(t testing.TB, adapt func(*Config)) *Host {
	t.Helper()
	c := Config{TotalMemory: 1 << 30, Now: time.Now, CompileTime: 10 * time.Minute}
	if adapt != nil {
		adapt(&c)
	}
	h, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, h.Close(context.Background())) })
	return h
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(explain(err))
	}
}

// explain adds what a guest wrote to a trap's text.
func explain(err error) string {
	var trap *Trap
	if errors.As(err, &trap) {
		return fmt.Sprintf("%s\n%s\n%s", err, trap.Stack, trap.Output)
	}
	return err.Error()
}

func admit(t testing.TB, h *Host, wasm []byte, world string) *Module {
	t.Helper()
	m, err := h.Admit(t.Context(), "guest", wasm, AdmitOptions{World: world, Grants: everything(), Limits: roomy()})
	must(t, err)
	t.Cleanup(func() { must(t, m.Close(context.Background())) })
	return m
}

func instantiate(t testing.TB, m *Module) *Instance {
	t.Helper()
	in, err := m.Instantiate(t.Context(), roomy())
	must(t, err)
	closeLater(t, in)
	return in
}

func closeLater(t testing.TB, in *Instance) {
	t.Cleanup(func() { must(t, in.Close(context.Background())) })
}

// trapped returns err as a Trap of the given kind.
func trapped(t testing.TB, err error, kind Kind) *Trap {
	t.Helper()
	var trap *Trap
	if !errors.As(err, &trap) {
		t.Fatalf("%v is no Trap, want %s", err, kind)
	}
	if trap.Kind != kind {
		t.Fatalf("trap %s, want %s\n%s", trap.Kind, kind, explain(err))
	}
	return trap
}

// raw calls any exported function inside an account of its own.
func (in *Instance) raw(ctx context.Context, limits abi.Limits, export string, args ...uint64) ([]uint64, Usage, error) {
	in.begin(ctx, limits)
	results, err := in.invoke(export, args...)
	return results, in.usage(), err
}

// unmetered instantiates a module as it came, with the counters of another
// module, so that the stubs have something to charge.
func unmetered(t testing.TB, h *Host, wasm []byte) *Instance {
	t.Helper()
	ctx := t.Context()
	var counters wasmtest.Builder
	counters.Export("fuel", wasmtest.KindGlobal, counters.Global(wasmtest.I64, true, wasmtest.I64Const(0)))
	counters.Export("depth", wasmtest.KindGlobal, counters.Global(wasmtest.I32, true, wasmtest.I32Const(0)))
	c, err := h.runtime.InstantiateWithConfig(ctx, counters.Bytes(), wazero.NewModuleConfig().WithName(""))
	must(t, err)
	r, err := rewrite.Rewrite(wasm, rewrite.Options{Limits: rewrite.DefaultLimits(), MemoryPages: formatPages, Grants: grants(everything()...)})
	must(t, err)
	in := &Instance{
		module:    &Module{host: h, name: "unmetered", rewritten: r},
		memory:    h.memory.reserve(roomy().Memory),
		functions: map[string]api.Function{}, stubs: newStubs(),
		fuel:  c.ExportedGlobal("fuel").(api.MutableGlobal),
		depth: c.ExportedGlobal("depth").(api.MutableGlobal),
	}
	in.wasm, err = h.runtime.InstantiateWithConfig(experimental.WithMemoryAllocator(ctx, in.memory), wasm,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	must(t, err)
	t.Cleanup(func() {
		must(t, in.wasm.Close(context.Background()))
		h.memory.release(in.memory)
	})
	if in.wasm.ExportedFunction(exportInitialize) != nil {
		_, _, err = in.raw(ctx, roomy(), exportInitialize)
		must(t, err)
	}
	return in
}

// exact admits a module whose every instruction pays for itself.
func exact(t testing.TB, h *Host, wasm []byte) *Module {
	t.Helper()
	limits := rewrite.DefaultLimits()
	limits.BodyBytes *= 10
	r, err := rewrite.Rewrite(wasm, rewrite.Options{Limits: limits, MemoryPages: formatPages - 1, Grants: grants(everything()...), Exact: true})
	must(t, err)
	compiled, refusal := compile(t.Context(), h.runtime, r.Wasm, h.config.CompileTime)
	if refusal != nil {
		t.Fatal(refusal)
	}
	m := &Module{host: h, name: "exact", code: code{compiled: compiled}, rewritten: r, memoryCap: roomy().Memory}
	t.Cleanup(func() { must(t, m.Close(context.Background())) })
	return m
}

// goGuests holds the Go guests that were built in this run, by package.
var goGuests sync.Map

// goGuest builds a package of this module as a WebAssembly reactor.
func goGuest(t testing.TB, pkg string) []byte {
	t.Helper()
	if raceDetector {
		t.Skip("the compiler takes a minute for a Go guest under the race detector, and these tests have one goroutine")
	}
	if b, ok := goGuests.Load(pkg); ok {
		return b.([]byte)
	}
	out := filepath.Join(t.TempDir(), "guest.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-buildid=", "-o", out, pkg)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, strings.TrimSpace(string(text)))
	}
	b, err := os.ReadFile(out)
	must(t, err)
	goGuests.Store(pkg, b)
	return b
}

const joinLoop = "./testdata/joinloop"

func concat(parts ...[]byte) []byte { return slices.Concat(parts...) }

// wantCode fails unless err is an AdmissionError with the code.
func wantCode(t testing.TB, err error, code rewrite.Code) *AdmissionError {
	t.Helper()
	var e *AdmissionError
	if !errors.As(err, &e) {
		t.Fatalf("%v is no AdmissionError, want %s", err, code)
	}
	if e.Code != code {
		t.Fatalf("%s, want %s", e, code)
	}
	return e
}
