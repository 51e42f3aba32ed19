package runtime_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A default that is written counts for as long as its field has no other value,
// whatever the field has at the instant of the call.
func TestADefaultThatIsWrittenFillsTheTimeWithoutAValue(t *testing.T) {
	const source = `pub type N { mut w: Int = 9 }
pub type G <: N;
pub rel L(a: N, b: N) { mut k: Nat, mut note: String = "-" }
pub fact N(b) { w: 1 };
pub fact N(c) { w: 1 };
pub fact L(b, c) { k: 5, note: "old" } at #2031-07-05#..#2031-07-08#;
pub fact N(d) { w: 4 } at #2031-07-10#..#2031-07-12#;
pub derive says(a, b, s) :- s = L(a, b).note;
pub derive weighs(a, n) :- G(a), n = a.w;
pub query notes() -> says;
pub query weights() -> weighs;
pub mutate lay(a: N, b: N, day: Date) { insert L(a, b) { k: 4 } at day; }
pub mutate lay_now(a: N, b: N) { insert L(a, b) { k: 4 }; }
pub mutate call(a: N, b: N, s: String, day: Date) { insert L(a, b) { k: 4, note: s } at day; }
pub mutate join(a: N, day: Date) { insert iof(a, G) at day; }
pub mutate join_now(a: N) { insert iof(a, G); }
pub mutate relay(a: N, b: N) { delete L(a, b); insert L(a, b) { k: 6 }; }
pub mutate lay_and_lift(a: N, b: N, day: Date) { insert L(a, b) { k: 4 } at day; delete L(a, b) at day; }
`
	at := func(day string) *runtime.AsOf { return &runtime.AsOf{VT: day} }
	days := regexp.MustCompile(`\d\d:`)
	type call struct {
		name string
		args runtime.Args
	}
	for _, tc := range []struct {
		name  string
		day   int // of July, of the calls
		calls []call
		query string
		want  string // "day:rows" of July
	}{
		{"one to come, beside one that ends", 6, []call{{"lay", args("a", "b", "b", "c", "day", "2031-07-14")}}, "notes",
			"07:[(b,c,old)] 09:[] 13:[] 14:[(b,c,-)] 20:[(b,c,-)]"},
		{"one that goes on, after one that ends", 6, []call{{"lay_now", args("a", "b", "b", "c")}}, "notes",
			"06:[(b,c,old)] 08:[(b,c,old)] 09:[(b,c,-)] 20:[(b,c,-)]"},
		{"one of the past, before another", 9, []call{{"lay", args("a", "b", "b", "c", "day", "2031-07-04")}}, "notes",
			"03:[] 04:[(b,c,-)] 06:[(b,c,old)] 09:[(b,c,-)]"},
		{"around a value to come", 6, []call{{"join_now", args("a", "d")}}, "weights",
			"06:[(d,9)] 09:[(d,9)] 11:[(d,4)] 13:[(d,9)]"},
		{"from a day on which there is one", 6, []call{{"join", args("a", "d", "day", "2031-07-11")}}, "weights",
			"10:[] 11:[(d,4)] 13:[(d,9)]"},
		{"after a call for another day", 6, []call{{"call", args("a", "b", "b", "b", "s", "new", "day", "2031-07-09")}, {"lay_now", args("a", "b", "b", "b")}}, "notes",
			"06:[(b,b,-) (b,c,old)] 09:[(b,b,new)] 20:[(b,b,new)]"},
		{"in place of what goes", 6, []call{{"call", args("a", "b", "b", "b", "s", "new", "day", "2031-07-09")}, {"lay_now", args("a", "b", "b", "b")}, {"relay", args("a", "b", "b", "b")}}, "notes",
			"06:[(b,b,-) (b,c,old)] 09:[(b,b,-)] 20:[(b,b,-)]"},
		{"gone with its tuple", 6, []call{{"lay_and_lift", args("a", "c", "b", "b", "day", "2031-07-09")}}, "notes",
			"06:[(b,c,old)] 09:[] 20:[]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := open(t, map[string]string{"ox.toml": "[package]\nname = \"legs\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": source}, nil)
			p.advance(time.Duration(tc.day-4) * 24 * time.Hour)
			for _, c := range tc.calls {
				p.accepted(c.name, c.args)
			}
			var got []string
			for _, day := range days.FindAllString(tc.want, -1) {
				got = append(got, fmt.Sprint(day, p.rows(tc.query, at("2031-07-"+day[:2]))))
			}
			same(t, tc.name, strings.Join(got, " "), tc.want)
		})
	}
}
