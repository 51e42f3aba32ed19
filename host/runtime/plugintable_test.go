package runtime

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

func tables(t *testing.T, text string) map[string]any {
	t.Helper()
	var tree map[string]any
	must(t, toml.Unmarshal([]byte(text), &tree))
	plugins, _ := tree["plugins"].(map[string]any)
	return plugins
}

func TestTablesOfTheOperatorAreReadStrictly(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"unknown key", "[plugins.a]\npaths = 'x'", `no key "paths"`},
		{"path that is a list", "[plugins.a]\npath = ['x']", "path is a text"},
		{"grants that are a text", "[plugins.a]\ngrants = 'facts'", "list of texts"},
		{"grants that are numbers", "[plugins.a]\ngrants = [1]", "list of texts"},
		{"limits that are a number", "[plugins.a]\nlimits = 3", "limits is a table"},
		{"no table", "[plugins]\na = 'x'", "is a table"},
	} {
		if _, err := PluginTables(tables(t, c.text), "config.toml", "/"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.what, err, c.want)
		}
	}
	list, err := PluginTables(tables(t, "[plugins.b]\npath='x'\n[plugins.a]\npath = 'a.wasm'\nblake3 = '00'\nkind = 'k'\ngrants = ['log']\nlimits = {fuel = 1}"), "config.toml", "/dir")
	if err != nil || len(list) != 2 || list[0].Name != "a" || list[0].Path != "a.wasm" || list[0].Grants[0] != "log" || list[0].Limits["fuel"] != int64(1) || list[0].fromPackage() {
		t.Errorf("%+v, %v", list, err)
	}
}

func newRegistryOf(t *testing.T, flags map[string]string, list ...PluginTable) *Service {
	t.Helper()
	values, problems := settings.Resolve(settings.FromFlags(flags))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s, err := New(Config{Settings: values, Plugins: list, Clock: func() time.Time { return time.Unix(0, 0) }, Random: rand.Reader})
	must(t, err)
	return s
}

func TestLimitsOfAPluginOnlyNarrow(t *testing.T) {
	table := func(limits map[string]any) PluginTable {
		return PluginTable{Name: "p", Kind: KindEvaluator, Path: "p.wasm", Blake3: strings.Repeat("0", 64), Limits: limits, Layer: settings.LayerUser}
	}
	plain := newRegistryOf(t, nil).evaluatorLimits()
	s := newRegistryOf(t, nil, table(map[string]any{"fuel": int64(2_000_000), "memory": "4GiB", "deadline": "500ms", "hostCalls": int64(7)}))
	r := s.plugins.byName["p"]
	got := r.plugin.limits
	if r.problem != nil || got.Fuel != 2_000_000 || got.Memory != plain.Memory || got.Deadline != 500 || got.HostCalls != 7 || got.Depth != plain.Depth {
		t.Errorf("limits %+v, %v", got, r.problem)
	}
	if len(r.lowered) != 1 || r.lowered[0] != abi.LimitMemory || len(s.plugins.notes) != 1 || !strings.Contains(s.plugins.notes[0], "memory") {
		t.Errorf("lowered %q, notes %q", r.lowered, s.plugins.notes)
	}
	for _, limits := range []map[string]any{{"fuel": 1.5}, {"fuel": int64(1)}, {"deadline": int64(5)}, {"memory": "lots"}, {"rows": int64(1)}} {
		if s := newRegistryOf(t, nil, table(limits)); s.plugins.byName["p"].problem == nil {
			t.Errorf("%v is taken", limits)
		}
	}
}

func TestTheOperatorsTableComesFirst(t *testing.T) {
	own := PluginTable{Name: "p", Kind: KindEvaluator, Path: "own.wasm", Blake3: strings.Repeat("0", 64), Layer: settings.LayerUser, File: "config.toml"}
	other := own
	other.Path, other.Layer, other.File = "package.wasm", settings.LayerPackage, "ox.toml"
	for _, list := range [][]PluginTable{{own, other}, {other, own}} {
		s := newRegistryOf(t, nil, list...)
		if got := s.plugins.byName["p"].Path; got != "own.wasm" || len(s.plugins.notes) != 1 || !strings.Contains(s.plugins.notes[0], "ox.toml") {
			t.Errorf("%s, notes %q", got, s.plugins.notes)
		}
	}
}

func TestPinsAreRequiredOutsideDevelopment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.wasm")
	must(t, os.WriteFile(file, []byte(emptyModule), 0o600))
	have := PinOf([]byte(emptyModule))
	other := strings.Repeat("ab", 32)
	for _, c := range []struct {
		what, pin, dev string
		want           []string
	}{
		{"right", have, "false", nil},
		{"right, in capitals", strings.ToUpper(have), "false", nil},
		{"none", "", "false", []string{"no pin"}},
		{"none in development", "", "true", nil},
		{"wrong", other, "false", []string{have, other}},
		{"wrong in development", other, "true", []string{have, other}},
		{"no hash", "zz", "true", []string{"no BLAKE3-256"}},
	} {
		s := newRegistryOf(t, map[string]string{"dev": c.dev}, PluginTable{Name: "p", Kind: KindEvaluator, Path: file, Blake3: c.pin, Layer: settings.LayerUser})
		_, err := s.evaluatorOf(s.plugins, "p")
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want it to say %q", c.what, err, w)
			}
		}
	}
}

func TestQuarantineNeedsFiveTrapsInAMinute(t *testing.T) {
	start := time.Unix(1_000, 0)
	for _, c := range []struct {
		what  string
		at    []int // seconds
		after bool
	}{
		{"four", []int{0, 1, 2, 3}, false},
		{"five at once", []int{0, 0, 0, 0, 0}, true},
		{"five within a minute", []int{0, 15, 30, 45, 60}, true},
		{"five in more than a minute", []int{0, 15, 30, 45, 61}, false},
		{"the last five of more", []int{0, 100, 110, 120, 130, 140}, true},
		{"one every quarter of a minute and a second", []int{0, 16, 32, 48, 64, 80, 96}, false},
	} {
		now := start
		p := &plugin{clock: func() time.Time { return now }, source: PluginSource{Name: "plugin p"}}
		for _, s := range c.at {
			now = start.Add(time.Duration(s) * time.Second)
			p.fault(&sandbox.Trap{Kind: sandbox.Crash, Export: "e"})
		}
		err := p.quarantined()
		if (err != nil) != c.after {
			t.Errorf("%s: %v", c.what, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "5 traps within 1m0s") || err.(*Error).Details["nextStep"] == nil || p.status().Quarantined == "") {
			t.Errorf("%s: %v, %+v", c.what, err, p.status())
		}
	}
}

func TestOnlyFaultsOfTheBuildCount(t *testing.T) {
	for _, c := range []struct {
		what string
		err  error
		want bool
	}{
		{"nothing", nil, false},
		{"crash", &sandbox.Trap{Kind: sandbox.Crash}, true},
		{"bad output", &sandbox.Trap{Kind: sandbox.BadOutput}, true},
		{"a panic that the guest caught", &abi.Failure{Code: abi.FailureInternal}, true},
		{"fuel", &sandbox.Trap{Kind: sandbox.OutOfFuel, Limit: abi.Breach{Limit: abi.LimitFuel}}, false},
		{"deadline", &sandbox.Trap{Kind: sandbox.Deadline, Limit: abi.Breach{Limit: abi.LimitDeadline}}, false},
		{"the caller went away", &sandbox.Trap{Kind: sandbox.Cancelled}, false},
		{"an answer that is a failure", &abi.Failure{Code: abi.FailureEval}, false},
	} {
		if _, got := faultOf(c.err); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

func TestPinsAreWrittenIntoAFileThatStaysAsItIs(t *testing.T) {
	const table = "[plugins.p]\npath = \"new\"\n"
	for _, c := range []struct{ what, old, want string }{
		{"no file", "", table},
		{"another table", "# mine\n[limits]\nfuel = 1", "# mine\n[limits]\nfuel = 1\n\n" + table},
		{"in place", "a = 1\n[plugins.p]\npath = \"old\"\n[plugins.p.limits]\nfuel = 1\n[plugins.q]\npath = \"q\"\n", "a = 1\n" + table + "\n[plugins.q]\npath = \"q\"\n"},
		{"quoted", "[ plugins.\"p\" ]\npath = \"old\"\n", table + "\n"},
		{"inline", "plugins = { p = { path = \"old\" } }\n", ""},
		{"dotted keys", "plugins.q.path = \"q\"\n", "plugins.q.path = \"q\"\n\n" + table},
		{"text that looks like a header", "[plugins.q]\npath = '''\n[plugins.p]\nx'''\nkind = 'k'\n", ""},
		{"no TOML", "[[[", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "in", "config.toml")
			if c.old != "" {
				must(t, os.MkdirAll(filepath.Dir(file), 0o700))
				must(t, os.WriteFile(file, []byte(c.old), 0o600))
			}
			err := recordTable(file, "plugins.p", table)
			got, _ := os.ReadFile(file)
			switch {
			case c.want == "" && (err == nil || string(got) != c.old):
				t.Errorf("%v, file %q", err, got)
			case c.want != "" && (err != nil || string(got) != c.want):
				t.Errorf("%v, file %q, want %q", err, got, c.want)
			}
		})
	}
}
