package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A delete that takes nothing is accepted, and says so.
func TestADeleteThatTakesNothingSaysSo(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"legs\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Stop;
pub rel Leg(a: Stop, b: Stop);
pub fact Stop(oak);
pub fact Leg(oak, oak) at #2031-07-14#;
pub fact Leg(oak, elm);
pub mutate close(a: Stop, b: Stop) { delete Leg(a, b); }
pub mutate close_all(a: Stop) { delete Leg(a, _); }
pub mutate pass(a: Stop, b: Stop) { if a != b { close(a, b); } }
pub mutate idle(a: Stop) { require a == a; }
`}, nil)
	for _, tc := range []struct {
		name string
		args runtime.Args
		said bool
	}{
		{"close", args("a", "oak", "b", "oak"), true},
		{"pass", args("a", "oak", "b", "oak"), true},
		{"idle", args("a", "oak"), false},
		{"pass", args("a", "oak", "b", "elm"), false},
		{"close_all", args("a", "oak"), true},
	} {
		res := p.mutate(tc.name, tc.args)
		if res.Refused() || (res.Receipt.Events == 0) != (tc.said || tc.name == "idle") {
			t.Fatalf("%s: %+v", tc.name, res)
		}
		if said := strings.Contains(res.Message, "nothing was written"); said != tc.said {
			t.Errorf("%s says %q", tc.name, res.Message)
		}
	}
}
