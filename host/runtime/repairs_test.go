package runtime

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// A trial of a repair that passes a limit leaves nothing of the repair behind:
// the next one is tried on the same instance.
func TestATrialThatPassesALimitIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "root.ar"), []byte(`pub type Stop;
pub rel Leg(a: Stop, b: Stop);
pub fact Stop(oak);
pub fact Stop(elm);
pub fact Stop(ash);
pub fact Leg(oak, elm);
pub derive way(a, b) :- Leg(a, b);
pub derive way(a, c) :- way(a, b), Leg(b, c);
`), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "ox.toml"), []byte("[package]\nname = \"legs\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"), 0o600))
	s := openFolder(t, dir)
	ses, refused, err := s.begin(t.Context(), Common{})
	must(t, err)
	if refused != nil {
		t.Fatal(refused)
	}
	defer ses.end()
	m := ses.m
	leg := m.relations["root::Leg"]
	base := leg
	if told := m.program.Relations[leg].Asserted; told >= 0 {
		base = told
	}
	must(t, ses.g.run(t.Context(), ses.scope, ses.point, true, func(in *sandbox.Instance) error {
		legs := func() (n int) {
			var rows abi.Rows
			must(t, ses.ask(t.Context(), in, abi.ExportDerive, &abi.DeriveRequest{Call: ses.call, Relation: base}, &rows))
			return rows.Frame.Rows
		}
		var told abi.Rows
		must(t, ses.ask(t.Context(), in, abi.ExportDerive, &abi.DeriveRequest{Call: ses.call, Relation: m.relations["root::Stop"]}, &told))
		names := map[string]abi.Value{}
		for i := range told.Frame.Rows {
			v := told.Frame.Row(nil, i)[0]
			names[shortName(v.Str)] = v
		}
		repair := &abi.Repair{Facts: []abi.RepairFact{{Relation: base, Tuple: []abi.Value{names["elm"], names["ash"]}}}}
		msg := &abi.ExplainRequest{Call: ses.call, Relation: m.relations["root::way"], Tuple: []abi.Value{names["oak"], names["ash"]}}
		short := *msg
		short.Call.Limits.Derived = 1
		for _, c := range []struct {
			name  string
			msg   *abi.ExplainRequest
			holds bool
		}{{"within its limits", msg, true}, {"past a limit", &short, false}} {
			before := legs()
			holds, err := ses.verify(t.Context(), in, c.msg, repair)
			if err != nil || holds != c.holds {
				t.Errorf("%s: holds %v, %v, want %v", c.name, holds, err, c.holds)
			}
			if after := legs(); after != before {
				t.Errorf("%s: %d legs before, %d after", c.name, before, after)
			}
		}
		return nil
	}))
}
