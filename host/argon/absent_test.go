package argon_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// TestAbsentValuesInCode computes with a field that has no value: in fn,
// mutate and test that is an error at the place where the value is read.
func TestAbsentValuesInCode(t *testing.T) {
	const types = `pub type C { mut n: Int?, mut m: Int?, mut s: String? }
pub fact C(full) { n: 3, m: 3, s: "x" };
pub fact C(bare);
fn opt(c: C) -> Int? = c.n;
`
	for _, tt := range []struct{ result, body, full, bare string }{
		{"Bool", `c.n > 2`, "true", "c.n"},
		{"Bool", `2 < c.n`, "true", "c.n"},
		{"Bool", `c.n == 3`, "true", "c.n"},
		{"Bool", `c.n != 3`, "false", "c.n"},
		{"Bool", `c.n == c.m`, "true", "c.n"},
		{"Int", `c.n + 1`, "4", "c.n"},
		{"Int", `-c.n`, "-3", "c.n"},
		{"Int", `abs(c.n)`, "3", "c.n"},
		{"Bool", `c.n in [1, 3]`, "true", "c.n"},
		{"Bool", `c.n not in [1, 3]`, "false", "c.n"},
		{"String", `c.s + "y"`, `"xy"`, "c.s"},
		{"Bool", `opt(c) > 2`, "true", "opt(c) > 2"},
		{"Int", `opt(c) * 2`, "6", "opt(c) * 2"},
		{"Bool", `c.n > 9 || c.m > 2`, "true", "c.n"},
		{"Bool", `c.n.is_some && c.n > 2`, "true", "false"},
		{"Bool", `c.n == None`, "false", "true"},
		{"Bool", `c.n != None`, "true", "false"},
		{"Bool", `opt(c) == None`, "false", "true"},
		{"Bool", `c.n.or(9) > 8`, "false", "true"},
		{"Int", `match c.n { Some(v) => v, None => 0 }`, "3", "0"},
		{"Int?", `c.n`, "3", "None"},
		{"String", `"{c.n}"`, `"3"`, `"none"`},
	} {
		fn := "pub fn f(c: C) -> " + tt.result + " = " + tt.body + ";\n"
		source := types + fn + "pub mutate m(c: C) { let x = " + tt.body + "; }\n"
		m := compiled(t, source)
		e := loaded(t, m)
		for name, want := range map[string]string{"full": tt.full, "bare": tt.bare} {
			arg := []abi.Value{abi.NamedValue("root::" + name)}
			at := -1
			for i := range m.Program.Functions {
				if m.Program.Functions[i].Name == "root::f" {
					at = i
				}
			}
			out, f := e.Compute(&abi.ComputeRequest{Call: call, Function: at, Args: arg})
			got := ""
			if f == nil {
				got = lower.ValueText(out.Value)
			} else if f.Code == abi.FailureEval && strings.HasPrefix(f.Message, "there is no value here") {
				got = source[f.Span.Start:f.Span.End]
			}
			if got != want {
				t.Errorf("%s of %s: got %q, want %q (%v)", tt.body, name, got, want, f)
			}
			_, failed := e.Mutate(&abi.MutateRequest{Call: call, Mutation: 0, Args: arg})
			if (failed != nil) != (f != nil) || failed != nil && failed.Code != abi.FailureEval {
				t.Errorf("%s of %s: the function gives %v, the mutation %v", tt.body, name, f, failed)
			}
		}
	}
}

// TestWritesAboutStrangers updates a field of an individual that is no member
// of the field's concept: the write comes with a warning.
func TestWritesAboutStrangers(t *testing.T) {
	m := compiled(t, `pub type C { mut n: Int?, tags: [String] }
pub type D <: C { mut k: Int? }
pub fact C(member);
pub mutate set(c: C) { update c set { n = 1 } }
pub mutate tag(c: C) { insert "x" into c.tags; }
pub mutate special(d: D) { update d set { k = 1 } }
`)
	for _, tt := range []struct {
		mutation int
		who      string
		check    string
	}{
		{0, "member", ""},
		{0, "nobody", "root::C.n[self: C]"},
		{1, "member", ""},
		{1, "nobody", "root::C.tags[self: C]"},
		{2, "member", "root::D.k[self: D]"},
	} {
		e := loaded(t, m)
		out, f := e.Mutate(&abi.MutateRequest{Call: call, Mutation: tt.mutation, Args: []abi.Value{abi.NamedValue("root::" + tt.who)}})
		if f != nil {
			t.Fatal(f)
		}
		got := ""
		for _, v := range out.Violations {
			k := m.Program.Checks[v.Check]
			if k.Code != "OW0150" || k.Severity != abi.SeverityWarning || v.Frame.Rows != 1 {
				t.Errorf("%+v", k)
			}
			got += k.Name
		}
		if got != tt.check {
			t.Errorf("mutation %d of %s violates %q, want %q", tt.mutation, tt.who, got, tt.check)
		}
	}
}
