package runtime_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const contestedSource = `pub type Ship { mut tons: Int = 100, flag: String? }
pub type Big <: Ship iff { self.tons > 400 };
pub rel Calls(s: Ship, at: String);
#[world(open)]
pub type Seized;
pub fact Ship(aurora);
pub fact Ship(hydra);
pub standpoint registry {
    pub fact Ship(borealis) { tons: 500, flag: "NL" };
    pub fact Ship(cygnus) { tons: 800 };
    pub fact Ship(fornax) { flag: "DE" };
    pub fact Calls(aurora, "hull");
}
pub standpoint coastguard {
    pub fact Ship(cygnus) { tons: 90 };
    pub not_fact Ship(draco);
    pub not_fact Ship(borealis);
    pub fact Ship(eridanus);
    pub fact Calls(hydra, "goole");
    pub not_fact Calls(aurora, "hull");
    pub not_fact Seized(aurora);
}
pub standpoint press { pub not_fact Ship(aurora); }
pub derive calling(s, p) :- s: Ship, Calls(s, p);
pub derive busy(s) :- calling(s, _);
pub derive idle(s) :- s: Ship, not busy(s);
pub derive free(s) :- s: Ship, not Seized(s);
pub derive reach(s) :- busy(s), s.tons > 0;
pub derive reach(s) :- reach(t), s: Ship, s.tons == t.tons;
pub derive many(n) :- n = count { Ship(_) };
pub derive marked(s) :- s: Ship, s.tons > 400 || s.flag == "DE";
pub derive weighs(s, n) :- s: Ship, n = s.tons;
pub query ships(flag: String?) -> [Ship] across [registry, coastguard] { select s from s: Ship where s.flag == flag }
pub query listed() -> [Ship] across [registry, coastguard] { select s from s: Ship }
pub query alone() -> [Ship] across [press] { select s from s: Ship }
pub query q_calling() -> calling across [registry, coastguard];
pub query q_idle() -> idle across [registry, coastguard];
pub query q_free() -> free across [registry, coastguard];
pub query q_reach() -> reach across [registry, coastguard];
pub query q_many() -> many across [registry, coastguard];
pub query q_marked() -> marked across [registry, coastguard];
pub query q_big() -> Big across [registry, coastguard];
pub query q_weighs() -> weighs across [registry, coastguard];
pub query q_three() -> busy across [registry, coastguard, press];
pub mutate enter(s: Ship, at: String) { insert Calls(s, at); }
pub mutate weigh(s: Ship, n: Int) { update s set { tons = n }; }
`

func contested(t *testing.T) *port {
	return open(t, map[string]string{"ox.toml": "[package]\nname = \"contested\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": contestedSource}, nil)
}

// What rules define is refuted in a view that speaks against each way to it, by
// a refuted premise, another value of a field, or what a negation excludes.
// Silence speaks against nothing.
func TestAViewRefutesWhatItSpeaksAgainstThePremisesOf(t *testing.T) {
	p := contested(t)
	for _, c := range []struct{ query, want string }{
		{"listed", "[(aurora) Is (borealis) Both (cygnus) Is (draco) Not (eridanus) Is (fornax) Is (hydra) Is]"},
		{"alone", "[(aurora) Both (hydra) Is]"},
		{"q_calling", "[(aurora,hull) Both (hydra,goole) Is]"},
		{"q_three", "[(aurora) Both (hydra) Is]"},
		{"q_idle", "[(aurora) Both (borealis) Both (cygnus) Is (draco) Not (eridanus) Is (fornax) Is (hydra) Both]"},
		{"q_free", "[(aurora) Is (borealis) Not (cygnus) Can (draco) Not (eridanus) Can (fornax) Can (hydra) Can]"},
		// What hydra reaches by its weight the coastguard holds, whatever it
		// refutes of aurora's call.
		{"q_reach", "[(aurora) Is (eridanus) Is (fornax) Is (hydra) Is]"},
		{"q_many", "[(4) Is (5) Is]"},
		{"q_marked", "[(borealis) Both (cygnus) Both (fornax) Is]"},
		{"q_big", "[(borealis) Both (cygnus) Both]"},
		{"q_weighs", "[(aurora,100) Is (borealis,500) Both (cygnus,800) Both (cygnus,90) Both (eridanus,100) Is (fornax,100) Is (hydra,100) Is]"},
	} {
		same(t, c.query, truths(p.query(c.query, runtime.Common{})), c.want)
	}
	res, err := p.Query(t.Context(), runtime.QueryRequest{Name: "ships", Args: args("flag", "NL")})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "with an argument", truths(res), "[(borealis) Both]")
}

func TestARefutationIsOfWhatIsAskedAndOfWhatWasWritten(t *testing.T) {
	p := contested(t)
	common := runtime.Common{Standpoints: []string{"registry", "coastguard"}}
	ask := func(name, body string) string {
		res, err := p.Query(t.Context(), runtime.QueryRequest{Body: body, Common: common})
		if err != nil || res.Refused() {
			t.Fatalf("%s: %+v %v", name, res, err)
		}
		same(t, name+" total", res.Total, len(res.Rows))
		return fmt.Sprint(truths(res))
	}
	same(t, "a body", ask("a body", `s: Ship, s.tons > 400`), "[(borealis) Both (cygnus) Both]")
	same(t, "negation", ask("negation", `select s from s: Ship where not exists { calling(s, "hull") }`), "[(aurora) Both (borealis) Both (cygnus) Is (draco) Not (eridanus) Is (fornax) Is (hydra) Is]")
	same(t, "a fold", ask("a fold", `n = count { busy(_) }`), "[(1) Is]")
	derive := func(name string) *runtime.RowsResult {
		res, err := p.Derive(t.Context(), runtime.DeriveRequest{Name: name, Common: common})
		if err != nil || res.Refused() {
			t.Fatalf("%s: %+v %v", name, res, err)
		}
		return res
	}
	same(t, "a head", truths(derive("busy")), "[(aurora) Both (hydra) Is]")
	same(t, "hidden", derive("busy").Hidden, "{0 1 0}")
	same(t, "a concept", truths(derive("Ship")), "[(aurora) Is (borealis) Both (cygnus) Is (draco) Not (eridanus) Is (fornax) Is (hydra) Is]")
	p.from("registry", "enter", args("s", "cygnus", "at", "leith"))
	p.from("coastguard", "weigh", args("s", "hydra", "n", 7))
	same(t, "written", ask("written", `s: Ship, s.tons == 100`), "[(aurora) Is (eridanus) Is (fornax) Is (hydra) Both]")
	same(t, "a call", truths(derive("busy")), "[(aurora) Both (cygnus) Is (hydra) Is]")
	before := int64(0)
	common.AsOf = &runtime.AsOf{TT: &before}
	same(t, "before", truths(derive("busy")), "[(aurora) Both (hydra) Is]")
}

// A question that binds something has the rows that the whole has of it: what
// is fetched of the views for it is less, and enough.
func TestARefutationOfWhatIsBoundIsThatOfTheWhole(t *testing.T) {
	p := contested(t)
	common := runtime.Common{Standpoints: []string{"registry", "coastguard", "press"}}
	for _, head := range []string{"Ship", "idle", "reach", "marked", "calling", "weighs"} {
		whole, err := p.Derive(t.Context(), runtime.DeriveRequest{Name: head, Common: common})
		if err != nil || whole.Refused() {
			t.Fatalf("%s: %+v %v", head, whole, err)
		}
		for _, ship := range []string{"aurora", "hydra", "borealis", "cygnus", "draco"} {
			want := []string{}
			for i := range whole.Rows {
				r := &whole.Rows[i]
				if text := r.Text(); strings.HasPrefix(text, "("+ship+")") || strings.HasPrefix(text, "("+ship+",") {
					value := "1"
					if len(r.Values) > 1 {
						value = r.Values[1].Text
					}
					want = append(want, fmt.Sprintf("(%s) %s", value, r.Truth4))
				}
			}
			slices.Sort(want)
			body := fmt.Sprintf("n = 1, %s(%s)", head, ship)
			if len(whole.Columns) > 1 {
				body = fmt.Sprintf("%s(%s, n)", head, ship)
			}
			res, err := p.Query(t.Context(), runtime.QueryRequest{Body: body, Common: common})
			if err != nil || res.Refused() {
				t.Fatalf("%s: %+v %v", body, res, err)
			}
			same(t, body, truths(res), want)
		}
	}
}

// What the views refute is looked for within the limits of one call, however
// many they are.
func TestRefutationsAreFoundWithinTheLimits(t *testing.T) {
	source := contestedSource + "pub query wide() -> [Ship] across [registry, coastguard, press, crews, banks, docks] { select s from s: Ship }\npub standpoint crews { }\npub standpoint banks { }\npub standpoint docks { }\n"
	for i := range 300 {
		source += fmt.Sprintf("pub fact Ship(ship%d);\n", i)
	}
	for _, c := range []struct{ setting, value, limit string }{
		{"limits.derived", "1400", "derived"},
		{"limits.fuel", "8000000", "fuel"},
	} {
		p := open(t, map[string]string{"ox.toml": "[package]\nname = \"contested\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": source}, map[string]string{c.setting: c.value, "limits.unpagedChars": "1000000"})
		res := p.query("wide", runtime.Common{})
		if same(t, c.setting, res.Code, "LIMIT_EXCEEDED"); res.LimitExceeded == nil {
			t.Fatal(res.Usage)
		}
		same(t, "the limit", res.LimitExceeded.Limit, c.limit)
		if !strings.Contains(res.Message, "standpoints") || !strings.Contains(res.LimitExceeded.Remedy, c.setting) {
			t.Errorf("it does not say what cost so much: %s", res.Message)
		}
		same(t, "a query in which nothing is refuted", p.query("q_many", runtime.Common{}).Code, "")
	}
}
