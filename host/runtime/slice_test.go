package runtime

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
	"github.com/ox-mcp/ox-mcp/plugins"
)

// openFolder returns a service on the package in dir.
func openFolder(t *testing.T, dir string, layers ...settings.Source) *Service {
	t.Helper()
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
	project, err := coherence.Find(dir)
	must(t, err)
	values, warnings := settings.Resolve(layers...)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	s, err := New(Config{
		Project: project, Settings: values, Host: host, Log: store.NewMemory(), Seed: []byte("slices"),
		Clock: func() time.Time { return time.Unix(1_900_000_000, 0) }, Random: rand.Reader,
		Reasoner: PluginSource{Name: "reasoner", Wasm: reasoner}, Evaluator: PluginSource{Name: "evaluator", Wasm: evaluator},
	})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close(context.Background())) })
	return s
}

// sliceSource has a relation that stays empty, and with it rules and a check;
// and among what has facts negation, recursion, a fold, a function, defeat, an
// open concept and standpoints.
const sliceSource = `pub type Ship { name: String, mut length: Int }
pub type Wreck <: Ship {}
pub rel Tows(by: Ship, ship: Ship);
pub rel Owes(by: Ship, to: Ship);
pub standpoint Coast;
pub standpoint Sea <: Coast;

pub fact Ship(aurora) { name: "Aurora", length: 90 };
pub fact Ship(boreas) { name: "Boreas", length: 30 };
pub fact Ship(calypso) { name: "Calypso", length: 7 };
pub fact Tows(aurora, boreas);
pub fact Tows(boreas, calypso);
pub fact Tows(calypso, calypso);

pub derive pulled(a: Ship, b: Ship) :- Tows(a, b);
pub derive pulled(a: Ship, b: Ship) :- Tows(a, m), pulled(m, b);
pub derive owing(a: Ship) :- Owes(a, _);
pub derive deep(a: Ship) :- owing(a), pulled(a, _);
pub derive leads(a: Ship) :- pulled(a, _), not deep(a), not exists { Tows(x, a), x != a };
pub fn twice(n: Int) -> Int = n * 2;
pub fn unused(s: Ship) -> Int = s.length;

pub check circle(a: Ship) :- pulled(a, a)
    => Diagnostic { severity: Severity::Error, code: "C1", message: "{a.name} pulls itself" };
pub check short(a: Ship) :- leads(a), twice(a.length) < 1000
    => Diagnostic { severity: Severity::Warning, code: "C2", message: "{a.name} leads with {twice(a.length)}" };
pub check broke(a: Ship) :- owing(a)
    => Diagnostic { severity: Severity::Error, code: "C3", message: "{a.name} owes" };
pub check many(a: Ship, n: Nat) :- a: Ship, n = count { pulled(a, x) }, n > 1
    => Diagnostic { severity: Severity::Hint, code: "C4", message: "{a.name} pulls {n}" };
pub check lost(a: Ship) :- a: Ship, not Tows(a, _), not a: Wreck
    => Diagnostic { severity: Severity::Info, code: "C5", message: "{a.name} is alone" };
`

// inFull and inSlice are what the checks of the module find.
func inFull(t *testing.T, s *Service, m *module) []seen {
	t.Helper()
	ses, err := s.declaredSession(t.Context(), m, s.checkLimits())
	must(t, err)
	defer ses.end()
	list, breached, _, err := ses.everywhere(t.Context(), -1)
	must(t, err)
	if len(breached) > 0 {
		t.Skipf("%d checks do not end", len(breached))
	}
	return found(list)
}

func inSlice(t *testing.T, s *Service, part *slice) []seen {
	t.Helper()
	for _, p := range []*abi.Program{part.module.program, part.module.sent} {
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	ses, err := s.declaredSession(t.Context(), part.module, s.checkLimits())
	must(t, err)
	defer ses.end()
	list, breached, _, err := ses.everywhere(t.Context(), -1)
	must(t, err)
	part.original(list, breached)
	return found(list)
}

// found leaves out the views in which nothing is found.
func found(list []seen) (out []seen) {
	for _, v := range list {
		if len(v.found) > 0 {
			out = append(out, v)
		}
	}
	return out
}

func TestASliceHasTheViolationsOfTheWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, and one goroutine")
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "ox.toml"), []byte("[package]\nname = \"tug\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "root.ar"), []byte(sliceSource), 0o600))
	folders, err := filepath.Glob("../../examples/*/ox.toml")
	must(t, err)
	if len(folders) < 10 {
		t.Fatalf("%d examples", len(folders))
	}
	violated, smaller := 0, 0
	for _, f := range append(folders, filepath.Join(dir, "ox.toml")) {
		name := filepath.Base(filepath.Dir(f))
		if name == "demo" || name == "plugins" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := openFolder(t, filepath.Dir(f))
			r, err := s.cfg.Project.Compile(t.Context(), nil, false)
			must(t, err)
			if r.Module == nil {
				t.Skip("does not compile")
			}
			m, _, err := packed(r, gateOptions{sketch: true})
			must(t, err)
			part := m.slice()
			if part == nil {
				t.Skip("has no slice")
			}
			want := inFull(t, s, m)
			var got []seen
			if len(part.checks) > 0 {
				got = inSlice(t, s, part)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("the slice finds %+v, the module %+v", got, want)
			}
			for _, v := range want {
				violated += len(v.found)
			}
			if len(part.rules) < len(m.program.Rules) {
				smaller++
			}
		})
	}
	if violated < 5 || smaller < 5 {
		t.Fatalf("%d violations in all, and %d slices that leave a rule out: the packages show too little", violated, smaller)
	}
}

func TestASliceIsOfWhatFactsReach(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "ox.toml"), []byte("[package]\nname = \"tug\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "root.ar"), []byte(sliceSource), 0o600))
	s := openFolder(t, dir)
	g, err := s.gateFor(t.Context(), s.cfg.Project, gateOptions{sketch: true})
	must(t, err)
	defer g.end()
	part := g.module.slice()
	kept := map[string]bool{}
	for _, c := range part.checks {
		kept[shortName(g.module.program.Checks[c].Name)] = true
	}
	if kept["broke"] || !kept["circle"] || !kept["short"] {
		t.Errorf("checks %v are kept; nothing can be owing, and ships are towed", kept)
	}
	for i := range part.module.program.Rules {
		r := &part.module.program.Rules[i]
		if shortName(r.Name) == "owing" {
			t.Error("a rule that cannot fire is kept")
		}
		if want := g.module.program.Rules[part.rules[i]].Name; r.Name != want {
			t.Errorf("rule %d is %s, and said to be %s", i, r.Name, want)
		}
	}
	for i := range part.module.program.Relations {
		if r := &part.module.program.Relations[i]; r.Role == abi.Derived && shortName(r.Name) == "Ship" {
			t.Error("the members of Ship are kept beside those that are asserted, though there are no others")
		}
	}
	for i, c := range part.module.sent.Constants {
		if c.Kind == abi.KindString && strings.Contains(c.Str, "pulls itself") {
			t.Errorf("constant %d is sent, which only a message mentions", i)
		}
	}
	for i, f := range part.module.program.Functions {
		if shortName(f.Name) == "unused" && len(f.Params) > 0 {
			t.Errorf("function %d is kept, which nothing calls", i)
		}
	}
}

// TestAModuleThatDoesNotLoadIsTriedOnce gives loading too little fuel: the checks one by
// one would each load it again.
func TestAModuleThatDoesNotLoadIsTriedOnce(t *testing.T) {
	s := openFolder(t, "../../examples/library", settings.Source{Layer: settings.LayerUser, Name: "test", Values: map[string]any{"limits.loadFuel": int64(1_000_000)}})
	res, err := s.Check(t.Context(), CheckRequest{})
	must(t, err)
	var said []string
	for _, f := range res.Findings {
		if f.Code == codeNotEvaluated {
			said = append(said, f.Message)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "while loading the module") || !strings.Contains(said[0], "limits.loadFuel") {
		t.Errorf("%d warnings: %s", len(said), strings.Join(said, "; "))
	}
	if n := s.reasoner.counted().operations[operationOf(abi.ExportLoad)].latency.calls; n != 1 {
		t.Errorf("loaded %d times", n)
	}
}
