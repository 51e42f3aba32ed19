package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// harbourFiles is a package of which some checks find something else on another
// day: by the rules that they go by, by a function, by what they say, and by
// facts with a period.
func harbourFiles() map[string]string {
	return map[string]string{
		"ox.toml": "[package]\nname = \"harbour\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n",
		"root.ar": "pub mod ships;\npub mod law;\n",
		"ships.ar": fmt.Sprintf(`pub type Ship { length: Int, due: Date, mut flag: String? }
pub rel Berths(a: Ship, b: Ship) [0..1] [0..*];
pub fact Ship(aurora) { length: 90, due: #%[1]s# };
pub fact Ship(borea) { length: 12, due: #%[2]s# };
pub fact Ship(cirrus) { length: 44, due: #%[2]s# } at #%[2]s#;
pub fact Berths(aurora, borea) at #%[1]s#..#%[2]s#;
pub fact Berths(borea, borea) at #%[2]s#;
pub fn late(d: Date) -> Bool = d < today();
pub derive overdue(s: Ship) :- s: Ship, late(s.due);
pub derive waits(s: Ship) :- s: Ship, not Berths(s, _);
pub derive long(s: Ship) :- aurora == s, s.length > 20;
`, morrow(0), morrow(2)),
		"law.ar": `use pkg::ships::{Ship, Berths, overdue, waits, long, late};
pub check too_late(s: Ship) :- overdue(s)
    => Diagnostic { severity: Severity::Warning, code: "H-1", message: "{s} was due on {s.due}", range: None };
pub check idle(s: Ship) :- waits(s)
    => Diagnostic { severity: Severity::Warning, code: "H-2", message: "{s} waits", range: None };
pub check too_long(s: Ship) :- long(s)
    => Diagnostic { severity: Severity::Info, code: "H-3", message: "{s} has {s.length}", range: None };
pub check said(n: Int) :- n in [1, 2]
    => Diagnostic { severity: Severity::Info, code: "H-4", message: "{n} on {today()}", range: None };
pub check fixed(n: Int) :- n in [3]
    => Diagnostic { severity: Severity::Info, code: "H-5", message: "{n}", range: None };
pub fn plain(n: Int) -> Int = n + 1;
`,
	}
}

// morrow is the n-th day after that on which the tests begin.
func morrow(n int) string { return clockStart.AddDate(0, 0, n).Format(time.DateOnly) }

// TestChecksAfterEditsAtOtherTimes edits a package whose checks go by the time,
// a day after each other, and holds what a server that compiles in a session
// finds to what one finds that begins anew.
func TestChecksAfterEditsAtOtherTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, and one goroutine")
	}
	p := open(t, harbourFiles(), nil)
	p.session = &argon.Session{}
	s := p.another(nil)
	p.session = nil
	texts := harbourFiles()
	check := func(s *runtime.Service) string {
		got, err := s.Check(context.Background(), runtime.CheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	expected := []string{"aurora was due", "borea was due", "aurora waits", "borea waits", "cirrus waits"}
	seen := map[string]bool{}
	for _, edit := range []struct{ file, old, new string }{
		{"law.ar", "", ""},
		{"law.ar", "n in [3]", "n in [3, 4]"},
		{"law.ar", "n in [1, 2]", "n in [1]"},
		{"law.ar", "n in [3]", "n in [3], today() > #2000-01-01#"},
		{"ships.ar", "s.length > 20", "s.length > 10"},
		{"ships.ar", "d < today()", "d <= today()"},
		{"ships.ar", "d < today()", "d < #2020-01-01#"},
		{"ships.ar", "not Berths(s, _)", "not Berths(_, s)"},
		{"law.ar", "pub fn plain", "pub check short(s: Ship) :- s: Ship, s.length < 50\n    => Diagnostic { severity: Severity::Info, code: \"H-6\", message: \"{s} is short\", range: None };\npub fn plain"},
		{"law.ar", "pub check too_long", "pub check longer"},
		{"law.ar", "pub fn plain(n: Int)", "pub fn plain(n: Int, m: Int)"},
		{"ships.ar", "pub fact Berths(borea", "pub fact Berths(aurora"},
		{"ships.ar", "pub derive long", "pub derive new(s: Ship) :- overdue(s), waits(s);\npub derive long"},
	} {
		p.write(edit.file, strings.Replace(texts[edit.file], edit.old, edit.new, 1))
		got, want := check(s), check(p.another(nil))
		if got != want {
			t.Errorf("after the edit to %q a session finds\n%s\nand a service that begins anew\n%s", edit.new, got, want)
		}
		for _, name := range expected {
			if strings.Contains(got, name) {
				seen[name] = true
			}
		}
		for file, text := range texts {
			p.write(file, text)
		}
		p.now = p.now.Add(12 * time.Hour)
	}
	if len(seen) < len(expected) {
		t.Error("the test sees only", seen)
	}
}
