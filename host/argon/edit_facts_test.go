package argon_test

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// filledPackage has facts files whose cells spell individuals that source
// declares, and others.
var filledPackage = map[string]string{
	"ox.toml":    "[package]\nname = \"yard\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n\n[facts]\n\"Crane\" = \"cranes.csv\"\n\"base::Lifts\" = \"lifts.csv\"\n",
	"cranes.csv": "id,reach\nlong,90\nlow,\n",
	"lifts.csv":  "crane,load\nbig,long\nlong,small\n",
	"root.ar":    "pub mod base;\npub mod rules;\nuse base::Crane;\n",
	"base.ar":    "pub type Crane { reach: Int = 3 }\npub rel Lifts(crane: Crane, load: Crane);\npub fact Crane(big) { reach: 40 };\npub fact Crane(small) { reach: 4 };\npub fact Crane(apart) { reach: 5 };\n",
	"rules.ar":   "use pkg::base::{Crane, Lifts};\npub derive lifted(a, b) :- Lifts(a, b);\npub derive heavy(c: Crane) :- lifted(c, long), c.reach > 2;\npub derive lonely(c: Crane) :- c: Crane, not lifted(c, _);\npub fn twice(n: Int) -> Int = n * 2;\npub check reaches(c: Crane) :- heavy(c), c.reach > twice(10)\n    => Diagnostic { severity: Severity::Warning, code: \"R\", message: \"{c} reaches {c.reach}\", range: None };\n",
}

// TestEditsBesideFactsFiles edits a package with facts files, and holds each
// result to a compilation from nothing.
func TestEditsBesideFactsFiles(t *testing.T) {
	for _, edit := range []struct {
		file, old, new string
		part           bool // it is compiled in a part
	}{
		{"rules.ar", "pub fn twice", "pub derive fresh(c: Crane) :- heavy(c), c == low;\npub fn twice", true},
		{"rules.ar", "pub fn twice", "pub derive fresh(c: Crane) :- heavy(c), c == lw;\npub fn twice", true},
		{"rules.ar", "pub derive lonely(c: Crane) :- c: Crane, not lifted(c, _);\n", "", true},
		{"rules.ar", "pub derive lifted(a, b)", "pub derive lifted(b, a)", true},
		{"rules.ar", "pub fn twice(n: Int)", "pub fn twice(n: Int, m: Int)", true},
		{"rules.ar", "pub fn twice", "pub type long;\npub fn twice", true}, // a spelling of a cell
		{"rules.ar", "pub fn twice", "pub fact Crane(new) { reach: 8 };\npub fn twice", true},
		{"rules.ar", "pub fn twice", "pub fact Crane(low) { reach: 8 };\npub fn twice", false},
		{"base.ar", "pub fact Crane(apart) { reach: 5 };\n", "", true},
		{"base.ar", "pub fact Crane(big) { reach: 40 };\n", "", false},
		{"base.ar", "reach: Int = 3", "reach: Int", false},
		{"base.ar", "reach: Int = 3", "span: Int = 3", false},
		{"base.ar", "load: Crane", "weight: Crane", false},
		{"root.ar", "use base::Crane;", "use base::Lifts;", false},
		{"cranes.csv", "90", "91", false},
	} {
		files := maps.Clone(filledPackage)
		var s argon.Session
		check := func() *argon.Result {
			r, err := s.Check(context.Background(), load.Options{Root: ".", Files: load.Memory(maps.Clone(files))})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if r := check(); len(r.Diagnostics) > 0 {
			t.Fatal(r.Diagnostics)
		}
		for _, back := range []bool{false, true} {
			text := strings.Replace(filledPackage[edit.file], edit.old, edit.new, 1)
			if text == filledPackage[edit.file] {
				t.Fatalf("%s has no %q", edit.file, edit.old)
			}
			if back {
				s = argon.Session{}
				files[edit.file] = text
				check()
				text = filledPackage[edit.file]
			}
			files[edit.file] = text
			got := check()
			ws, err := load.Load(context.Background(), load.Options{Root: ".", Files: load.Memory(maps.Clone(files))})
			if err != nil {
				t.Fatal(err)
			}
			if !back && got.Edit.Parted() != edit.part {
				t.Errorf("%s: %q for %q is compiled in a part: %t", edit.file, edit.new, edit.old, got.Edit.Parted())
			}
			if want := argon.Compile(context.Background(), ws, argon.Options{}); !reflect.DeepEqual(got.Diagnostics, want.Diagnostics) {
				t.Errorf("%s: %q for %q (back: %t, in a part: %t): a session says\n%+v\nand a compilation from nothing\n%+v", edit.file, edit.new, edit.old, back, got.Edit.Parted(), got.Diagnostics, want.Diagnostics)
			}
		}
	}
}
