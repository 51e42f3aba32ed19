package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// update rewrites the snapshots of the tools' schemas:
//
//	go test ./host/mcp -run TestSnapshots -update
var update = flag.Bool("update", false, "rewrite the snapshots in testdata")

func TestSizesOfWhatEveryClientReads(t *testing.T) {
	if n := len(Instructions()); n >= 2000 {
		t.Errorf("the instructions have %d bytes, the bound is 2,000", n)
	}
	for _, tool := range tools() {
		if n := len(tool.description); n >= 450 || n < 80 {
			t.Errorf("the description of %s has %d bytes, the bounds are 80 and 450", tool.name, n)
		}
	}
	w := startWire(t, &fakeService{}, Options{})
	w.initialize(newest)
	w.send(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	m := w.receive()
	t.Logf("tools/list: %d bytes", len(m.Line))
	if m.Error != nil || len(m.Line) >= 40_000 {
		t.Errorf("the answer of tools/list has %d bytes, the bound is 40,000", len(m.Line))
	}
}

func TestNamesAndTitlesOfTools(t *testing.T) {
	form := regexp.MustCompile(`^argon_[a-z_]+$`)
	seen := map[string]bool{}
	for _, tool := range tools() {
		if !form.MatchString(tool.name) || len(tool.name) > 32 || seen[tool.name] {
			t.Errorf("the name %q", tool.name)
		}
		seen[tool.name] = true
		if tool.title == "" || !slices.Contains(Toolsets(), tool.set) {
			t.Errorf("%s has title %q and set %q", tool.name, tool.title, tool.set)
		}
	}
}

// TestEachParameterIsDescribed wants a description and an example of each, and
// that the example is one that the tool takes.
func TestEachParameterIsDescribed(t *testing.T) {
	var visit func(where string, s *schema)
	visit = func(where string, s *schema) {
		for name, p := range s.Properties {
			at := where + "." + name
			if p.Description == "" || len(p.Examples) == 0 {
				t.Errorf("%s has description %q and %d examples", at, p.Description, len(p.Examples))
			}
			for _, e := range p.Examples {
				c := &checker{}
				c.check(at, e, p)
				if len(c.problems) > 0 {
					t.Errorf("the example %s of %s: %+v", e, at, c.problems)
				}
			}
			visit(at, p)
		}
	}
	for _, tool := range tools() {
		s, err := parseSchema(tool.input)
		if err != nil {
			t.Fatalf("%s: %v", tool.name, err)
		}
		if string(s.Additional) != "false" || s.Type != "object" {
			t.Errorf("the input of %s is open", tool.name)
		}
		visit(tool.name, s)
	}
}

func TestSnapshots(t *testing.T) {
	s := connect(t, &fakeService{}, Options{}, "2025-11-25", nil)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s lacks annotations: %+v", tool.Name, a)
		}
		snapshot(t, tool.Name, tool)
	}
	if !slices.IsSorted(names) || len(names) != len(tools()) {
		t.Errorf("listed are %v", names)
	}
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(names) {
		t.Errorf("there are %d snapshots of %d tools; remove those of tools that are gone", len(files), len(names))
	}
}

func snapshot(t *testing.T, name string, v any) {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "tools", name+".json")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(buf.Bytes(), want) {
		t.Errorf("%s is not what its snapshot says. If it should change: go test ./host/mcp -run TestSnapshots -update\n%s", name, buf.Bytes())
	}
}

func TestHintsAreTrue(t *testing.T) {
	writes := map[string]hints{
		"argon_build":         {destructive: true, idempotent: true},
		"argon_mutate":        {destructive: true},
		"argon_ad_hoc_mutate": {destructive: true},
	}
	for _, tool := range tools() {
		want, ok := writes[tool.name]
		if !ok {
			want = hints{readOnly: true, idempotent: true}
		}
		if tool.hints != want {
			t.Errorf("%s has %+v, want %+v", tool.name, tool.hints, want)
		}
	}
}

func TestToolsets(t *testing.T) {
	tests := []struct {
		sets []string
		want []string
	}{
		{[]string{"write"}, []string{"argon_ad_hoc_mutate", "argon_mutate"}},
		{[]string{"discovery", "authoring"}, []string{"argon_build", "argon_check", "argon_epistemics", "argon_schema_lookup", "argon_status", "argon_test"}},
		{[]string{}, nil},
		{[]string{"fork"}, nil},
	}
	for _, tt := range tests {
		s := connect(t, &fakeService{}, Options{Toolsets: tt.sets}, "2026-07-28", nil)
		var got []string
		if s.InitializeResult().Capabilities.Tools != nil {
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range list.Tools {
				got = append(got, tool.Name)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v offers %v, want %v", tt.sets, got, tt.want)
		}
	}
	if _, err := NewServer(&fakeService{}, Options{Toolsets: []string{"reed"}}); err == nil {
		t.Error("an unknown set of tools is taken")
	}
}

func TestOutputSchemasAreListedWhereAsked(t *testing.T) {
	s := connect(t, &fakeService{}, Options{OutputSchemas: true}, "2025-11-25", nil)
	list, err := s.ListTools(t.Context(), &sdk.ListToolsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.OutputSchema == nil {
			t.Errorf("%s has no output schema", tool.Name)
		}
	}
}
