package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A state that writes were made in is what the log makes of a new one, whatever
// was evaluated in it before, and whether the writes were declared or came as a
// body.
const canalSource = `use std::core::{type, rel, Diagnostic, Severity};
pub type Lock { mut depth: Int = 3, mut keeper: String? }
#[world(open)]
pub type Shut;
pub rel Leads(a: Lock, b: Lock);
pub rel Passed(a: Lock, n: Int);
pub fact Lock(l1);
pub fact Lock(l2);
pub fact Lock(l3) { depth: 5 };
pub fact Lock(l4) at #2031-07-01#;
pub fact Leads(l1, l2);
pub fact Leads(l2, l3) at #2031-06-01#..#2031-09-01#;
pub not_fact Shut(l3);

pub derive path(a: Lock, b: Lock) :- Leads(a, b);
pub derive path(a: Lock, b: Lock) :- path(a, m), Leads(m, b);
pub derive apart(a: Lock, b: Lock) :- a: Lock, b: Lock, not path(a, b);
pub derive onward(a: Lock, n: Int) :- a: Lock, n = count { path(a, _) };
pub derive deepest(n: Int) :- n = max(a.depth for a in Lock);
pub derive sum(n: Int) :- n = sum(a.depth for a in Lock);
pub derive usable(a: Lock) :- a: Lock, not Shut(a);
pub derive way(a: Lock, b: Lock) :- usable(a), Leads(a, b), usable(b);
pub derive wins(a: Lock) :- Leads(a, b), not wins(b);
pub derive known(a: Lock, k: String) :- a: Lock, k = a.keeper;
pub derive best(a: Lock, b: Lock, n: Int) :- Leads(a, b), n = b.depth;
pub derive best(a: Lock, c: Lock, n: Int) :- near(a, b, m), Leads(b, c), n = m + c.depth, n < 40;
pub derive near(a: Lock, b: Lock, n: Int) :- best(a, b, _), n = min(m for m in best(a, b));
%s
pub check Loop(a: Lock) :- path(a, a), a.depth > 7 => Diagnostic { severity: Severity::Error, code: "LOOP", message: "{a} leads to itself" };
pub check Far(a: Lock) :- onward(a, n), n > 2 => Diagnostic { severity: Severity::Warning, code: "FAR", message: "{a} leads far" };

pub mutate link(a: Lock, b: Lock) { insert Leads(a, b); }
pub mutate cut(a: Lock, b: Lock) { delete Leads(a, b); }
pub mutate deepen(a: Lock, n: Int) { update a set { depth = n } }
pub mutate shut(a: Lock) { insert iof(a, Shut); }
pub mutate dig(n: Int) -> Lock { let a = insert Lock { depth: n }; return a; }
pub mutate later(a: Lock, b: Lock, d: Date) { insert Leads(a, b) at d; }
`

// canalOverTime is what the same package says of the days of facts.
const canalOverTime = `
pub derive lately(a: Lock, b: Lock) :- diamond_minus[0, 40](Leads(a, b));
pub derive planned(a: Lock, b: Lock) :- diamond_plus[0, 60](Leads(a, b));
pub derive settled(a: Lock) :- box_minus[1, 3](Lock(a)), box_plus[0, 5](a: Lock, a.depth > 2);
`

// canalJudged has a check that goes by them, so that each write is judged by the
// days after it.
const canalJudged = canalOverTime + `pub check Steady(a: Lock, b: Lock) :- box_minus[2, 60](Leads(a, b)), b.depth > 8 => Diagnostic { severity: Severity::Error, code: "STEADY", message: "{a} to {b}" };
`

var canalHeads = []string{"path", "apart", "onward", "deepest", "sum", "usable", "way", "wins", "known", "near", "Loop", "Far", "Lock", "Leads", "Shut"}

func canal(t *testing.T, more string) (p *port, heads []string) {
	heads = canalHeads
	if more != "" {
		heads = append(slices.Clone(heads), "lately", "planned", "settled")
	}
	return open(t, map[string]string{"ox.toml": "[package]\nname = \"canal\"\nversion = \"0.1.0\"\n", "root.ar": fmt.Sprintf(canalSource, more)}, nil), heads
}

// canalWrite is a random write: a declared one, or a body that may be about the
// same, with nested bodies, rules of its own, and days.
func canalWrite(r *rand.Rand, now time.Time, locks []string) runtime.MutateRequest {
	lock := func() string { return locks[r.IntN(len(locks))] }
	a, b, n := lock(), lock(), 1+r.IntN(9)
	date := now.AddDate(0, 0, r.IntN(30)-15).Format(time.DateOnly)
	switch r.IntN(14) {
	case 0:
		return runtime.MutateRequest{Name: "link", Args: args("a", a, "b", b)}
	case 1:
		return runtime.MutateRequest{Name: "cut", Args: args("a", a, "b", b)}
	case 2:
		return runtime.MutateRequest{Name: "deepen", Args: args("a", a, "n", n)}
	case 3:
		return runtime.MutateRequest{Name: "shut", Args: args("a", a)}
	case 4:
		return runtime.MutateRequest{Name: "dig", Args: args("n", n)}
	case 5:
		return runtime.MutateRequest{Name: "later", Args: args("a", a, "b", b, "d", date)}
	case 6:
		return runtime.MutateRequest{Body: "insert Leads(x, y);", Args: args("x", a, "y", b)}
	case 7:
		return runtime.MutateRequest{Body: "delete Leads(x, _);", Args: args("x", a)}
	case 8:
		return runtime.MutateRequest{Body: `let s = insert Lock { depth: n, keeper: "Bo" }; insert Leads(x, s); insert Leads(s, y);`, Args: args("x", a, "y", b, "n", n)}
	case 9:
		return runtime.MutateRequest{Body: "for y in [y for y in Lock where exists { path(x, y), not Leads(y, x) }] { insert Leads(y, x); }", Args: args("x", a)}
	case 10:
		return runtime.MutateRequest{Body: "insert Passed(x, count { path(x, y), not path(y, x) }); update x set { depth = count { path(x, _) } + 1 };", Args: args("x", a)}
	case 11:
		return runtime.MutateRequest{Body: "insert Leads(x, y) at d; update x set { depth = n };", Args: args("x", a, "y", b, "d", date, "n", n)}
	case 12:
		return runtime.MutateRequest{Body: "delete Leads(x, y) at d; insert iof(y, Shut);", Args: args("x", a, "y", b, "d", date)}
	}
	return runtime.MutateRequest{Body: "insert Passed(x, count { Leads(x, y), usable(y) });", Args: args("x", a)}
}

func TestAStateAfterWritesIsThatOfTheLog(t *testing.T) {
	for name, more := range map[string]string{"plain": "", "over time": canalOverTime, "judged over time": canalJudged} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) { editCanal(t, more, seed) })
		}
	}
}

func editCanal(t *testing.T, more string, seed uint64) {
	p, heads := canal(t, more)
	r := rand.New(rand.NewPCG(seed, 7))
	locks := []string{"l1", "l2", "l3", "l4"}
	accepted, bodies := 0, 0
	for step := range 20 {
		req := canalWrite(r, p.clock(), locks)
		req.IncludeDerivedDelta = r.IntN(2) == 0
		// What the same write does to a state that is made for it.
		rehearsal := req
		rehearsal.DryRun = true
		want, err := p.Mutate(runtime.WithRecorder(t.Context(), &runtime.Recorder{}), rehearsal)
		if err != nil {
			t.Fatal(step, req, err)
		}
		got, err := p.Mutate(t.Context(), req)
		if err != nil {
			t.Fatal(step, req, err)
		}
		if got.Code == "ILL_TYPED" {
			t.Fatal(req.Body, got.Message)
		}
		if g, w := deltaText(got), deltaText(want); g != w {
			t.Fatalf("step %d, %s%s %s: the delta is\n%s\nwant\n%s", step, req.Name, req.Body, req.Args, g, w)
		}
		if got.Receipt != nil {
			accepted++
			if req.Body != "" {
				bodies++
			}
			for _, m := range got.Minted {
				locks = append(locks, m.ID)
			}
		}
		if r.IntN(5) == 0 {
			p.advance(time.Duration(r.IntN(12)) * 8 * time.Hour)
		}
		names := slices.Clone(heads)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		if r.IntN(3) == 0 {
			names = names[:r.IntN(len(names))] // the others have more to catch up with later
		}
		now := &runtime.AsOf{VT: p.clock().Format(time.RFC3339Nano)} // a state of its own, made from the log
		for _, name := range names {
			if live, fresh := headText(t, p, nil, name), headText(t, p, now, name); live != fresh {
				t.Fatalf("step %d, after %s%s %s: %s is\n%s\nwant\n%s", step, req.Name, req.Body, req.Args, name, live, fresh)
			}
		}
	}
	if accepted < 9 || bodies < 3 {
		t.Errorf("%d writes were accepted, %d of them bodies: too few to tell anything", accepted, bodies)
	}
}

func headText(t *testing.T, p *port, at *runtime.AsOf, name string) string {
	t.Helper()
	res, err := p.Derive(t.Context(), runtime.DeriveRequest{Name: name, Common: runtime.Common{AsOf: at}})
	if err != nil {
		t.Fatal(name, err)
	}
	if res.Refused() {
		t.Fatal(name, res.Message)
	}
	out := texts(res)
	for i := range out {
		out[i] += " " + res.Rows[i].Truth4
		if w := res.Rows[i].Within; w != nil {
			out[i] += fmt.Sprintf(" %+v", *w)
		}
	}
	return strings.Join(out, "\n")
}

// deltaText is what a write says, but for the ids of new individuals.
func deltaText(res *runtime.MutateResult) string {
	var b strings.Builder
	fmt.Fprintln(&b, res.Code, len(res.Observed), len(res.Minted))
	for _, d := range res.DerivedDelta {
		fmt.Fprintln(&b, d.Head, d.AddedCount, d.RemovedCount)
		if len(res.Minted) == 0 {
			fmt.Fprintln(&b, d.Added, d.Removed)
		}
	}
	return b.String()
}
