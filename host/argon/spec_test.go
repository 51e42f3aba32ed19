package argon_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

var specGives = regexp.MustCompile(`^\s*pub (?:[a-z]\w* )+([\pL\pN_]+).*// gives(.*)$`)

// TestSpec compiles each file of testdata/spec, one for a section of the
// language, and of testdata/fromspec, small programs that were written from
// docs/spec.md alone, twice. As it stands it gives exactly the diagnostics that its lines
// want (// want CODE "regexp"); without the declarations that want an error it
// gives the rows that its lines say (// gives (a, 1) (b, 2), behind a derive,
// check, concept or relation of the root module) and its tests pass. A file
// that begins with "-- name --" holds several. -update writes the rows anew.
func TestSpec(t *testing.T) {
	names, err := filepath.Glob("testdata/*spec/*.ar")
	if err != nil || len(names) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".ar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := diag.Files(string(text))
			if len(files) == 1 {
				files["ox.toml"] = "[package]\nname = \"example\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"
			}
			specDiagnostics(t, files)
			updated := specMeaning(t, string(text), files)
			if *update && updated != string(text) {
				if err := os.WriteFile(name, []byte(updated), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func compileFiles(t *testing.T, files map[string]string) *argon.Result {
	t.Helper()
	ws, err := load.Load(context.Background(), load.Options{Root: ".", Files: load.Memory(files)})
	if err != nil {
		t.Fatal(err)
	}
	return argon.Compile(context.Background(), ws, argon.Options{TestMode: true})
}

// specDiagnostics holds the diagnostics of files to what their lines want, and
// takes out of files the declarations that want an error.
func specDiagnostics(t *testing.T, files map[string]string) {
	t.Helper()
	want := map[string][]*wanted{}
	for path, text := range files {
		for i, line := range strings.Split(text, "\n") {
			m := wantComment.FindStringSubmatch(line)
			if m == nil {
				if strings.Contains(line, "// want") {
					t.Fatalf("%s:%d: the comment does not read", path, i+1)
				}
				continue
			}
			for _, one := range wantOne.FindAllStringSubmatch(m[1], -1) {
				want[path] = append(want[path], &wanted{line: i + 1, code: one[1], message: regexp.MustCompile(one[2])})
			}
		}
	}
	r := compileFiles(t, files)
	for _, d := range r.Diagnostics {
		line := lineOf(files[d.Place.Path], d.Place.Start)
		if !meets(want[d.Place.Path], line, d) {
			t.Errorf("%s:%d: %s %s", d.Place.Path, line, d.Code, d.Message)
		}
	}
	refused := map[string][]int{}
	for path, list := range want {
		for _, w := range list {
			if !w.met {
				t.Errorf("%s:%d: no %s %q", path, w.line, w.code, w.message)
			}
			if strings.HasPrefix(w.code, "OE") {
				refused[path] = append(refused[path], w.line)
			}
		}
	}
	for _, p := range r.Workspace.Packages {
		for _, m := range p.Modules {
			path := m.File.Source.Path
			files[path] = without(files[path], m.Items, refused[path])
			delete(refused, path)
		}
	}
	for path, lines := range refused { // of a manifest or of data
		files[path] = without(files[path], nil, lines)
	}
}

// without blanks the lines of text and the items that one of them belongs to.
func without(text string, items []syntax.Item, lines []int) string {
	for _, it := range items {
		span := it.Range()
		if m, ok := it.(*syntax.Mod); ok && m.Inline {
			continue // a module of its own
		}
		for _, line := range lines {
			if lineOf(text, span.Start) <= line && line <= lineOf(text, max(span.Start, span.End-1)) {
				blank := regexp.MustCompile(`[^\n]`).ReplaceAllString(text[span.Start:span.End], " ")
				text = text[:span.Start] + blank + text[span.End:]
				break
			}
		}
	}
	rows := strings.Split(text, "\n")
	for _, line := range lines { // what a syntax error leaves of an item
		rows[line-1] = ""
	}
	return strings.Join(rows, "\n")
}

// specMeaning holds what files give to what the lines of the root file say. It
// returns the whole text as it is when these lines are written anew.
func specMeaning(t *testing.T, whole string, files map[string]string) string {
	t.Helper()
	r := compileFiles(t, files)
	if r.Module == nil {
		for _, d := range r.Diagnostics {
			t.Errorf("without what wants an error: %s:%d: %s %s", d.Place.Path, lineOf(files[d.Place.Path], d.Place.Start), d.Code, d.Message)
		}
		return whole
	}
	e := loaded(t, r.Module)
	updated := whole
	for i, line := range strings.Split(files["root.ar"], "\n") {
		says := specGives.FindStringSubmatch(line)
		if says == nil {
			if strings.Contains(line, "// gives") && !strings.HasPrefix(strings.TrimSpace(line), "//") {
				t.Errorf("line %d: the comment does not read", i+1)
			}
			continue
		}
		got := extent(t, r.Module, e, "root::"+says[1])
		if *update {
			updated = strings.Replace(updated, line+"\n", line[:strings.Index(line, "// gives")]+"// gives"+got+"\n", 1)
		} else if got != says[2] {
			t.Errorf("root.ar:%d: %s gives%s", i+1, says[1], got)
		}
	}
	if *update {
		return updated
	}
	for i := range r.Module.Program.Tests {
		runTest(t, r.Module, &r.Module.Program.Tests[i])
	}
	return whole
}
