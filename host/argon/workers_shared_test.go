package argon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// The first item that asks for something which items share makes it. Beside
// others it cannot, and what stands in for it there does not fit: that is no
// reason to fail.
func TestTheFirstToShareSomethingIsTypedInTurn(t *testing.T) {
	for _, item := range []string{
		"pub derive n(k: Nat) :- k = count { arm(R, _, _) };",
		"pub query n() -> [Nat] { select k from k = count { specializes(_, _) } }",
		"pub fn n() -> Nat = count { arm(_, _, _) };",
		"pub derive n(k: Nat) :- k = count { t: TypeRef, iof(_, t), specializes(t, _), arm(t, _, _) };",
		"pub derive n(t: TypeRef) :- t: TypeRef, meta(t) == type;",
		"pub fn n(x: V) -> Nat = count { x.R*(_) };",
		"pub fn n(l: [Int]) -> [Int] = l.map(|a| a + 1).filter(|a| a > 3);",
		"pub fn n(l: [Int]) -> Int = l.fold(0, |a, b| a + b);",
		"pub derive n(x: V) :- x: V, box_minus[0, 3](R(x, _));",
		"pub derive n(x: V) :- x: V, not O(x), x.maybe != 3;",
		"pub check n(x: V) :- x: V, count { arm(_, _, _) } > 4 => Diagnostic { severity: Severity::Error, code: \"C\", message: \"{x}\", range: None };",
	} {
		var b strings.Builder
		b.WriteString("use std::core::{type, rel};\npub type V { size: Int, mut maybe: Int? }\npub rel R(a: V, b: V);\n#[world(open)]\npub type O;\n" + item + "\n")
		for i := range 20 {
			fmt.Fprintf(&b, "pub derive d%d(v: V) :- v: V, v.size > %d;\n", i, i)
		}
		from := load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": b.String()})}
		one := allOf(t, from, 1)
		if strings.HasPrefix(one, "[[{") {
			t.Errorf("%s: %.200s", item, one)
		}
		if got := allOf(t, from, 2); got != one {
			t.Errorf("%s: 2 workers make something else than one:\n%s", item, firstDifference(got, one))
		}
	}
}
