package argon_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/generated"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

var editSteps = flag.Int("edits", 0, "random edits of each package; 0: a few")

// editedPackages are the packages that are edited: options, and the texts of
// their sources by path.
func editedPackages(t *testing.T) map[string]load.Options {
	t.Helper()
	out := map[string]load.Options{}
	manifests, err := filepath.Glob("../../examples/*/ox.toml")
	if err != nil || len(manifests) == 0 {
		t.Fatal("no examples", err)
	}
	for _, m := range append(manifests, "../../packages/mlt/ox.toml") {
		out[filepath.Base(filepath.Dir(m))] = load.Options{Root: filepath.Dir(m), WorkspaceRoot: "../.."}
	}
	for _, pattern := range []string{"testdata/meaning/*.ar", "testdata/spec/*.ar", "testdata/check/*.ar", "testdata/spec_programs/*.ar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			from := load.Options{Root: name}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if files := diag.Files(string(text)); files["root.ar"] != "" {
				if files["ox.toml"] == "" {
					files["ox.toml"] = "[package]\nname = \"example\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"
				}
				from = load.Options{Files: load.Memory(files)}
			}
			out[filepath.Base(filepath.Dir(name))+" "+filepath.Base(name)] = from
		}
	}
	out["generated"] = load.Options{Root: "root.ar", Files: load.Memory(generated.Package(600, 4))}
	out["mixed"] = load.Options{Root: "root.ar", Files: load.Memory(mixedPackage)}
	out["beyond"] = load.Options{Root: ".", Files: load.Memory(beyondPackage)}
	return out
}

// mixedPackage has what makes bodies depend on one another.
var mixedPackage = map[string]string{
	"root.ar": `use std::core::{type, rel};
pub mod a;
pub mod b;
pub use a::Part;
pub derive near(x, y) :- a::Fits(x, y);
pub derive far(x: Part, y: Part) :- a::Fits(x, z), a::Fits(z, y), not near(x, y);
pub derive far2(x: Part, y: Part) :- far(x, z), far(z, y);
pub query all_far(least: Int) -> [Part] { select x from far(x, _) where x.size > least }
test "first" { assert a::twice(2) == 4; }
test "second" { assert a::twice(3) == 6; }
`,
	"a.ar": `use std::core::{type, rel};
pub type Part { size: Int, mut weight: Decimal = 1.0, note: String? }
pub rel Fits(a: Part, b: Part);
pub fact Part(bolt) { size: 3 };
pub fact Part(nut) { size: 2 };
pub fact Fits(bolt, nut);
pub fn twice(n: Int) -> Int = n * 2;
pub fn heavy(p: Part) -> Bool = p.weight > 2.0;
pub fn heavier(p: Part) -> Bool = heavy(p) && p.size > 1;
pub fn plain(n: Int) -> Int = twice(twice(n));
pub fn mapped(n: Int) -> List<Int> = [1, 2, n].map(|x| x + n);
pub derive big(p: Part) :- p: Part, p.size > twice(1);
pub derive weighty(p: Part) :- p: Part, heavier(p), p.size > plain(0);
pub derive joined(a: Part, b: Part) :- Fits(a, b);
pub derive joined(a: Part, b: Part) :- Fits(a, m), joined(m, b);
pub derive lonely(p: Part) :- p: Part, not joined(p, _), not joined(_, p);
pub derive wins(a: Part) :- Fits(a, b), not wins(b);
pub derive counts(p: Part, n: Int) :- p: Part, n = count { joined(p, _) };
pub check light(p: Part) :- big(p), p.weight < 0.5
    => Diagnostic { severity: Severity::Error, code: "PART-1", message: "{p} is light: {p.weight}", range: None };
pub mutate grow(p: Part, by: Decimal) { require by > 0.0; update p set { weight += by }; }
`,
	"b.ar": `//! What goes by the rest.
use std::core::{type, rel};
use pkg::a::{Part, Fits, big, twice};
pub query bigs() -> [Part] { select p from big(p) }
pub query over(least: Int) -> [Part] { select p from p: Part, p.size > least where big(p) }
pub derive of_query(p: Part) :- p: Part, p in over(2);
#[default] #[label(most)] pub derive ok(p: Part) :- p: Part;
#[defeats(ok.most(p))] pub derive poor(p: Part) :- p: Part, p.size < 1;
#[dec(tier: expressive)] pub derive bounded(p: Part) :- p: Part, p.size > 1, not big(p);
pub derive chain(a: Part, b: Part) :- bounded(a), Fits(a, b);
pub check tiny(p: Part) :- p: Part, p.size < twice(1)
    => Diagnostic { severity: Severity::Warning, code: "PART-2", message: "{p} is tiny", range: None };
`,
}

// TestEditsAreACompilation makes random edits of packages and holds what a
// session says after each to a compilation from nothing.
func TestEditsAreACompilation(t *testing.T) {
	tried, edited, parted := 0, 0, 0
	packages := editedPackages(t)
	for at, name := range slices.Sorted(maps.Keys(packages)) {
		t.Run(name, func(t *testing.T) {
			n, seen, parts := editAtRandom(t, name, packages[name], rand.New(rand.NewPCG(uint64(at), 7)))
			tried, edited, parted = tried+n, edited+seen, parted+parts
		})
	}
	t.Logf("%d edits, %d of them seen as such, %d in parts", tried, edited, parted)
	if tried > 500 && (edited < tried/5 || parted < tried/20) {
		t.Errorf("only %d of %d edits were seen as such, %d in parts: the test sees too little", edited, tried, parted)
	}
}

// TestEditsAtOnce checks edits of one package in a session from several
// goroutines.
func TestEditsAtOnce(t *testing.T) {
	ctx := context.Background()
	from := load.Options{Root: "root.ar", Files: load.Memory(mixedPackage)}
	var s argon.Session
	if r, err := s.Check(ctx, from); err != nil || r.Module == nil {
		t.Fatal(err, r.Diagnostics)
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 10 {
				o := from
				o.Overlay = map[string]string{
					"a.ar": strings.Replace(mixedPackage["a.ar"], "p.weight < 0.5", fmt.Sprintf("p.wait < %d.5", n), 1),
					"b.ar": strings.Replace(mixedPackage["b.ar"], "p.size < twice(1)", fmt.Sprintf("p.size < twice(%d), near%d(p)", n, g), 1),
				}
				if n%2 > 0 { // more than bodies
					o.Overlay["b.ar"] += fmt.Sprintf("pub derive more%d(p: Part) :- big%d(p), p.size > %d;\npub fact Part(one%d);\n", g, g, n, n)
				}
				got, err := s.Check(ctx, o)
				if err != nil || got.Edit == nil {
					t.Error("not seen as an edit", err)
					return
				}
				ws, err := load.Load(ctx, o)
				if err != nil {
					t.Error(err)
					return
				}
				if want := argon.Compile(ctx, ws, argon.Options{}); !reflect.DeepEqual(got.Diagnostics, want.Diagnostics) {
					t.Errorf("a session and a compilation from nothing differ:\n%+v\n%+v", got.Diagnostics, want.Diagnostics)
				}
			}
		})
	}
	all.Wait()
}

// editAtRandom makes edits of one package.
func editAtRandom(t *testing.T, name string, from load.Options, rnd *rand.Rand) (tried, edited, parted int) {
	ctx := context.Background()
	ws, err := load.Load(ctx, from)
	if err != nil {
		t.Fatal(name, err)
	}
	original := map[string]string{}
	for path, src := range ws.Sources {
		if !strings.HasPrefix(path, "std/") && !strings.HasPrefix(path, "..") {
			original[path] = src.Text
		}
	}
	paths := slices.Sorted(maps.Keys(original))
	steps := 3
	if !strings.HasSuffix(name, ".ar") {
		steps = 25
	}
	if *editSteps > 0 {
		steps = *editSteps
	}
	var s argon.Session
	now := maps.Clone(original)
	for step := range steps {
		path := paths[rnd.IntN(len(paths))]
		switch rnd.IntN(10) {
		case 0:
			now = maps.Clone(original)
		case 1: // on top of what was edited before
			now[path] = generated.Retouched(rnd, now[path])
		case 2, 3, 4:
			now[path] = generated.Rearranged(rnd, original[path], original[paths[rnd.IntN(len(paths))]])
		case 5:
			now[path] = generated.Rearranged(rnd, now[path], original[path])
		default:
			now[path] = generated.Retouched(rnd, original[path])
		}
		from.Overlay = maps.Clone(now)
		got, err := s.Check(ctx, from)
		if err != nil {
			t.Fatal(name, err)
		}
		ws, err := load.Load(ctx, from)
		if err != nil {
			t.Fatal(name, err)
		}
		want := argon.Compile(ctx, ws, argon.Options{})
		tried++
		if got.Edit != nil {
			edited++
		}
		if got.Edit.Parted() {
			parted++
		}
		if !reflect.DeepEqual(got.Diagnostics, want.Diagnostics) {
			dir := t.TempDir()
			for path, text := range now {
				_ = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(path, "/", "_")), []byte(text), 0o600)
			}
			for i := range max(len(got.Diagnostics), len(want.Diagnostics)) {
				if i >= len(got.Diagnostics) || i >= len(want.Diagnostics) || !reflect.DeepEqual(got.Diagnostics[i], want.Diagnostics[i]) {
					t.Logf("from %d on:\n%+v\n%+v", i, got.Diagnostics[i:], want.Diagnostics[i:])
					break
				}
			}
			for path, text := range now {
				if text != original[path] {
					t.Logf("%s:\n%s", path, text)
				}
			}
			t.Fatalf("%s, step %d (edited: %t): a session and a compilation from nothing differ", name, step, got.Edit != nil)
		}
		if got.Edit != nil || rnd.IntN(8) > 0 {
			continue
		}
		compiled, err := s.Compile(ctx, from, argon.Options{})
		if err != nil || (compiled.Module == nil) != (want.Module == nil) {
			t.Fatal(name, err)
		}
		if want.Module != nil && !reflect.DeepEqual(compiled.Module.Program, want.Module.Program) {
			t.Fatalf("%s, step %d: the programs differ", name, step)
		}
	}
	return tried, edited, parted
}
