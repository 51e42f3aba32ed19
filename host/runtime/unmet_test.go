package runtime_test

import (
	"context"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A require that is false tells what the names in it stood for in that run, and
// where it asks for one fact, the question why that does not hold.
func TestARequireTellsWhatItsNamesStoodFor(t *testing.T) {
	p := open(t, map[string]string{
		"ox.toml": "[package]\nname = \"shelf\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n",
		"root.ar": `pub type Box { mut left: Nat, label: String?, mut inside: Box? }
pub rel Holds(a: Box, b: Box);
pub fact Box(big) { left: 5, label: "a \"b\"" };
pub fact Box(small) { left: 1, inside: big };
pub derive under(a: Box, b: Box) :- Holds(b, a);
pub mutate fill(b: Box, n: Int) { require n <= b.left && b.label.is_some(); update b set { left -= n }; }
pub mutate twice(b: Box, n: Int) { let half = n - 1; update b set { left -= half }; require b.left > half; }
pub mutate each(b: Box) { for n in [1, 4, 9] { if n > 2 { require n < 5; } } }
pub mutate outer(b: Box) { require b.inside.left > 7; }
pub mutate move(a: Box, b: Box) { require under(a, b); }
pub mutate stay(a: Box, b: Box) { insert Holds(b, a); require !exists { under(a, b) }; }
pub mutate any(a: Box) { require Holds(a, _); }
pub mutate whole() { fill(small, 3); }
pub mutate plain() { require 1 > 2; }
`,
	}, nil)
	for _, c := range []struct {
		name          string
		args          runtime.Args
		message, next string
	}{
		{"fill", args("b", "big", "n", 6), "require n <= b.left && b.label.is_some() is false: n = 6, b.left = 5, b.label = \"a \\\"b\\\"\" (root.ar:6:35)", ""},
		{"fill", args("b", "small", "n", 1), "require n <= b.left && b.label.is_some() is false: n = 1, b.left = 1, b.label = none (root.ar:6:35)", ""},
		{"twice", args("b", "big", "n", 4), "require b.left > half is false: b.left = 2, half = 3 (root.ar:7:85)", ""},
		{"each", args("b", "big"), "require n < 5 is false: n = 9 (root.ar:8:59)", ""},
		{"outer", args("b", "small"), "require b.inside.left > 7 is false: b.inside.left = 5 (root.ar:9:28)", ""},
		{"move", args("a", "big", "b", "small"), "require under(a, b) is false: a = big, b = small (root.ar:10:35)", "under(big, small)"},
		{"stay", args("a", "big", "b", "small"), "require !exists { under(a, b) } is false: a = big, b = small (root.ar:11:55)", "under(big, small)"},
		{"any", args("a", "big"), "require Holds(a, _) is false: a = big (root.ar:12:26)", ""},
		{"whole", args(), "require n <= b.left && b.label.is_some() is false (root.ar:6:35)", ""},
		{"plain", args(), "require 1 > 2 is false (root.ar:14:22)", ""},
	} {
		res := p.mutate(c.name, c.args)
		if res.Code != runtime.CodeWriteRefused || res.Message != c.message {
			t.Errorf("%s %v: %s\n got %s\nwant %s", c.name, c.args, res.Code, res.Message, c.message)
		}
		next := ""
		if res.NextStep != nil {
			next, _ = res.NextStep.Arguments["fact"].(string)
		}
		if next != c.next {
			t.Errorf("%s: the next step is about %q, want %q", c.name, next, c.next)
		}
	}
	res, err := p.Mutate(context.Background(), runtime.MutateRequest{Body: "let k = n + 1; require Holds(big, b) && k > 1;", Args: args("n", 2, "b", "small")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "require Holds(big, b) && k > 1 is false: b = small, k = 3"; res.Message != want {
		t.Errorf("ad hoc: %s", res.Message)
	}
	if p.accepted("fill", args("b", "big", "n", 5)) != 2 {
		t.Error("what was refused took a stamp")
	}
}
