package argon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// TestAnItemThatIsTooLargeIsRefusedWhereItStands has one item of each kind beyond
// what a body has room for, beside one that is not.
func TestAnItemThatIsTooLargeIsRefusedWhereItStands(t *testing.T) {
	chain := strings.Repeat(" + n", 600)
	variables := strings.Builder{}
	for i := range 1 << 16 {
		fmt.Fprintf(&variables, ", y%d: N", i)
	}
	lets := strings.Builder{}
	for i := range 600 {
		fmt.Fprintf(&lets, "let a%d = n + %d; ", i, i)
	}
	for _, item := range []string{
		"pub derive big(x: N) :- x: N" + variables.String() + ";",
		"pub fn big(n: Int) -> Int { " + lets.String() + "a599 }",
		"pub fn big(n: Int) -> Int = n" + chain + ";",
		"pub derive big(n: Int) :- n in [1], n" + chain + " > 2;",
		"pub query big(n: Int) -> [N] { select x from x: N where x.k > n" + chain + " }",
		"pub mutate big(n: Int) { require n" + chain + " > 2; }",
		"pub check big(n: Int) :- n in [1] => Diagnostic { severity: Severity::Info, code: \"B\", message: \"{n" + chain + "}\", range: None };",
		"test \"big\" { let n = 1; assert n" + chain + " > 2; }",
	} {
		source := "pub type N { k: Int }\npub fn small(n: Int) -> Int = n + 1;\n" + item + "\n"
		var got []string
		for _, d := range argon.Check(source) {
			if d.Code[:2] == "OE" {
				got = append(got, d.Code)
			}
			if !strings.HasPrefix(source[d.Place.Start:], item[:8]) || !strings.Contains(d.Message, "big") {
				t.Errorf("%.60s: %s at %d: %s", item, d.Code, d.Place.Start, d.Message)
			}
		}
		if len(got) != 1 || got[0] != "OE1366" {
			t.Errorf("%.60s gives %q", item, got)
		}
	}
}
