package argon_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// FuzzCompile: whatever the text, the compiler ends without a panic, and gives
// either a module whose program holds together or a diagnostic.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"testdata/check/*.ar", "testdata/program/*.ar", "testdata/spec/22*.ar", "testdata/spec/23*.ar"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			if filepath.Base(name) == "blowup.ar" {
				continue // too slow to begin from
			}
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		r, err := argon.Snippet(context.Background(), src, argon.Options{TestMode: true})
		if err != nil {
			t.Skip("no text that can be loaded:", err)
		}
		holds(t, src, r)
	})
}

func holds(t *testing.T, src string, r *argon.Result) {
	t.Helper()
	if r.Module == nil && len(r.Diagnostics) == 0 {
		t.Fatalf("neither a module nor a diagnostic for %q", src)
	}
	for _, d := range r.Diagnostics {
		if d.Code == "OE1351" {
			t.Fatalf("%s for %q", d.Message, src)
		}
		if d.Place.Path == "root.ar" && (d.Place.Start < 0 || d.Place.End < d.Place.Start || d.Place.End > len(src)) {
			t.Fatalf("%s at %d to %d of %d bytes", d.Code, d.Place.Start, d.Place.End, len(src))
		}
	}
}

// FuzzAdHoc: whatever the text, an ad-hoc body or fact is compiled or refused.
func FuzzAdHoc(f *testing.F) {
	for _, body := range []string{
		"MooredAt(s, b), s.crew > least", "select { who: s, n: s.crew } from s: Ship where not idle(s)",
		"let t = insert Tug { name: n, pull: 3 }; insert MooredAt(t, at); return t;", "update rosa set { crew += 1 };",
		"MooredAt(rosa, b1)", "count { Ship(s) } == n, for x in Ship { }",
	} {
		f.Add(body)
	}
	r, err := argon.Snippet(context.Background(), harbour, argon.Options{})
	if err != nil || r.Module == nil {
		f.Fatal(err, r.Diagnostics)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, d := range second(argon.CompileQuery(r.Module, body)) {
			if d.Code == "OE1351" {
				t.Fatalf("query %q: %s", body, d.Message)
			}
		}
		for _, d := range second(argon.CompileMutate(r.Module, body)) {
			if d.Code == "OE1351" {
				t.Fatalf("mutate %q: %s", body, d.Message)
			}
		}
		if rel, tuple, err := argon.ParseFact(r.Module, body); err == nil && len(r.Module.Program.Relations[rel].Columns) != len(tuple) {
			t.Fatalf("fact %q: %d values", body, len(tuple))
		}
	})
}

func second[A, B any](_ A, b B) B { return b }
