package runtime_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Of a fact that is missing and holds on other days, declared or written, these
// are told, the nearest first.
func TestAFactThatIsMissingSaysOnWhichDaysItHolds(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": `pub type Ship { mut state: String? }
pub type Dock;
pub rel At(s: Ship, d: Dock);
pub rel Paid(s: Ship);
pub fact Ship(ada) { state: "laid up" };
pub fact Ship(bob);
pub fact Ship(eve);
pub fact Dock(dry);
pub fact Dock(wet);
pub fact At(ada, dry) at #2031-01-02#..#2031-01-04#;
pub fact At(ada, wet) at #2031-01-20#;
pub fact At(bob, dry) at ..#2031-01-03#;
pub fact Ship(ada) { state: "afloat" } at #2031-01-05#..#2031-01-06#;
pub mutate pay(s: Ship, from: Date, to: Date) { insert Paid(s) at from; delete Paid(s) at to; }
pub derive moored(s) :- At(s, _);
pub derive afloat(s) :- s: Ship, s.state == "afloat";
pub derive clear(s) :- s: Ship, Paid(s), not At(s, dry);
`}, nil)
	if res, err := p.Mutate(t.Context(), runtime.MutateRequest{Name: "pay", Args: args("s", "ada", "from", "2031-01-03", "to", "2031-01-06")}); err != nil || res.Refused() {
		t.Fatal(res, err)
	}
	at := runtime.Common{AsOf: &runtime.AsOf{VT: "2031-01-09"}}
	for _, c := range []struct{ fact, reason, days string }{
		{"At(ada, dry)", "it holds from 2031-01-02 to 2031-01-04; asked as of 2031-01-09", ""},
		{"At(ada, wet)", "it holds from 2031-01-20 on; asked as of 2031-01-09", ""},
		{"At(bob, wet)", "nothing asserts it", ""},
		{"At(bob, dry)", "it holds before 2031-01-04; asked as of 2031-01-09", ""},
		{"Paid(ada)", "it holds from 2031-01-03 to 2031-01-05; asked as of 2031-01-09", ""},
		{"Paid(bob)", "nothing asserts it", ""},
		{"moored(ada)", "", "At(ada, dry) holds from 2031-01-02 to 2031-01-04, At(ada, wet) holds from 2031-01-20 on; asked as of 2031-01-09"},
		{"moored(eve)", "", ""},
		{"clear(ada)", "", "it holds from 2031-01-03 to 2031-01-05; asked as of 2031-01-09"},
		{"afloat(ada)", "", "it holds from 2031-01-05 to 2031-01-06; asked as of 2031-01-09"},
		{"afloat(bob)", "", ""},
	} {
		none := 0
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Repairs: &none, Common: at})
		if err != nil || res.WhyNot == nil {
			t.Fatalf("%s: %+v %v", c.fact, res, err)
		}
		same(t, c.fact, res.WhyNot.Reason, c.reason)
		days := ""
		if len(res.WhyNot.Rules) > 0 {
			days = res.WhyNot.Rules[0].Failed.Days
		}
		same(t, c.fact+" failed", days, c.days)
	}
}
