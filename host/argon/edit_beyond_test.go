package argon_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// beyondPackage has traits, of which members come by a declaration, an import
// and an import of all, and standpoints, of which one has its parent by an
// import.
var beyondPackage = map[string]string{
	"ox.toml": "[package]\nname = \"yard\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n",
	"root.ar": "pub mod base;\npub mod shape;\npub mod uses;\npub mod all;\npub mod views;\n",
	"base.ar": `pub type Crane { reach: Int, mut note: String? }
pub type Hoist <: Crane { speed: Int? }
pub type Load { weight: Int }
pub rel Lifts(crane: Crane, load: Load);
pub fact Crane(big) { reach: 40 };
pub fact Hoist(winch) { reach: 3 };
pub fact Load(stone) { weight: 9 };
pub fact Lifts(big, stone);
pub fn twice(n: Int) -> Int = n * 2;
pub derive far(c: Crane) :- c: Crane, c.reach > twice(10);
pub derive near(c: Crane) :- c: Crane, not far(c);
`,
	"shape.ar": `use pkg::base::{Crane, Load, far, twice};
pub trait Rated {
    derive rated(self: Self, n: Int);
    fn rating(self: Self) -> Int;
    fn doubled(self: Self) -> Int = self.rating() * 2;
}
pub trait Named { fn label(self: Self) -> String = "it"; }
impl Rated for Crane {
    derive rated(self, n) :- n = self.reach, far(self);
    fn rating(self: Self) -> Int = self.reach;
}
impl Rated for Load {
    derive rated(self, n) :- n = self.weight;
    fn rating(self: Self) -> Int = twice(self.weight);
}
impl Named for Crane { }
pub derive local(n: Int) :- rated(x, n), x: Crane;
`,
	"uses.ar": `use pkg::base::{Crane, Hoist, Load, Lifts};
use pkg::shape::Rated;
pub derive high(c: Crane) :- c: Crane, Rated::rated(c, n), n > 2;
pub derive strong(h: Hoist) :- h: Hoist, h.rating() > 1;
pub derive weighs(l: Load, n: Int) :- l: Load, n = l.doubled();
pub derive idle(l: Load) :- l: Load, not Lifts(_, l);
`,
	"all.ar": `use pkg::base::*;
use pkg::shape::*;
pub derive called(c: Crane, s: String) :- c: Crane, s = c.label();
pub derive plain(c: Crane) :- near(c), c.reach < 9;
pub mod deep {
    use pkg::base::{Crane, near};
    pub derive calm(c: Crane) :- near(c), c.reach < 5;
    pub mod deeper {
        use super::calm;
        pub derive calmest(c: Top) :- calm(c);
    }
}
pub derive calmer(c: Crane) :- deep::calm(c), deep::deeper::calmest(c);
`,
	"views.ar": `use pkg::base::{Crane, Load, Lifts, far};
use above as top;
pub standpoint above { fact Crane(big) { reach: 50 }; }
pub standpoint below <: top {
    fact Lifts(winch, crate);
    fact Load(crate) { weight: 4 };
    pub derive seen(c: Crane) :- Lifts(c, _), far(c);
}
pub standpoint below { fact Crane(winch) { reach: 7 }; }
pub query lifted() -> far across [above, below];
pub derive lifts_far(c: Crane) :- far(c), Lifts(c, _);
pub check heavy(l: Load) :- l: Load, l.weight > 20
    => Diagnostic { severity: Severity::Warning, code: "H", message: "{l} weighs {l.weight}", range: None };
`,
}

// TestEditsBesideTraitsAndStandpoints edits what traits and standpoints go by,
// and what they do not, and holds each result to a compilation from nothing.
func TestEditsBesideTraitsAndStandpoints(t *testing.T) {
	for _, edit := range []struct {
		file, old, new string
		part           bool // it is compiled in a part
	}{
		{"base.ar", "pub derive near(", "pub derive close(c: Crane) :- c: Crane, c.reach < 3;\npub derive near(", true},
		{"base.ar", "pub derive near(c: Crane)", "pub derive nigh(c: Crane)", false}, // what is suggested goes by an import of all
		{"base.ar", "pub derive far(c: Crane)", "pub derive far(c: Crane, n: Int)", true},
		{"base.ar", "pub derive far(c: Crane)", "derive far(c: Crane)", false},
		{"base.ar", "pub fn twice(n: Int) -> Int", "pub fn twice(n: Int) -> String", true},
		{"base.ar", "{ reach: Int, mut", "{ span: Int, mut", true},     // in a member of an implementation
		{"base.ar", "{ weight: Int }", "{ weight: String }", true},     // and what that gives
		{"base.ar", "pub type Hoist <: Crane", "pub type Hoist", true}, // no more of a type that has the trait
		{"base.ar", "pub type Hoist <: Crane", "pub type Hoist <: Load", true},
		{"base.ar", "pub type Load {", "pub type Load <: Crane {", true}, // two implementations meet
		{"base.ar", "pub fact Load(stone)", "pub fact Load(rock)", true},
		{"base.ar", "pub rel Lifts(crane: Crane,", "pub rel Lifts(crane: Hoist,", true}, // in facts of a standpoint
		{"base.ar", "pub rel Lifts", "pub rel Raises", false},
		{"base.ar", "pub fn twice", "pub derive rated(c: Crane) :- far(c);\npub fn twice", true}, // the name of a member
		{"base.ar", "pub fn twice", "pub fn label(c: Crane) -> Int = 1;\npub fn twice", true},
		{"base.ar", "pub fn twice", "pub type above;\npub fn twice", true},
		{"base.ar", "pub fn twice", "pub type Rated;\npub fn twice", false},              // the name of a trait
		{"root.ar", "pub mod uses", "fn shape(n: Int) -> Int = n;\npub mod uses", false}, // the name of the module that traits come from
		{"shape.ar", "pub derive local(n: Int)", "pub derive local2(n: Int)", true},
		{"shape.ar", "pub derive local(n: Int)", "pub derive rating(n: Int)", true},
		{"shape.ar", "n = self.weight", "n = self.wait", false}, // in an implementation
		{"uses.ar", "pub derive idle(", "pub derive busy(l: Load) :- Lifts(_, l), l.doubled() > 3;\npub derive idle(", true},
		{"uses.ar", "pub derive idle(", "pub derive busy(l: Load) :- Lifts(_, l), l.tripled() > 3;\npub derive idle(", true},
		{"uses.ar", "use pkg::shape::Rated;", "", false},
		{"uses.ar", "use pkg::shape::Rated;", "use pkg::shape::Named;", false},
		{"uses.ar", "Load, Lifts}", "Load}", true},
		{"all.ar", "pub derive plain(c: Crane)", "pub derive simple(c: Crane)", true},
		{"all.ar", "pub derive plain(c: Crane)", "pub derive label(c: Crane)", true},
		{"all.ar", "use pkg::shape::*;", "", false},
		{"views.ar", "pub derive lifts_far(", "pub derive lifts_near(", true},
		{"views.ar", "pub derive lifts_far(", "pub fact Crane(crate) { reach: 1 };\npub derive lifts_far(", true}, // an individual of a standpoint, too
		{"views.ar", "across [above, below]", "across [above, beneath]", true},
		{"views.ar", "far};\nuse", "far};\npub fact Lifts(big, crate);\nuse", true},
		{"views.ar", ", far};", "};", true},          // which a standpoint sees
		{"views.ar", "use above as top;", "", false}, // a parent
		{"views.ar", "weight: 4", "weight: 5", true}, // in a standpoint
		{"views.ar", "fact Load(crate) { weight: 4 };", "", true},
		{"views.ar", "fact Load(crate) {", "fact Load(box) {", true},
		{"views.ar", "fact Load(crate) { weight: 4 };", "fact Load(crate) { weight: \"x\" };", true},
		{"views.ar", "fact Load(crate) { weight: 4 };", "fact Load(crate) { weight: 4 };\n    not_fact Load(crate);", true},
		{"views.ar", "{ fact Crane(winch) { reach: 7 }; }", "{ fact Crane(winch) { reach: 7 }; fact Hoist(winch) { reach: 8 }; }", true},
		{"views.ar", "{ fact Crane(winch) { reach: 7 }; }", "{ derive far(c: Crane) :- c: Crane; }", true}, // hides what is around
		{"views.ar", "pub derive seen(c: Crane) :- Lifts(c, _)", "pub derive seen(c: Crane, l) :- Lifts(c, l)", true},
		{"views.ar", "{ fact Crane(big) { reach: 50 }; }", "{ fact Crane(huge) { reach: 50 }; }", true},
		{"views.ar", "pub standpoint below { fact Crane(winch) { reach: 7 }; }\n", "", false},
		{"views.ar", "<: top", "", false},
		{"all.ar", "pub derive calm(c: Crane)", "pub derive calm(c: Crane, n: Int)", true},
		{"all.ar", "pub derive calm(c: Crane)", "derive calm(c: Crane)", true},
		{"all.ar", "use super::calm;", "use super::quiet;", false},
		{"all.ar", "    use super::calm;\n", "", false},
		{"all.ar", "calmest(c: Top) :- calm(c)", "calmest(c: Top) :- calm(c), calm(c)", true},
		{"all.ar", "pub mod deeper", "pub derive calmed(c) :- calm(c);\n    pub mod deeper", true},
		{"all.ar", "pub mod deep {", "pub mod deep { pub mod more { }", false},
		{"views.ar", "l.weight > 20", "l.weight > 3", false},
	} {
		editAndBack(t, beyondPackage, edit.file, edit.old, edit.new, func(back bool, r *argon.Result) {
			if !back && r.Edit.Parted() != edit.part {
				t.Errorf("%s: %q for %q is compiled in a part: %t", edit.file, edit.new, edit.old, r.Edit.Parted())
			}
		})
	}
}
