package load_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

const manifest = "[package]\nname = \"shop\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"

func loadMemory(t *testing.T, archive string, o load.Options) *load.Workspace {
	t.Helper()
	o.Files = load.Memory(diag.Files(archive))
	w, err := load.Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func codes(w *load.Workspace) []string {
	var all []string
	for _, d := range w.Diagnostics {
		all = append(all, d.Code)
	}
	return all
}

func inputPaths(inputs []load.Input) []string {
	var paths []string
	for _, in := range inputs {
		paths = append(paths, in.Path)
	}
	return paths
}

func modulePaths(p *load.Package) []string {
	var paths []string
	for _, m := range p.Modules {
		paths = append(paths, m.Path)
	}
	return paths
}

const wholePackage = "-- ox.toml --\n" + manifest + `version = "1.2.0"
default_world = "open"
[dependencies]
books = { path = "../books" }
[facts]
"root::Price" = { path = "data/price.csv", columns = { book = "title" } }
[settings]
limits.rows = 20
-- root.ar --
mod till;
mod stock { mod shelf; pub type Item; }
pub rel Price(book: Item, pence: Int);
-- till.ar --
use std::rel::functional;
pub type Till;
-- stock/shelf/mod.ar --
mod board;
pub type Shelf;
-- stock/shelf/board.ar --
-- unused.ar --
-- target/made.ar --
-- .hidden/x.ar --
-- other/ox.toml --
-- other/root.ar --
-- data/price.csv --
title,pence
emma,899
-- ox.lock --
-- ../books/ox.toml --
[project]
name = "library"
[schema]
root = "src"
-- ../books/src/root.ar --
mod deep;
-- ../books/src/deep.ar --
`

func TestLoadsAWholePackage(t *testing.T) {
	w := loadMemory(t, wholePackage, load.Options{})
	if len(w.Diagnostics) > 0 {
		t.Fatal(w.Diagnostics)
	}
	m := w.Main
	if m.Name != "shop" || m.Version != "1.2.0" || !m.OpenWorld || m.Entry != "root.ar" || len(m.Prelude) != 2 {
		t.Errorf("main package %+v", m)
	}
	if got, want := modulePaths(m), []string{"root", "till", "stock", "stock::shelf", "stock::shelf::board"}; !slices.Equal(got, want) {
		t.Errorf("modules %q, want %q", got, want)
	}
	dep, ok := m.Dependency("books")
	if !ok || dep.Name != "library" || dep.Entry != "../books/src/root.ar" {
		t.Fatalf("dependency %+v", dep)
	}
	if got, want := modulePaths(dep), []string{"library", "library::deep"}; !slices.Equal(got, want) {
		t.Errorf("modules of the dependency %q, want %q", got, want)
	}
	if got, want := modulePaths(w.Std), []string{"std", "std::core", "std::rel"}; !slices.Equal(got, want) {
		t.Errorf("modules of std %q, want %q", got, want)
	}
	if core := w.Std.Modules[1]; core.Decl == nil || core.Decl.Vis != syntax.Public {
		t.Errorf("std::core is not public: %+v", core.Decl)
	}
	if w.Packages[0] != w.Std || w.Packages[1] != dep || w.Packages[2] != m || len(w.Packages) != 3 {
		t.Errorf("packages out of order: %v", w.Packages)
	}
	want := []string{"../books/ox.toml", "../books/src/deep.ar", "../books/src/root.ar", "data/price.csv", "ox.lock", "ox.toml",
		"root.ar", "stock/shelf/board.ar", "stock/shelf/mod.ar", "till.ar", "unused.ar"}
	if got := inputPaths(w.Inputs); !slices.Equal(got, want) {
		t.Errorf("inputs\n%q, want\n%q", got, want)
	}
	f := m.Facts[0]
	if i, ok := f.Column("book"); !ok || f.Rows[0].Cell(i).Text != "emma" || f.Rows[0].Line != 2 {
		t.Errorf("facts %+v", f)
	}
	if text, ok := w.Text("data/price.csv"); !ok || !strings.HasPrefix(text, "title") {
		t.Errorf("no excerpt of the facts file: %q", text)
	}
	if p := m.Manifest.SettingPlace("limits.rows"); p.Path != "ox.toml" || p.Start == 0 {
		t.Errorf("place of a setting: %+v", p)
	}
}

func TestReadInputsAgreesWithLoad(t *testing.T) {
	for _, o := range []load.Options{{}, {Root: "till.ar"}, {SourceLimit: 300}} {
		w := loadMemory(t, wholePackage, o)
		o.Files = load.Memory(diag.Files(wholePackage))
		inputs, err := load.ReadInputs(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(inputs), fmt.Sprint(w.Inputs); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", o.Root, got, want)
		}
	}
}

func TestLoneFile(t *testing.T) {
	w := loadMemory(t, "-- a/tale.ar --\nmod side;\n-- a/side.ar --\n-- a/other.ar --\n", load.Options{Root: "a/tale.ar"})
	if len(w.Diagnostics) > 0 {
		t.Fatal(w.Diagnostics)
	}
	if got, want := modulePaths(w.Main), []string{"tale", "side"}; !slices.Equal(got, want) {
		t.Errorf("modules %q, want %q", got, want)
	}
	if got, want := inputPaths(w.Inputs), []string{"a/side.ar", "a/tale.ar"}; !slices.Equal(got, want) {
		t.Errorf("inputs %q, want %q", got, want)
	}
	if w.Main.Manifest != nil {
		t.Error("a lone file has a manifest")
	}
}

func TestDiagnostics(t *testing.T) {
	tests := []struct {
		name, archive string
		want          []string
		at            string // text at the first diagnostic's place
		message       string // part of the first message or help
	}{
		{"missing module", "-- ox.toml --\n" + manifest + "-- root.ar --\nmod gone;\n", []string{"OE0150"}, "gone", "gone/mod.ar"},
		{"module twice", "-- ox.toml --\n" + manifest + "-- root.ar --\nmod a { } mod a { }\n", []string{"OE0151"}, "a", "twice"},
		{"module of the entry file's name", "-- ox.toml --\n" + manifest + "-- root.ar --\nmod root;\n", []string{"OE0151"}, "root", "entry"},
		{"file of two modules", "-- ox.toml --\n" + manifest + "-- root.ar --\nmod a;\nmod b;\n-- a.ar --\nmod c;\n-- b.ar --\nmod c;\n-- c.ar --\n",
			[]string{"OE0151"}, "c", "a::c"},
		{"module that is a dependency", "-- ox.toml --\n" + manifest + "[dependencies]\nd = { path = \"d\" }\n-- root.ar --\nmod d { }\n-- d/ox.toml --\n-- d/root.ar --\n",
			[]string{"OE0151"}, "d", "dependency"},
		{"module that is a dependency's package", "-- ox.toml --\n" + manifest + "[dependencies]\nd = { path = \"d\" }\n-- root.ar --\nmod e { }\n-- d/ox.toml --\n[package]\nname = \"e\"\n-- d/root.ar --\n",
			[]string{"OE0151"}, "e", "dependency"},
		{"package of the entry file's name", "-- ox.toml --\n" + manifest + "[dependencies]\nroot = { path = \"d\" }\n-- root.ar --\n-- d/ox.toml --\n-- d/root.ar --\n",
			[]string{"OE1265"}, "dependencies", "entry file"},
		{"not UTF-8", "-- ox.toml --\n" + manifest + "-- root.ar --\npub type A;\n\xff\n", []string{"OE0154"}, "\xff", "byte 12"},
		{"unknown key", "-- ox.toml --\n" + manifest + "verson = \"1\"\n-- root.ar --\n", []string{"OW1250"}, "verson", "version"},
		{"unknown table", "-- ox.toml --\n[packages]\n-- root.ar --\n", []string{"OW1250"}, "packages", "package"},
		{"unknown key of an inline table", "-- ox.toml --\n[facts]\n\"root::A\" = { path = \"a.csv\", heeder = true }\n-- root.ar --\n-- a.csv --\n", []string{"OW1250"}, "heeder", "header"},
		{"not TOML", "-- ox.toml --\n[package]\nname = shop\n-- root.ar --\npub tpye X\n", []string{"OE1260"}, "shop", ""},
		{"deep TOML", "-- ox.toml --\nx = " + strings.Repeat("[\n", 100_000) + "\n-- root.ar --\n", []string{"OE1260"}, "[", "deeper"},
		{"key twice", "-- ox.toml --\n[package]\nname = \"a\"\nname = \"b\"\n-- root.ar --\n", []string{"OE1260"}, "", ""},
		{"wrong kind", "-- ox.toml --\n[package]\nname = 3\nversion = [\"1\"]\n-- root.ar --\n", []string{"OE1261", "OE1261"}, "name", "a number"},
		{"wrong prelude", "-- ox.toml --\n[package]\nprelude = [1]\n-- root.ar --\n", []string{"OE1261"}, "prelude", "list of texts"},
		{"name with a dash", "-- ox.toml --\n[package]\nname = \"my-shop\"\n-- root.ar --\n", []string{"OE1261"}, "name", "identifier"},
		{"table that is none", "-- ox.toml --\npackage = 1\n-- root.ar --\n", []string{"OE1261"}, "package", "table"},
		{"no entry", "-- ox.toml --\n" + manifest + "-- main.ar --\n", []string{"OE1262"}, "", "src/root.ar"},
		{"entry outside", "-- ox.toml --\n[project]\nentry = \"../x.ar\"\n-- root.ar --\n", []string{"OE1250"}, "entry", "x.ar"},
		{"version of a dependency", "-- ox.toml --\n[dependencies]\na = \"1.0\"\n-- root.ar --\n", []string{"OE1240"}, "a", "version"},
		{"git dependency", "-- ox.toml --\n[dependencies]\na = { git = \"x\", path = \"a\" }\n-- root.ar --\n", []string{"OE1240"}, "a", "git"},
		{"dependency named std", "-- ox.toml --\n[dependencies]\nstd = { path = \"a\" }\n-- root.ar --\n", []string{"OE1261"}, "std", ""},
		{"absolute dependency", "-- ox.toml --\n[dependencies]\na = { path = \"/etc\" }\n-- root.ar --\n", []string{"OE1250"}, "path", "/etc"},
		{"missing dependency", "-- ox.toml --\n[dependencies]\na = { path = \"a\" }\n-- root.ar --\n", []string{"OE1263"}, "a", ""},
		{"folder without manifest", "-- ox.toml --\n[dependencies]\na = { path = \"a\" }\n-- root.ar --\n-- a/root.ar --\n", []string{"OE1263"}, "a", "ox.toml"},
		{"circle", "-- ox.toml --\n[package]\nname = \"p\"\n[dependencies]\na = { path = \"a\" }\n-- root.ar --\n-- a/ox.toml --\n[dependencies]\nback = { path = \"..\" }\n-- a/root.ar --\n",
			[]string{"OE1264"}, "back", "p → a → back"},
		{"own folder", "-- ox.toml --\n[dependencies]\na = { path = \".\" }\n-- root.ar --\n", []string{"OE1264"}, "a", ""},
		{"one name twice", "-- ox.toml --\n[dependencies]\na = { path = \"a\" }\nb = { path = \"b\" }\n-- root.ar --\n-- a/ox.toml --\n[package]\nname = \"x\"\n-- a/root.ar --\n-- b/ox.toml --\n[package]\nname = \"x\"\n-- b/root.ar --\n",
			[]string{"OE1265"}, "b", "x"},
		{"facts outside", "-- ox.toml --\n[facts]\n\"A\" = \"../../etc/passwd\"\n-- root.ar --\n", []string{"OE1250"}, "\"A\"", "passwd"},
		{"facts missing", "-- ox.toml --\n[facts]\n\"A\" = \"a.csv\"\n-- root.ar --\n", []string{"OE1267"}, "\"A\"", "a.csv"},
		{"facts of no known format", "-- ox.toml --\n[facts]\n\"A\" = \"a.xls\"\n-- root.ar --\n", []string{"OE1261"}, "\"A\"", "jsonl"},
		{"column that is not there", "-- ox.toml --\n[facts]\n\"A\" = { path = \"a.csv\", columns = { id = \"nmae\" } }\n-- root.ar --\n-- a.csv --\nname\nx\n", []string{"OE1261"}, "id", "\"name\""},
		{"plugin outside", "-- ox.toml --\n[plugins.p]\npath = \"../p.wasm\"\nkind = \"check-evaluator\"\n-- root.ar --\n", []string{"OE1250"}, "path", "p.wasm"},
		{"connectors", "-- ox.toml --\n[connectors.c]\nkind = \"mcp\"\n-- root.ar --\n", []string{"OW1251"}, "connectors", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := loadMemory(t, tt.archive, load.Options{})
			if got := codes(w); !slices.Equal(got, tt.want) {
				t.Fatalf("got %q, want %q: %+v", got, tt.want, w.Diagnostics)
			}
			d := w.Diagnostics[0]
			text, ok := w.Text(d.Place.Path)
			if !ok {
				t.Fatalf("no text of %q", d.Place.Path)
			}
			if got := text[d.Place.Start:d.Place.End]; tt.at != "" && got != tt.at {
				t.Errorf("at %q, want %q", got, tt.at)
			}
			if !strings.Contains(d.Message+d.Help, tt.message) {
				t.Errorf("message %q, help %q: want %q in it", d.Message, d.Help, tt.message)
			}
			for _, d := range w.Diagnostics {
				if _, ok := diag.Lookup(d.Code); !ok {
					t.Errorf("%s is not in the catalog", d.Code)
				}
			}
			if len(w.Main.Modules) == 0 {
				t.Error("the main package has no root module")
			}
		})
	}
}

func TestOverlayStandsOverFiles(t *testing.T) {
	w := loadMemory(t, "-- ox.toml --\n"+manifest+"-- root.ar --\nmod gone;\n",
		load.Options{Overlay: map[string]string{"gone.ar": "pub type Here;\n", "ox.toml": "[package]\nname = \"edited\"\n"}})
	if len(w.Diagnostics) > 0 || w.Main.Name != "edited" || len(w.Main.Modules) != 2 {
		t.Errorf("%v, package %s, modules %q", w.Diagnostics, w.Main.Name, modulePaths(w.Main))
	}
	if got, want := inputPaths(w.Inputs), []string{"gone.ar", "ox.toml", "root.ar"}; !slices.Equal(got, want) {
		t.Errorf("inputs %q, want %q", got, want)
	}
}

func TestSourceLimit(t *testing.T) {
	archive := "-- ox.toml --\n[facts]\n\"A\" = \"a.csv\"\n-- root.ar --\nmod a;\n// " + strings.Repeat("x", 60) + "\n-- a.ar --\n// " +
		strings.Repeat("y", 60) + "\n-- a.csv --\n" + strings.Repeat("z\n", 100)
	w := loadMemory(t, archive, load.Options{SourceLimit: 120})
	if got, want := codes(w), []string{"OE1266", "OE1266"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if w := loadMemory(t, archive, load.Options{SourceLimit: 1000}); len(w.Diagnostics) > 0 {
		t.Errorf("within the limit: %v", w.Diagnostics)
	}
}

func TestRootThatIsNoPackage(t *testing.T) {
	for _, o := range []load.Options{
		{Files: load.Memory(map[string]string{"root.ar": ""})},
		{Files: load.Memory(nil), Root: "gone.ar"},
		{Root: filepath.Join(t.TempDir(), "gone"), WorkspaceRoot: t.TempDir()},
		{Root: t.TempDir()},
	} {
		if _, err := load.Load(context.Background(), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	_, err := load.Load(context.Background(), load.Options{Root: t.TempDir()})
	if !errors.Is(err, load.ErrNoPackage) {
		t.Errorf("got %v, want ErrNoPackage", err)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := load.Load(stopped, load.Options{Files: load.Memory(diag.Files(wholePackage))}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
}

// write puts an archive's files below dir.
func write(t testing.TB, dir, archive string) {
	t.Helper()
	for name, text := range diag.Files(archive) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDirectoryAndMemoryAgree(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "shop"), wholePackage)
	got, err := load.Load(context.Background(), load.Options{Root: filepath.Join(dir, "shop")})
	if err != nil {
		t.Fatal(err)
	}
	want := loadMemory(t, wholePackage, load.Options{})
	if len(got.Diagnostics) > 0 {
		t.Error(got.Diagnostics)
	}
	if fmt.Sprint(got.Inputs) != fmt.Sprint(want.Inputs) {
		t.Errorf("inputs %q, want %q", inputPaths(got.Inputs), inputPaths(want.Inputs))
	}
	if g, w := slices.Sorted(maps.Keys(got.Sources)), slices.Sorted(maps.Keys(want.Sources)); !slices.Equal(g, w) {
		t.Errorf("sources %q, want %q", g, w)
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, `-- secret.csv --
id
top secret
-- secret.ar --
pub type Secret;
-- far/ox.toml --
-- far/root.ar --
-- space/shop/ox.toml --
[dependencies]
far = { path = "far" }
near = { path = "near" }
[facts]
"root::A" = "data.csv"
[reasoner]
path = "r.wasm"
-- space/shop/root.ar --
mod inner;
mod fine;
-- space/near/ox.toml --
-- space/near/root.ar --
-- space/shop/real.ar --
`)
	shop := filepath.Join(dir, "space", "shop")
	for link, target := range map[string]string{
		"data.csv": "../../secret.csv", "inner.ar": "../../secret.ar", "r.wasm": "../../secret.csv", "fine.ar": "real.ar",
		"far": "../../far", "near": "../near", "loop.ar": "loop.ar",
	} {
		if err := os.Symlink(target, filepath.Join(shop, link)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	w, err := load.Load(context.Background(), load.Options{Root: shop, WorkspaceRoot: filepath.Join(dir, "space")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := codes(w), []string{"OE1250", "OE1250", "OE1250", "OE1250"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: %+v", got, want, w.Diagnostics)
	}
	if strings.Contains(fmt.Sprintf("%+v %s", w.Diagnostics, w.Inputs), "ecret;") || strings.Contains(fmt.Sprintf("%s", w.Inputs), "top secret") {
		t.Error("the content of a file outside is shown")
	}
	if _, ok := w.Text("data.csv"); ok {
		t.Error("a file outside may be excerpted")
	}
	if _, ok := w.Main.Dependency("near"); !ok {
		t.Error("a dependency in the workspace is refused")
	}
	for _, d := range w.Diagnostics {
		if strings.Contains(d.Message+d.Help, dir) {
			t.Errorf("the message names the machine's folders: %s", d.Message)
		}
	}
}

func TestPipeIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "-- ox.toml --\n-- root.ar --\nmod dev;\n")
	if err := os.Mkdir(filepath.Join(dir, "dev.ar"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := load.Load(context.Background(), load.Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := codes(w), []string{"OE0154"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFindRoot(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "-- shop/ox.toml --\n-- shop/sub/a.ar --\n-- loose/b.ar --\n-- loose/c.txt --\n-- .git/x --\n")
	tests := []struct {
		from, want string
		fail       error
	}{
		{"shop", "shop", nil},
		{"shop/sub", "shop", nil},
		{"shop/sub/a.ar", "shop", nil},
		{"shop/ox.toml", "shop", nil},
		{"loose/b.ar", "loose/b.ar", nil},
		{"loose", "", load.ErrNoPackage},
		{"loose/c.txt", "", load.ErrNoPackage},
		{"gone", "", os.ErrNotExist},
	}
	for _, tt := range tests {
		got, err := load.FindRoot(filepath.Join(dir, filepath.FromSlash(tt.from)))
		if tt.fail != nil {
			if !errors.Is(err, tt.fail) {
				t.Errorf("%s: got %q, %v, want %v", tt.from, got, err, tt.fail)
			}
			continue
		}
		if want := filepath.Join(dir, filepath.FromSlash(tt.want)); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", tt.from, got, err, want)
		}
	}
	if got, err := load.FindWorkspace(filepath.Join(dir, "shop")); err != nil || got != dir {
		t.Errorf("workspace %q, %v, want %q", got, err, dir)
	}
}
