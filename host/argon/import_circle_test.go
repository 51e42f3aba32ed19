package argon_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// Imports that go round have the name if one of them has it from elsewhere,
// whichever of them is followed first.
func TestACircleOfImportsHasWhatOneOfThemHas(t *testing.T) {
	modules := []string{
		"mod v { pub use super::w::T; pub derive qv(x) :- x: T; }",
		"mod w { pub use super::x::T; pub use super::v::T as S; pub use super::c::*; pub derive qw(x) :- x: T, x: S; }",
		"mod x { pub use super::v::T; pub derive qx(x) :- x: T; }",
		"mod c { use std::core::type; pub type T; }",
	}
	orders(modules, func(order []string) {
		if found := argon.Check(strings.Join(order, "\n")); len(found) > 0 {
			t.Errorf("%s\n%v", strings.Join(order, "\n"), found)
		}
	})
	without := strings.Join(modules, "\n")
	without = strings.Replace(without, " pub use super::c::*;", "", 1)
	if found := argon.Check(without); len(found) == 0 || found[0].Code != "OE0103" {
		t.Errorf("nothing gives the name: %v", found)
	}
}

// orders calls do with each order of list.
func orders(list []string, do func([]string)) {
	var from func(int)
	from = func(i int) {
		if i == len(list) {
			do(list)
			return
		}
		for j := i; j < len(list); j++ {
			list[i], list[j] = list[j], list[i]
			from(i + 1)
			list[i], list[j] = list[j], list[i]
		}
	}
	from(0)
}
