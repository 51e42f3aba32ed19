package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const towSource = `use std::core::{type, rel, Diagnostic, Severity};
pub type Ship { mut load: Int = 1 }
pub rel Tows(a: Ship, b: Ship);
pub fact Ship(eva);
pub fact Ship(tim) at #2031-06-01#;
pub fact Tows(eva, tim) at #2031-06-20#..#2031-07-02#;
pub check turned(a: Ship, b: Ship) :- Tows(a, b), diamond_minus[1, 10](Tows(b, a))
    => Diagnostic { severity: Severity::Error, code: "TURNED", message: "{a} was towed by {b}" };
pub check long(a: Ship, b: Ship) :- box_minus[0, 5](Tows(a, b)), a.load > 0
    => Diagnostic { severity: Severity::Error, code: "LONG", message: "{a} has {a.load}" };
pub fn steady(a: Ship) -> Bool = exists { box_minus[0, 5](Ship(a)) };
pub fn towed(a: Ship) -> Int = count { diamond_minus[0, 99](Tows(a, b)) };
pub query old() -> [Ship] { select a from a: Ship where steady(a) }
pub mutate tow(a: Ship, b: Ship, d: Date) { insert Tows(a, b) at d; }
pub mutate load(a: Ship, n: Int) { update a set { load = n } }
pub mutate enter(a: Ship) { require !exists { diamond_minus[0, 9](Ship(a)) }; insert iof(a, Ship); }
test "steps" {
    assert steady(eva) && towed(eva) == 1;
    assert rejects (TURNED) { tow(tim, eva, #2031-07-04#); };
    tow(eva, eva, #2031-07-04#);
    assert towed(eva) == 2;
    assert rejects (LONG) { tow(eva, tim, #2031-06-01#); };
    assert towed(eva) == 2;
}
`

func tows(t *testing.T) *port {
	t.Helper()
	return open(t, map[string]string{"ox.toml": "[package]\nname = \"tows\"\nversion = \"0.1.0\"\n", "root.ar": towSource}, nil)
}

func day(a, b, d string) runtime.Args { return args("a", a, "b", b, "d", d) }

func TestAWriteIsJudgedByTheDaysAfterIt(t *testing.T) {
	p := tows(t)
	res := p.mutate("tow", day("tim", "eva", "2031-07-04"))
	same(t, "what was before", res.Message, "tim was towed by eva")
	same(t, "what the write says of the days before it", p.mutate("tow", day("eva", "tim", "2031-06-01")).Message, "eva has 1")
	p.accepted("tow", day("eva", "tim", "2031-07-04"))
	same(t, "what it says of a day to come", p.mutate("tow", day("tim", "eva", "2031-07-20")).Message, "tim was towed by eva (from 2031-07-20T00:00:00Z on)")
	same(t, "what is written already counts", p.mutate("tow", day("tim", "eva", "2031-07-03")).Code, runtime.CodeCheckViolation)
}

func TestAViolationOverTimeThatIsThereDoesNotBlock(t *testing.T) {
	p := tows(t)
	p.advance(8 * 24 * 3_600_000_000_000) // the 12th
	p.accepted("tow", day("eva", "tim", "2031-07-10"))
	p.advance(8 * 24 * 3_600_000_000_000)
	there, err := p.Checks(t.Context(), runtime.ChecksRequest{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "it is there", there.Total, 1)
	p.accepted("load", args("a", "eva", "n", 7))
	p.accepted("tow", day("tim", "tim", "2031-07-20"))
	same(t, "a new one does", p.mutate("tow", day("tim", "tim", "2031-07-02")).Message, "tim was towed by tim (and 1 more)")
}

func TestFunctionsAndMutationsReadOverTime(t *testing.T) {
	p := tows(t)
	same(t, "a query", p.rows("old", nil), "[(eva) (tim)]")
	same(t, "earlier", p.rows("old", &runtime.AsOf{VT: "2031-06-03"}), "[(eva)]")
	same(t, "a mutation", p.mutate("enter", args("a", "tim")).Code, runtime.CodeWriteRefused)
	p.accepted("enter", args("a", "new"))
	res, err := p.Test(t.Context(), runtime.TestRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range res.Tests {
		if one.Failure != nil {
			t.Error(one.Failure.Message)
		}
	}
	same(t, "tests", res.Summary.Passed, 1)
}

func TestAnAdHocBodyReadsOverTimeWhatThePackageDoes(t *testing.T) {
	p := tows(t)
	ask := func(body string) string {
		res, err := p.Query(t.Context(), runtime.QueryRequest{Body: body})
		if err != nil {
			return err.Error()
		}
		if res.Refused() {
			return res.Message
		}
		return strings.Join(texts(res), " ")
	}
	same(t, "a relation", ask("diamond_minus[0, 20](Tows(a, b))"), "(eva,tim)")
	same(t, "a negation", ask("select a from a: Ship where not box_minus[0, 9](Tows(a, _))"), "(eva) (tim)")
	if text := ask("box_minus[0, 9](a: Ship, v = a.load)"); !strings.Contains(text, "which no rule of the package looks at over time") {
		t.Error(text)
	}
}
