package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// An aggregate that should have a value and has another says which.
func TestAnAggregateThatFailsSaysWhatItIs(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": `pub type Ship { load: Int }
pub rel Tows(a: Ship, b: Ship);
pub fact Ship(ada) { load: 4 };
pub fact Ship(bob) { load: 7 };
pub fact Ship(eve) { load: 1 };
pub fact Tows(ada, bob);
pub fact Tows(ada, eve);
pub derive towed(a, n) :- a: Ship, n = count { Tows(a, b) };
pub derive pair(a) :- a: Ship, count { Tows(a, b) } == 5;
pub derive heavy(a, n) :- a: Ship, n = sum(b.load for b in Ship where true, Tows(a, b));
pub derive least(a, n) :- a: Ship, n = min(b.load for b in Ship where true, Tows(a, b));
pub derive even(a) :- a: Ship, count { Tows(a, b) } == count { Tows(b, a) };
pub derive some(a) :- count { Tows(a, b) } == 7, Tows(a, _);
pub derive many(a) :- a: Ship, count { Tows(a, b) } > 5;
pub derive other(a) :- a: Ship, towed(a, 3);
`}, nil)
	for _, c := range []struct{ fact, is, text string }{
		{"towed(ada, 3)", "2", "it is 2"},
		{"towed(eve, 3)", "0", "it is 0"},
		{"pair(ada)", "2", "it is 2"},
		{"heavy(ada, 9)", "8", "it is 8"},
		{"least(ada, 4)", "1", "it is 1"},
		{"least(eve, 4)", "none", "it has no value"},
		{"even(eve)", "1", "it is 1"},
		{"some(ada)", "2", "it is 2"},
		{"many(ada)", "", "it is false"},
		{"other(ada)", "", "it is 2"}, // of the premise
	} {
		none := 0
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Format: "text", Repairs: &none})
		if err != nil || res.WhyNot == nil || len(res.WhyNot.Rules) == 0 {
			t.Fatalf("%s: %+v %v", c.fact, res, err)
		}
		same(t, c.fact, res.WhyNot.Rules[0].Failed.Is, c.is)
		if !strings.Contains(res.Rendered, "‹"+c.text+"›") {
			t.Errorf("%s: no %q in\n%s", c.fact, c.text, res.Rendered)
		}
	}
}
