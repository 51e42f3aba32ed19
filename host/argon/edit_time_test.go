package argon_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// TestOnlyChecksOfTheTimeAreEvaluatedAgain edits a package beside checks that
// ask for the time: they are evaluated again with what changed, and no other.
func TestOnlyChecksOfTheTimeAreEvaluatedAgain(t *testing.T) {
	text := `use std::core::{type, rel};
pub type Ship { due: Date, size: Int }
pub rel Berths(a: Ship, b: Ship);
pub fact Ship(aurora) { due: #2031-01-01#, size: 3 };
pub fact Berths(aurora, aurora) at #2031-01-01#..#2032-01-01#;
fn late(d: Date) -> Bool = d < today();
derive overdue(s: Ship) :- s: Ship, late(s.due);
derive moored(s: Ship) :- Berths(s, _);
pub check one(s: Ship) :- overdue(s) => Diagnostic { severity: Severity::Info, code: "T-1", message: "{s}", range: None };
pub check two(s: Ship) :- moored(s) => Diagnostic { severity: Severity::Info, code: "T-2", message: "{s}", range: None };
pub check three(n: Int) :- n in [1] => Diagnostic { severity: Severity::Info, code: "T-3", message: "{n} on {today()}", range: None };
pub check four(n: Int) :- n in [1, 2] => Diagnostic { severity: Severity::Info, code: "T-4", message: "{n}", range: None };
pub check five(s: Ship) :- s: Ship, s.size > 2 => Diagnostic { severity: Severity::Info, code: "T-5", message: "{s}", range: None };
`
	for _, edit := range []struct{ old, new string }{
		{"n in [1, 2]", "n in [1, 2, 3]"},
		{"pub check five", "pub derive six(n: Int) :- n in [6];\npub check five"},
	} {
		var s argon.Session
		check := func(text string) *argon.Result {
			r, err := s.Check(context.Background(), load.Options{Root: "root.ar", Files: load.Memory(map[string]string{"root.ar": text})})
			if err != nil || len(r.Diagnostics) > 0 {
				t.Fatal(err, r.Diagnostics)
			}
			return r
		}
		check(text)
		r := check(strings.Replace(text, edit.old, edit.new, 1))
		if r.Edit == nil {
			t.Fatalf("%q is compiled from nothing", edit.new)
		}
		v, ok := r.Edit.Evaluation()
		if !ok {
			t.Fatalf("%q: all checks are evaluated", edit.new)
		}
		var again []string
		for _, c := range v.Part.Module.Program.Checks {
			if c.Guard {
				continue // of Berths, whose fact has a period
			}
			again = append(again, strings.TrimPrefix(c.Name, "root::"))
		}
		want := []string{"one", "three", "two"}
		if strings.Contains(edit.old, "n in") {
			want = []string{"four", "one", "three", "two"}
		}
		if slices.Sort(again); !slices.Equal(again, want) {
			t.Errorf("%q: evaluated again are %v, not %v", edit.new, again, want)
		}
	}
}
