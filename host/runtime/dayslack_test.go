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

// Of since and until it is said whether the other operand was missing in the
// window, or else what did not hold meanwhile, from the day on that leaves the
// least to be made good; of an operator inside another also why it fails on the
// first of those days.
func TestSinceAndUntilSayWhatIsMissing(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"moorings\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Ship;
pub rel At(s: Ship, d: String);
pub rel Arrived(s: Ship);
pub fact Ship(ada);
pub fact Ship(bob);
pub fact At(ada, "dry") at #2031-01-02#..#2031-01-04#;
pub fact At(ada, "wet") at #2031-01-06#..#2031-01-07#;
pub fact At(bob, "dry") at #2031-01-02#..#2031-01-04#;
pub fact Arrived(ada) at #2031-01-02#..#2031-01-02#;
pub fact Arrived(bob) at #2031-01-12#;
pub derive moored(s) :- At(s, _);
pub derive stays(s) :- s: Ship, moored(s) since[0, 7] Arrived(s);
pub derive recent(s) :- s: Ship, moored(s) since[0, 3] Arrived(s);
pub derive just(s) :- s: Ship, moored(s) since[0, 1] Arrived(s);
pub derive waits(s) :- s: Ship, moored(s) until[0, 7] Arrived(s);
pub derive same(s) :- s: Ship, box_minus[0, 3](At(s, d)), d != "x";
pub derive kept(s) :- s: Ship, At(s, d) since[0, 7] At(s, d);
pub derive nested(s) :- s: Ship, box_minus[0, 2](diamond_minus[0, 1](At(s, _)));
pub derive deep(s) :- s: Ship, box_minus[0, 2](moored(s) since[0, 7] Arrived(s));
pub derive two(s) :- s: Ship, box_minus[0, 2](At(s, _)), diamond_minus[0, 1](At(s, _));
`}, nil)
	at := runtime.Common{AsOf: &runtime.AsOf{VT: "2031-01-09"}}
	for _, c := range []struct{ fact, days, also string }{
		{"stays(ada)", "moored(s) missing on 2031-01-05, on 2031-01-08; it must hold from 2031-01-03 to 2031-01-08, after Arrived(s) on 2031-01-02", ""},
		{"recent(ada)", "Arrived(s) on no day from 2031-01-06 to 2031-01-09", ""},
		{"just(ada)", "Arrived(s) on no day from 2031-01-08 to 2031-01-09", ""},
		{"waits(ada)", "Arrived(s) on no day from 2031-01-09 to 2031-01-16", ""},
		{"waits(bob)", "moored(s) missing from 2031-01-10 to 2031-01-11; it must hold from 2031-01-10 to 2031-01-11, before Arrived(s) on 2031-01-12", ""},
		{"same(ada)", `with d = "wet": missing from 2031-01-08 to 2031-01-09; it looks at the days from 2031-01-06 to 2031-01-09`, ""},
		{"kept(ada)", `with d = "wet": At(s, d) missing on 2031-01-08; it must hold on 2031-01-08, after At(s, d) on 2031-01-07`, ""},
		{"nested(ada)", "missing on 2031-01-09; it looks at the days from 2031-01-07 to 2031-01-09; diamond_minus[0, 1](At(s, _)) on 2031-01-09: on no day from 2031-01-08 to 2031-01-09", ""},
		{"deep(ada)", "missing from 2031-01-07 to 2031-01-09; moored(s) since[0, 7] Arrived(s) on 2031-01-07: moored(s) missing on 2031-01-05; it must hold from 2031-01-03 to 2031-01-06, after Arrived(s) on 2031-01-02", ""},
		{"two(bob)", "missing from 2031-01-07 to 2031-01-09", "on no day from 2031-01-08 to 2031-01-09"},
	} {
		none := 0
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Format: "text", Repairs: &none, Common: at})
		if err != nil || res.WhyNot == nil || len(res.WhyNot.Rules) != 1 {
			t.Fatalf("%s: %+v %v", c.fact, res, err)
		}
		rule := res.WhyNot.Rules[0]
		days, also := rule.Failed.Days, ""
		if len(rule.Also) > 0 {
			also = rule.Also[0].Days
		}
		if c.also != "" && days == c.also {
			days, also = also, days
		}
		same(t, c.fact, days, c.days)
		same(t, c.fact+" also", also, c.also)
		same(t, c.fact+" children", len(rule.Children), 0)
	}
}
