package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// chart is a package with the ways through a net of n stops, and what reads them.
func chart(t *testing.T, n int, more string) *port {
	var stops, legs strings.Builder
	fmt.Fprintln(&stops, "id")
	fmt.Fprintln(&legs, "a,b")
	for i := range n {
		fmt.Fprintf(&stops, "s%d\n", i)
		fmt.Fprintf(&legs, "s%d,s%d\ns%d,s%d\n", i, (i+1)%n, i, (i*7+3)%n)
	}
	return open(t, map[string]string{
		"ox.toml":   "[package]\nname = \"chart\"\nversion = \"0.1.0\"\n\n[facts]\n\"root::Stop\" = \"stops.csv\"\n\"root::Leg\" = \"legs.csv\"\n",
		"stops.csv": stops.String(), "legs.csv": legs.String(),
		"root.ar": `use std::core::{type, rel, Diagnostic, Severity};
pub type Stop { mut rank: Int = 1 }
pub rel Leg(a: Stop, b: Stop);
pub rel Noted(a: Stop, n: Int);
pub derive way(a: Stop, b: Stop) :- Leg(a, b);
pub derive way(a: Stop, b: Stop) :- way(a, m), Leg(m, b);
pub derive ways(a: Stop, n: Int) :- a: Stop, n = count { way(a, _) };
pub derive lone(a: Stop) :- a: Stop, not way(a, a);
pub check Round(a: Stop) :- way(a, a), a.rank > 9 => Diagnostic { severity: Severity::Error, code: "ROUND", message: "{a}" };
pub mutate link(a: Stop, b: Stop) { insert Leg(a, b); }
` + more,
	}, nil)
}

// fuelOf is what reading a head costs.
func (p *port) fuelOf(head string) uint64 {
	p.t.Helper()
	res, err := p.Derive(p.t.Context(), runtime.DeriveRequest{Name: head, Common: runtime.Common{Page: &runtime.Page{Limit: 10}}})
	if err != nil || res.Refused() {
		p.t.Fatal(head, res, err)
	}
	return res.Usage.Fuel
}

// A question after a write costs what the write changed, whether the write was
// declared or came as a body, and whether it is all about now.
func TestAQuestionAfterAWriteCostsWhatChanged(t *testing.T) {
	for name, more := range map[string]string{"plain": "", "over time": "pub derive late(a: Stop) :- a: Stop, not diamond_minus[0, 9](Leg(a, _));\n"} {
		t.Run(name, func(t *testing.T) {
			p := chart(t, 150, more)
			var scratch uint64
			heads := []string{"way", "ways", "lone"}
			for _, h := range heads {
				scratch += p.fuelOf(h)
			}
			after := func(req runtime.MutateRequest) (sum uint64) {
				t.Helper()
				if res, err := p.Mutate(t.Context(), req); err != nil || res.Receipt == nil {
					t.Fatal(res, err)
				}
				for _, h := range heads {
					sum += p.fuelOf(h)
				}
				return sum
			}
			declared := after(runtime.MutateRequest{Name: "link", Args: args("a", "s1", "b", "s9")})
			body := after(runtime.MutateRequest{Body: "insert Leg(x, y); insert Noted(x, count { way(x, z), not Leg(x, z) });", Args: args("x", "s2", "y", "s11")})
			dated := after(runtime.MutateRequest{Body: "insert Leg(x, y); insert Leg(y, x) at #2032-01-01#;", Args: args("x", "s3", "y", "s17")})
			t.Logf("from nothing %d, after a declared write %d, after a body %d, after one that is about later as well %d", scratch, declared, body, dated)
			if body > 2*declared {
				t.Errorf("after a body %d, after a declared write %d", body, declared)
			}
			if 3*dated > scratch || 3*declared > scratch {
				t.Errorf("after a write %d or %d, from nothing %d", declared, dated, scratch)
			}
		})
	}
}
