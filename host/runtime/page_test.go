package runtime_test

import (
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// fleet is a port with n ships beside aurora: "s00", "s01", …
func fleet(t *testing.T, n int, values map[string]string) *port {
	t.Helper()
	files := portFiles()
	text := ""
	for i := range n {
		text += fmt.Sprintf("pub fact Ship(s%02d) { name: \"s%02d\", length: 10 };\n", i, i)
	}
	files["root.ar"] += text
	return open(t, files, values)
}

func TestACursorPinsItsReadPoint(t *testing.T) {
	p := fleet(t, 5, nil)
	page := &runtime.Page{Limit: 2}
	var got []string
	for i := 0; ; i++ {
		res := p.query("ships", runtime.Common{Page: page})
		if res.Refused() {
			t.Fatal(res.Code, res.Message)
		}
		if len(res.Rows) > 2 {
			t.Fatalf("a page of %d rows", len(res.Rows))
		}
		same(t, "total", res.Total, 6)
		got = append(got, texts(res)...)
		if res.NextCursor == "" {
			break
		}
		page = &runtime.Page{Limit: 2, Cursor: res.NextCursor}
		// Writes in between do not disturb the paging.
		p.accepted("arrive", args("name", fmt.Sprintf("a%d", i), "length", 9))
	}
	same(t, "all pages", got, "[(aurora) (s00) (s01) (s02) (s03) (s04)]")
	same(t, "now", len(p.rows("ships", nil)), 8)
}

func TestAStaleCursorIsRefused(t *testing.T) {
	p := fleet(t, 5, nil)
	cursor := p.query("ships", runtime.Common{Page: &runtime.Page{Limit: 2}}).NextCursor
	other := p.query("moorings", runtime.Common{Page: &runtime.Page{Cursor: cursor}})
	same(t, "of another query", other.Code, "STALE_CURSOR")
	// One that was changed is no cursor at all.
	forged := []byte(cursor)
	forged[len(forged)/2] ^= 1
	_, err := p.Query(t.Context(), runtime.QueryRequest{Name: "ships", Common: runtime.Common{Page: &runtime.Page{Cursor: string(forged)}}})
	if err == nil {
		t.Error("a forged cursor is taken")
	}
	p.write("more.ar", "")
	p.write("root.ar", portSource)
	res := p.query("ships", runtime.Common{Page: &runtime.Page{Limit: 2, Cursor: cursor}})
	same(t, "after a reload", res.Code, "STALE_CURSOR")
	same(t, "rows", len(res.Rows), 0)
}

func TestAPageEndsByBytes(t *testing.T) {
	p := fleet(t, 40, map[string]string{"limits.resultBytes": "1KiB"})
	res := p.query("ships", runtime.Common{Page: &runtime.Page{Limit: 100}})
	if res.NextCursor == "" || len(res.Rows) == 0 || len(res.Rows) > 30 {
		t.Fatalf("%d rows, cursor %q", len(res.Rows), res.NextCursor)
	}
	seen := texts(res)
	for res.NextCursor != "" {
		res = p.query("ships", runtime.Common{Page: &runtime.Page{Limit: 100, Cursor: res.NextCursor}})
		seen = append(seen, texts(res)...)
	}
	same(t, "all rows", len(seen), 41)
	same(t, "the last", seen[40], "(s39)")
}

func TestALargeResultIsRefusedNotCut(t *testing.T) {
	p := fleet(t, 40, map[string]string{"limits.unpagedChars": "1000"})
	res := p.query("ships", runtime.Common{})
	same(t, "code", res.Code, "ARGON_RUNTIME_RESULT_TOO_LARGE")
	same(t, "rows", len(res.Rows), 0)
	same(t, "total", res.Total, 41)
	if res.Truncated == nil || *res.Truncated {
		t.Errorf("truncated: %v", res.Truncated)
	}
	if res.NextStep == nil || res.NextStep.Arguments["page"] == nil {
		t.Errorf("next step: %+v", res.NextStep)
	}
}
