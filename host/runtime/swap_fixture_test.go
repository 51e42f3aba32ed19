package runtime

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
	"github.com/ox-mcp/ox-mcp/plugins"
)

const swapSource = `//! Stops and the lines between them.

pub type Stop { mut size: Int = 1 }
pub rel Line(a: Stop, b: Stop);

pub fact Stop(a);
pub fact Stop(b);
pub fact Stop(c);
pub fact Line(a, b);
pub fact Line(b, c);

pub derive reach(x: Stop, y: Stop) :- Line(x, y);
pub derive reach(x: Stop, y: Stop) :- reach(x, m), Line(m, y);

pub query all_of() -> reach;
pub query from_of(x: Stop) -> [Stop] { select y from reach(x, y) }

pub mutate add(x: Stop, y: Stop) { insert Line(x, y); }
pub mutate remove(x: Stop, y: Stop) { delete Line(x, y); }
pub mutate open() -> Stop { let s = insert Stop { size: 2 }; insert Line(c, s); return s; }

pub check circle(x: Stop) :- reach(x, x)
    => Diagnostic { severity: Severity::Warning, code: "Stops::W1", message: "{x} is on a circle" };
`

func newHost(t testing.TB) *sandbox.Host {
	t.Helper()
	// The user's cache, as everywhere: compiling a guest under the race detector
	// takes minutes.
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	h, err := sandbox.New(context.Background(), sandbox.Config{CacheDir: filepath.Join(cache, "ox-mcp"), TotalMemory: 4 << 30, Now: time.Now, CompileTime: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// reasonerBytes is the embedded reasoner.
func reasonerBytes(t testing.TB) []byte {
	t.Helper()
	wasm, err := plugins.Reasoner()
	if err != nil {
		t.Skip(err)
	}
	return wasm
}

// twin is the same build under another hash: with one more custom section.
func twin(wasm []byte, name string) []byte {
	section := append([]byte{byte(len(name))}, name...)
	return append(append(bytes.Clone(wasm), 0, byte(len(section))), section...)
}

// newSwapService serves swapSource on the embedded reasoner.
func newSwapService(t testing.TB, change func(*Config)) *Service {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ox.toml", "[package]\nname = \"stops\"\nversion = \"0.1.0\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n")
	write("root.ar", swapSource)
	project, err := coherence.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	resolved, problems := settingsWith(map[string]string{"dirtyPolicy": "auto_build"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	evaluator, err := plugins.Evaluator()
	cfg := Config{
		Project: project, Settings: resolved, Host: newHost(t), Log: store.NewMemory(), Clock: time.Now, Random: rand.Reader,
		Reasoner: PluginSource{Name: "embedded reasoner", Wasm: reasonerBytes(t)}, Evaluator: PluginSource{Name: "embedded check evaluator", Wasm: evaluator, Err: err},
	}
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

func settingsWith(values map[string]string) (*settings.Resolved, []settings.Problem) {
	return settings.Resolve(settings.FromFlags(values))
}

func (s *Service) liveScope() store.Scope { return store.Scope{Tenant: tenantDefault, Fork: forkMain} }

func rowsOf(t testing.TB, s *Service, query string) *RowsResult {
	t.Helper()
	res, err := s.Query(context.Background(), QueryRequest{Name: query})
	if err != nil {
		t.Fatal(err)
	}
	if res.Refused() {
		t.Fatalf("refused: %s", res.Message)
	}
	return res
}

func mutated(t testing.TB, s *Service, name string, args string) *MutateResult {
	t.Helper()
	var a Args
	if err := json.Unmarshal([]byte(args), &a); err != nil {
		t.Fatal(err)
	}
	res, err := s.Mutate(context.Background(), MutateRequest{Name: name, Args: a})
	if err != nil {
		t.Fatal(err)
	}
	if res.Refused() {
		t.Fatalf("refused: %s", res.Message)
	}
	return res
}

// modalSource makes a reasoner that misbehaves in a way that is patched into
// its bytes, and only for programs other than those of the vectors where the
// way says so.
const modalSource = `package main

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

var mode = "oxmode:plain"

//go:noinline
func is(what string) bool { return strings.TrimPrefix(mode, "oxmode:") == what }

var (
	served  bool
	asserts int
)

func modalLoad(r *abi.LoadRequest) (*abi.LoadResponse, *abi.Failure) {
	served = strings.HasPrefix(r.Program.Module, "stops")
	if is("crash") && served {
		for i := 0; ; i++ {
			deep(i)
		}
	}
	return reasoner.Load(r)
}

//go:noinline
func deep(n int) int {
	if n < 0 {
		return n
	}
	return deep(n+1) + deep(n+2)
}

func modalAssert(r *abi.AssertRequest) (*abi.AssertResponse, *abi.Failure) {
	asserts++
	if is("reply") && served && asserts == 2 {
		return nil, &abi.Failure{Code: abi.FailureInternal, Message: "too many facts", Rule: -1}
	}
	return reasoner.Assert(r)
}

func modalDerive(r *abi.DeriveRequest) (*abi.Rows, *abi.Failure) {
	rows, f := reasoner.Derive(r)
	if f != nil {
		return nil, f
	}
	if is("wrong") && rows.Frame.Rows == 3 || is("scope") && served && rows.Frame.Rows == 3 {
		for i := range rows.Frame.Columns {
			rows.Frame.Columns[i] = rows.Frame.Columns[i][:2]
		}
		if rows.Frame.Truth != nil {
			rows.Frame.Truth = rows.Frame.Truth[:2]
		}
		rows.Frame.Rows, rows.Total = 2, 2
	}
	if is("slow_") && served {
		n := 0
		for {
			n++
			if n < 0 {
				break
			}
		}
	}
	return rows, nil
}
`

var modalBuild = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "modal")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(root, "plugins", "reasoner")
	text, err := os.ReadFile(filepath.Join(folder, "exports.go"))
	if err != nil {
		return nil, err
	}
	changed := strings.NewReplacer("reasoner.Load)", "modalLoad)", "reasoner.Assert)", "modalAssert)",
		"reasoner.Derive)", "modalDerive)").Replace(string(text))
	overlay := map[string]map[string]string{"Replace": {}}
	for name, body := range map[string]string{"exports.go": changed, "modal.go": "//go:build wasip1\n\n" + modalSource} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			return nil, err
		}
		overlay["Replace"][filepath.Join(folder, name)] = filepath.Join(dir, name)
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600); err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "modal.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay.json"), "-o", out, "./plugins/reasoner")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, &Error{Code: "BUILD", Message: string(said)}
	}
	return os.ReadFile(out)
})

// modal is a reasoner that misbehaves in the given way (five letters).
func modal(t testing.TB, way string) []byte {
	t.Helper()
	wasm, err := modalBuild()
	if err != nil {
		t.Fatalf("the test's reasoner does not build: %v", err)
	}
	if n := bytes.Count(wasm, []byte("oxmode:plain")); n != 1 {
		t.Fatalf("the mark is there %d times", n)
	}
	return bytes.Replace(wasm, []byte("oxmode:plain"), []byte("oxmode:"+way), 1)
}
