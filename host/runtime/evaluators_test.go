package runtime

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
	"github.com/ox-mcp/ox-mcp/plugins"
)

const serialSource = `use std::core::Severity;
use std::core::Diagnostic;
pub type Item { serial: String }
pub type Exempt <: Item;
pub type Elsewhere;
pub fact Item(a) { serial: "19" };
pub fact Item(b) { serial: "123" };
pub fact Exempt(c) { serial: "1" };
pub fact Exempt(d) { serial: "2" };
pub fact Exempt(e) { serial: "3" };
pub fact Elsewhere(f);
#[evaluator(digits)]
pub check serial_ok(i: Item) :- Item(i), Exempt(_)
  => Diagnostic { severity: Severity::Warning, code: "MODE", message: "serial {i.serial}" };
pub mutate add(s: String) { insert Item { serial: s }; }
test "adding" { assert rejects ("DIGITS") { insert Item { serial: "5" }; }; }
`

var digits = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ox-mcp-digits-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "digits.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-o", out, "../../plugins/internal/guest/testdata/digits")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.New(string(text))
	}
	return os.ReadFile(out)
})

var ownSandbox = sync.OnceValues(func() (*sandbox.Host, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return sandbox.New(context.Background(), sandbox.Config{CacheDir: filepath.Join(cache, "ox-mcp"), TotalMemory: 2 << 30, CompileTime: 10 * time.Minute, Now: time.Now})
})

// serials is a service on the package above whose check has the code mode,
// with the plugin digits as declared.
type serials struct {
	*Service
	now time.Time
}

func openSerials(t *testing.T, mode string, declare func(*PluginTable)) *serials {
	t.Helper()
	wasm, err := digits()
	must(t, err)
	reasoner, err := plugins.Reasoner()
	if err != nil {
		t.Skip(err)
	}
	evaluator, err := plugins.Evaluator()
	if err != nil {
		t.Skip(err)
	}
	host, err := ownSandbox()
	must(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "digits.wasm")
	must(t, os.WriteFile(file, wasm, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "ox.toml"), []byte("[package]\nname = \"serials\"\nprelude = [\"std::core::type\"]\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "root.ar"), []byte(strings.ReplaceAll(serialSource, "MODE", mode)), 0o600))
	project, err := coherence.Find(dir)
	must(t, err)
	project.WorkspaceRoot = dir
	values, _ := settings.Resolve()
	s := &serials{now: time.Unix(2_000_000_000, 0)}
	cfg := Config{
		Project: project, Settings: values, Host: host, Log: store.NewMemory(), Seed: []byte("serials"),
		Clock: func() time.Time { return s.now }, Random: rand.Reader,
		Reasoner: PluginSource{Name: "reasoner", Wasm: reasoner}, Evaluator: PluginSource{Name: "evaluator", Wasm: evaluator},
	}
	table := PluginTable{Name: "digits", Kind: KindEvaluator, Path: file, Blake3: PinOf(wasm), Grants: []string{"facts"}, Layer: settings.LayerUser, File: "config.toml"}
	if declare != nil {
		declare(&table)
	}
	if table.Name != "" {
		cfg.Plugins = []PluginTable{table}
	}
	s.Service, err = New(cfg)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close(context.Background())) })
	return s
}

// found lists what Check found, as code and message.
func (s *serials) found(t *testing.T) []string {
	t.Helper()
	res, err := s.Check(t.Context(), CheckRequest{})
	must(t, err)
	var out []string
	for _, d := range res.Findings {
		out = append(out, d.Code+" "+d.Message)
	}
	return out
}

// TestAPluginDecidesWhichBindingsAreViolations: b does not add up; c, d and e
// do not either, and are exempt where the plugin reads the facts.
func TestAPluginDecidesWhichBindingsAreViolations(t *testing.T) {
	for _, c := range []struct{ mode, want string }{
		{"plain", "DIGITS 123 does not add up (b); DIGITS 1 does not add up (c); DIGITS 2 does not add up (d); DIGITS 3 does not add up (e)"},
		{"Exempt", "DIGITS 123 does not add up (b)"},
		{"root::Exempt", "DIGITS 123 does not add up (b)"},
		{"Item", ""},
	} {
		t.Run(c.mode, func(t *testing.T) {
			if got := strings.Join(openSerials(t, c.mode, nil).found(t), "; "); got != c.want {
				t.Errorf("found %s\nwant  %s", got, c.want)
			}
		})
	}
}

func TestFactsAreOnlyThoseOfTheBody(t *testing.T) {
	s := openSerials(t, "Elsewhere", nil)
	_, err := s.Check(t.Context(), CheckRequest{})
	if err == nil || !strings.Contains(err.Error(), `does not name the relation "Elsewhere"`) || !strings.Contains(err.Error(), "Exempt") {
		t.Errorf("%v", err)
	}
}

func TestAMissingEvaluatorIsAnError(t *testing.T) {
	for _, c := range []struct {
		what    string
		declare func(*PluginTable)
		want    string
		help    string
	}{
		{"not declared", func(p *PluginTable) { p.Name = "" }, "no plugin of that name", "ox-mcp plugin pin FILE --name digits"},
		{"another name", func(p *PluginTable) { p.Name = "digit" }, "no plugin of that name", "did you mean digit?"},
		{"wrong pin", func(p *PluginTable) { p.Blake3 = strings.Repeat("0", 64) }, "not the pinned one", "plugin verify"},
		{"no file", func(p *PluginTable) { p.Path += "x" }, "no such file", "plugin verify"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := openSerials(t, "plain", c.declare)
			res, err := s.Check(t.Context(), CheckRequest{})
			must(t, err)
			if len(res.Findings) != 1 || res.Findings[0].Code != "OE1352" || !strings.Contains(res.Findings[0].Message, c.want) || !strings.Contains(res.Findings[0].Help, c.help) {
				t.Errorf("found %+v", res.Findings)
			}
			built, err := s.Build(t.Context(), BuildRequest{})
			if err != nil || built.OK || built.Code != CodeGateFailed {
				t.Errorf("build: %+v, %v", built, err)
			}
		})
	}
}

func TestFactsNeedTheirGrant(t *testing.T) {
	s := openSerials(t, "Exempt", func(p *PluginTable) { p.Grants = nil })
	_, err := s.Check(t.Context(), CheckRequest{})
	var broken *Error
	if !errors.As(err, &broken) || broken.Code != "PLUGIN_REFUSED" || !strings.Contains(broken.Message, `grants = ["facts"]`) {
		t.Errorf("%v", err)
	}
}

func TestAPluginRefusesAWrite(t *testing.T) {
	s := openSerials(t, "plain", nil)
	must(t, os.WriteFile(filepath.Join(s.cfg.Project.Root, "root.ar"), []byte(strings.NewReplacer(
		"MODE", "Exempt", `pub fact Item(b) { serial: "123" };`, "").Replace(serialSource)), 0o600))
	add := func(serial string) *MutateResult {
		t.Helper()
		text, err := json.Marshal(serial)
		must(t, err)
		res, err := s.Mutate(t.Context(), MutateRequest{Name: "add", Args: Args{"s": text}})
		must(t, err)
		return res
	}
	if res := add("28"); res.Refused() || res.Receipt == nil {
		t.Errorf("a serial that adds up: %+v", res.Outcome)
	}
	if res := add("29"); res.Code != CodeCheckViolation || len(res.DiagnosticCodes) != 1 || res.DiagnosticCodes[0] != "DIGITS" {
		t.Errorf("a serial that does not: %+v", res.Outcome)
	}
	tests, err := s.Test(t.Context(), TestRequest{})
	if err != nil || len(tests.Tests) != 1 || tests.Tests[0].Outcome != "PASS" {
		t.Errorf("tests: %+v, %v", tests, err)
	}
	for _, p := range s.pluginStates() {
		if p.Plugin == "digits" && (p.Calls == 0 || p.Fuel == 0 || p.PeakMemory == 0 || p.Name != "digits" || p.Traps != 0) {
			t.Errorf("statistics %+v", p)
		}
	}
}

func TestAPluginThatFailsIsQuarantined(t *testing.T) {
	for _, mode := range []string{"short", "panic"} {
		t.Run(mode, func(t *testing.T) {
			s := openSerials(t, mode, nil)
			for i := range 6 {
				_, err := s.Check(t.Context(), CheckRequest{})
				var broken *Error
				if !errors.As(err, &broken) {
					t.Fatalf("call %d: %v", i, err)
				}
				if got, want := broken.Code == "PLUGIN_QUARANTINED", i == 5; got != want {
					t.Errorf("call %d: %s: %s", i, broken.Code, broken.Message)
				}
				s.now = s.now.Add(10 * time.Second)
			}
			status, err := s.Status(t.Context())
			must(t, err)
			for _, p := range status.Plugins {
				if (p.Quarantined != "") != (p.Plugin == "digits") {
					t.Errorf("status %+v", p)
				}
			}
			if list := s.Plugins(); !list.Failed() {
				t.Errorf("list %+v", list)
			}
		})
	}
}

// TestAFrozenRunReadsFactsToo: each of its calls is on an instance of its own.
func TestAFrozenRunReadsFactsToo(t *testing.T) {
	s := openSerials(t, "Exempt", nil)
	s.cfg.Frozen = true
	for range 2 {
		res, err := s.Checks(t.Context(), ChecksRequest{})
		must(t, err)
		if res.Refused() && res.Code != CodeDirtyWorkspace {
			t.Errorf("%+v", res.Outcome)
		}
	}
	if got := strings.Join(s.found(t), "; "); got != "DIGITS 123 does not add up (b)" {
		t.Errorf("found %s", got)
	}
}

// TestScansHaveTheFuelOfTheCall gives the reasoner too little fuel for the facts.
func TestScansHaveTheFuelOfTheCall(t *testing.T) {
	s := openSerials(t, "Exempt", nil)
	m, err := s.gate(t.Context(), s.cfg.Project, nil, false)
	must(t, err)
	defer m.end()
	ses := m.session
	check := 0
	state, release := ses.kept(t.Context())
	defer release()
	facts := ses.factsFor(s.plugins.byName["digits"].plugin, check, state)
	ask := func() ([]byte, bool) {
		req := abi.ScanRequest{Relation: "Exempt"}
		return facts.scanner()(t.Context(), req.AppendCBOR(nil))
	}
	if _, failed := ask(); failed || facts.failed() != nil {
		t.Fatalf("a scan: %v", facts.failed())
	}
	facts.left = 0
	var trap *sandbox.Trap
	if _, failed := ask(); !failed || !errors.As(facts.failed(), &trap) || trap.Limit.Limit != abi.LimitFuel {
		t.Errorf("a scan without fuel: %v", facts.failed())
	}
}

func TestScansAreHeldToTheirRelation(t *testing.T) {
	s := openSerials(t, "Exempt", nil)
	g, err := s.gate(t.Context(), s.cfg.Project, nil, false)
	must(t, err)
	defer g.end()
	state, release := g.session.kept(t.Context())
	defer release()
	facts := g.session.factsFor(s.plugins.byName["digits"].plugin, 0, state)
	named := func(s string) *abi.Value { v := abi.NamedValue(s); return &v }
	for _, c := range []struct {
		what string
		req  abi.ScanRequest
		rows int
		next bool
		want string
	}{
		{"all", abi.ScanRequest{Relation: "Exempt"}, 3, false, ""},
		{"qualified", abi.ScanRequest{Relation: "root::Exempt"}, 3, false, ""},
		{"a field", abi.ScanRequest{Relation: "Item.serial"}, 5, false, ""},
		{"a page", abi.ScanRequest{Relation: "Exempt", Page: abi.Page{Limit: 2}}, 2, true, ""},
		{"the rest", abi.ScanRequest{Relation: "Exempt", Page: abi.Page{Limit: 2, After: []abi.Value{*named("root::d")}}}, 1, false, ""},
		{"one", abi.ScanRequest{Relation: "Exempt", Match: []*abi.Value{named("root::d")}}, 1, false, ""},
		{"none of this page", abi.ScanRequest{Relation: "Exempt", Match: []*abi.Value{named("root::e")}, Page: abi.Page{Limit: 1}}, 0, true, ""},
		{"anything", abi.ScanRequest{Relation: "Exempt", Match: []*abi.Value{nil}}, 3, false, ""},
		{"another relation", abi.ScanRequest{Relation: "Elsewhere"}, 0, false, "does not name"},
		{"the check's own", abi.ScanRequest{Relation: "serial_ok"}, 0, false, "does not name"},
		{"no relation", abi.ScanRequest{}, 0, false, "does not name"},
		{"too many columns to match", abi.ScanRequest{Relation: "Exempt", Match: []*abi.Value{nil, nil}}, 0, false, "1 columns"},
		{"a position of two columns", abi.ScanRequest{Relation: "Exempt", Page: abi.Page{After: []abi.Value{abi.IntValue(1), abi.IntValue(1)}}}, 0, false, "1 columns"},
	} {
		t.Run(c.what, func(t *testing.T) {
			answer, failed := facts.scanner()(t.Context(), c.req.AppendCBOR(nil))
			if c.want != "" {
				var f abi.Failure
				must(t, f.DecodeCBOR(answer))
				if !failed || f.Code != abi.FailureRequest || !strings.Contains(f.Message, c.want) {
					t.Errorf("%v %+v, want a refusal with %q", failed, f, c.want)
				}
				return
			}
			var r abi.ScanResponse
			if failed {
				t.Fatalf("refused: %q", answer)
			}
			must(t, r.DecodeCBOR(answer))
			if r.Frame.Rows != c.rows || (len(r.Next) > 0) != c.next || len(r.Columns) != len(r.Frame.Columns) {
				t.Errorf("%d rows, next %v, want %d rows, next %v", r.Frame.Rows, r.Next, c.rows, c.next)
			}
		})
	}
	if _, failed := facts.scanner()(t.Context(), []byte("nonsense")); !failed {
		t.Error("nonsense is answered")
	}
	if facts.failed() != nil {
		t.Errorf("the guest's mistakes stop the call: %v", facts.failed())
	}
}

func TestInspectionOfAPlugin(t *testing.T) {
	s := openSerials(t, "plain", nil)
	file := s.plugins.byName["digits"].Path
	i, err := s.InspectPlugin(t.Context(), file)
	must(t, err)
	if !i.Admitted || i.World != KindEvaluator || i.Build == nil || i.Build.Name != "digits" || strings.Join(i.Grants, ",") != "facts" || !i.Snapshotable || i.MemoryBytes == 0 {
		t.Errorf("%+v", i)
	}
	must(t, os.WriteFile(file, []byte(emptyModule), 0o600))
	if i, err = s.InspectPlugin(t.Context(), file); err != nil || i.Admitted || i.World != "" || i.Code == "" {
		t.Errorf("an empty module: %+v, %v", i, err)
	}
	if _, err := s.Pin(t.Context(), PinRequest{File: file}); err == nil || !strings.Contains(err.Error(), "no plugin") {
		t.Errorf("pinning it: %v", err)
	}
	must(t, os.WriteFile(file, []byte(emptyModule+"\x01\xff"), 0o600))
	if i, err = s.InspectPlugin(t.Context(), file); err != nil || i.Admitted || i.Refusal == "" {
		t.Errorf("a broken module: %+v, %v", i, err)
	}
}

func TestAPinIsReadAsItIsWritten(t *testing.T) {
	s := openSerials(t, "plain", nil)
	s.cfg.UserFile = filepath.Join(t.TempDir(), "ox-mcp", "config.toml")
	table := s.plugins.byName["digits"].PluginTable
	res, err := s.Pin(t.Context(), PinRequest{File: table.Path, Name: "digits", Write: true})
	must(t, err)
	if res.Missing != "facts" || res.Wrote != s.cfg.UserFile || res.Blake3 != table.Blake3 {
		t.Errorf("%+v", res)
	}
	text, err := os.ReadFile(s.cfg.UserFile)
	must(t, err)
	read, err := PluginTables(tables(t, string(text)), s.cfg.UserFile, "/")
	must(t, err)
	if len(read) != 1 || read[0].Path != table.Path || read[0].Blake3 != table.Blake3 || len(read[0].Grants) != 0 || read[0].check(false) != nil {
		t.Errorf("%+v", read)
	}
	for _, req := range []PinRequest{{File: table.Path, Name: "a b"}, {File: table.Path, Grants: []string{"network"}}} {
		if _, err := s.Pin(t.Context(), req); err == nil {
			t.Errorf("%+v is taken", req)
		}
	}
}

func TestAPluginIsCalledByHand(t *testing.T) {
	s := openSerials(t, "plain", nil)
	file := s.plugins.byName["digits"].Path
	run, err := s.RunPlugin(t.Context(), file, abi.ExportEvaluatorDescribe, nil)
	if err != nil || run.Fuel == 0 || !strings.Contains(run.Answer, "646967697473") {
		t.Errorf("%+v, %v", run, err)
	}
	if run, err = s.RunPlugin(t.Context(), file, abi.ExportEvaluate, []byte("nonsense")); err != nil || !strings.HasPrefix(run.Failure, abi.FailureRequest) {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err = s.RunPlugin(t.Context(), file, "cabi_realloc", nil); err == nil {
		t.Error("cabi_realloc is called by hand")
	}
}
