package runtime_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
	"github.com/ox-mcp/ox-mcp/plugins"
)

// repeatable is a small package whose tests write, are refused and read.
var repeatable = map[string]string{
	"ox.toml": "[package]\nname = \"quay\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n",
	"root.ar": `pub type Ship { name: String, mut length: Int }
pub type Berth { length: Int }
pub rel LiesAt(ship: Ship, berth: Berth);
pub fact Ship(aurora) { name: "Aurora", length: 90 };
pub fact Berth(quay) { length: 40 };
pub fact Berth(north) { length: 120 };
pub derive near(a: Berth, b: Berth) :- a: Berth, b: Berth, a.length < b.length;
pub query moorings() -> LiesAt;
pub query nears() -> near;
pub mutate arrive(name: String, length: Int) -> Ship { let s = insert Ship { name: name, length: length }; return s; }
pub check too_long(s: Ship, b: Berth) :- LiesAt(s, b), s.length > b.length
    => Diagnostic { severity: Severity::Error, code: "Quay::E1", message: "{s.name} does not fit" };
test "it moors" {
    insert LiesAt(aurora, north);
    assert LiesAt(aurora, north);
    assert rejects (Quay::E1) { insert LiesAt(aurora, quay); };
}
test "near" { assert derivable near(quay, north); }
test "never" { assert 1 == 2; }
`,
}

// warm is a sandbox whose cache other tests have filled.
func warm(t *testing.T) sandbox.Config {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Config{CacheDir: filepath.Join(cache, "ox-mcp")}
}

// frozen returns a frozen service on files, in a folder and a sandbox of its
// own.
func frozen(t *testing.T, files map[string]string, engine sandbox.Config) *runtime.Service {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	reasoner, err := plugins.Reasoner()
	if err != nil {
		t.Skip(err)
	}
	evaluator, err := plugins.Evaluator()
	if err != nil {
		t.Skip(err)
	}
	engine.TotalMemory, engine.Now, engine.CompileTime = 2<<30, time.Now, 2*time.Minute
	host, err := sandbox.New(context.Background(), engine)
	if err != nil {
		t.Fatal(err)
	}
	// Longer than an interpreter on a busy machine takes: the clock must stop nothing here.
	resolved, problems := settings.Resolve(settings.FromFlags(map[string]string{"limits.deadline": "5m", "evaluator.deadline": "5m"}))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	project, err := coherence.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2031, 7, 4, 10, 0, 0, 0, time.UTC)
	s, err := runtime.New(runtime.Config{
		Project: project, Settings: resolved, Host: host, Log: store.NewMemory(), Clock: time.Now, Random: rand.Reader, Now: &now, Seed: []byte("seed"), Frozen: true,
		Reasoner: runtime.PluginSource{Wasm: reasoner}, Evaluator: runtime.PluginSource{Wasm: evaluator},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close(context.Background())
		host.Close(context.Background())
	})
	return s
}

func locked(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := coherence.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Compile(context.Background(), nil, false)
	if err != nil || r.Module == nil {
		t.Fatalf("%v, %v", err, r)
	}
	lock, err := coherence.LockOf(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := lock.Text()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"ox.lock": string(text)}
	for name, text := range files {
		out[name] = text
	}
	return out
}

func reportOf(t *testing.T, s *runtime.Service) []byte {
	t.Helper()
	res, err := s.Run(context.Background(), runtime.RunRequest{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := runtime.EncodeJSON(res)
	if err != nil {
		t.Fatal(err)
	}
	if res.OK || strings.Join(res.Failed, " ") != "tests" || res.Bill == nil || res.Bill.Fuel == 0 || len(res.Queries) != 2 {
		t.Fatalf("failed are %q, want tests alone, with a bill and two queries:\n%s", res.Failed, b)
	}
	return b
}

func TestFrozenReportIsTheSameInBothEnginesAndEveryTime(t *testing.T) {
	files := locked(t, repeatable)
	want := reportOf(t, frozen(t, files, warm(t)))
	again := frozen(t, files, warm(t))
	for range 2 {
		// The second time round everything that could be warm is warm.
		if got := reportOf(t, again); !bytes.Equal(got, want) {
			t.Fatalf("the report differs:\n%s\n%s", want, got)
		}
	}
	if testing.Short() {
		t.Skip("a cold compilation and the interpreter take a while")
	}
	if got := reportOf(t, frozen(t, files, sandbox.Config{})); !bytes.Equal(got, want) {
		t.Fatalf("the report without a cache differs:\n%s\n%s", want, got)
	}
	if got := reportOf(t, frozen(t, files, sandbox.Config{Interpreter: true})); !bytes.Equal(got, want) {
		t.Fatalf("the interpreter's report differs:\n%s\n%s", want, got)
	}
}

func receiptsOf(t *testing.T, s *runtime.Service, filter string) *runtime.Receipts {
	t.Helper()
	res, err := s.Test(context.Background(), runtime.TestRequest{Receipts: true, Filter: filter})
	if err != nil {
		t.Fatal(err)
	}
	return res.Receipts
}

func TestReceiptsDependOnNoNeighbour(t *testing.T) {
	s := frozen(t, repeatable, warm(t))
	want := receiptsOf(t, s, "")
	if len(want.Tests) != 3 || want.Tests[0].Fuel == 0 || want.Metered == "" || len(want.Evaluators) != 1 {
		t.Fatalf("%+v", want)
	}
	// Other calls beside the tests, which share the sandbox with them.
	var beside sync.WaitGroup
	for range 3 {
		beside.Go(func() {
			if _, err := s.Query(context.Background(), runtime.QueryRequest{Name: "nears"}); err != nil {
				t.Error(err)
			}
		})
	}
	got := receiptsOf(t, s, "")
	beside.Wait()
	if d := want.Differences(got, false); len(d) > 0 {
		t.Errorf("with calls beside: %q", d)
	}
	// One test alone, which runs first then.
	if d := want.Differences(receiptsOf(t, s, "never"), true); len(d) > 0 {
		t.Errorf("alone: %q", d)
	}
}

func TestFrozenReceiptOfAWriteHasItsBill(t *testing.T) {
	req := runtime.MutateRequest{Name: "arrive", Args: runtime.Args{"name": []byte(`"Cygnus"`), "length": []byte("70")}, IdempotencyKey: "once"}
	write := func(s *runtime.Service) *runtime.Receipt {
		res, err := s.Mutate(context.Background(), req)
		if err != nil || res.Receipt == nil {
			t.Fatalf("%+v, %v", res, err)
		}
		return res.Receipt
	}
	s := frozen(t, repeatable, warm(t))
	first := write(s)
	if first.Bill == nil || first.Fuel == 0 || first.MemoryBytes == 0 || first.Rounds == 0 || len(first.Metered) != 64 {
		t.Fatalf("%+v", first)
	}
	behind := frozen(t, repeatable, warm(t))
	if _, err := behind.Query(context.Background(), runtime.QueryRequest{Name: "nears"}); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*runtime.Receipt{"the recorded one": write(s), "one behind a read": write(behind)} {
		a, _ := runtime.EncodeJSON(first)
		b, _ := runtime.EncodeJSON(other)
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs:\n%s\n%s", name, a, b)
		}
	}
}

func TestReceiptsTellWhatDiffers(t *testing.T) {
	base := func() *runtime.Receipts {
		return &runtime.Receipts{
			Form: 1, Package: "p", ModuleHash: "m", Metered: "x", Now: "n", Seed: "s", Limits: map[string]uint64{"fuel": 10},
			Tests: []runtime.TestReceipt{{Name: "a", Outcome: "PASS", Steps: 2, InputHash: "i", ResultHash: "r", Fuel: 100, MemoryBytes: 8, Rounds: 3}},
		}
	}
	for _, c := range []struct {
		name    string
		change  func(r *runtime.Receipts)
		partial bool
		want    []string
	}{
		{"nothing", func(*runtime.Receipts) {}, false, nil},
		{"a limit", func(r *runtime.Receipts) { r.Limits["fuel"] = 20; r.Tests[0].InputHash = "j" }, false, []string{"limit of fuel: was 10, is 20"}},
		{"fuel", func(r *runtime.Receipts) { r.Tests[0].Fuel = 110 }, false, []string{`test "a": fuel was 100, is 110 (+10.0 %)`}},
		{"an answer", func(r *runtime.Receipts) { r.Tests[0].ResultHash = "q" }, false, []string{`test "a": its steps are answered differently`}},
		{"an outcome", func(r *runtime.Receipts) { r.Tests[0].Outcome = "FAIL" }, false, []string{`test "a": the outcome was PASS, is FAIL`}},
		{"an input that nothing explains", func(r *runtime.Receipts) { r.Tests[0].InputHash = "j" }, false, []string{`test "a": its inputs differ`}},
		{"a test more", func(r *runtime.Receipts) { r.Tests = append(r.Tests, runtime.TestReceipt{Name: "b"}) }, false, []string{`test "b": it has no receipt`}},
		{"a test less", func(r *runtime.Receipts) { r.Tests = nil }, false, []string{`test "a": it has a receipt, and was not run or gave none`}},
		{"a test that was not run", func(r *runtime.Receipts) { r.Tests = nil }, true, nil},
		{"another reasoner", func(r *runtime.Receipts) { r.Metered = "" }, false, []string{"reasoner, metered: was x, is nothing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := base()
			c.change(now)
			got := base().Differences(now, c.partial)
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFrozenStatusHasNoWallTime(t *testing.T) {
	s := frozen(t, repeatable, warm(t))
	if _, err := s.Query(context.Background(), runtime.QueryRequest{Name: "nears"}); err != nil {
		t.Fatal(err)
	}
	res, err := s.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p := res.Plugins[0]
	if p.Calls == 0 || p.Fuel == 0 || p.PeakMemory == 0 {
		t.Errorf("the calls are not counted: %+v", p)
	}
	if p.Latency != nil || p.Compiled != "" {
		t.Errorf("a frozen status tells %+v, %q", p.Latency, p.Compiled)
	}
}
