package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Whether a field that is not mut has a value already is asked of the time of
// the write.
func TestAFieldThatIsNotMutIsGivenOnceAtEachTime(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"tracks\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Stop;
pub rel Track(a: Stop, b: Stop) { gauge: Nat, mut km: Nat? }
pub fact Stop(oak);
pub fact Stop(elm);
pub fact Stop(ash);
pub fact Track(oak, elm) { gauge: 1 } at #2031-07-02#..#2031-07-08#;
pub fact Track(oak, ash) { gauge: 1 } at #2031-07-12#..#2031-07-18#;
pub derive wide(a, b, n) :- n = Track(a, b).gauge;
pub query gauges() -> wide;
pub mutate lay(a: Stop, b: Stop, n: Nat, day: Date) { insert Track(a, b) { gauge: n } at day; }
pub mutate relay(a: Stop, b: Stop, n: Nat, day: Date) { delete Track(a, b) at day; insert Track(a, b) { gauge: n } at day; }
`}, nil)
	lay := func(name, b string, n int, day string) string {
		res, err := p.Mutate(t.Context(), runtime.MutateRequest{Name: name, Args: args("a", "oak", "b", b, "n", n, "day", day)})
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(res.Code + " " + res.Message)
	}
	refused := "ARGON_RUNTIME_WRITE_REFUSED require no value of gauge yet is false at "
	same(t, "it has one then", lay("lay", "ash", 2, "2031-07-14"), refused+"2031-07-14T00:00:00Z")
	same(t, "it has one from then to now", lay("lay", "elm", 2, "2031-07-01"), refused+"2031-07-04T10:00:00Z")
	same(t, "it has none any more", lay("lay", "elm", 2, "2031-07-14"), "")
	same(t, "it was given one for then", lay("lay", "elm", 3, "2031-07-16"), refused+"2031-07-16T00:00:00Z")
	same(t, "a new tuple", lay("relay", "ash", 2, "2031-07-14"), "")
	same(t, "then", p.rows("gauges", &runtime.AsOf{VT: "2031-07-16"}), "[(oak,ash,2) (oak,elm,2)]")
}
