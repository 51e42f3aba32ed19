package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/generated"
	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// quayFiles is a package whose checks find things, by way of rules, functions
// and other modules.
func quayFiles() map[string]string {
	return map[string]string{
		"ox.toml": "[package]\nname = \"quay\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n",
		"root.ar": `pub mod ships;
pub mod law;
`,
		"ships.ar": `pub type Ship { length: Int, mut load: Decimal = 1.5, crew: Int? }
pub enum Kind { Small, Wide(Int) }
pub rel Tows(a: Ship, b: Ship) [0..1] [0..*];
pub fact Ship(aurora) { length: 90, load: 3.5 };
pub fact Ship(borea) { length: 12 };
pub fact Ship(cirrus) { length: 44, load: 9.0, crew: 3 };
pub fact Tows(aurora, borea);
pub fact Tows(cirrus, borea);
pub fn limit(n: Int) -> Int = n * 2;
pub fn kind(n: Int) -> Kind = if n > 20 { Kind::Wide(n) } else { Kind::Small };
pub derive towed(s: Ship) :- Tows(_, s);
pub derive after(a: Ship, b: Ship) :- Tows(a, b);
pub derive after(a: Ship, b: Ship) :- Tows(a, m), after(m, b);
pub derive long(s: Ship) :- s: Ship, s.length > limit(20);
pub derive manned(s: Ship, n: Int) :- s: Ship, n = if s.length > 20 { s.crew + 1 } else { 0 };
pub derive paid(s: Ship, n: Int) :- s: Ship, n = if s.length > 20 { s.crew * 2 } else { 1 };
`,
		"law.ar": `use pkg::ships::{Ship, Tows, towed, after, long, limit, kind, manned, paid};
pub check too_long(s: Ship) :- long(s)
    => Diagnostic { severity: Severity::Warning, code: "Q-1", message: "{s} has {s.length} of {limit(20)}", range: None };
pub check alone(s: Ship) :- s: Ship, not towed(s), s.load > 2.0
    => Diagnostic { severity: Severity::Warning, code: "Q-2", message: "{s} goes alone", range: None };
pub check many(s: Ship, n: Int) :- s: Ship, n = count { after(_, s) }, n > 1
    => Diagnostic { severity: Severity::Warning, code: "Q-3", message: "{n} tow {s}", range: None };
pub check light(s: Ship) :- s: Ship, s.load < 2.0
    => Diagnostic { severity: Severity::Info, code: "Q-4", message: "{s} is light", range: None };
pub check crewed(s: Ship, n: Int) :- manned(s, n)
    => Diagnostic { severity: Severity::Info, code: "Q-5", message: "{s} has {n}", range: None };
pub check dear(s: Ship, n: Int) :- paid(s, n)
    => Diagnostic { severity: Severity::Info, code: "Q-6", message: "{s} costs {n}", range: None };
`,
	}
}

// TestChecksAfterEdits edits a package and holds what a server that compiles in
// a session finds after each edit to what one finds that begins anew.
func TestChecksAfterEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, and one goroutine")
	}
	p := open(t, quayFiles(), nil)
	p.session = &argon.Session{}
	s := p.another(nil)
	p.session = nil
	texts := quayFiles()
	for i, edit := range []struct{ file, old, new string }{
		{"law.ar", "", ""},
		{"law.ar", "s.load < 2.0", "s.load < 4.0"},
		{"law.ar", "goes alone", "goes quite alone"},
		{"law.ar", "\"Q-1\"", "\"Q-7\""},
		{"law.ar", "n > 1", "n > 0"},
		{"law.ar", "pub check many", "// A remark.\n\npub check many"},
		{"ships.ar", "limit(20)", "limit(60)"},
		{"ships.ar", "n * 2", "n * 1 + 1"},
		{"ships.ar", "after(m, b)", "after(m, b), m.load > 1.0"},
		{"ships.ar", ":- Tows(_, s)", ":- Tows(s, _)"},
		{"ships.ar", ":- Tows(_, s)", ":- Tows(_, s), s.lod > 1.0"},
		{"ships.ar", ":- Tows(_, s)", ":- Tows(_, s), not long(s)"},
		{"ships.ar", "n > 20", "n > 30"},
		{"ships.ar", "pub fact Tows(cirrus, borea);", ""},
		{"ships.ar", ":- Tows(_, s)", ":- Tows(_, s), not towed(s)"},
		{"law.ar", "s.load > 2.0", "s.load > limit(1)"},
		{"ships.ar", "s.crew + 1", "s.crew + 7"}, // the first that reads what may be absent
		{"ships.ar", "pub fact Tows(cirrus, borea);", "pub fact Tows(cirrus, borea);\npub fact Ship(delos) { length: 2, load: 9.0 };"},
		{"ships.ar", "pub fact Ship(borea) { length: 12 };", ""},
		{"ships.ar", "cirrus", "cumulus"},
		{"ships.ar", "pub rel Tows(a: Ship, b: Ship) [0..1] [0..*];", "pub rel Tows(a: Ship, b: Ship) [0..*] [0..*];"},
		{"ships.ar", "pub rel Tows(a: Ship, b: Ship) [0..1] [0..*];", "pub rel Tows(a: Ship, b: Ship) [0..0] [1..*];"},
		{"ships.ar", "pub fn limit", "pub rel Pulls(a: Ship, b: Ship) [0..0] [0..*];\npub fact Pulls(aurora, borea);\npub fn limit"},
		{"ships.ar", "pub type Ship {", "pub type Boat <: Ship { mut oars: Int = 2 }\npub fact Boat(wherry) { length: 3 };\npub type Ship {"},
		{"ships.ar", "pub type Ship { length: Int", "pub type Ship { length: Int, mut wide: Int = 3"},
		{"law.ar", "pub check many", "pub check short(s: Ship) :- s: Ship, s.length < 50\n    => Diagnostic { severity: Severity::Warning, code: \"Q-8\", message: \"{s} is short\", range: None };\npub check many"},
		{"law.ar", "pub check alone(s: Ship) :- s: Ship, not towed(s), s.load > 2.0\n    => Diagnostic { severity: Severity::Warning, code: \"Q-2\", message: \"{s} goes alone\", range: None };\n", ""},
		{"law.ar", "pub check alone", "pub check lonely"},
		{"ships.ar", "pub derive after(a: Ship, b: Ship) :- Tows(a, b);", ""},
		{"ships.ar", "pub derive long(s: Ship)", "pub derive long(s: Ship) :- towed(s);\npub derive long(s: Ship)"},
		{"ships.ar", "pub type Ship { length: Int, mut load: Decimal = 1.5, crew: Int? }", "pub type Ship where { self.length > 20 } { length: Int, mut load: Decimal = 1.5, crew: Int? }"},
	} {
		text := texts[edit.file]
		if i%3 == 0 && i > 0 { // on top of another edit
			other := "law.ar"
			p.write(other, strings.Replace(texts[other], "\"Q-4\"", fmt.Sprintf("\"Q-4%d\"", i), 1))
			if edit.file == other {
				text = strings.Replace(text, "\"Q-4\"", fmt.Sprintf("\"Q-4%d\"", i), 1)
			}
		}
		p.write(edit.file, strings.Replace(text, edit.old, edit.new, map[bool]int{true: -1, false: 1}[edit.new == "cumulus"]))
		got, err := s.Check(context.Background(), runtime.CheckRequest{})
		if err != nil {
			t.Fatal(i, err)
		}
		want, err := p.another(nil).Check(context.Background(), runtime.CheckRequest{})
		if err != nil {
			t.Fatal(i, err)
		}
		a, _ := json.MarshalIndent(got, "", " ")
		b, _ := json.MarshalIndent(want, "", " ")
		if string(a) != string(b) {
			t.Errorf("edit %d (%s): a session finds\n%s\nand a service that begins anew\n%s", i, edit.new, a, b)
		}
		for file, text := range texts {
			p.write(file, text)
		}
	}
}

// TestChecksAfterRandomEdits does the same with random edits of examples.
func TestChecksAfterRandomEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, and one goroutine")
	}
	steps := 6
	if testing.Short() {
		steps = 2
	}
	for at, name := range []string{"quay", "covenants", "residential_lease", "ward"} {
		files := quayFiles()
		if name != "quay" {
			files = exampleFiles(t, name)
		}
		rnd := rand.New(rand.NewPCG(uint64(at), 3))
		p := open(t, files, nil)
		p.session = &argon.Session{}
		s := p.another(nil)
		p.session = nil
		var sources []string
		for file := range files {
			if filepath.Ext(file) == ".ar" {
				sources = append(sources, file)
			}
		}
		slices.Sort(sources)
		check := func(s *runtime.Service) string {
			got, err := s.Check(context.Background(), runtime.CheckRequest{})
			if err != nil {
				t.Fatal(name, err)
			}
			text, err := json.MarshalIndent(got, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		check(s)
		for range steps {
			file := sources[rnd.IntN(len(sources))]
			edited := generated.Retouched(rnd, files[file])
			if rnd.IntN(2) > 0 {
				edited = generated.Rearranged(rnd, files[file], files[sources[rnd.IntN(len(sources))]])
			}
			p.write(file, edited)
			if got, want := check(s), check(p.another(nil)); got != want {
				t.Fatalf("%s, %s:\n%s\na session finds\n%s\nand a service that begins anew\n%s", name, file, edited, got, want)
			}
			p.write(file, files[file])
		}
	}
}

// exampleFiles are the texts of an example.
func exampleFiles(t *testing.T, name string) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..", "examples", name)
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, relErr := filepath.Rel(root, path)
		out[filepath.ToSlash(rel)] = string(text)
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
