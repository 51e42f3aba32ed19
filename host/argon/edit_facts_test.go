package argon_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
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
		editAndBack(t, filledPackage, edit.file, edit.old, edit.new, func(back bool, r *argon.Result) {
			if !back && r.Edit.Parted() != edit.part {
				t.Errorf("%s: %q for %q is compiled in a part: %t", edit.file, edit.new, edit.old, r.Edit.Parted())
			}
		})
	}
}
