package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const fleetSource = `pub type Ship { mut tons: Int = 100 }
pub fact Ship(aurora);
pub standpoint registry { pub fact Ship(borealis) { tons: 500 }; }
pub standpoint coastguard <: registry { pub not_fact Ship(draco); }
pub standpoint press;
pub query ships() -> Ship;
pub query everywhere() -> Ship across [coastguard, press];
pub derive tonnage(s, n) :- s: Ship, n = s.tons;
pub query weights() -> tonnage;
pub fn known() -> Int = count { s: Ship };
pub mutate enter(s: Ship) { insert iof(s, Ship); }
pub mutate leave(s: Ship) { delete iof(s, Ship); }
pub mutate weigh(s: Ship, n: Int) { update s set { tons = n }; }
pub check Heavy(s: Ship) :- s: Ship, s.tons > 1000
    => Diagnostic { severity: Severity::Error, code: "Fleet::E001", message: "too heavy" };
`

func fleetPort(t *testing.T, values map[string]string) *port {
	t.Helper()
	return open(t, map[string]string{"ox.toml": "[package]\nname = \"fleet\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": fleetSource}, values)
}

// from runs a mutation from a standpoint.
func (p *port) from(standpoint, name string, a runtime.Args) *runtime.MutateResult {
	p.t.Helper()
	req := runtime.MutateRequest{Name: name, Args: a}
	if standpoint != "" {
		req.Standpoints = []string{standpoint}
	}
	res, err := p.Mutate(p.t.Context(), req)
	if err != nil {
		p.t.Fatalf("mutate %s from %s: %v", name, standpoint, err)
	}
	return res
}

// truths are the rows of a query with their truth, sorted as they print.
func truths(res *runtime.RowsResult) []string {
	out := []string{}
	for i := range res.Rows {
		out = append(out, res.Rows[i].Text()+" "+res.Rows[i].Truth4)
	}
	slices.Sort(out)
	return out
}

func view(names ...string) runtime.Common { return runtime.Common{Standpoints: names} }

func TestAWriteBelongsToTheStandpointThatItIsMadeFrom(t *testing.T) {
	p := fleetPort(t, nil)
	same(t, "registry first", truths(p.query("ships", view("registry"))), "[(aurora) Is (borealis) Is]")
	for _, w := range []struct{ from, name, ship string }{
		{"press", "enter", "eridanus"}, {"", "enter", "draco"}, {"registry", "enter", "fornax"}, {"coastguard", "leave", "borealis"},
	} {
		if res := p.from(w.from, w.name, args("s", w.ship)); res.Refused() {
			t.Fatalf("%+v: %s %s", w, res.Code, res.Message)
		}
	}
	for _, c := range []struct {
		in   runtime.Common
		want string
	}{
		{runtime.Common{}, "[(aurora) Is (draco) Is]"},
		{view("press"), "[(aurora) Is (draco) Is (eridanus) Is]"},
		{view("registry"), "[(aurora) Is (borealis) Is (draco) Is (fornax) Is]"},
		{view("coastguard"), "[(aurora) Is (draco) Both (fornax) Is]"},
		{view("coastguard", "press"), "[(aurora) Is (draco) Both (eridanus) Is (fornax) Is]"},
	} {
		same(t, fmt.Sprint(c.in.Standpoints), truths(p.query("ships", c.in)), c.want)
	}
	same(t, "across", truths(p.query("everywhere", runtime.Common{})), "[(aurora) Is (draco) Both (eridanus) Is (fornax) Is]")
	zero := int64(2)
	same(t, "as of 2", truths(p.query("ships", runtime.Common{AsOf: &runtime.AsOf{TT: &zero}, Standpoints: []string{"press"}})), "[(aurora) Is (eridanus) Is]")
}

func TestAFieldHasTheValueOfTheNearestStandpoint(t *testing.T) {
	p := fleetPort(t, nil)
	p.from("coastguard", "weigh", args("s", "borealis", "n", 700))
	p.from("registry", "weigh", args("s", "borealis", "n", 600))
	same(t, "registry", truths(p.query("weights", view("registry"))), "[(aurora,100) Is (borealis,600) Is]")
	same(t, "coastguard", truths(p.query("weights", view("coastguard"))), "[(aurora,100) Is (borealis,700) Is]")
	if res := p.from("registry", "weigh", args("s", "borealis", "n", 2000)); res.Code != runtime.CodeCheckViolation {
		t.Errorf("a write is judged in the view that it is made from: %s %s", res.Code, res.Message)
	}
	if _, err := p.Mutate(context.Background(), runtime.MutateRequest{Name: "weigh", Args: args("s", "aurora", "n", 1), Standpoints: []string{"press", "registry"}}); err == nil {
		t.Error("a write belongs to one standpoint")
	}
}

func TestAnIdempotencyKeyIsOfOneStandpoint(t *testing.T) {
	p := fleetPort(t, nil)
	req := runtime.MutateRequest{Name: "enter", Args: args("s", "fornax"), IdempotencyKey: "k", Standpoints: []string{"press"}}
	first, err := p.Mutate(t.Context(), req)
	if err != nil || first.Receipt == nil {
		t.Fatalf("%+v %v", first, err)
	}
	again, err := p.Mutate(t.Context(), req)
	if err != nil || again.Receipt == nil || again.Receipt.TT != first.Receipt.TT {
		t.Errorf("the same call: %+v %v", again, err)
	}
	req.Standpoints = []string{"registry"}
	if _, err := p.Mutate(t.Context(), req); err == nil {
		t.Error("the key was used for a write from another standpoint")
	}
}

func TestAFederationIsPagedInTheOrderOfItsRows(t *testing.T) {
	p := fleetPort(t, nil)
	p.from("press", "enter", args("s", "eridanus"))
	var got []string
	in := runtime.Common{Page: &runtime.Page{Limit: 1}}
	for range 10 {
		res := p.query("everywhere", in)
		if res.Refused() || len(res.Rows) > 1 {
			t.Fatal(res.Code, res.Message, len(res.Rows))
		}
		same(t, "total", res.Total, 4)
		got = append(got, truths(res)...)
		if res.NextCursor == "" {
			break
		}
		in.Page = &runtime.Page{Limit: 1, Cursor: res.NextCursor}
		p.from("press", "enter", args("s", fmt.Sprintf("late%d", len(got))))
	}
	same(t, "pages", got, "[(eridanus) Is (aurora) Is (borealis) Is (draco) Not]")
	k3 := p.query("everywhere", runtime.Common{ProjectK3: true})
	same(t, "projected", len(k3.Rows), k3.Total-k3.Hidden.Not)
}

func TestTheSettingIsTheStandpointOfCallsThatNameNone(t *testing.T) {
	p := fleetPort(t, map[string]string{"scope.standpoint": "registry"})
	same(t, "registry", truths(p.query("ships", runtime.Common{})), "[(aurora) Is (borealis) Is]")
	same(t, "the call's own", truths(p.query("ships", view("press"))), "[(aurora) Is]")
	p.accepted("enter", args("s", "fornax"))
	same(t, "written to", truths(p.query("ships", runtime.Common{})), "[(aurora) Is (borealis) Is (fornax) Is]")
	same(t, "not to", truths(p.query("ships", view("press"))), "[(aurora) Is]")
	res, err := p.Compute(t.Context(), runtime.ComputeRequest{Name: "known"})
	if err != nil || res.Value == nil || res.Value.Text != "3" {
		t.Errorf("computed in the view: %+v %v", res, err)
	}
	same(t, "the federation that is declared", truths(p.query("everywhere", runtime.Common{})), "[(aurora) Is (borealis) Is (draco) Not (fornax) Is]")
}

func TestAReloadThatTakesAStandpointAwayKeepsItsFacts(t *testing.T) {
	p := fleetPort(t, nil)
	p.from("press", "enter", args("s", "eridanus"))
	p.write("root.ar", "pub type Ship { mut tons: Int = 100 }\npub fact Ship(aurora);\npub query ships() -> Ship;\n")
	res, err := p.Build(t.Context(), runtime.BuildRequest{})
	if err != nil || res.Code != runtime.CodeSchemaIncompatible {
		t.Fatalf("%+v %v", res, err)
	}
	same(t, "still there", truths(p.query("ships", view("press"))), "[(aurora) Is (eridanus) Is]")
}
