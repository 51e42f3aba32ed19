package runtime_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const legsSource = `pub type Stop;
pub rel Leg(a: Stop, b: Stop) { mut km: Nat, mut name: String? }
pub fact Stop(oak);
pub fact Stop(elm);
pub fact Leg(oak, elm) { km: 5 } at #2031-07-01#..#2031-07-20#;
pub fact Leg(elm, oak) { km: 6 };
pub derive length(a, b, n) :- n = Leg(a, b).km;
pub derive named(a, b, n) :- n = Leg(a, b).name;
pub query lengths() -> length;
pub query names() -> named;
pub mutate lay(a: Stop, b: Stop, km: Nat, day: Date) { insert Leg(a, b) { km: km } at day; }
pub mutate again(a: Stop, b: Stop, day: Date) { insert Leg(a, b) { name: "new" } at day; }
pub mutate measure(a: Stop, b: Stop, km: Nat, day: Date) { update Leg(a, b) set { km = km } at day; }
pub mutate close(a: Stop, b: Stop) { delete Leg(a, b); }
pub mutate close_on(a: Stop, b: Stop, day: Date) { delete Leg(a, b) at day; }
pub mutate move(a: Stop, b: Stop, km: Nat, day: Date) {
    update Leg(a, b) set { km = 1 } at day;
    delete Leg(a, b);
    insert Leg(a, b) { km: km };
}
`

// What the fields of a tuple are said to be at other times goes with the tuple.
func TestTheFieldsOfATupleGoWithItAtEachTime(t *testing.T) {
	at := func(day string) *runtime.AsOf { return &runtime.AsOf{VT: day} }
	open := func(t *testing.T) *port {
		return open(t, map[string]string{"ox.toml": "[package]\nname = \"legs\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": legsSource}, nil)
	}
	t.Run("one to come, of a tuple to come", func(t *testing.T) {
		p := open(t)
		p.accepted("lay", args("a", "elm", "b", "elm", "km", 3, "day", "2031-07-10"))
		p.accepted("close_on", args("a", "elm", "b", "elm", "day", "2031-07-08"))
		same(t, "then", p.rows("lengths", at("2031-07-12")), "[(elm,oak,6) (oak,elm,5)]")
		p.accepted("again", args("a", "elm", "b", "elm", "day", "2031-07-15"))
		same(t, "a new one has its own", p.rows("lengths", at("2031-07-16")), "[(elm,oak,6) (oak,elm,5)]")
		same(t, "its name", p.rows("names", at("2031-07-16")), "[(elm,elm,new)]")
	})
	t.Run("one to come, of a tuple that is there", func(t *testing.T) {
		p := open(t)
		p.accepted("measure", args("a", "oak", "b", "elm", "km", 9, "day", "2031-07-10"))
		p.accepted("measure", args("a", "elm", "b", "oak", "km", 8, "day", "2031-07-10"))
		same(t, "then", p.rows("lengths", at("2031-07-12")), "[(elm,oak,8) (oak,elm,9)]")
		p.accepted("close", args("a", "oak", "b", "elm"))
		p.accepted("close", args("a", "elm", "b", "oak"))
		same(t, "now", p.rows("lengths", nil), "[]")
		same(t, "then, without it", p.rows("lengths", at("2031-07-12")), "[]")
		same(t, "as it was", p.rows("lengths", at("2031-07-02")), "[(elm,oak,6) (oak,elm,5)]")
	})
	t.Run("one that is written by the same call", func(t *testing.T) {
		p := open(t)
		p.accepted("move", args("a", "elm", "b", "oak", "km", 7, "day", "2031-07-10"))
		same(t, "now", p.rows("lengths", nil), "[(elm,oak,7) (oak,elm,5)]")
		same(t, "then", p.rows("lengths", at("2031-07-12")), "[(elm,oak,7) (oak,elm,5)]")
	})
}
