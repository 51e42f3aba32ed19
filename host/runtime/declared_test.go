package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const periodSource = `use std::core::{type, rel, Diagnostic, Severity};
pub type Ship { name: String?, mut flag: String = "none" }
pub rel Guards(a: Ship, b: Ship);
pub standpoint rival { pub fact Ship(ghost) at #2031-07-10#; }
pub fact Ship(aurora) { flag: "red" };
pub fact Ship(borealis) { flag: "blue" } at #2031-07-10#;
pub fact Ship(borealis) { flag: "green" } at #2031-07-12#..#2031-07-13#;
pub fact Ship(wreck) at ..#2031-07-04#;
pub fact Guards(aurora, borealis) at #2031-07-10T08:00:00Z#..#2031-07-10T20:00:00Z#;
pub derive guarded(b) :- Guards(_, b);
pub derive long_there(s) :- s: Ship, box_minus[0, 2](Ship(s));
pub query ships() -> [Ship] { select s from s: Ship }
pub derive flagged(s, f) :- s: Ship, f = s.flag, f != "none";
pub query flags() -> flagged;
pub query guards() -> [Ship] { select b from guarded(b) }
pub query settled() -> [Ship] { select s from long_there(s) }
pub mutate paint(s: Ship, with: String) { update s set { flag = with } }
pub mutate sink(s: Ship) { delete iof(s, Ship); }
pub check ghosts(s: Ship) :- s: Ship, s.flag == "green" => Diagnostic { severity: Severity::Warning, code: "GREEN", message: "{s}" };
test "what is written in a test is beside what is declared" {
    assert derivable long_there(aurora);
    insert iof(borealis, Ship);
    assert derivable ships_now(borealis);
    assert not derivable long_there(borealis);
}
pub derive ships_now(s) :- s: Ship;
`

func periods(t *testing.T) *port {
	t.Helper()
	return open(t, map[string]string{"ox.toml": "[package]\nname = \"periods\"\nversion = \"0.1.0\"\n", "root.ar": periodSource}, nil)
}

func TestADeclaredFactHoldsInItsPeriod(t *testing.T) {
	p := periods(t)
	for _, tc := range []struct{ vt, ships, flags, guards, settled string }{
		{"1990-01-01", "[(aurora) (wreck)]", "[(aurora,red)]", "[]", "[(aurora) (wreck)]"},
		{"2031-07-04", "[(aurora) (wreck)]", "[(aurora,red)]", "[]", "[(aurora) (wreck)]"},
		{"2031-07-05", "[(aurora)]", "[(aurora,red)]", "[]", "[(aurora)]"},
		{"2031-07-10T07:59:59Z", "[(aurora) (borealis)]", "[(aurora,red) (borealis,blue)]", "[]", "[(aurora)]"},
		{"2031-07-10T20:00:00Z", "[(aurora) (borealis)]", "[(aurora,red) (borealis,blue)]", "[(borealis)]", "[(aurora)]"},
		{"2031-07-10", "[(aurora) (borealis)]", "[(aurora,red) (borealis,blue)]", "[]", "[(aurora)]"},
		{"2031-07-13", "[(aurora) (borealis)]", "[(aurora,red) (borealis,green)]", "[]", "[(aurora) (borealis)]"},
		{"2031-07-14", "[(aurora) (borealis)]", "[(aurora,red) (borealis,blue)]", "[]", "[(aurora) (borealis)]"},
	} {
		at := &runtime.AsOf{VT: tc.vt}
		same(t, "ships "+tc.vt, p.rows("ships", at), tc.ships)
		same(t, "flags "+tc.vt, p.rows("flags", at), tc.flags)
		same(t, "guards "+tc.vt, p.rows("guards", at), tc.guards)
		same(t, "settled "+tc.vt, p.rows("settled", at), tc.settled)
	}
}

func TestTimeBringsDeclaredFacts(t *testing.T) {
	p := periods(t)
	same(t, "today", p.rows("ships", nil), "[(aurora) (wreck)]")
	p.advance(8 * 24 * time.Hour)
	same(t, "on the 12th", p.rows("flags", nil), "[(aurora,red) (borealis,green)]")
	same(t, "as of the declarations", p.rows("ships", stamp(0)), "[(aurora) (borealis)]")
}

func TestAWriteDisplacesADeclaredPeriod(t *testing.T) {
	p := periods(t)
	p.advance(6 * 24 * time.Hour) // the 10th
	p.accepted("paint", args("s", "borealis", "with", "grey"))
	same(t, "the 12th", p.rows("flags", &runtime.AsOf{VT: "2031-07-12"}), "[(aurora,red) (borealis,grey)]")
	same(t, "not written yet", p.rows("flags", &runtime.AsOf{TT: stamp(0).TT, VT: "2031-07-12"}), "[(aurora,red) (borealis,green)]")
	p.accepted("sink", args("s", "borealis"))
	same(t, "gone", p.rows("ships", nil), "[(aurora)]")
}

func TestAPeriodOfAStandpoint(t *testing.T) {
	p := periods(t)
	ask := func(vt string, standpoints ...string) string {
		res, err := p.Query(t.Context(), runtime.QueryRequest{Name: "ships", Common: runtime.Common{AsOf: &runtime.AsOf{VT: vt}, Standpoints: standpoints}})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(texts(res))
	}
	same(t, "before", ask("2031-07-09", "rival"), "[(aurora)]")
	same(t, "then", ask("2031-07-10", "rival"), "[(aurora) (borealis) (ghost)]")
	same(t, "others do not see it", ask("2031-07-10"), "[(aurora) (borealis)]")
}

func TestACheckGoesByTheDayOfTheBuild(t *testing.T) {
	p := periods(t)
	found := func() string {
		res, err := p.Check(t.Context(), runtime.CheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, d := range res.Findings {
			out += d.Code + " " + d.Message
		}
		return out
	}
	same(t, "on the 4th", found(), "")
	p.advance(8 * 24 * time.Hour)
	same(t, "on the 12th", found(), "GREEN borealis (borealis)")
}

func TestTestsSeePeriods(t *testing.T) {
	p := periods(t)
	res, err := p.Test(t.Context(), runtime.TestRequest{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "passed", res.Summary.Passed, 1)
}
