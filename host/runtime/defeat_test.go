package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const defeatSource = `pub type Craft;
pub rel Rescue(c: Craft);
pub rel Dumper(c: Craft);
pub fact Craft(ada);
pub fact Craft(bea);
pub fact Craft(cid);
pub fact Rescue(bea);
pub fact Rescue(cid);
pub fact Dumper(cid);

#[default]
#[label(harbour)]
pub derive owes(c) :- c: Craft;
pub derive owes(c) :- Dumper(c);
#[defeats(owes.harbour(c))]
pub derive spared(c) :- Rescue(c);
#[default]
pub derive fee(c, n) :- owes(c), n = 10;
#[defeats(fee(_, 10))]
pub derive free_day() :- count { Dumper(c) } > 1;
#[default]
pub derive toll(c) :- c: Craft;
#[defeats(toll(_))]
pub derive holiday() :- count { Dumper(c) } == 1;
pub derive billed(c) :- owes(c);
pub derive far(c) :- Dumper(c);
pub derive ring(a) :- billed(a);
pub derive ring(a) :- ring(a), far(a);
`

func defeatPort(t *testing.T) *port {
	t.Helper()
	return open(t, map[string]string{"ox.toml": "[package]\nname = \"craft\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": defeatSource}, nil)
}

func TestAProofSaysThatNothingDefeatsADefaultClause(t *testing.T) {
	p := defeatPort(t)
	for _, c := range []struct{ fact, want, not string }{
		{"owes(ada)", "not defeated owes.harbour(ada)   ‹nothing defeats it›", ""},
		{"fee(ada, 10)", "not defeated fee(_, 10)   ‹nothing defeats it›", ""},
		{"owes(bea)", "nearest: defeated owes.harbour(bea), by spared at root.ar:15", ""},
		{"toll(ada)", "nearest: defeated toll(_), by holiday at root.ar:23", ""},
		{"owes(cid)", "Dumper(cid)", "defeated"},
	} {
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: c.fact, Format: "text"})
		if err != nil {
			t.Fatal(c.fact, err)
		}
		if !strings.Contains(res.Rendered, c.want) || c.not != "" && strings.Contains(res.Rendered, c.not) {
			t.Errorf("%s:\n%s", c.fact, res.Rendered)
		}
	}
}

// A strict rule is definite only where no default clause lies below it.
func TestTheTagsOfProofsTellDefiniteFromDefeasible(t *testing.T) {
	p := defeatPort(t)
	for name, want := range map[string]string{
		"owes": "(ada) +∂ root::owes.harbour, (cid) +Δ root::owes", "billed": "(ada) +∂ root::billed, (cid) +∂ root::billed",
		"far": "(cid) +Δ root::far", "spared": "(bea) +Δ root::spared, (cid) +Δ root::spared", "ring": "(ada) +∂ root::ring, (cid) +∂ root::ring",
		"Craft": "(ada) +Δ root::Craft, (bea) +Δ root::Craft, (cid) +Δ root::Craft",
	} {
		res, err := p.Derive(t.Context(), runtime.DeriveRequest{Name: name, Explain: true})
		if err != nil || res.Refused() {
			t.Fatal(name, err, res)
		}
		var got []string
		for i, row := range texts(res) {
			tag, _, _ := strings.Cut(res.Rows[i].Proof, " at round ")
			got = append(got, row+" "+tag)
		}
		same(t, name, strings.Join(got, ", "), want)
	}
	for fact, want := range map[string]string{
		"owes(ada)": "+∂", "spared(bea)": "+Δ", "owes(bea)": "-∂", "far(ada)": "-Δ", "Rescue(ada)": "", "Craft(ada)": "",
	} {
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: fact, Format: "text"})
		if err != nil {
			t.Fatal(fact, err)
		}
		got := ""
		if res.Root != nil {
			got = res.Root.Tag
		} else if res.WhyNot != nil {
			got = res.WhyNot.Tag
		}
		if got != want || strings.Contains(want, "∂") != strings.Contains(res.Rendered, "∂") {
			t.Errorf("%s is tagged %q, want %q:\n%s", fact, got, want, res.Rendered)
		}
	}
	plain := open(t, portFiles(), nil)
	res, err := plain.Derive(t.Context(), runtime.DeriveRequest{Name: "Ship", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Rows) != 1 || !strings.HasPrefix(res.Rows[0].Proof, "root::Ship at") {
		t.Errorf("a package without defaults: %+v", res.Rows)
	}
}
