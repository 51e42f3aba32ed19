package runtime_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
	"github.com/ox-mcp/ox-mcp/plugins"
)

const portManifest = `[package]
name = "port"
prelude = ["std::core::type", "std::core::rel"]

[facts]
"root::Berth" = "berths.csv"
`

const portSource = `pub type Berth { length: Int }
pub type Ship { name: String, mut length: Int, mut note: String? }
pub rel LiesAt(ship: Ship, berth: Berth);

pub fact Ship(aurora) { name: "Aurora", length: 90 };

pub derive moored(s: Ship) :- LiesAt(s, _);
pub derive pair(a: Ship, b: Ship) :- a: Ship, b: Ship;
pub derive count_up(n: Int) :- n = 1;
pub derive count_up(n: Int) :- count_up(m), n = m + 1;

pub query ships() -> Ship;
pub query at_two() -> Ship as_of 2;
pub query moorings() -> moored;
pub query numbers() -> count_up;
pub query pairs() -> pair;

pub fn double(n: Int) -> Int = n * 2;

pub mutate arrive(name: String, length: Int) -> Ship {
    let s = insert Ship { name: name, length: length };
    return s;
}
pub mutate moor(ship: Ship, berth: Berth) { insert LiesAt(ship, berth); }
pub mutate moor_on(ship: Ship, berth: Berth, day: Date) { insert LiesAt(ship, berth) at day; }
pub mutate leave(ship: Ship, berth: Berth) { delete LiesAt(ship, berth); }
pub mutate lengthen(ship: Ship, length: Int) { update ship set { length = length }; }
pub mutate half_done(name: String) {
    insert Ship { name: name, length: 1 };
    require name == "never";
}

pub check too_long(s: Ship, b: Berth) :- LiesAt(s, b), s.length > b.length
    => Diagnostic { severity: Severity::Error, code: "Port::E001", message: "{s.name} does not fit" };
pub check tiny(s: Ship) :- s: Ship, s.length < 5
    => Diagnostic { severity: Severity::Warning, code: "Port::W001", message: "{s.name} is tiny" };

test "doubling" { assert double(2) == 4; }
`

const portBerths = "id,length\nnorth,120\nquay,40\n"

// shared is the sandbox of the tests: the guests are compiled once.
var shared = sync.OnceValues(newSandbox)

func newSandbox() (*sandbox.Host, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return sandbox.New(context.Background(), sandbox.Config{CacheDir: filepath.Join(cache, "ox-mcp"), TotalMemory: 2 << 30, CompileTime: 10 * time.Minute, Now: time.Now})
}

// port is a service on a package in a folder of its own.
type port struct {
	*runtime.Service
	t       testing.TB
	dir     string
	session *argon.Session // of its compilations; nil: each begins anew
	maker   string         // the build of the compiler that its services say they are
	log     store.Log      // of its services; nil: each has one of its own

	mu  sync.Mutex
	now time.Time
}

// clockStart is the instant at which the tests' clock stands.
var clockStart = time.Date(2031, 7, 4, 10, 0, 0, 0, time.UTC)

// portFiles is the package that most tests run on.
func portFiles() map[string]string {
	return map[string]string{"ox.toml": portManifest, "root.ar": portSource, "berths.csv": portBerths}
}

// open returns a service on files, with settings by key.
func open(t testing.TB, files map[string]string, values map[string]string) *port {
	t.Helper()
	dir := t.TempDir()
	p := &port{t: t, dir: dir, now: clockStart}
	for name, text := range files {
		p.write(name, text)
	}
	p.Service = p.another(values)
	return p
}

// another returns a further service on the same folder.
func (p *port) another(values map[string]string) *runtime.Service {
	p.t.Helper()
	host, err := shared()
	if err != nil {
		p.t.Fatal(err)
	}
	s := p.on(host, values)
	p.t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// on returns a further service on the same folder, in a given sandbox; the
// caller closes it.
func (p *port) on(host *sandbox.Host, values map[string]string) *runtime.Service {
	p.t.Helper()
	reasoner, err := plugins.Reasoner()
	if err != nil {
		p.t.Skip(err)
	}
	evaluator, err := plugins.Evaluator()
	if err != nil {
		p.t.Skip(err)
	}
	resolved, problems := settings.Resolve(settings.FromFlags(values))
	if len(problems) > 0 {
		p.t.Fatal(problems)
	}
	project, err := coherence.Find(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	project.WorkspaceRoot, project.SourceLimit, project.Session, project.Maker = p.dir, resolved.Int("limits.sourceBytes"), p.session, p.maker
	log := p.log
	if log == nil {
		log = store.NewMemory()
	}
	s, err := runtime.New(runtime.Config{
		Project: project, Settings: resolved, Host: host, Log: log, Clock: p.clock, Random: rand.Reader, Seed: []byte("port"),
		Reasoner:  runtime.PluginSource{Name: "reasoner", Wasm: reasoner},
		Evaluator: runtime.PluginSource{Name: "evaluator", Wasm: evaluator},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *port) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *port) advance(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func (p *port) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// args makes arguments of name, value pairs.
func args(pairs ...any) runtime.Args {
	out := runtime.Args{}
	for i := 0; i+1 < len(pairs); i += 2 {
		b, _ := json.Marshal(pairs[i+1])
		out[pairs[i].(string)] = b
	}
	return out
}

// mutate runs a mutation that must not fail to run.
func (p *port) mutate(name string, a runtime.Args) *runtime.MutateResult {
	p.t.Helper()
	res, err := p.Mutate(p.t.Context(), runtime.MutateRequest{Name: name, Args: a})
	if err != nil {
		p.t.Fatalf("mutate %s: %v", name, err)
	}
	return res
}

// accepted runs a mutation that must be accepted, and returns its stamp.
func (p *port) accepted(name string, a runtime.Args) int64 {
	p.t.Helper()
	res := p.mutate(name, a)
	if res.Refused() || res.Receipt == nil {
		p.t.Fatalf("mutate %s is refused: %s %s", name, res.Code, res.Message)
	}
	return res.Receipt.TT
}

// query runs a query that must not fail to run.
func (p *port) query(name string, c runtime.Common) *runtime.RowsResult {
	p.t.Helper()
	res, err := p.Query(p.t.Context(), runtime.QueryRequest{Name: name, Common: c})
	if err != nil {
		p.t.Fatalf("query %s: %v", name, err)
	}
	return res
}

// rows are the rows of a query at a read point, as they print, sorted: the
// order of individuals made at run time is that of their ids.
func (p *port) rows(name string, at *runtime.AsOf) []string {
	p.t.Helper()
	res := p.query(name, runtime.Common{AsOf: at})
	if res.Refused() {
		p.t.Fatalf("query %s is refused: %s %s", name, res.Code, res.Message)
	}
	out := texts(res)
	slices.Sort(out)
	return out
}

func texts(res *runtime.RowsResult) []string {
	out := []string{}
	for i := range res.Rows {
		out = append(out, res.Rows[i].Text())
	}
	return out
}

func stamp(n int64) *runtime.AsOf { return &runtime.AsOf{TT: &n} }

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}
