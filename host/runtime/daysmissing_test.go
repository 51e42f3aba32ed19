package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Of an operator that fails it is said on which of its days the operand is
// missing, and nothing of how the operator is made.
func TestAnOperatorThatFailsSaysOnWhichDays(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"moorings\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Ship;
pub rel At(s: Ship, d: String);
pub fact Ship(ada);
pub fact Ship(bob);
pub fact At(ada, "dry") at #2031-01-02#..#2031-01-04#;
pub fact At(ada, "wet") at #2031-01-06#..#2031-01-07#;
pub derive week(s) :- s: Ship, box_minus[0, 7](At(s, _));
pub derive lately(s) :- s: Ship, diamond_minus[0, 1](At(s, _));
pub derive soon(s) :- s: Ship, box_plus[1, 2](At(s, _));
pub derive ever(s) :- s: Ship, diamond_minus[0, *](At(s, _));
pub derive always(s) :- s: Ship, box_minus[0, *](At(s, _));
`}, nil)
	at := runtime.Common{AsOf: &runtime.AsOf{VT: "2031-01-09"}}
	for _, c := range []struct{ fact, days string }{
		{"week(ada)", "missing on 2031-01-05, from 2031-01-08 to 2031-01-09; it looks at the days from 2031-01-02 to 2031-01-09"},
		{"week(bob)", "missing from 2031-01-02 to 2031-01-09"},
		{"lately(ada)", "on no day from 2031-01-08 to 2031-01-09"},
		{"soon(ada)", "missing from 2031-01-10 to 2031-01-11"},
		{"ever(bob)", "on no day before 2031-01-10"},
		{"always(ada)", "missing before 2031-01-02, on 2031-01-05, from 2031-01-08 to 2031-01-09; it looks at the days before 2031-01-10"},
	} {
		none := 0
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Format: "text", Repairs: &none, Common: at})
		if err != nil || res.WhyNot == nil || len(res.WhyNot.Rules) != 1 {
			t.Fatalf("%s: %+v %v", c.fact, res, err)
		}
		rule := res.WhyNot.Rules[0]
		same(t, c.fact, rule.Failed.Days, c.days)
		same(t, c.fact+" children", len(rule.Children), 0)
		if strings.Contains(res.Rendered, "#") {
			t.Errorf("%s: the drawing names what the compiler made:\n%s", c.fact, res.Rendered)
		}
	}
}
