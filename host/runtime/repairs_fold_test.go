package runtime_test

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// What a fact says of the least or greatest is what a place that is folded may
// have.
func TestARepairTakesTheValueOfALeast(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"legs\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Stop;
pub rel Leg(a: Stop, b: Stop) { mut km: Nat }
pub fact Stop(oak);
pub fact Stop(elm);
pub fact Leg(oak, elm) { km: 30 };
pub derive way(a, b, n) :- Leg(a, b), n = Leg(a, b).km;
pub derive near(a, b, n) :- way(a, b, _), n = min(m for m in way(a, b));
`}, nil)
	most := 1
	res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: "near(oak, elm, 7)", Repairs: &most})
	if err != nil || res.WhyNot == nil {
		t.Fatalf("%+v %v", res, err)
	}
	got := ""
	for _, r := range res.WhyNot.Repairs {
		got += fmt.Sprint(r.Facts, r.Was, r.Verified)
	}
	same(t, "repairs", got, "[Leg.km(oak, elm, 7)] [30] true")
}
