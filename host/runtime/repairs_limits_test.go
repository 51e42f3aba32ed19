package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// legs is a chain in which to look for repairs is dear: each trial evaluates the
// closure.
func legs(stops int) map[string]string {
	var b strings.Builder
	b.WriteString("pub type Stop;\npub rel Leg(a: Stop, b: Stop);\n")
	for i := range stops {
		fmt.Fprintf(&b, "pub fact Stop(s%d);\n", i)
	}
	for i := range stops - 1 {
		fmt.Fprintf(&b, "pub fact Leg(s%d, s%d);\n", i+1, i)
	}
	b.WriteString("pub derive reach(a, b) :- Leg(a, b);\npub derive reach(a, c) :- reach(a, b), Leg(b, c);\n")
	b.WriteString("pub derive deep(x) :- Stop(x), n = count(y for y in reach(x)), n > 30;\n")
	return map[string]string{"ox.toml": "[package]\nname = \"legs\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": b.String()}
}

// What the search and the trials cost comes out of what the call may cost once:
// what it has no room for is left out, and the answer says that there may be more.
func TestRepairsStayWithinTheFuelOfTheCall(t *testing.T) {
	p := open(t, legs(120), nil)
	ask := func(fuel uint64) *runtime.ExplainResult {
		most := 1
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: "deep(s3)", Repairs: &most, Common: runtime.Common{Limits: map[string]uint64{"fuel": fuel}}})
		if err != nil || res.WhyNot == nil || res.WhyNot.Searched == nil {
			t.Fatalf("%+v %v", res, err)
		}
		return res
	}
	whole := ask(20_000_000_000)
	if n := len(whole.WhyNot.Repairs); n < 2 {
		t.Fatalf("%d repairs with fuel enough", n)
	}
	limit := whole.Usage.Fuel / 10 * 8
	part := ask(limit)
	if n := len(part.WhyNot.Repairs); n == 0 || n >= len(whole.WhyNot.Repairs) {
		t.Errorf("%d repairs with %d of fuel, %d with %d", n, limit, len(whole.WhyNot.Repairs), whole.Usage.Fuel)
	}
	if part.WhyNot.Searched.Complete || part.Usage.Fuel > limit {
		t.Errorf("complete: %v, %d of fuel spent of %d", part.WhyNot.Searched.Complete, part.Usage.Fuel, limit)
	}
	for _, r := range part.WhyNot.Repairs {
		if !r.Verified {
			t.Errorf("%v is told, and was not tried", r.Facts)
		}
	}
}

// What is compared with something computed may have a value that just passes;
// where none can be named, the answer does not say that there is none.
func TestARepairTakesAValueThatJustPassesWhatIsComputed(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"wards\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Ward { mut due: Date?, mut fine: Money?, mut beds: Nat?, mut rooms: Nat?, mut name: String?, mut heat: Real?, mut state: State? };
pub enum State { Open, Full };
pub type Nurse;
pub rel Serves(nurse: Nurse, ward: Ward);
pub fact Nurse(ida);
pub fact Ward(south);
pub fact Ward(north) { rooms: 5 };
pub derive late(w) :- w: Ward, w.due < today();
pub derive soon(w) :- w: Ward, d = today(), w.due > d;
pub derive long(w) :- w: Ward, w.due < today() - days(3);
pub derive owes(w) :- w: Ward, w.fine > 2 EUR;
pub derive more(a, b) :- a: Ward, b: Ward, a.rooms > b.rooms;
pub derive large(w) :- w: Ward, w.beds + w.beds > 100;
pub derive named(w) :- w: Ward, w.name != "x";
pub derive warm(w) :- w: Ward, w.heat > 1.2, w.heat < 1.7;
pub derive cheap(w) :- w: Ward, w.fine > 2 EUR, w.fine < 2.01 EUR;
pub derive between(w) :- w: Ward, w.due > #2031-01-01#, w.due < #2031-01-02#;
pub derive unlike(w) :- w: Ward, w.state != State::Open;
pub derive staffed(w) :- w: Ward, Serves(n, w), not away(n);
pub derive away(n) :- n: Nurse;
`}, nil)
	for _, c := range []struct {
		fact     string
		found    bool
		complete bool
	}{
		{"late(south)", true, true}, {"soon(south)", true, true}, {"long(south)", true, true}, {"owes(south)", true, true},
		{"more(south, north)", false, false}, {"large(south)", true, false}, {"named(south)", true, true},
		{"warm(south)", true, true}, {"cheap(south)", false, false}, {"between(south)", false, true}, {"unlike(south)", true, true}, {"staffed(south)", false, true},
	} {
		most := 1
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Repairs: &most})
		if err != nil || res.WhyNot == nil {
			t.Fatalf("%+v %v", res, err)
		}
		found := len(res.WhyNot.Repairs) > 0
		for _, r := range res.WhyNot.Repairs {
			if !r.Verified {
				t.Errorf("%s: %v does not do", c.fact, r.Facts)
			}
		}
		if found != c.found || res.WhyNot.Searched.Complete != c.complete {
			t.Errorf("%s: found %v, complete %v, want %v, %v", c.fact, found, res.WhyNot.Searched.Complete, c.found, c.complete)
		}
	}
}

// Nobody refutes anything of Banned, so that no relation holds what is refuted.
func TestASearchIsNotCompleteWhereNothingIsRefutedYet(t *testing.T) {
	source := `pub type Member;
#[world(open)]
pub type Banned <: Member;
pub fact Member(ann);
pub fact Member(bob);
pub derive may_borrow(m) :- Member(m), not Banned(m);
pub derive banned(m) :- Banned(m);
`
	for _, c := range []struct{ more, fact, want string }{
		{"", "may_borrow(ann)", "[] false"},
		{"pub not_fact Banned(bob);\n", "may_borrow(ann)", "[not Banned(ann)] true"},
		{"", "banned(ann)", "[Banned(ann)] true"},
	} {
		p := open(t, map[string]string{"ox.toml": "[package]\nname = \"lend\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": source + c.more}, nil)
		most := 1
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Repairs: &most})
		if err != nil || res.WhyNot == nil {
			t.Fatalf("%+v %v", res, err)
		}
		facts := []string{}
		for _, r := range res.WhyNot.Repairs {
			facts = append(facts, r.Facts...)
		}
		same(t, c.fact+" "+c.more, fmt.Sprint(facts, res.WhyNot.Searched.Complete), c.want)
	}
}

// A search that rests on a relation without an end is ended by its fuel, and not
// by the rounds or the time that the call has: the same on every machine.
func TestASearchForRepairsWithoutAnEndIsEndedByItsFuel(t *testing.T) {
	if testing.Short() {
		t.Skip("five thousand million units of fuel take a while")
	}
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"stairs\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Stair {};
pub fact Stair(first);
pub fact Stair(other);
pub rel Steps(s: Stair, k: Int);
pub fact Steps(first, 0);
pub derive up(s, k) :- Steps(s, k);
pub derive up(s, n) :- up(s, k), n = k + 1;
`}, map[string]string{"limits.rounds": "100000000", "limits.deadline": "5m"})
	most := 1
	res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: "up(other, 3)", Repairs: &most})
	if err != nil || res.WhyNot == nil || res.WhyNot.Searched == nil {
		t.Fatalf("%+v %v", res, err)
	}
	same(t, "stopped", res.WhyNot.Searched.Stopped, "it took the 5000000000 units of fuel that a search may take")
	same(t, "complete", res.WhyNot.Searched.Complete, false)
}
