package argon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
)

var givesComment = regexp.MustCompile(`^pub (?:derive|check) (\w+)\(.*// gives(.*)$`)

// TestMeaning runs each file of testdata/meaning in the reasoner. A derive or
// check there says in a comment what it gives: // gives (a, 1) (b, 2), with a ?
// after a row that is undefined. The tests of the file pass. -update writes the comments anew.
func TestMeaning(t *testing.T) {
	files, err := filepath.Glob("testdata/meaning/*.ar")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".ar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m := compiled(t, string(text))
			e := loaded(t, m)
			lines := strings.Split(string(text), "\n")
			for i, line := range lines {
				says := givesComment.FindStringSubmatch(line)
				if says == nil {
					continue
				}
				got := extent(t, m, e, "root::"+says[1])
				if *update {
					lines[i] = line[:strings.Index(line, "// gives")] + "// gives" + got
				} else if got != says[2] {
					t.Errorf("line %d: %s gives%s", i+1, says[1], got)
				}
			}
			if *update {
				if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for i := range m.Program.Tests {
				runTest(t, m, &m.Program.Tests[i])
			}
		})
	}
}

var call = abi.Call{
	Now:    abi.Value{Kind: abi.KindInstant, Int: 1_900_000_000},
	Limits: abi.Limits{Calls: 1000, Rounds: 1000, Derived: 100_000},
}

func loaded(t rapid.TB, m *lower.Module) *engine.Engine {
	t.Helper()
	e := engine.New()
	if _, f := e.Load(&abi.LoadRequest{Call: call, Program: m.Program}); f != nil {
		t.Fatal(f)
	}
	var deltas []abi.Delta
	for _, fs := range m.Facts {
		if fs.Layer != "" {
			continue // seen from standpoints only
		}
		deltas = append(deltas, abi.Delta{Relation: fs.Relation, Frame: fs.Frame})
	}
	for _, fs := range m.Periods {
		if fs.Layer == "" && fs.Period.Covers(&call.Now) {
			deltas = append(deltas, abi.Delta{Relation: fs.Relation, Frame: fs.Frame})
		}
	}
	if _, f := e.Assert(&abi.AssertRequest{Call: call, Deltas: deltas}); f != nil {
		t.Fatal(f)
	}
	return e
}

func extent(t rapid.TB, m *lower.Module, e *engine.Engine, name string) string {
	t.Helper()
	for i, r := range m.Program.Relations {
		if r.Name != name {
			continue
		}
		rows, f := e.Derive(&abi.DeriveRequest{Call: call, Relation: i})
		if f != nil {
			t.Fatal(name, f)
		}
		out := ""
		for j := range rows.Frame.Rows {
			var parts []string
			for _, v := range rows.Frame.Row(nil, j) {
				parts = append(parts, strings.ReplaceAll(lower.ValueText(v), "root::", ""))
			}
			out += " (" + strings.Join(parts, ", ") + ")"
			if rows.Frame.Truth[j] == abi.Can {
				out += "?"
			}
		}
		return out
	}
	t.Fatalf("no relation %s", name)
	return ""
}

// runTest runs a test as the host does: a write that a guard refuses stops it,
// and a step that must be refused leaves no trace.
func runTest(t *testing.T, m *lower.Module, test *abi.Test) {
	t.Helper()
	slots := make([]*abi.Value, len(test.Slots))
	var ran []abi.MutateRequest
	write := func(e *engine.Engine, where string, mutation int) (refused []string) {
		req := abi.MutateRequest{Call: call, Mutation: mutation, Slots: slots}
		req.Call.Seed[0] = byte(len(ran))
		out, f := e.Mutate(&req)
		if f != nil && f.Code == abi.FailureRequire {
			return []string{"require"}
		}
		if f != nil {
			t.Fatal(where, f)
		}
		for _, v := range out.Violations {
			if c := m.Program.Checks[v.Check]; c.Severity == abi.SeverityError {
				refused = append(refused, c.Code)
			}
		}
		if len(refused) == 0 {
			ran, slots = append(ran, req), out.Slots
		}
		return refused
	}
	e := loaded(t, m)
	for _, s := range test.Steps {
		where := fmt.Sprintf("test %q: %s", test.Name, s.Text)
		holds := s.Expr
		switch s.Op {
		case abi.TestRun:
			if refused := write(e, where, s.Mutation); refused != nil {
				t.Fatalf("%s is refused by %s", where, refused)
			}
			continue
		case abi.TestRejects:
			if refused := write(e, where, s.Mutation); refused == nil || s.Code != "" && !slices.Contains(refused, s.Code) {
				t.Errorf("%s: refused by %s", where, refused)
				return
			}
			e = loaded(t, m)
			for i := range ran {
				if _, f := e.Mutate(&ran[i]); f != nil {
					t.Fatal(where, f)
				}
			}
			continue
		case abi.TestDerivable:
			holds = &abi.Expr{Op: abi.ExprHolds, Index: s.Rel, Args: s.Exprs, Span: s.Span}
		}
		out, f := e.Compute(&abi.ComputeRequest{Call: call, Expr: holds, Slots: slots})
		if f != nil {
			t.Error(where, f)
		} else if !abi.Equal(out.Value, abi.BoolValue(!s.Neg)) {
			t.Errorf("%s: %s", where, lower.ValueText(out.Value))
		}
	}
}
