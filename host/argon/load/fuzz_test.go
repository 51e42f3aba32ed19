package load_test

import (
	"context"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// sane checks what holds of every workspace, however bad its files are.
func sane(t *testing.T, w *load.Workspace) {
	t.Helper()
	if w.Main == nil || len(w.Main.Modules) == 0 {
		t.Fatal("no root module")
	}
	for _, d := range w.Diagnostics {
		if _, ok := diag.Lookup(d.Code); !ok {
			t.Errorf("%s is not in the catalog", d.Code)
		}
		text, ok := w.Text(d.Place.Path)
		if !ok && d.Place.Path == "ox.toml" {
			t.Errorf("%s: no text of the manifest", d.Code)
		}
		if ok && (d.Place.Start < 0 || d.Place.Start > d.Place.End || d.Place.End > len(text)) {
			t.Errorf("%s is at %d to %d of %d bytes", d.Code, d.Place.Start, d.Place.End, len(text))
		}
	}
}

func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		"", manifest, "[package]\nname = 'x'\n[project]\nentry = \"a/b.ar\"\nroot = \"src\"\n[schema]\nroot = \"s\"\n",
		"[dependencies]\na = { path = \"../a\" }\nb = \"1\"\n\"c d\" = { git = \"x\" }\n",
		"[facts]\n\"m::R\" = { path = \"d.csv\", columns = { a = \"b\", c = 2 }, header = false, format = \"tsv\" }\n",
		"[reasoner]\npath = \"r.wasm\"\nblake3 = \"00\"\n[plugins.p]\npath = \"p.wasm\"\ngrants = [\"log\"]\nlimits = { fuel = 1 }\n[settings]\nlimits.rows = 3\n\"limits.fuel\" = 4\n",
		"[[package]]\nname = \"x\"\n", "x = [[[{a=[1]}]]]\n", "\xff\xfe", "name = \"\\u0000\"\n", "[facts]\n\"\" = \"\"\n", "[a.b]\nc.d = 1\nc.e = {f.g = 1}\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := load.Load(context.Background(), load.Options{Files: load.Memory(map[string]string{
			"ox.toml": text, "root.ar": "", "d.csv": "a,b\n1,2\n", "../a/ox.toml": "[package]\nname = \"a\"\n", "../a/root.ar": "",
		})})
		if err != nil {
			t.Fatal(err)
		}
		sane(t, w)
	})
}

func FuzzFacts(f *testing.F) {
	for _, seed := range []struct{ format, text string }{
		{"csv", "a,b\nx,1\n\"y\"\"\",\n"}, {"csv", "a\n\"x"}, {"csv", "\uFEFFa\r\n\r\n1\r\n"}, {"tsv", "a\tb\n1\t2\n"},
		{"jsonl", "{\"a\": 1}\n{\"b\": [1]}\n[1]\n"}, {"jsonl", "[1, 2]\n[1, null, true]\n"}, {"jsonl", "{\"a\": 1e999, \"\": \"\\ud800\"}"}, {"csv", "\xff"},
	} {
		f.Add(seed.format, seed.text)
	}
	f.Fuzz(func(t *testing.T, format, text string) {
		if format != "csv" && format != "tsv" {
			format = "jsonl"
		}
		w, err := load.Load(context.Background(), load.Options{Files: load.Memory(map[string]string{
			"ox.toml": "[facts]\n\"root::R\" = \"f." + format + "\"\n", "root.ar": "", "f." + format: text,
		})})
		if err != nil {
			t.Fatal(err)
		}
		sane(t, w)
		facts := w.Main.Facts[0]
		for _, r := range facts.Rows {
			if p := facts.Position(r); p.Start < 0 || p.Start > p.End || p.End > len(text) || r.Line < 1 {
				t.Errorf("a row of line %d is at %d to %d of %d bytes", r.Line, p.Start, p.End, len(text))
			}
			if len(r.Cells) > len(facts.Names) {
				t.Errorf("line %d has %d cells of %d columns", r.Line, len(r.Cells), len(facts.Names))
			}
		}
	})
}
