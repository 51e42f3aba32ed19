package argon_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/generated"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// editor edits a package at random: whole programs of the test data come and
// go as modules, and their text is broken and mended.
type editor struct {
	rnd    *rand.Rand
	corpus []string
	files  map[string]string
	before map[string]string // what a file was before it was edited
	calm   bool              // what comes in has no errors, and what is broken is mended soon
}

func newEditor(t *testing.T, seed uint64) *editor {
	t.Helper()
	e := &editor{rnd: rand.New(rand.NewPCG(seed, 1)), files: map[string]string{}, before: map[string]string{}}
	e.calm = seed%2 == 1
	patterns := []string{"testdata/check/*.ar", "testdata/meaning/*.ar", "testdata/spec/*.ar"}
	if e.calm {
		patterns = patterns[1:2]
	}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			e.corpus = append(e.corpus, string(text))
		}
	}
	for i := range 3 {
		e.files[fmt.Sprintf("m%d.ar", i)] = e.fresh()
	}
	e.root()
	return e
}

// fresh is a program of the test data, or one that reads another module.
func (e *editor) fresh() string {
	n, from := e.rnd.IntN(7), e.rnd.IntN(5)
	if e.calm {
		from = 9
		e.files["m9.ar"] = fmt.Sprintf("use std::core::type;\npub type Part { size: Int }\npub fn nine() -> Int = %d;\n", n)
	}
	switch e.rnd.IntN(3) {
	case 0:
		return fmt.Sprintf("use std::core::{type, rel};\nuse pkg::m%d::Part as Other;\npub type Part { size: Int }\n"+
			"pub derive small(p: Part) :- p: Part, p.size < %d;\npub derive other(o: Other) :- o: Other, o.size > %d;\npub fact Part(bolt) { size: %d };\n",
			from, n, n, n)
	case 1:
		return fmt.Sprintf("use std::core::{type, rel};\nuse pkg::m%d::*;\npub type Part { size: Int, mut note: String? }\npub rel Fits(a: Part, b: Part) [0..%d];\n"+
			"pub fn twice(n: Int) -> Int = n * %d;\npub query big(least: Int) -> [Part] { select p from p: Part, p.size > least where not small(p) }\n"+
			"pub derive small(p: Part) :- p: Part, p.size < twice(%d);\n", from, n, n, n)
	}
	return e.corpus[e.rnd.IntN(len(e.corpus))]
}

func (e *editor) root() {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(e.files)) {
		if name != "root.ar" {
			fmt.Fprintf(&b, "pub mod %s;\n", strings.TrimSuffix(name, ".ar"))
		}
	}
	e.files["root.ar"] = b.String()
}

// some returns a module file.
func (e *editor) some() string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(e.files)), func(n string) bool { return n == "root.ar" })
	return names[e.rnd.IntN(len(names))]
}

func (e *editor) edit() string {
	name := e.some()
	text := e.files[name]
	lines := strings.SplitAfter(text, "\n")
	at := e.rnd.IntN(len(lines))
	what := e.rnd.IntN(9)
	if e.calm && len(e.before) > 0 && e.rnd.IntN(2) > 0 {
		what = 4
	}
	if _, there := e.before[name]; !there && what > 2 && what < 8 {
		e.before[name] = text
	}
	switch what {
	case 0: // another program
		e.files[name] = e.fresh()
	case 1: // a module more
		e.files[fmt.Sprintf("m%d.ar", e.rnd.IntN(6))] = e.fresh()
		e.root()
	case 2: // one less, with or without its declaration
		if len(e.files) > 3 {
			delete(e.files, name)
			if e.rnd.IntN(3) > 0 {
				e.root()
			}
		}
	case 3: // broken
		i := e.rnd.IntN(len(text) + 1)
		e.files[name] = text[:i] + []string{"{", "}", ";", "\"", "@", "pub ", "/*", "7"}[e.rnd.IntN(8)] + text[i:]
	case 4: // mended
		for _, name := range slices.Sorted(maps.Keys(e.before)) {
			if _, there := e.files[name]; there {
				e.files[name] = e.before[name]
			}
		}
		e.before = map[string]string{}
		e.root()
	case 5: // a line less
		e.files[name] = strings.Join(slices.Delete(slices.Clone(lines), at, at+1), "")
	case 6: // a line twice
		e.files[name] = strings.Join(slices.Insert(slices.Clone(lines), at, lines[at]), "")
	case 7: // another name in all places
		words := strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
		if len(words) > 0 {
			e.files[name] = strings.ReplaceAll(text, words[e.rnd.IntN(len(words))], "renamed")
		}
	}
	return fmt.Sprintf("%s: edit %d", name, what)
}

// TestSessionIsACompilation edits packages at random and compares what a
// session gives after each edit with a compilation from nothing.
func TestSessionIsACompilation(t *testing.T) {
	ctx := context.Background()
	modules, unchanged, edited := 0, 0, 0
	for seed := range uint64(6) {
		e := newEditor(t, seed)
		var s, checks argon.Session
		var last *argon.Result
		for step := range 60 {
			what := e.edit()
			files := load.Memory(maps.Clone(e.files))
			from := load.Options{Root: "root.ar", Files: files}
			o := argon.Options{TestMode: e.rnd.IntN(4) > 0}
			ws, err := load.Load(ctx, from)
			if err != nil {
				t.Fatal(err)
			}
			want := argon.Compile(ctx, ws, o)
			got, err := s.Compile(ctx, from, o)
			if err != nil {
				t.Fatal(err)
			}
			at := fmt.Sprintf("seed %d, step %d, %s", seed, step, what)
			if !o.TestMode {
				checked, err := checks.Check(ctx, from)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(checked.Diagnostics, want.Diagnostics) {
					t.Fatalf("%s: the diagnostics of a check (edited: %t) differ:\n%v\n%v", at, checked.Edit != nil, checked.Diagnostics, want.Diagnostics)
				}
				if checked.Edit != nil {
					edited++
				}
			}
			if !reflect.DeepEqual(got.Diagnostics, want.Diagnostics) {
				t.Fatalf("%s: the diagnostics differ:\n%v\n%v", at, got.Diagnostics, want.Diagnostics)
			}
			if !reflect.DeepEqual(got.Workspace.Inputs, want.Workspace.Inputs) {
				t.Fatalf("%s: the inputs differ", at)
			}
			if (got.Module == nil) != (want.Module == nil) {
				t.Fatalf("%s: a module: %t and %t", at, got.Module != nil, want.Module != nil)
			}
			if last != nil && last.Module != nil && last.Module == got.Module {
				unchanged++
			}
			last = got
			if want.Module == nil {
				continue
			}
			modules++
			g, w := got.Module, want.Module
			if !bytes.Equal(g.Program.AppendCBOR(nil), w.Program.AppendCBOR(nil)) {
				t.Fatalf("%s: the programs differ", at)
			}
			if !reflect.DeepEqual(g.Schema, w.Schema) || !reflect.DeepEqual(g.Facts, w.Facts) || !reflect.DeepEqual(g.Tiers, w.Tiers) || !reflect.DeepEqual(g.Standpoints, w.Standpoints) {
				t.Fatalf("%s: the modules differ beside their programs", at)
			}
		}
	}
	t.Log("edited: ", edited)
	if modules < 20 || unchanged < 5 {
		t.Errorf("only %d of the packages had no errors, and %d were as before: the test sees too little", modules, unchanged)
	}
}

// TestSessionKeepsWhatDidNotChange compiles a package twice, edits it, and
// edits it back.
func TestSessionKeepsWhatDidNotChange(t *testing.T) {
	files := generated.Package(200, 2)
	var s argon.Session
	compile := func(o argon.Options) *argon.Result {
		r, err := s.Compile(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(files)}, o)
		if err != nil || r.Module == nil {
			t.Fatal(r.Diagnostics, err)
		}
		return r
	}
	first := compile(argon.Options{})
	if again := compile(argon.Options{}); again.Module != first.Module {
		t.Error("nothing changed, and the package was compiled again")
	}
	if test := compile(argon.Options{TestMode: true}); test.Module == first.Module {
		t.Error("with tests, it is another program")
	}
	files["m1.ar"] += "pub fn more() -> Int = 1;\n"
	edited := compile(argon.Options{})
	if len(edited.Module.Program.Functions) != len(first.Module.Program.Functions)+1 {
		t.Error("the edit was not seen")
	}
	if tree := func(r *argon.Result) any { return r.Workspace.Main.Modules[1].File }; tree(edited) != tree(first) {
		t.Error("a file that did not change was parsed again")
	}
}
