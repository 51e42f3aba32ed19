package argon_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// whole is a package without a mistake, in which each test below makes one.
const whole = `use std::core::{type, rel};
use std::rel::transitive;
pub metaxis rank for metatype { low < high };
pub metatype kind = { rank: low };
pub kind Thing { name: String }
pub type Ship <: Thing { mut length: Int, flag: Flag = Flag::None }
pub type Tanker <: Ship where { self.length >= 100 };
pub type Berth { depth: Decimal }
pub enum Colour { Red, Green }
pub enum Flag { None, Of(String), Pair { a: Int, b: Int } }
pub struct Size { length: Int, width: Int }
pub rel At(ship: Ship, berth: Berth) [0..1] [0..*];
#[transitive] pub rel Near(a: Berth, b: Berth);
pub trait Sized { fn size(self) -> Int; derive big(Self); }
impl Sized for Ship { fn size(self) -> Int = self.length; derive big(s) :- s.length > 200; }
macro aged { ($n:ident) => { derive $n(s) :- s: Ship, s.length > 9; } }
aged!(old);
pub derive moored(s: Ship) :- At(s, _);
pub derive reach(a: Berth, b: Berth) :- Near(a, b);
pub derive reach(a: Berth, c: Berth) :- reach(a, b), Near(b, c);
pub derive idle(s: Ship) :- s: Ship, not moored(s);
pub derive mass(b: Berth, n: Int) :- b: Berth, n = sum(s.length for s in Ship where At(s, b));
pub check deep(b: Berth) :- b: Berth, b.depth > 40
    => Diagnostic { severity: Severity::Error, code: "H-1", message: "{b} is too deep", range: None };
pub query ships() -> Ship;
pub query at(b: Berth) -> [Ship] { select s from At(s, b) where s.length > 3 }
pub fn width(f: Flag) -> Int = match f { Flag::None => 0, Flag::Of(s) => s.len, Flag::Pair { a, b } => a + b };
pub fn twice(n: Int) -> Int = n * 2;
pub fn half(s: Size) -> Size { let n = s.length + 2; Size { length: twice(n), width: s.width } }
pub mutate grow(s: Ship, n: Int) { require n > 0; update s set { length += n }; }
pub mutate arrive(name: String) -> Ship { let s = insert Ship { name: name, length: 3 }; return s; }
pub fact Ship(aurora) { name: "Aurora", length: 80 };
pub fact Berth(quay) { depth: 9.5 };
pub fact At(aurora, quay);
test "it grows" { grow(aurora, 2); assert aurora.length == 82; assert derivable moored(aurora); }
`

// TestOneMistakeGivesOneDiagnostic: what follows from a mistake is not reported
// beside it.
func TestOneMistakeGivesOneDiagnostic(t *testing.T) {
	if found := argon.Check(whole); len(found) > 0 {
		t.Fatalf("the text has a mistake: %s %s", found[0].Code, found[0].Message)
	}
	for _, tt := range []struct{ name, old, new, code string }{
		{"an import of nothing", "rel::transitive;", "rel::transitiv;", "OE0101"},
		{"an introducer that is not there", "pub kind Thing", "pub knid Thing", "OE0605"},
		{"a relation's introducer that is not there", "pub rel At(", "pub rell At(", "OE0606"},
		{"a supertype that is not there", "Tanker <: Ship", "Tanker <: Shipp", "OE0101"},
		{"the type of a field", "flag: Flag =", "flag: Flagg =", "OE0101"},
		{"the type of an endpoint", "At(ship: Ship,", "At(ship: Shipp,", "OE0101"},
		{"the type of a parameter", "grow(s: Ship,", "grow(s: Shipp,", "OE0101"},
		{"the type of a result", "half(s: Size) -> Size {", "half(s: Size) -> Sizee {", "OE0101"},
		{"a default of another type", "= Flag::None }", "= 3 }", "OE0257"},
		{"a missing semicolon", "pub rel At(ship: Ship, berth: Berth) [0..1] [0..*];", "pub rel At(ship: Ship, berth: Berth) [0..1] [0..*]", "OE0011"},
		{"a missing closing brace", "{ mut length: Int, flag: Flag = Flag::None }", "{ mut length: Int, flag: Flag = Flag::None", "OE0002"},
		{"a missing comma", "{ length: Int, width: Int }", "{ length: Int width: Int }", "OE0001"},
		{"a string without an end", `code: "H-1"`, `code: "H-1`, "OE0050"},
		{"a character that is no sign", "n > 0;", "n ~ 0;", "OE0004"},
		{"the removed form of an enum", "pub enum Colour { Red, Green }", "pub enum Colour = Red | Green;", "OE0009"},
		{"a predicate that is not there", "not moored(s)", "not mored(s)", "OE0101"},
		{"a relation that is not there", "where At(s, b))", "where Att(s, b))", "OE0101"},
		{"a field that is not there", "b.depth > 40", "b.depht > 40", "OE0259"},
		{"a field of an insert", "insert Ship { name: name,", "insert Ship { nam: name,", "OE0259"},
		{"a variable that nothing binds", "pub derive moored(s: Ship) :- At(s, _);", "pub derive moored(s: Ship) :- At(_, b);", "OE1303"},
		{"too many arguments", "pub derive moored(s: Ship) :- At(s, _);", "pub derive moored(s: Ship) :- At(s, _, _);", "OE0258"},
		{"a comparison of two types", "self.length >= 100", `self.length >= "x"`, "OE0257"},
		{"a constant that the enum does not have", "Flag::None => 0", "Flag::Non => 0", "OE0101"},
		{"an arm that is missing", "Flag::Of(s) => s.len, ", "", "OE0260"},
		{"a function that is not there", "twice(n)", "twic(n)", "OE0101"},
		{"a field of a struct literal that is missing", ", width: s.width }", " }", "OE0264"},
		{"an update of what is not mut", "mut length: Int,", "length: Int,", "OE0256"},
		{"a fact about nothing", "pub fact Berth(quay)", "pub fact Bearth(quay)", "OE0101"},
		{"a fact's value of another type", "depth: 9.5", `depth: "x"`, "OE0257"},
		{"an individual that is not there", "assert aurora.length == 82", "assert auroar.length == 82", "OE0101"},
		{"a member that the trait does not have", "impl Sized for Ship { fn size", "impl Sized for Ship { fn siz() -> Int = 1; fn size", "OE1363"},
		{"a member that is missing", "fn size(self) -> Int = self.length; derive", "derive", "OE1360"},
		{"a macro that is not there", "aged!(old);", "agd!(old);", "OE0750"},
		{"a macro's use that does not fit", "aged!(old);", "aged!(3);", "OE0751"},
		{"an attribute that is not there", "#[transitive]", "#[transitve]", "OE0350"},
		{"the value of an axis", "{ rank: low }", "{ rank: middle }", "OE0651"},
		{"a recursion through a fold", "derive moored(s: Ship) :- At(s, _);", "derive moored(s: Ship) :- s: Ship, sum(x.length for x in Ship where moored(x)) > 3;", "OE1317"},
		{"a declaration twice", "pub query ships() -> Ship;", "pub query ships() -> Ship;\npub query ships() -> Ship;", "OE0262"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Count(whole, tt.old) != 1 {
				t.Fatalf("%q is %d times in the text", tt.old, strings.Count(whole, tt.old))
			}
			found := argon.Check(strings.Replace(whole, tt.old, tt.new, 1))
			if len(found) != 1 || found[0].Code != tt.code {
				t.Errorf("want one %s, got %d:", tt.code, len(found))
				for _, d := range found {
					t.Errorf("%s %s", d.Code, d.Message)
				}
			}
		})
	}
}
