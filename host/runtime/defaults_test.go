package runtime_test

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A default counts where nothing else is said of the field: not of another
// layer of the view, and not for another part of its period.
func TestADefaultGivesWayForAsLongAsSomethingIsSaid(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"shows\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Player { mut rank: Int = 9 }
pub type Guest <: Player;
pub standpoint press { pub fact Guest(eva) at #2031-07-05#..#2031-07-20#; }
pub standpoint radio { pub fact Player(tim); }
pub fact Player(eva) { rank: 3 };
pub fact Player(tim) { rank: 4 } at #2031-07-10#..#2031-07-12#;
pub fact Player(ida) { rank: 5 } at #2031-07-01#..#2031-07-10#;
pub fact Guest(ida) at #2031-07-04#..#2031-07-14#;
pub fact Guest(ada) at #2031-07-01#..#2031-07-14#;
pub fact Player(ada) { rank: 6 } at #2031-07-05#..#2031-07-10#;
pub derive ranked(p, n) :- p: Player, n = p.rank;
pub query ranks() -> ranked;
`}, nil)
	for _, tc := range []struct{ view, vt, want string }{
		{"press", "2031-07-06", "[(ada,6) (eva,3) (ida,5)]"},
		{"radio", "2031-07-01", "[(ada,9) (eva,3) (ida,5) (tim,9)]"},
		{"radio", "2031-07-11", "[(ada,9) (eva,3) (ida,9) (tim,4)]"},
		{"radio", "2031-07-13", "[(ada,9) (eva,3) (ida,9) (tim,9)]"},
		{"radio", "2031-07-15", "[(eva,3) (tim,9)]"},
	} {
		res := p.query("ranks", runtime.Common{AsOf: &runtime.AsOf{VT: tc.vt}, Standpoints: []string{tc.view}})
		same(t, tc.view+" "+tc.vt, fmt.Sprint(texts(res)), tc.want)
	}
}

func TestAShortQueryOfAnIntervalHasItsEnds(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"members\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Player;
#[world(open)]
pub type Member;
pub fact Player(eva);
pub fact Player(tim);
pub derive members(n) :- n = count { p: Player, p: Member };
pub standpoint press { pub fact Member(eva); }
pub query size() -> members;
pub query told() -> members across [press];
`}, nil)
	for _, tc := range []struct{ query, want string }{
		{"size", "(0) Can n from 0 to 2, 2 rows left out"},
		{"told", "(1) Can n from 1 to 2, 1 row left out"},
	} {
		res := p.query(tc.query, runtime.Common{})
		if len(res.Rows) != 1 {
			t.Fatalf("%s: %+v", tc.query, res)
		}
		r := &res.Rows[0]
		same(t, tc.query, r.Text()+" "+r.Truth4+" "+r.Within.Text(), tc.want)
	}
}
