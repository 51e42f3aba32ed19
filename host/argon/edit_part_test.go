package argon_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// namesPackage has names that come by every way there is.
var namesPackage = map[string]string{
	"ox.toml": "[package]\nname = \"yard\"\nprelude = [\"std::core::type\", \"std::core::rel\", \"pkg::base::common\"]\n",
	"root.ar": "pub mod base;\npub mod all;\npub mod far;\npub use base::Crane;\n",
	"base.ar": `pub type Crane { reach: Int, mut note: String? }
pub enum Shade { Dark, Light(Int) }
pub rel Lifts(crane: Crane, load: Crane);
pub fact Crane(big) { reach: 40 };
pub fact Crane(small) { reach: 4 };
pub fact Lifts(big, small);
pub derive common(c: Crane) :- c: Crane, c.reach > 2;
pub fn twice(n: Int) -> Int = n * 2;
derive hidden(c: Crane) :- common(c);
pub metatype kind = {};
`,
	"all.ar": `use pkg::base::*;
use pkg::base::Shade::*;
pub derive strong(c: Crane) :- c: Crane, c.reach > twice(10);
pub derive lifted(a, b) :- a: Crane, a.Lifts+(b);
pub fn shade(s: Shade) -> Int = match s { Dark => 0, Light(n) => n };
pub derive the_big(c: Crane) :- c: Crane, c == big;
`,
	"far.ar": `use pkg::all::strong as stout;
use pkg::base;
pub type Hoist <: base::Crane { speed: Int? }
pub fact Hoist(winch) { reach: 3 };
pub derive stout_hoist(h: Hoist) :- stout(h);
pub derive either(c: base::Crane) :- common(c);
pub check reaches(c: base::Crane) :- base::common(c), not stout(c)
    => Diagnostic { severity: Severity::Warning, code: "R", message: "{c} reaches {c.reach}", range: None };
test "hoists" { assert count { h: Hoist } == 1; }
`,
}

// TestEditsOfNames edits what a name may stand for, in each of the ways that a
// name is found by, and holds each result to a compilation from nothing.
func TestEditsOfNames(t *testing.T) {
	seen := 0
	for _, edit := range []struct{ file, old, new string }{
		{"all.ar", "pub fn shade", "pub fn twice(n: String) -> String = n;\npub fn shade"},                   // hides what an import of all brings
		{"base.ar", "pub fn twice(n: Int) -> Int = n * 2;", "pub fn twice(n: Int, m: Int) -> Int = n * m;"},  // seen through it
		{"base.ar", "pub fn twice", "fn twice"},                                                              // no more
		{"base.ar", "pub fn twice", "pub fn thrice"},                                                         // renamed: suggested
		{"base.ar", "Dark, Light(Int)", "Dark, Light(String), Grey"},                                         // through an enum
		{"base.ar", "pub rel Lifts", "pub rel Raises"},                                                       // a step of a path
		{"base.ar", "pub rel Lifts(crane: Crane, load: Crane)", "pub rel Lifts(crane: Crane, load: String)"}, // and its type
		{"base.ar", "pub derive common(c: Crane)", "pub derive common(c: Crane, n: Int)"},                    // in the prelude
		{"far.ar", "pub type Hoist", "derive common(n: Int) :- n in [1];\npub type Hoist"},                   // hides it
		{"base.ar", "pub fact Crane(big) { reach: 40 };\n", ""},                                              // an individual less
		{"base.ar", "fact Crane(big)", "fact Crane(bog)"},
		{"all.ar", "pub derive strong(", "pub derive weak("},                // behind an alias
		{"all.ar", "c.reach > twice(10)", "c.reach > twice(10), hidden(c)"}, // of another module alone
		{"far.ar", "use pkg::base;", "use pkg::base;\nuse pkg::base::hidden;"},
		{"far.ar", "use pkg::all::strong as stout;", "use pkg::base::common as stout;"},
		{"far.ar", "use pkg::all::strong as stout;", "use pkg::all::stong as stout;"},
		{"far.ar", "pub type Hoist <: base::Crane", "pub type Hoist"},
		{"far.ar", "pub type Hoist <: base::Crane", "pub type Hoist <: Crane"},
		{"far.ar", "{ speed: Int? }", "{ speed: Int?, reach: String? }"},
		{"base.ar", "{ reach: Int, mut note", "{ reach: Int, speed: String?, mut note"},
		{"base.ar", "{ reach: Int, mut note", "{ span: Int, mut note"},
		{"base.ar", "derive hidden", "pub kind Tower { high: Int }\nderive hidden"},
		{"far.ar", "test \"hoists\"", "test \"hoists\" { assert 1 == 1; }\ntest \"hoists\""},
		{"far.ar", "pub check reaches", "pub type stout_hoist;\npub check reaches"}, // two of one name
		{"far.ar", "stout_hoist(h: Hoist) :- stout(h);", "stout_hoist(h: Hoist) :- stot(h);"},
		{"all.ar", "use pkg::base::*;", "use pkg::base::{Crane, Lifts};"}, // from nothing
		{"root.ar", "pub use base::Crane;", "pub use big::Crane;"},        // an individual, which no import knows of yet
		{"far.ar", "use pkg::all", "use stot::Crane;\nuse pkg::all"},      // like what another import brings
	} {
		editAndBack(t, namesPackage, edit.file, edit.old, edit.new, func(_ bool, r *argon.Result) {
			if r.Edit.Parted() {
				seen++
			}
		})
	}
	if t.Log(seen, "in parts"); seen < 25 {
		t.Errorf("only %d of the edits were compiled in parts", seen)
	}
}
