package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// What compares an aggregate over rows that are not all known is certain where
// all that it may be compares so. The value is not, and the proof says so.
func TestAProofSaysOfAValueThatItMayBeAnother(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"crews\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Sailor { age: Int }
#[world(open)]
pub type Cook;
pub fact Sailor(eva) { age: 50 };
pub fact Sailor(tim) { age: 40 };
pub fact Cook(eva);
pub derive cooks(n) :- n = count { s: Sailor, s: Cook };
pub derive oldest(n) :- n = max(s.age for s in Sailor where true, s: Cook);
pub derive manned() :- cooks(n), n >= 1;
pub derive seasoned() :- oldest(n), n >= 45;
`}, nil)
	for _, tc := range []struct{ fact, want string }{
		{"manned()", "cooks(1) Can n from 1 to 2, 1 row left out: 1 premise"},
		{"seasoned()", "oldest(50) Is: 1 premise"},
	} {
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: tc.fact})
		if err != nil || res.Root == nil || res.Truth4 != "Is" || len(res.Root.Children) != 2 {
			t.Fatalf("%s: %v %+v", tc.fact, err, res)
		}
		n := res.Root.Children[0]
		got := n.Fact + " " + n.Truth4
		if n.Within != nil {
			got += " " + n.Within.Text()
		}
		same(t, tc.fact, fmt.Sprintf("%s: %d premise", got, len(n.Children)), tc.want)
		if text := runtime.RenderText(res); n.Within != nil && !strings.Contains(text, "; n from 1 to 2, 1 row left out") {
			t.Errorf("the interval is not drawn:\n%s", text)
		}
	}
}

// Whether an absent value may be the one of an aggregate is asked of its own
// group: the answer does not bring the rows of the others, and what the reasoner
// does for it is billed.
func TestWhereAValueMayLieIsAskedByItsKey(t *testing.T) {
	source := `pub type Sailor;
pub type Ship;
#[world(open)]
pub rel Serves(s: Sailor, on: Ship);
pub rel Berth(s: Sailor, on: Ship);
pub derive crew(on, n) :- on: Ship, n = count { Berth(s, on), Serves(s, on) };
`
	for i := range 40 {
		source += fmt.Sprintf("pub fact Ship(ship%d);\npub fact Sailor(tar%d);\npub fact Berth(tar%d, ship%d);\n", i, i, i, i)
	}
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"crews\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": source}, nil)
	none := 0
	explain := func(fact string) *runtime.ExplainResult {
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: fact, Repairs: &none})
		if err != nil || res.WhyNot == nil {
			t.Fatalf("%s: %v %+v", fact, err, res)
		}
		return res
	}
	res := explain("crew(ship7, 1)")
	same(t, "where it lies", res.WhyNot.Reason, "it may be: n from 0 to 1, 1 row left out")
	same(t, "unknown", strings.Join(res.WhyNot.Unknown, " "), "Serves(tar7, ship7)")
	again := explain("crew(ship8, 2)")
	same(t, "where it does not", again.WhyNot.Reason, "it is none of the values that there may be: n from 0 to 1, 1 row left out")
	// What explains the fact is up to date by then; the asks are not.
	if again.Usage.Rounds == 0 || again.Usage.Derived == 0 {
		t.Errorf("nothing was billed: %+v", again.Usage)
	}
}
