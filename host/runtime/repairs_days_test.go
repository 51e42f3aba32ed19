package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const mooringsManifest = "[package]\nname = \"moorings\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"

const mooringsToMend = `pub type Ship;
pub type Dock { mut state: String? }
pub rel At(s: Ship, d: String);
pub rel Arrived(s: Ship);
pub rel Paid(s: Ship);
pub rel Crew(s: Ship, n: Int);
pub fact Dock(inner) { state: "clean" };
pub derive moored(s) :- At(s, _);
pub derive week(s) :- s: Ship, box_minus[0, 7](At(s, _));
pub derive always(s) :- s: Ship, box_minus(At(s, _));
pub derive ahead(s) :- s: Ship, box_plus[1, 2](moored(s));
pub derive lately(s) :- s: Ship, diamond_minus[1, 2](At(s, _));
pub derive soon(s) :- s: Ship, diamond_plus[2, 5](At(s, "dry"));
pub derive stays(s) :- s: Ship, moored(s) since[0, 7] Arrived(s);
pub derive earlier(s) :- s: Ship, moored(s) since[4, 6] Arrived(s);
pub derive waits(s) :- s: Ship, moored(s) until[0, 7] Arrived(s);
pub derive nested(s) :- s: Ship, box_minus[0, 2](diamond_minus[0, 1](At(s, _)));
pub derive deep(s) :- s: Ship, box_minus[0, 2](moored(s) since[0, 7] Arrived(s));
pub derive two(s) :- stays(s), Paid(s);
pub derive three(s) :- box_minus[0, 1](Paid(s)), moored(s) since[4, 6] Arrived(s);
pub derive never(s) :- s: Ship, not diamond_minus[0, 9](At(s, _));
pub derive gone(s) :- s: Ship, not lately(s);
pub derive broken(s) :- s: Ship, not box_minus[5, 6](At(s, _));
pub derive twice(s) :- s: Ship, count { diamond_minus[0, 2](At(s, d)) } >= 2;
pub derive once(s) :- s: Ship, count { diamond_minus[0, 9](At(s, d)) } == 1;
pub derive left(s) :- s: Ship, diamond_minus[0, 9](At(s, "dry")), not At(s, _);
pub derive crowded(s) :- s: Ship, box_minus[0, 2](Crew(s, n), n > 4);
pub derive shifted(s) :- s: Ship, box_plus[0, *](box_minus[2, 4](At(s, "dry")));
pub derive full(d) :- d: Dock, box_minus[0, 2](d: Dock, d.state == "full");
`

// What is stated of each ship whose name begins so.
var ofShips = map[string]string{
	"ada": `pub fact Ship(ada);
pub fact At(ada, "dry") at #2031-01-02#..#2031-01-04#;
pub fact At(ada, "wet") at #2031-01-06#..#2031-01-07#;
pub fact Arrived(ada) at #2031-01-02#..#2031-01-02#;
`,
	"bob": `pub fact Ship(bob);
pub fact At(bob, "dry") at #2031-01-02#..#2031-01-04#;
pub fact Arrived(bob) at #2031-01-12#;
`,
	"eve": "pub fact Ship(eve);\n",
}

// What an operator over time lacks is made good by facts with days: the smallest
// sets, each of which holds once it is written into the source.
func TestRepairsOverTimeHoldOnceTheyAreWritten(t *testing.T) {
	at := runtime.Common{AsOf: &runtime.AsOf{VT: "2031-01-09"}}
	cases := []struct{ fact, repairs string }{
		{"week(ada)", `At(ada, "dry") at #2031-01-05#..#2031-01-09# | At(ada, "wet") at #2031-01-05#..#2031-01-09#`},
		{"always(bob)", `At(bob, "dry") at ..#2031-01-09#`},
		{"ahead(ada)", `At(ada, "dry") at #2031-01-10#..#2031-01-11# | At(ada, "wet") at #2031-01-10#..#2031-01-11#`},
		{"lately(eve)", `At(eve, "dry") at #2031-01-08#..#2031-01-08# | At(eve, "wet") at #2031-01-08#..#2031-01-08#`},
		{"soon(bob)", `At(bob, "dry") at #2031-01-11#..#2031-01-11#`},
		{"stays(ada)", `Arrived(ada) at #2031-01-09#..#2031-01-09# | At(ada, "dry") at #2031-01-05#..#2031-01-08# | At(ada, "wet") at #2031-01-05#..#2031-01-08#`},
		{"earlier(bob)", `Arrived(bob) at #2031-01-05#..#2031-01-05# and At(bob, "dry") at #2031-01-06#..#2031-01-08#`},
		{"waits(bob)", `Arrived(bob) at #2031-01-09#..#2031-01-09# | At(bob, "dry") at #2031-01-10#..#2031-01-11#`},
		{"nested(ada)", `At(ada, "dry") at #2031-01-09#..#2031-01-09# | At(ada, "wet") at #2031-01-09#..#2031-01-09#`},
		{"deep(ada)", `At(ada, "dry") at #2031-01-05#..#2031-01-08# | At(ada, "wet") at #2031-01-05#..#2031-01-08#`},
		{"two(eve)", `Arrived(eve) at #2031-01-09#..#2031-01-09# and Paid(eve) at #2031-01-09#`},
		{"three(bob)", `Paid(bob) at #2031-01-08#..#2031-01-09# and Arrived(bob) at #2031-01-05#..#2031-01-05# and At(bob, "dry") at #2031-01-06#..#2031-01-08#`},
		{"full(inner)", `inner.state = "full" at #2031-01-07#..#2031-01-09#`},
		{"left(eve)", `At(eve, "dry") at #2031-01-08#..#2031-01-08#`},
		{"crowded(eve)", `Crew(eve, 5) at #2031-01-07#..#2031-01-09#`},
		{"shifted(eve)", `At(eve, "dry") at #2031-01-05#`},
		{"never(ada)", `without At(ada, "dry") at #2031-01-02#..#2031-01-04# and At(ada, "wet") at #2031-01-06#..#2031-01-07#`},
		{"gone(ada)", `without At(ada, "wet") at #2031-01-07#..#2031-01-07#`},
		{"broken(ada)", `without At(ada, "dry") at #2031-01-04#..#2031-01-04#`},
		{"twice(ada)", `At(ada, "dry") at #2031-01-09#..#2031-01-09#`},
		{"once(ada)", `without At(ada, "wet") at #2031-01-06#..#2031-01-07# | without At(ada, "dry") at #2031-01-02#..#2031-01-04#`},
	}
	// Each has a ship of its own, so that one package does for all.
	source := mooringsToMend
	named := make([]*strings.Replacer, len(cases))
	for i, c := range cases {
		_, ship, _ := strings.Cut(strings.TrimSuffix(c.fact, ")"), "(")
		named[i] = strings.NewReplacer(ship, fmt.Sprintf("%s%d", ship, i))
		if facts, ok := ofShips[ship]; ok {
			source += named[i].Replace(facts)
		} else {
			named[i] = strings.NewReplacer()
		}
	}
	p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": source}, nil)
	written := source
	for i, c := range cases {
		c.fact, c.repairs = named[i].Replace(c.fact), named[i].Replace(c.repairs)
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Common: at})
		if err != nil || res.WhyNot == nil || res.WhyNot.Searched == nil {
			t.Fatalf("%s: %+v %v", c.fact, res, err)
		}
		var all []string
		for _, r := range res.WhyNot.Repairs {
			text := strings.Join(r.Facts, " and ")
			if r.Removed != nil {
				text += "without " + strings.Join(r.Removed, " and ")
			}
			all = append(all, text)
			same(t, c.fact+" verified", r.Verified, true)
		}
		same(t, c.fact, strings.Join(all, " | "), c.repairs)
		same(t, c.fact+" complete", res.WhyNot.Searched.Complete, false)
		if len(all) == 0 || notFacts(all[0]) {
			continue
		}
		for _, f := range res.WhyNot.Repairs[len(all)-1].Facts {
			written += "pub fact " + f + ";\n"
		}
	}
	q := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": written}, nil)
	for i, c := range cases {
		if c.repairs == "" || notFacts(c.repairs) {
			continue
		}
		again, err := q.Explain(t.Context(), runtime.ExplainRequest{Fact: named[i].Replace(c.fact), Common: at})
		if err != nil || !again.Derived {
			t.Errorf("%s does not hold once its repair is written: %+v %v", c.fact, again, err)
		}
	}
}

// notFacts reports whether a repair is not written as facts as it stands.
func notFacts(repair string) bool {
	return strings.Contains(repair, " = ") || strings.Contains(repair, "without")
}

// The field of an individual gets another value on the days that lack it, and the
// state of now is as it was after the trial.
func TestARepairOverTimeLeavesTheStateAsItWas(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": mooringsToMend + ofShips["ada"]}, nil)
	at := runtime.Common{AsOf: &runtime.AsOf{VT: "2031-01-09"}}
	for range 2 {
		for fact, derived := range map[string]bool{"full(inner)": false, "week(ada)": false, "moored(ada)": false} {
			res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: fact, Common: at})
			if err != nil || res.Derived != derived {
				t.Fatalf("%s: %+v %v", fact, res, err)
			}
		}
	}
	none := 0
	res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: "week(ada)", Repairs: &none, Common: at})
	if err != nil || res.WhyNot == nil || res.WhyNot.Repairs != nil || res.WhyNot.Searched != nil {
		t.Fatalf("without repairs: %+v %v", res, err)
	}
}

// What was written is taken away by a write, which has no last day, and a write
// makes good what a later declaration would displace.
func TestARepairOverTimeOfWhatWasWrittenIsAWrite(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": `pub type Ship { mut crew: Int? }
#[world(open)]
pub rel Paid(s: Ship);
pub fact Ship(ada);
pub fact Ship(bob);
pub fact Ship(bob) { crew: 4 } at #2031-01-11#;
pub not_fact Paid(bob) at #2031-01-08#..#2031-01-09#;
pub mutate pay(s: Ship, on: Date) { insert Paid(s) at on; }
pub mutate stop(s: Ship, on: Date) { delete Paid(s) at on; }
pub mutate man(s: Ship, crew: Int, on: Date) { update s set { crew = crew } at on; }
pub derive owing(s) :- s: Ship, not diamond_minus[0, 3](Paid(s));
pub derive manned(s) :- s: Ship, box_plus[2, *](s: Ship, s.crew > 4);
pub derive settled(s) :- s: Ship, diamond_minus[0, 3](Paid(s));
`}, nil)
	write := func(name string, pairs ...any) {
		t.Helper()
		if res, err := p.Mutate(t.Context(), runtime.MutateRequest{Name: name, Args: args(pairs...)}); err != nil || res.Refused() {
			t.Fatal(res, err)
		}
	}
	write("pay", "s", "ada", "on", "2031-01-02")
	at := runtime.Common{AsOf: &runtime.AsOf{VT: "2031-01-09"}}
	repairs := func(fact string) string {
		t.Helper()
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: fact, Common: at})
		if err != nil || res.WhyNot == nil {
			t.Fatalf("%s: %+v %v", fact, res, err)
		}
		var all []string
		for _, r := range res.WhyNot.Repairs {
			all = append(all, strings.Join(append(append(r.Facts, r.Removed...), r.Fixed...), "; "))
		}
		return strings.Join(all, " | ")
	}
	same(t, "owing", repairs("owing(ada)"), "Paid(ada) at #2031-01-06#; by a write: it is recorded")
	same(t, "manned", repairs("manned(bob)"), "bob.crew = 5 at #2031-01-11#; by a write, which displaces what begins later")
	same(t, "settled", repairs("settled(bob)"), "Paid(bob) at #2031-01-06#..#2031-01-06#; declare it: a write has no last day")
	write("stop", "s", "ada", "on", "2031-01-06")
	write("man", "s", "bob", "crew", 5, "on", "2031-01-11")
	for _, fact := range []string{"owing(ada)", "manned(bob)"} {
		if res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: fact, Common: at}); err != nil || !res.Derived {
			t.Errorf("%s does not hold once it is written: %+v %v", fact, res, err)
		}
	}
}
