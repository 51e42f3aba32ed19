package runtime_test

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Views that agree on a value and not on how far it could be from what is known
// have one row of it, whose interval is as wide as theirs together.
func TestViewsOfOneValueHaveOneRowWithTheIntervalOfAll(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"members\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n", "root.ar": `pub type Player { age: Int = 30 }
#[world(open)]
pub type Member;
pub fact Player(eva);
pub fact Player(tim);
pub fact Player(ida);
pub derive members(n) :- n = count { p: Player, p: Member };
pub derive oldest(n) :- n = max(p.age for p in Player where true, p: Member);
pub derive beyond(n) :- n = count { x: Top, x: Member };
pub standpoint press { pub fact Member(eva); pub not_fact Member(tim); }
pub standpoint radio { pub fact Member(eva); }
pub standpoint court { pub fact Member(eva); pub not_fact Member(tim); pub not_fact Member(ida); }
pub standpoint halls { pub fact Member(eva); pub fact Member(ida); }
pub query both() -> members across [press, radio];
pub query turned() -> members across [radio, press];
pub query sure() -> members across [radio, court];
pub query apart() -> members across [radio, halls, press];
pub query age() -> oldest across [press, radio];
pub query all() -> beyond across [court, radio];
pub query written() -> [Nat] across [press, radio] { select n from members(n) }
`}, nil)
	shown := func(res *runtime.RowsResult) string {
		out := ""
		for i := range res.Rows {
			r := &res.Rows[i]
			out += r.Text() + " " + r.Truth4
			if r.Within != nil {
				out += " " + r.Within.Text()
			}
			out += "; "
		}
		return fmt.Sprintf("%sof %d, %d undefined", out, res.Total, res.Hidden.Can)
	}
	for _, tc := range []struct{ query, want string }{
		{"both", "(1) Can n from 1 to 3, 2 rows left out; of 1, 1 undefined"},
		{"turned", "(1) Can n from 1 to 3, 2 rows left out; of 1, 1 undefined"},
		{"sure", "(1) Is n from 1 to 3, 2 rows left out; of 1, 0 undefined"},
		{"apart", "(1) Can n from 1 to 3, 2 rows left out; (2) Can n from 2 to 3, 1 row left out; of 2, 2 undefined"},
		{"age", "(30) Is n is 30, 2 rows left out; of 1, 0 undefined"},
		{"all", "(1) Can n from 1 on, any number of rows left out; of 1, 1 undefined"},
		{"written", "(1) Can n from 1 to 3, 2 rows left out; of 1, 1 undefined"},
	} {
		same(t, tc.query, shown(p.query(tc.query, runtime.Common{})), tc.want)
	}
	page := &runtime.Page{Limit: 1}
	first := p.query("apart", runtime.Common{Page: page})
	same(t, "the first page", shown(first), "(1) Can n from 1 to 3, 2 rows left out; of 2, 2 undefined")
	page.Cursor = first.NextCursor
	same(t, "the second page", shown(p.query("apart", runtime.Common{Page: page})), "(2) Can n from 2 to 3, 1 row left out; of 2, 2 undefined")
}
