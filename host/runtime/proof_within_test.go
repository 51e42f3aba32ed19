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
